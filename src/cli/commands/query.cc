// `profgauge query PROFILE… SQL`: one statement over the tables of a profile.
//
//   QuestionOf -> Query::Prepare (reports mistakes before reading) -> output is opened -> profiles
//   are read, and only the tables that the statement names -> rows, one by one
//
// With --per-rank the statement is run for one rank after the other; --then runs over their rows.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/query_cache.h"
#include "cli/query_data.h"
#include "cli/question.h"
#include "cli/rows/row_writer.h"
#include "query/query.h"

namespace profgauge::cli {
namespace {

// Most rows of a table for people. Files and programs get all rows.
constexpr std::int64_t kRowsForPeople = 1'000;
constexpr std::size_t kWrittenAtOnce = 64 << 10;

/// The destination of rows: standard output, as they come, or a file that is complete at the end.
class Sink {
 public:
  Sink(Outputs& outputs, std::optional<std::size_t> file, bool for_people, Console& console)
      : outputs_(outputs), file_(file), for_people_(for_people), console_(console) {}
  /// Writes `text`. False if nothing more can be written, because the reader of the output left.
  bool Write(std::string text) {
    if (file_) {
      if (written_) written_ = outputs_.Write(*file_, text);
      return written_.has_value();
    }
    for_people_ ? console_.Print(text) : console_.PrintData(text);
    return !console_.is_closed();
  }
  Status Commit() {
    PROFGAUGE_CHECK(written_);
    return file_ ? outputs_.Commit(*file_, "") : Status();
  }

 private:
  Outputs& outputs_;
  std::optional<std::size_t> file_;
  bool for_people_;
  Console& console_;
  Status written_;
};

bool HasEvents(const query::Places& tables) {
  return std::any_of(tables.begin(), tables.end(), [](std::size_t place) {
    return query::Schema()[place].origin == query::Origin::kEvents;
  });
}

/// Reads the cells of the next row; false if there is none.
using NextRow = std::function<Result<bool>(std::vector<Cell>&)>;

// Yields rows while the statement runs. REQUIRES: `asked` was started and outlives the function.
NextRow RowsOf(query::Query& asked) {
  return [&asked](std::vector<Cell>& cells) -> Result<bool> {
    PROFGAUGE_TRY(const bool has_row, asked.Step());
    if (has_row) asked.Read(cells);
    return has_row;
  };
}

// Yields rows that are in memory.
NextRow RowsOf(const query::Rows& rows, std::size_t columns) {
  return [&rows, columns, at = std::size_t{0}](std::vector<Cell>& cells) mutable -> Result<bool> {
    if (at == rows.size()) return false;
    cells.clear();
    for (std::size_t i = 0; i < columns; ++i) cells.push_back(rows.At(at, i));
    ++at;
    return true;
  };
}

bool IsForPeople(RowFormat format) {
  return format == RowFormat::kTable || format == RowFormat::kMarkdown;
}

RowStyle StyleOf(const Options& options, const std::string& sql) {
  const std::string format = options.outputs.Has(OutputKind::kJson) ? "json"
                             : options.IsGiven("--format")          ? options.format
                                                                    : "table";
  return {*FindRowFormat(format), sql};
}

/// Adds units to names for display: "late" becomes "late [ms]". Programs get the plain name.
void NameUnits(const query::Parameters& units, std::vector<RowColumn>& columns) {
  for (RowColumn& column : columns) {
    const auto named = [&](const query::Parameter& unit) { return unit.name == column.name; };
    const auto unit = std::ranges::find_if(units, named);
    if (unit != units.end()) column.name += fmt::format(" [{}]", unit->value);
  }
}

/// Writes an answer in the format of the options.
class Writer {
 public:
  Writer(const Options& options, const Question& question, Outputs& outputs,
         std::optional<std::size_t> file, Console& console)
      : style_(StyleOf(options, question.sql)),
        units_(question.saved.units),
        sink_(outputs, file, IsForPeople(style_.format), console),
        console_(console),
        most_(options.max_rows) {
    if (!most_ && IsForPeople(style_.format)) most_ = kRowsForPeople;
  }

  Status Write(std::vector<RowColumn> columns, const NextRow& next,
               const std::vector<std::string>& notes) {
    if (IsForPeople(style_.format)) NameUnits(units_, columns);
    const auto writer = MakeRowWriter(std::move(columns), style_);
    std::vector<Cell> cells;
    bool is_cut = false;
    for (std::int64_t rows = 0;; ++rows) {
      PROFGAUGE_TRY(const bool has_row, next(cells));
      if (!has_row) break;
      if (most_ && rows == *most_) {
        is_cut = true;
        break;
      }
      writer->Add(cells);
      if (writer->ready() >= kWrittenAtOnce && !sink_.Write(writer->Take())) return {};
    }
    writer->Finish(is_cut, notes);
    sink_.Write(writer->Take());
    if (is_cut) {
      console_.Say(
          fmt::format("note: only the first {} rows are shown; --format csv has them all", *most_));
    }
    return {};
  }
  Status Commit() { return sink_.Commit(); }

 private:
  RowStyle style_;
  const query::Parameters& units_;
  Sink sink_;
  Console& console_;
  std::optional<std::int64_t> most_;
};

/// The data that a question is about: data read for an earlier question, or data to be read.
class Subject {
 public:
  Subject(const Options& reads, QueryCache* cache) : cache_(cache) {
    if (cache != nullptr && !reads.IsGiven("--db")) key_ = KeyOfRun(reads);
    known_ = key_ ? cache->Find(*key_) : nullptr;
    if (key_ && known_ == nullptr && !MayKeep(reads)) key_.reset();
  }
  QueryData& data() { return known_ == nullptr ? *read_ : *known_; }

  Status Read(const Options& options, const Options& reads, const query::Places& wanted,
              Console& console) {
    if (known_ != nullptr) return {};
    if (key_) return ReadToKeep(reads, wanted, console);
    for (const auto& [name, path] : options.runs) {
      Options one = reads;
      one.arguments = {path};
      PROFGAUGE_CHECK(read_->Add(name, one, wanted, console));
    }
    if (options.runs.empty() && !reads.arguments.empty()) {
      PROFGAUGE_CHECK(read_->Add("", reads, wanted, console));
    }
    if (options.IsGiven("--db")) {
      PROFGAUGE_CHECK(AddHistory(options.db, wanted, read_->data()));
    }
    if (reads.arguments.empty()) read_->data().DescribeItself();
    return {};
  }

 private:
  // Reads all tables, because the next question may use others. Summaries are never kept, because
  // each question must check whether they can answer it.
  Status ReadToKeep(const Options& reads, const query::Places& wanted, Console& console) {
    PROFGAUGE_TRY(const bool is_whole, read_->AddWhole("", reads, AllTables(), console));
    if (is_whole) {
      known_ = &cache_->Keep(*std::move(key_), std::move(read_));
    } else if (HasEvents(wanted)) {
      return Fail(read_->NoEventsIn(reads, wanted));
    }
    return {};
  }

  QueryCache* cache_;
  std::optional<std::string> key_;
  QueryData* known_ = nullptr;
  std::unique_ptr<QueryData> read_ = std::make_unique<QueryData>();
};

/// Runs the statement once, on the whole run or on several runs.
Status AskWhole(const Options& options, const Options& reads, const Question& question,
                query::Query& asked, Subject& subject, Writer& writer, Console& console) {
  PROFGAUGE_CHECK(subject.Read(options, reads, asked.tables(), console));
  const QueryData& data = subject.data();
  const std::vector<std::string> notes = data.NotesOn(asked.tables());
  for (const std::string& note : notes) console.Say("note: " + note);
  asked.Start(TimeoutOf(options));
  const Status written = writer.Write(asked.Columns(), RowsOf(asked), notes);
  return written ? written : Fail(Shown(written.error(), question, console));
}

/// The statement of `--then`, which runs over the rows of all ranks.
struct Reduction {
  query::RelationInfo info;
  query::Relation rows;
  Question question;
  std::optional<query::Query> asked;  ///< nullopt without --then.

  Status Prepare(const std::string& sql, const std::vector<RowColumn>& columns, Console& console) {
    if (sql.empty()) return {};
    question.sql = sql;
    PROFGAUGE_TRY(info, RowsTable(columns));
    rows.info = &info;
    auto prepared = query::Query::PrepareOver(sql, rows);
    if (!prepared) return Fail(Shown(std::move(prepared).error(), question, console));
    asked.emplace(*std::move(prepared));
    return {};
  }
};

/// Runs the statement on each rank separately, then joins the rows.
Status AskRanks(const Options& reads, const Question& question, const query::Query& asked,
                Reduction& reduction, Writer& writer, Console& console) {
  const auto answer = AskEachRank(reads, question, asked.tables(), console);
  if (!answer) return Fail(Shown(answer.error(), question, console));
  for (const std::string& note : answer->notes) console.Say("note: " + note);
  const std::vector<RowColumn> columns = asked.Columns();
  if (!reduction.asked) {
    return writer.Write(columns, RowsOf(*answer->rows, columns.size()), answer->notes);
  }
  reduction.rows.parts = {{"", std::nullopt, 0, answer->rows}};
  reduction.asked->Start(TimeoutOf(reads));
  const Status written =
      writer.Write(reduction.asked->Columns(), RowsOf(*reduction.asked), answer->notes);
  return written ? written : Fail(Shown(written.error(), reduction.question, console));
}

// Prepares statements before profiles are read, so that a mistake in SQL is reported immediately.
Result<int> Ask(const Options& options, const Question& question, QueryCache* cache,
                Console& console) {
  Options reads = options;
  reads.arguments = question.profiles;
  for (const auto& [name, path] : options.runs) reads.arguments.push_back(path);
  Subject subject(reads, cache);
  query::Dataset& tables = subject.data().data();
  if (!question.known.empty()) query::FillQueries(question.known, tables);
  auto asked = query::Query::Prepare(question.sql, question.file, question.parameters, tables);
  if (!asked) return Fail(Shown(std::move(asked).error(), question, console));
  Reduction reduction;
  PROFGAUGE_CHECK(reduction.Prepare(options.then, asked->Columns(), console));
  Outputs outputs(KeptBy(reads));
  std::optional<std::size_t> file;
  const std::string& to =
      options.outputs.Has(OutputKind::kJson) ? options.outputs[OutputKind::kJson] : options.out_dir;
  if (!to.empty()) {
    PROFGAUGE_TRY(file, outputs.Open(to, FileKind::kForPeople));
  }
  Writer writer(options, question, outputs, file, console);
  PROFGAUGE_CHECK(options.per_rank
                      ? AskRanks(reads, question, *asked, reduction, writer, console)
                      : AskWhole(options, reads, question, *asked, subject, writer, console));
  PROFGAUGE_CHECK(writer.Commit());
  return kExitPass;
}

Result<int> RunQuery(const Options& options, QueryCache* cache, Console& console) {
  const bool says_twice = options.outputs.Has(OutputKind::kJson) &&
                          (options.IsGiven("--format") || !options.out_dir.empty());
  if (says_twice) {
    return Fail(
        UsageError("usage/conflict", "`--json` is `--format json -o FILE`, and excludes both", ""));
  }
  PROFGAUGE_TRY(const Question question, QuestionOf(options));
  return Ask(options, question, cache, console);
}

}  // namespace

Result<int> RunQuery(const Options& options, Console& console) {
  return RunQuery(options, nullptr, console);
}

Result<int> RunQuery(const Options& options, Console& console, QueryCache& cache) {
  return RunQuery(options, &cache, console);
}

}  // namespace profgauge::cli
