// `profgauge query PROFILE… SQL`: one statement over the tables of a profile.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/errors.h"
#include "base/read_file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/query_data.h"
#include "cli/query_history.h"
#include "cli/rows/row_writer.h"
#include "query/query.h"
#include "query/saved.h"

namespace profgauge::cli {
namespace {

// A person reads no more rows; files and programs get all.
constexpr std::int64_t kRowsForPeople = 1'000;
constexpr std::int64_t kTimeout = 60'000'000'000;  // ns.
constexpr std::size_t kWrittenAtOnce = 64 << 10;

/// What is asked, and of what.
struct Question {
  std::string sql;
  std::string file;  ///< Where it stands; empty: on the command line.
  std::vector<std::string> profiles;
  query::Parameters parameters;
};

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
    parameters.emplace_back(text.substr(0, sign), text.substr(sign + 1));
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

Result<Question> QuestionOf(const Options& options) {
  if (options.schema) return SchemaQuestion(options);
  Question question;
  if (options.list) {
    question.sql = "select name, title, parameters from queries";
    return question;
  }
  question.profiles = options.arguments;
  PROFGAUGE_TRY(question.parameters, ParametersOf(options));
  if (!options.query_file.empty()) {
    question.file = options.query_file;
    PROFGAUGE_TRY(std::string sql, StatementIn(options.query_file));
    const query::SavedQuery of_file = query::ParseQueryFile(options.query_file, std::move(sql));
    question.sql = of_file.sql;
    question.parameters = query::WithDefaults(of_file, std::move(question.parameters));
  } else {
    if (question.profiles.empty()) return Fail(NoStatement(""));
    question.sql = std::move(question.profiles.back());
    question.profiles.pop_back();
    if (question.sql == "-") {
      PROFGAUGE_TRY(question.sql, StatementIn("-"));
    } else if (question.sql.starts_with('@')) {
      PROFGAUGE_TRY(const query::SavedQuery* saved,
                    query::FindSavedQuery(std::string_view(question.sql).substr(1)));
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

/// Shows the statement with the place; what stands in a file is read from there.
template <class T>
Result<T> Shown(Result<T> result, const Question& question, Console& console) {
  if (result || !question.file.empty() || result.error().where.line == 0) return result;
  console.Report(result.error(), question.sql);
  Error told = AlreadyReported();
  told.kind = result.error().kind;
  return Fail(std::move(told));
}

/// Where rows go: standard output as they come, or a file once all are there.
class Sink {
 public:
  Sink(Outputs& outputs, std::optional<std::size_t> file, Console& console)
      : outputs_(outputs), file_(file), console_(console) {}
  /// Whether there is still somebody who reads.
  bool Write(std::string text) {
    if (file_) {
      if (written_) written_ = outputs_.Write(*file_, text);
      return written_.has_value();
    }
    console_.Print(text);
    return !console_.is_closed();
  }
  Status Commit() {
    PROFGAUGE_CHECK(written_);
    return file_ ? outputs_.Commit(*file_, "") : Status();
  }

 private:
  Outputs& outputs_;
  std::optional<std::size_t> file_;
  Console& console_;
  Status written_;
};

Status WriteRows(query::Query& asked, RowWriter& writer, std::optional<std::int64_t> most,
                 const std::vector<std::string>& notes, Sink& sink, Console& console) {
  std::vector<Cell> cells;
  bool is_cut = false;
  for (std::int64_t rows = 0;; ++rows) {
    PROFGAUGE_TRY(const bool has_row, asked.Step());
    if (!has_row) break;
    if (most && rows == *most) {
      is_cut = true;
      break;
    }
    asked.Read(cells);
    writer.Add(cells);
    if (writer.ready() >= kWrittenAtOnce && !sink.Write(writer.Take())) return {};
  }
  writer.Finish(is_cut, notes);
  sink.Write(writer.Take());
  if (is_cut) {
    console.Say(
        fmt::format("note: only the first {} rows are shown; --max-rows changes it", *most));
  }
  return {};
}

Result<int> Ask(const Options& options, const Question& question, Console& console) {
  QueryData data;
  PROFGAUGE_TRY(query::Query asked, Shown(query::Query::Prepare(question.sql, question.file,
                                                                question.parameters, data.data()),
                                          question, console));
  Options reads = options;
  reads.arguments = question.profiles;
  for (const auto& [name, path] : options.runs) reads.arguments.push_back(path);
  Outputs outputs(KeptBy(reads));
  std::optional<std::size_t> file;
  if (!options.output.empty()) {
    PROFGAUGE_TRY(file, outputs.Open(options.output, FileKind::kForPeople));
  }
  for (const auto& [name, path] : options.runs) {
    Options one = reads;
    one.arguments = {path};
    PROFGAUGE_CHECK(data.Add(name, one, asked.tables(), console));
  }
  if (options.runs.empty() && !question.profiles.empty()) {
    PROFGAUGE_CHECK(data.Add("", reads, asked.tables(), console));
  }
  if (options.IsGiven("--db")) {
    PROFGAUGE_CHECK(AddHistory(options.db, asked.tables(), data.data()));
  }
  if (reads.arguments.empty()) data.data().DescribeItself();
  const std::vector<std::string> notes = data.NotesOn(asked.tables());
  for (const std::string& note : notes) console.Say("note: " + note);
  RowStyle style;
  style.format = *FindRowFormat(options.IsGiven("--format") ? options.format : "table");
  style.is_raw = options.raw;
  style.sql = question.sql;
  const bool for_people = style.format == RowFormat::kTable || style.format == RowFormat::kMarkdown;
  std::optional<std::int64_t> most = options.max_rows;
  if (!most && for_people) most = kRowsForPeople;
  const auto writer = MakeRowWriter(asked.Columns(), style);
  Sink sink(outputs, file, console);
  asked.Start(std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(options.timeout.value_or(kTimeout))));
  const Result<int> written = [&]() -> Result<int> {
    PROFGAUGE_CHECK(WriteRows(asked, *writer, most, notes, sink, console));
    return kExitPass;
  }();
  PROFGAUGE_CHECK(Shown(written, question, console));
  PROFGAUGE_CHECK(sink.Commit());
  return kExitPass;
}

}  // namespace

Result<int> RunQuery(const Options& options, Console& console) {
  PROFGAUGE_TRY(const Question question, QuestionOf(options));
  return Ask(options, question, console);
}

}  // namespace profgauge::cli
