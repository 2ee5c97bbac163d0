// Statements over the examples: their results, and the actions that they may not take.
#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ask.h"
#include "query/saved.h"

namespace profgauge::query {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Query, EveryColumnIsABareWord) {
  const Dataset empty;
  for (const RelationInfo& table : Schema()) {
    for (const ColumnInfo& column : table.columns) {
      const std::string sql = "select " + column.name + " from " + table.name;
      const auto query = Query::Prepare(sql, "", {}, empty);
      EXPECT_TRUE(query.has_value()) << sql << ": " << query.error().message;
    }
  }
}

TEST(Query, ColumnsOfATableDiffer) {
  for (const RelationInfo& table : Schema()) {
    for (const ColumnInfo& column : table.columns) {
      EXPECT_EQ(table.Find(column.name), &column) << table.name << "." << column.name;
    }
  }
}

TEST(Query, KeysIdentifyRows) {
  for (const RelationInfo& table : Schema()) {
    std::string keys;
    for (const ColumnInfo& column : table.columns) {
      if (column.is_key) keys += (keys.empty() ? "" : ", ") + column.name;
    }
    if (keys.empty()) continue;
    EXPECT_EQ(Answer("select count(*) from (select 1 from " + table.name + " group by " + keys +
                     " having count(*) > 1)"),
              "0")
        << table.name << " by " << keys;
  }
}

TEST(Query, UnitsAreThoseOfPlainColumns) {
  const auto query = Query::Prepare(
      "select duration, duration + 1, name from (select * from device_events)", "", {}, Ddp().data);
  ASSERT_TRUE(query.has_value());
  const auto columns = query->Columns();
  EXPECT_EQ(columns[0].unit, Unit::kTime);
  EXPECT_EQ(columns[1].unit, std::nullopt);
  EXPECT_EQ(columns[2].unit, Unit::kText);
}

TEST(Query, TablesAreKnownBeforeAnyIsFilled) {
  const Dataset empty;
  const auto query = Query::Prepare("select count(*) from kernels, gap_events", "", {}, empty);
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->tables(), (Places{*FindRelation("kernels"), *FindRelation("gap_events")}));
}

TEST(Query, MistakesNamePlaceAndAlternative) {
  const auto no_column = Query::Prepare("select\n  nam from kernels", "", {}, Ddp().data);
  ASSERT_FALSE(no_column.has_value());
  EXPECT_EQ(no_column.error().code, "query/sql");
  EXPECT_EQ(no_column.error().where.line, 2u);
  EXPECT_EQ(no_column.error().where.column, 3u);
  EXPECT_EQ(no_column.error().notes.front(), "help: did you mean `name`?");
  const auto no_table = Query::Prepare("select 1 from kernel", "", {}, Ddp().data);
  ASSERT_FALSE(no_table.has_value());
  EXPECT_EQ(no_table.error().notes.front(), "help: did you mean `kernels`?");
  const auto no_function = Query::Prepare("select medain(time) from kernels", "", {}, Ddp().data);
  ASSERT_FALSE(no_function.has_value());
  EXPECT_EQ(no_function.error().notes.front(), "help: did you mean `median`?");
}

TEST(Query, MistakesListTheColumns) {
  const auto notes = [](const char* sql) {
    const auto query = Query::Prepare(sql, "", {}, Ddp().data);
    std::string all;
    if (query) return all;
    for (const std::string& note : query.error().notes) all += note + "\n";
    return all;
  };
  EXPECT_THAT(
      notes("select o.tim from ops o join kernels k on k.name = o.name"),
      AllOf(HasSubstr("columns of `ops`: name, achieved"), HasSubstr("columns of `kernels`:")));
  // A name that the statement has is no alternative.
  EXPECT_THAT(notes("select position2, duration from iterations"),
              AllOf(HasSubstr("columns of `iterations`: "), Not(HasSubstr("did you mean"))));
  EXPECT_THAT(notes("select * from operators"), HasSubstr("help: here it is `ops`"));
  EXPECT_THAT(notes("select * from zzz"), HasSubstr("lists the tables"));
}

TEST(Query, TablesJoinByOneName) {
  for (const char* const sql :
       {"select rank from ranks", "select gpu from gpus", "select iteration from iterations",
        "select host, sum(duration) from gap_events join ranks using (rank) group by 1"}) {
    EXPECT_FALSE(Answer(sql, Ddp().data).starts_with("[")) << sql;
  }
}

TEST(Query, FindingsAreThoseThatFired) {
  EXPECT_EQ(Answer("select count(*) from findings where level not in ('error', 'warn', 'info')",
                   Ddp().data),
            "0");
}

TEST(Query, ParametersHaveValues) {
  const std::string sql = "select :a + 1, typeof(:a), :b";
  const std::chrono::seconds most(20);
  EXPECT_EQ(Answer(sql, Ddp().data, most, {{"a", "2"}, {"b", "x"}}), "3 integer x");
  EXPECT_EQ(Answer(sql, Ddp().data, most, {{"a", "2.5"}, {"b", "1e"}}), "3.5 real 1e");
  EXPECT_EQ(Answer(sql, Ddp().data, most, {{"a", "2"}}), "[query/param]");
  EXPECT_EQ(Answer(sql, Ddp().data, most, {{"a", "2"}, {"b", "x"}, {"c", "1"}}), "[query/param]");
}

TEST(Query, Functions) {
  EXPECT_EQ(Answer("select ms(1234567), us(1234567), s(1500000000), pct(0.12345), mib(1048576)"),
            "1.235 1234.567 1.5 12.345 1");
  EXPECT_EQ(Answer("select ms(null), short(null), union_time(1, null)"), "NULL NULL 0");
  EXPECT_EQ(Answer("with v(x) as (values (1), (2), (4), (null)) select median(x), "
                   "percentile(x, 0), percentile(x, 75), percentile(x, 100) from v"),
            "2 1 3 4");
  EXPECT_EQ(Answer("with v(s, d) as (values (0, 10), (5, 10), (20, 5), (21, 1)) "
                   "select union_time(s, d), union_time(s, d) filter (where s > 15) from v"),
            "20 5");
  EXPECT_EQ(Answer("select 'gemm_128x64' regexp '[0-9]+x', 'gemm' regexp '^x', null regexp 'x'"),
            "1 0 NULL");
  EXPECT_EQ(Answer("select show(4270000, 'ns'), show(0.314, 'ratio'), show(null, 'ns')"),
            "4.27 ms 31.4 % –");
  EXPECT_EQ(Answer("select short('void at::f<4, g<int>>(int, float)'), short('a<b'), "
                   "short('void (anonymous namespace)::k<1>(int)')"),
            "at::f a<b (anonymous namespace)::k");
  EXPECT_EQ(Answer("select 'a' regexp '('"), "[query/sql]");
  EXPECT_EQ(Answer("select percentile(1, 101)"), "[query/sql]");
  // One p for the rows of a group, else their order would decide.
  EXPECT_EQ(Answer("with v(x, p) as (values (1, 0), (2, 100)) select percentile(x, p) from v"),
            "[query/sql]");
  EXPECT_EQ(Answer("with v(x, p) as (values (1, 0), (2, 0), (3, 100)) "
                   "select group_concat(y) from (select percentile(x, p) as y from v group by p)"),
            "1.0,3.0");
  EXPECT_EQ(Answer("select show(1, 'furlong')"), "[query/sql]");
  EXPECT_EQ(Answer("select union_time(9223372036854775807, 1)"), "[query/sql]");
}

// Each forbidden statement is refused when it is prepared, or ends within its bound.
TEST(Guard, RefusesEverythingButReading) {
  struct Row {
    std::string_view sql, code;
  };
  const Row kRows[] = {
      {"attach 'other.db' as o", "[query/read-only]"},
      {"attach ':memory:' as o", "[query/read-only]"},
      {"detach main", "[query/read-only]"},
      {"pragma user_version", "[query/read-only]"},
      {"pragma temp_store = 1", "[query/read-only]"},
      {"pragma writable_schema = 1", "[query/read-only]"},
      {"select * from pragma_database_list", "[query/read-only]"},
      {"select * from pragma_function_list", "[query/read-only]"},
      {"create table t(x)", "[query/read-only]"},
      {"create temp table t(x)", "[query/read-only]"},
      {"create temp view v as select 1", "[query/read-only]"},
      {"create view v as select * from kernels", "[query/read-only]"},
      {"create index i on kernels(name)", "[query/read-only]"},
      {"create virtual table f using fts5(x)", "[query/read-only]"},
      {"create temp trigger t after insert on kernels begin select 1; end", "[query/read-only]"},
      {"drop table kernels", "[query/read-only]"},
      {"alter table kernels rename to k", "[query/read-only]"},
      {"insert into kernels(name) values ('x')", "[query/read-only]"},
      {"update kernels set name = 'x'", "[query/read-only]"},
      {"delete from kernels", "[query/read-only]"},
      {"replace into kernels(name) values ('x')", "[query/read-only]"},
      {"begin", "[query/read-only]"},
      {"commit", "[query/read-only]"},
      {"rollback", "[query/read-only]"},
      {"savepoint a", "[query/read-only]"},
      {"release a", "[query/read-only]"},
      {"vacuum", "[query/read-only]"},
      {"vacuum into 'out.db'", "[query/read-only]"},
      {"analyze", "[query/read-only]"},
      {"reindex", "[query/read-only]"},
      {"explain vacuum into 'out.db'", "[query/read-only]"},
      {"select load_extension('x.so')", "[query/read-only]"},
      {"select fts3_tokenizer('simple')", "[query/read-only]"},
      {"select * from dbstat", "[query/read-only]"},
      {"select * from sqlite_stmt", "[query/read-only]"},
      {"select * from sqlite_master", "[query/read-only]"},
      {"select * from sqlite_temp_schema", "[query/read-only]"},
      {"select count(*) from sqlite_master", "[query/read-only]"},
      {"select count(*) from dbstat", "[query/read-only]"},
      {"select count(*) from pragma_database_list", "[query/read-only]"},
      {"select random()", "[query/read-only]"},
      {"select randomblob(10)", "[query/read-only]"},
      {"select date('now')", "[query/read-only]"},
      {"select current_timestamp", "[query/read-only]"},
      {"select sqlite_version()", "[query/read-only]"},
      {"select changes()", "[query/read-only]"},
      {"select last_insert_rowid()", "[query/read-only]"},
      {"select zeroblob(1000000000)", "[query/read-only]"},
      {"select readfile('/etc/passwd')", "[query/sql]"},
      {"select writefile('x', 'y')", "[query/sql]"},
      {"select edit('x')", "[query/sql]"},
      {"select 1; select 2", "[query/one-statement]"},
      {"select 1; drop table kernels", "[query/one-statement]"},
      {"select 1; nonsense", "[query/one-statement]"},
      {"select 1;;", "1"},
      {"select 1; -- that was all", "1"},
      {"", "[query/sql]"},
      {"-- nothing", "[query/sql]"},
      {"select", "[query/sql]"},
      {"select \"nam\" from kernels", "[query/sql]"},
      {"select 1 where 1 = (select 1 from kernels where", "[query/sql]"},
      {"select '", "[query/sql]"},
      {"select x'0", "[query/sql]"},
      {"select 1 from kernels limit '", "[query/sql]"},
      {"select ?1", "[query/param]"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Answer(std::string(row.sql)), row.code) << row.sql;
}

TEST(Guard, BoundsStatements) {
  std::string deep = "select ", wide = "select 1", names = "select 1 where 1 in (1";
  for (int i = 0; i < 300; ++i) deep += "(1+";
  deep += "1";
  for (int i = 0; i < 300; ++i) deep += ")";
  for (int i = 0; i < 60; ++i) wide += " union all select 1";
  EXPECT_EQ(Answer(deep), "[query/sql]");
  EXPECT_EQ(Answer(wide), "[query/sql]");
  EXPECT_EQ(Answer("select '" + std::string(70'000, 'x') + "'"), "[query/out-of-memory]");
  EXPECT_EQ(Answer("select 1 where 'x' like '" + std::string(1'500, '%') + "'"), "[query/sql]");
}

TEST(Guard, BoundsTimeAndMemory) {
  const std::chrono::milliseconds most(200);
  EXPECT_EQ(Answer("with recursive r(x) as (select 1 union all select x + 1 from r) "
                   "select count(*) from r",
                   Ddp().data, most),
            "[query/out-of-time]");
  EXPECT_EQ(Answer("select count(*) from device_events a, device_events b, device_events c "
                   "where a.name || b.name = c.name",
                   Ddp().data, most),
            "[query/out-of-time]");
  EXPECT_EQ(Answer("with recursive r(x) as (select printf('%.*c', 10000, 'x') union all "
                   "select x from r limit 10000) select length(group_concat(x)) from r"),
            "[query/out-of-memory]");
  EXPECT_EQ(Answer("select printf('%.*c', 100000000, 'x')"), "[query/sql]");
  EXPECT_EQ(Answer("select replace(printf('%.*c', 10000, 'x'), 'x', printf('%.*c', 2000, 'y'))"),
            "[query/out-of-memory]");
}

// One query that ends does not free another of its limit, in whatever order they end.
TEST(Guard, MemoryIsLimitedUntilTheLastQueryEnds) {
  const auto limit = [] { return sqlite3_hard_heap_limit64(-1); };
  const std::int64_t before = limit();
  for (const bool first_ends : {true, false}) {
    auto first = std::make_unique<MemoryLimit>();
    auto second = std::make_unique<MemoryLimit>();
    (first_ends ? first : second).reset();
    EXPECT_EQ(limit(), kMostStatementMemory) << first_ends;
    (first_ends ? second : first).reset();
    EXPECT_EQ(limit(), before) << first_ends;
  }
}

TEST(Guard, AllowsOrdinaryQuestions) {
  EXPECT_EQ(Answer("select sum(value) from json_each('[1, 2, 3]')"), "6");
  EXPECT_EQ(Answer("select json_extract('{\"a\": [1, 2]}', '$.a[1]')"), "2");
  EXPECT_THAT(Answer("explain query plan select * from kernels"), HasSubstr("SCAN kernels"));
  EXPECT_EQ(Answer("select row_number() over (order by x), lag(x) over (order by x) "
                   "from (select 5 x union select 7)"),
            "1 NULL|2 5");
  EXPECT_EQ(Answer("with a as materialized (select 1 x) select * from a"), "1");
}

TEST(Saved, EveryQueryRuns) {
  EXPECT_EQ(SavedQueries().size(), 20u);
  for (const SavedQuery& query : SavedQueries()) {
    EXPECT_NE(query.title, "") << query.name;
    const std::string answer =
        Answer(query.sql, Ddp().data, std::chrono::seconds(20), WithDefaults(query, {}));
    EXPECT_FALSE(answer.starts_with("[")) << query.name << ": " << answer;
  }
}

TEST(Saved, NamesNearOnes) {
  const auto unknown = FindSavedQuery(SavedQueries(), "idle-by-rnk");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, "query/no-such-query");
  EXPECT_EQ(unknown.error().notes.front(), "help: did you mean `@idle-by-rank`?");
}

TEST(Saved, GivenParametersReplaceUsualOnes) {
  const SavedQuery query = ParseQueryFile(
      "q", "-- title: T\n-- param: a = 1\n-- param: b = 2\n-- unit: p = us\nselect :a");
  EXPECT_EQ(query.title, "T");
  EXPECT_EQ(query.units, (Parameters{{"p", "us"}}));
  EXPECT_EQ(WithDefaults(query, {{"b", "5"}}), (Parameters{{"b", "5"}, {"a", "1"}}));
}

TEST(Saved, GivenParametersHaveTheDeclaredType) {
  SavedQuery query;
  query.parameters = {{"a", "1", ParameterType::kInteger}};
  query.required = {{"b", "", ParameterType::kText}};
  const Parameters parameters = WithDefaults(query, {{"a", "x"}, {"b", "5"}});
  EXPECT_EQ(parameters,
            (Parameters{{"a", "x", ParameterType::kInteger}, {"b", "5", ParameterType::kText}}));
  const auto most = std::chrono::seconds(20);
  EXPECT_EQ(Answer("select typeof(:a), typeof(:b)", Ddp().data, most, parameters), "[query/param]");
  EXPECT_EQ(Answer("select typeof(:b)", Ddp().data, most, {parameters[1]}), "text");
}

TEST(Saved, MistakesNameTheirFile) {
  SavedQuery query;
  query.sql = "select\n  nam from kernels";
  query.source = SourceText{query.sql, "profgauge.yaml", {{0, 4, 10}, {7, 5, 10}}};
  const auto wrong = Query::Prepare(query.sql, "", {}, Dataset());
  ASSERT_FALSE(wrong.has_value());
  const Where where = InSource(wrong.error(), query).where;
  EXPECT_EQ(where.file, "profgauge.yaml");
  EXPECT_EQ(where.line, 5u);
  EXPECT_EQ(where.column, 12u);
}

/// A table of another answer: x and a text.
struct MadeTable {
  MadeTable() {
    const auto column = [](std::string name, Unit unit) {
      ColumnInfo one;
      one.name = one.id = std::move(name);
      one.unit = unit;
      return one;
    };
    info.name = "rows";
    info.origin = Origin::kAnswer;
    info.columns = {column("x", Unit::kTime), column("run", Unit::kText),
                    column("a\"b", Unit::kNumber)};
    const auto rows = std::make_shared<MadeRows>();
    rows->Add({std::int64_t{2}, std::string("a"), 0.5});
    rows->Add({std::int64_t{5}, Cell(), std::int64_t{1}});
    relation.info = &info;
    relation.parts = {{"", std::nullopt, 0, rows}};
  }
  std::string Ask(const std::string& sql) const {
    auto query = Query::PrepareOver(sql, relation);
    if (!query) return "[" + query.error().code + "]";
    query->Start(std::chrono::seconds(20));
    std::vector<Cell> cells;
    if (!*query->Step()) return "";
    query->Read(cells);
    return CellText(cells.front());
  }
  RelationInfo info;
  Relation relation;
};

TEST(Rows, AreAskedByThemselves) {
  const MadeTable table;
  EXPECT_EQ(table.Ask("select sum(x) from rows"), "7");
  EXPECT_EQ(table.Ask("select group_concat(run) from rows"), "a");
  EXPECT_EQ(table.Ask("select sum(\"a\"\"b\") from rows"), "1.5");
  EXPECT_EQ(table.Ask("select count(*) from kernels"), "[query/sql]");
  for (const char* sql : {"delete from rows", "select * from sqlite_schema", "vacuum into 'x'",
                          "insert into rows values (1, 2, 3)", "pragma table_info(rows)"}) {
    EXPECT_EQ(table.Ask(sql), "[query/read-only]") << sql;
  }
  const auto query = Query::PrepareOver("select x, x + 1 y from rows", table.relation);
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->Columns()[0].unit, Unit::kTime);
  EXPECT_EQ(query->Columns()[1].unit, std::nullopt);
  const auto unknown = Query::PrepareOver("select rum from rows", table.relation);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().notes.front(), "help: did you mean `run`?");
}

}  // namespace
}  // namespace profgauge::query
