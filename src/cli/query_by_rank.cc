#include "cli/query_by_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/errors.h"
#include "base/text.h"
#include "cli/query_data.h"

namespace profgauge::cli {
namespace {

// As SQLite has, while a statement runs.
constexpr std::size_t kMostBytes = query::kMostStatementMemory;

/// Rows that outlive their statement.
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
