#include "cli/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/query_data.h"
#include "query/guard.h"
#include "rules/yaml.h"

namespace profgauge::cli {
namespace {

bool IsPath(const std::string& text) {
  if (text == kExampleProfile) return true;
  std::error_code error;
  return std::filesystem::exists(text, error);
}

Error NoStatement(std::string_view found) {
  return UsageError("query/sql", fmt::format("the statement is missing{}", found),
                    "e.g. profgauge query run.json.gz \"select name, ms(time) from kernels "
                    "order by time desc limit 10\"");
}

// Reads a statement from a file or, for "-", from standard input.
Result<std::string> StatementIn(const std::string& path) {
  const std::size_t most = query::kMostStatement;
  const auto fail = [&](const std::string& found) {
    return Fail(UsageError("query/file", fmt::format("`{}` {}", Printable(path), found),
                           fmt::format("give a file with one SELECT, at most {} KiB", most >> 10)));
  };
  std::error_code error;
  std::optional<std::string> text;
  if (path == "-") {
    text.emplace(most + 1, '\0');
    std::cin.read(text->data(), static_cast<std::streamsize>(text->size()));
    text->resize(static_cast<std::size_t>(std::cin.gcount()));
  } else if (const auto size = std::filesystem::file_size(path, error); !error && size > most) {
    return fail(fmt::format("has {} bytes", size));
  } else {
    text = ReadSmallFile(path, most);
  }
  if (!text) return fail("cannot be read");
  if (text->size() > most) return fail("is too long");
  return *std::move(text);
}

// Parses NAME=VALUE. The value may contain `=` and may be empty. The query decides its type.
Result<query::Parameters> ParametersOf(const Options& options) {
  query::Parameters parameters;
  for (const std::string& text : options.parameters) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      return Fail(
          UsageError("query/param",
                     fmt::format("`--param` needs NAME=VALUE, found `{}`", PrintableShort(text)),
                     "NAME is the word after the colon, e.g. `rank = :rank`"));
    }
    parameters.push_back({text.substr(0, sign), text.substr(sign + 1)});
  }
  return parameters;
}

/// Parses `--schema`, which lists the tables, or the columns of one table.
Result<Question> SchemaQuestion(const Options& options) {
  Question question;
  std::string table;
  for (const std::string& argument : options.arguments) {
    if (query::FindRelation(argument) && !IsPath(argument)) {
      table = argument;
    } else if (IsPath(argument) || argument == "-") {
      question.profiles.push_back(argument);
    } else {
      std::vector<std::string_view> names;
      for (const query::RelationInfo& one : query::Schema()) names.push_back(one.name);
      Error error = UsageError("query/no-such-table",
                               fmt::format("there is no table `{}`", PrintableShort(argument)));
      if (const auto near = DidYouMean(argument, names); !near.empty()) {
        error.notes.push_back(fmt::format("help: did you mean `{}`?", near));
      }
      error.notes.emplace_back("help: `profgauge query --schema` lists the tables");
      return Fail(std::move(error));
    }
  }
  if (table.empty()) {
    question.sql = question.profiles.empty() ? "select name, source, doc from tables"
                                             : "select name, rows, source, doc from tables";
  } else {
    question.sql = "select name, unit, doc, absent_because from columns where table_name = :name";
    if (question.profiles.empty()) {
      question.sql = "select name, unit, doc from columns where table_name = :name";
    }
    question.parameters = {{"name", table}};
  }
  return question;
}

/// Checks the options of questions to several ranks.
Status CheckPerRank(const Options& options) {
  if (!options.per_rank) {
    if (options.then.empty()) return {};
    return Fail(UsageError("usage/conflict", "`--then` needs `--per-rank`",
                           "it asks the rows that a statement gives of each rank: --per-rank SQL "
                           "--then \"select … from rows\""));
  }
  for (const std::string_view other : {"--run", "--rank", "--db"}) {
    if (!options.IsGiven(other)) continue;
    return Fail(UsageError("usage/conflict",
                           fmt::format("`--per-rank` and `{}` exclude each other", other),
                           "`--per-rank` asks every rank of one run"));
  }
  return {};
}

}  // namespace

// Takes the last argument as the statement. If it is a path, the statement is missing, unless
// profiles are given elsewhere: then a file of that name is no reason to reject it.
Result<Question> QuestionOf(const Options& options) {
  if (options.schema) return SchemaQuestion(options);
  PROFGAUGE_CHECK(CheckPerRank(options));
  Question question;
  if (options.list) {
    PROFGAUGE_TRY(question.known, SavedQueriesOf(options));
    question.sql = "select name, title, parameters from queries";
    return question;
  }
  question.profiles = options.arguments;
  PROFGAUGE_TRY(question.parameters, ParametersOf(options));
  {
    if (question.profiles.empty()) return Fail(NoStatement(""));
    question.sql = std::move(question.profiles.back());
    question.profiles.pop_back();
    if (question.sql == "-") {
      PROFGAUGE_TRY(std::string sql, StatementIn("-"));
      const query::SavedQuery of_file = query::ParseQueryFile("-", std::move(sql));
      question.saved.units = of_file.units;
      question.sql = of_file.sql;
      question.parameters = query::WithDefaults(of_file, std::move(question.parameters));
    } else if (question.sql.starts_with('@')) {
      PROFGAUGE_TRY(question.known, SavedQueriesOf(options));
      PROFGAUGE_TRY(
          const query::SavedQuery* saved,
          query::FindSavedQuery(question.known, std::string_view(question.sql).substr(1)));
      question.saved = *saved;
      question.sql = saved->sql;
      question.parameters = query::WithDefaults(*saved, std::move(question.parameters));
    } else if (question.profiles.empty() && options.runs.empty() && !options.IsGiven("--db") &&
               IsPath(question.sql)) {
      return Fail(NoStatement(fmt::format(" after `{}`", Printable(question.sql))));
    }
  }
  if (!question.profiles.empty() && !options.runs.empty()) {
    return Fail(UsageError("usage/conflict",
                           fmt::format("`--run` and the profile `{}` exclude each other",
                                       Printable(question.profiles.front())),
                           "give it a name, too: --run NAME=PATH"));
  }
  if (question.profiles.empty() && options.runs.empty() && !options.IsGiven("--db")) {
    return Fail(UsageError("usage/arguments", "`query` needs a profile before the statement",
                           "e.g. profgauge query run.json.gz \"select * from kernels\""));
  }
  return question;
}

Error Shown(Error error, const Question& question, Console& console) {
  const bool is_of_statement = error.where.file == "SQL";
  if (is_of_statement && question.saved.source) {
    return query::InSource(std::move(error), question.saved);
  }
  if (!is_of_statement || error.where.line == 0) return error;
  console.Report(error, question.sql);
  Error reported = AlreadyReported();
  reported.kind = error.kind;
  return reported;
}

namespace {

query::ParameterType TypeOf(const std::string& word) {
  if (word == "integer") return query::ParameterType::kInteger;
  if (word == "real") return query::ParameterType::kReal;
  return word == "text" ? query::ParameterType::kText : query::ParameterType::kAny;
}

// Makes a saved query. A parameter with a default value may be omitted; others are required.
query::SavedQuery MakeQuery(const rules::ProjectQuery& own) {
  query::SavedQuery query;
  query.name = own.name;
  query.title = own.title.empty() ? own.answers : own.title;
  query.sql = own.sql.text;
  query.source = own.sql;
  for (const rules::ProjectQuery::Parameter& one : own.parameters) {
    query::Parameter parameter{one.name, one.usual.value_or(""), TypeOf(one.type)};
    (one.usual ? query.parameters : query.required).push_back(std::move(parameter));
  }
  return query;
}

}  // namespace

std::vector<query::SavedQuery> OwnQueries(const rules::Project& project) {
  std::vector<query::SavedQuery> own;
  for (const rules::ProjectQuery& one : project.queries) own.push_back(MakeQuery(one));
  return own;
}

Result<std::vector<query::SavedQuery>> SavedQueriesOf(const Options& options) {
  auto project = LoadConfiguration(options);
  if (!project) return Fail(project.error().front());
  std::vector<query::SavedQuery> all;
  if (*project) all = OwnQueries(**project);
  const std::size_t count = all.size();
  for (const query::SavedQuery& built_in : query::SavedQueries()) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
    const bool is_replaced = std::any_of(
        all.begin(), end, [&](const query::SavedQuery& one) { return one.name == built_in.name; });
    if (!is_replaced) all.push_back(built_in);
  }
  return all;
}

rules::Errors CheckQueries(const std::vector<query::SavedQuery>& queries) {
  rules::Errors errors;
  const query::Dataset nothing;
  for (const query::SavedQuery& query : queries) {
    query::Parameters parameters = query::WithDefaults(query, {});
    for (query::Parameter one : query.required) {
      one.value = one.type == query::ParameterType::kText ? "" : "0";
      parameters.push_back(std::move(one));
    }
    const auto prepared = query::Query::Prepare(query.sql, query.name, parameters, nothing);
    if (!prepared) errors.push_back(query::InSource(prepared.error(), query));
  }
  return errors;
}

bool IsConfiguration(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (name == "profgauge.yaml" || name == ".profgauge.yaml") return true;
  rules::Errors ignored;
  const std::optional<rules::YamlDocument> document = rules::ReadYaml(path, std::nullopt, ignored);
  return document &&
         (document->root.Find("queries") != nullptr || document->root.Find("jobs") != nullptr);
}

namespace {

// The memory limit for collected rows is SQLite's limit for a running statement.
constexpr std::size_t kMostBytes = query::kMostStatementMemory;

// Collects rows that outlive their statement. Copies texts, because SQLite's are valid only until
// the next step. `--per-rank` is for aggregates per rank: a statement that collects all events
// would need more memory than the profile, so it fails.
class Collector {
 public:
  Status Add(std::int64_t rank, const std::vector<Cell>& cells) {
    std::vector<Cell> row;
    row.reserve(cells.size());
    for (const Cell& cell : cells) {
      const auto* text = std::get_if<std::string_view>(&cell);
      row.push_back(text == nullptr ? cell : Cell(std::string(*text)));
      bytes_ += sizeof(Cell) + (text == nullptr ? 0 : text->size());
    }
    if (bytes_ > kMostBytes) {
      Error error = UsageError(
          "query/out-of-memory",
          fmt::format("the rows of the ranks need more than {} MiB of memory", kMostBytes >> 20),
          "group them in the statement, or use `export tables`");
      error.kind = ErrorKind::kInput;
      return Fail(std::move(error));
    }
    of_rank_[rank].push_back(std::move(row));
    return {};
  }

  std::shared_ptr<query::MadeRows> Take() {
    auto rows = std::make_shared<query::MadeRows>();
    for (auto& [rank, own] : of_rank_) {
      for (std::vector<Cell>& row : own) rows->Add(std::move(row));
    }
    of_rank_.clear();
    return rows;
  }

 private:
  std::map<std::int64_t, std::vector<std::vector<Cell>>> of_rank_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::chrono::milliseconds TimeoutOf(const Options& options) {
  constexpr std::int64_t kUsual = 60'000'000'000;  // ns.
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(options.timeout.value_or(kUsual)));
}

Result<query::RelationInfo> RowsTable(const std::vector<RowColumn>& columns) {
  query::RelationInfo info{"rows", "Rows of the ranks", "", query::Origin::kAnswer, {}};
  std::set<std::string> names;
  for (const RowColumn& column : columns) {
    if (!names.insert(column.name).second) {
      return Fail(UsageError("query/sql",
                             fmt::format("two columns are named `{}`, so `--then` cannot name "
                                         "either",
                                         PrintableShort(column.name)),
                             "give each a name, e.g. ms(sum(duration)) total"));
    }
    query::ColumnInfo made;
    made.name = made.id = column.name;
    made.unit = column.unit.value_or(Unit::kNumber);
    info.columns.push_back(std::move(made));
  }
  return info;
}

// Prepares the statement for each rank anew, because each has other tables. Passes on a note only
// if it is true of every rank.
Result<RowsOfRanks> AskEachRank(const Options& options, const Question& question,
                                const query::Places& wanted, Console& console) {
  Collector collected;
  std::map<std::string, std::size_t> notes;
  std::size_t ranks = 0;
  const auto ask = [&](std::int64_t rank, QueryData& data) -> Status {
    ++ranks;
    for (const std::string& note : data.NotesOn(wanted)) ++notes[note];
    PROFGAUGE_TRY(query::Query asked, query::Query::Prepare(question.sql, question.file,
                                                            question.parameters, data.data()));
    asked.Start(TimeoutOf(options));
    std::vector<Cell> cells;
    while (true) {
      PROFGAUGE_TRY(const bool has_row, asked.Step());
      if (!has_row) return {};
      asked.Read(cells);
      PROFGAUGE_CHECK(collected.Add(rank, cells));
    }
  };
  PROFGAUGE_CHECK(QueryData::ForEachRank(options, wanted, console, ask));
  RowsOfRanks answer{collected.Take(), {}};
  for (const auto& [note, count] : notes) {
    if (count == ranks) answer.notes.push_back(note);
  }
  return answer;
}

}  // namespace profgauge::cli
