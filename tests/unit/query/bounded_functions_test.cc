// Our forms of SQLite's functions: the same answers, without the time.
#include "query/bounded_functions.h"
#include "query/functions.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ask.h"

namespace profgauge::query {
namespace {

struct Closer {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, Closer>;

Connection Opened(bool is_ours) {
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &connection), SQLITE_OK);
  if (is_ours) {
    EXPECT_EQ(AddBoundedFunctions(connection), SQLITE_OK);
  }
  return Connection(connection);
}

/// The answer with its type; texts as SQLite quotes them.
std::string Evaluated(sqlite3* connection, const std::string& expression) {
  sqlite3_stmt* statement = nullptr;
  const std::string sql = "select quote(" + expression + ")";
  if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    return sqlite3_errmsg(connection);
  }
  std::string answer = "error";
  if (sqlite3_step(statement) == SQLITE_ROW) {
    answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  }
  sqlite3_finalize(statement);
  return answer;
}

class Texts {
 public:
  std::string Quoted(int most) {
    static const std::vector<std::string> kParts = {"a", "b", "A", " ", "é", "日", "%",
                                                    "_", "*", "?", "[", "]", "''"};
    std::string text = "'";
    const int length = std::uniform_int_distribution<int>(0, most)(random_);
    for (int i = 0; i < length; ++i) {
      text += kParts[std::uniform_int_distribution<std::size_t>(0, kParts.size() - 1)(random_)];
    }
    return text + "'";
  }

 private:
  std::mt19937 random_{62};
};

TEST(BoundedFunctions, AnswerAsSqliteDoes) {
  const Connection theirs = Opened(false), ours = Opened(true);
  Texts texts;
  const auto compare = [&](const std::string& expression) {
    EXPECT_EQ(Evaluated(ours.get(), expression), Evaluated(theirs.get(), expression)) << expression;
  };
  for (int i = 0; i < 400; ++i) {
    const std::string a = texts.Quoted(12), b = texts.Quoted(3), c = texts.Quoted(3);
    for (const std::string& expression :
         {"instr(" + a + ", " + b + ")", "replace(" + a + ", " + b + ", " + c + ")",
          "trim(" + a + ", " + b + ")", "ltrim(" + a + ", " + b + ")",
          "rtrim(" + a + ", " + b + ")", "trim(" + a + ")", a + " like " + texts.Quoted(6),
          a + " glob " + texts.Quoted(6), a + " like " + texts.Quoted(6) + " escape 'b'",
          "printf('%8s|%-8s|%.2s|%q|%Q|%c|%!5s', " + a + "," + b + "," + a + "," + b + "," + c +
              ",'z' || " + a + "," + b + ")"}) {
      compare(expression);
    }
  }
  for (const char* expression :
       {"printf('%d %5d %-5d| %05d %+d %,d %x %X %o %u', 1, 2, 3, 4, 5, 6789012, 255, 255, 8, -1)",
        "printf('%f %.3f %10.2f %e %g %G %.0f', 1.5, 2.25, 3.125, 1e10, 1e-5, 1e20, 2.5)",
        "printf('%*d|%-*d|%.*f', 6, 42, 6, 42, 2, 3.14159)",
        "printf('100 %% of %s', 'x')",
        "printf('%s %d %f')",
        "printf('%c%3c%-3c|%.4c', 'ab', 'c', 'd', 'e')",
        "printf(NULL, 1)",
        "printf('%s', NULL)",
        "printf('%d', '12x')",
        "printf('')",
        "format('%s', 5)",
        "instr(NULL, 'a')",
        "instr('a', NULL)",
        "replace('abc', '', 'x')",
        "trim(NULL)",
        "instr(12345, 34)",
        "trim(' 5 ')",
        "'A' like 'a'",
        "'A' glob 'a'",
        "NULL like 'a'",
        "5 like '5'",
        "instr('', 'a')",
        "instr('a', '')"}) {
    compare(expression);
  }
}

// Each of these took hours: a deadline is looked at between functions, not within.
TEST(BoundedFunctions, RefuseOrEnd) {
  const std::string many =
      "(select group_concat(printf('%.*c', 10000, 'a'), '') from "
      "(with recursive r(x) as (select 1 union all select x + 1 from r limit "
      "800) select x from r))";
  const std::string half = "substr(" + many + ", 1, 4000000) || 'b'";
  EXPECT_EQ(Answer("select instr(" + many + ", " + half + ")"), "0");
  EXPECT_EQ(Answer("select length(replace(" + many + ", " + half + ", ''))"), "8000000");
  EXPECT_EQ(Answer("select length(trim(" + many + " || 'c', " + half + "))"), "1");
  EXPECT_EQ(Answer("select " + many + " like '%" + std::string(400, 'a') + "b'"),
            "[query/out-of-memory]");
  EXPECT_EQ(Answer("select " + many + " glob '*" + std::string(400, 'a') + "b'"),
            "[query/out-of-memory]");
  EXPECT_EQ(Answer("select " + many + " regexp '(a{500}b){2}'"), "[query/out-of-memory]");
  for (const char* format : {"%.2147483647c", "%2147483647d", "%.2147483647f", "%.*c", "%*d"}) {
    EXPECT_EQ(Answer(std::string("select printf('") + format + "', 2000000000, 'x')"),
              "[query/sql]")
        << format;
  }
}

}  // namespace
}  // namespace profgauge::query
