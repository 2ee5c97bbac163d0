#include "cli/question.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"
#include "base/errors.h"
#include "base/read_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/own_queries.h"

namespace profgauge::cli {
namespace {

bool IsPath(const std::string& text) {
  std::error_code error;
  return std::filesystem::exists(text, error);
}

Error NoStatement(std::string_view found) {
  return UsageError("query/sql", fmt::format("the statement is missing{}", found),
                    "e.g. profgauge query run.json.gz \"select name, ms(time) from kernels "
                    "order by time desc limit 10\"");
}

Result<std::string> StatementIn(const std::string& path) {
  constexpr std::size_t kMostStatement = 1 << 20;
  if (path == "-") {
    std::string text(kMostStatement, '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    return text;
  }
  if (auto text = ReadSmallFile(path, kMostStatement)) return *std::move(text);
  return Fail(UsageError("query/file", fmt::format("`{}` cannot be read", Printable(path)),
                         "give a file with one SELECT, at most 64 KiB"));
}

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

/// `--schema`: the tables, or the columns of one.
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

/// Errors of questions that need more than one rank.
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
  if (!options.query_file.empty()) {
    question.file = options.query_file;
    PROFGAUGE_TRY(std::string sql, StatementIn(options.query_file));
    const query::SavedQuery of_file = query::ParseQueryFile(options.query_file, std::move(sql));
    question.saved.units = of_file.units;
    question.sql = of_file.sql;
    question.parameters = query::WithDefaults(of_file, std::move(question.parameters));
  } else {
    if (question.profiles.empty()) return Fail(NoStatement(""));
    question.sql = std::move(question.profiles.back());
    question.profiles.pop_back();
    if (question.sql == "-") {
      PROFGAUGE_TRY(question.sql, StatementIn("-"));
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

}  // namespace profgauge::cli
