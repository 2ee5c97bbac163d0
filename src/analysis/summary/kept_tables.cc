#include "analysis/summary/kept_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/summary/registry.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/time/exposure.h"

namespace profgauge::analysis::summary {
namespace {

/// Rows are kept when they are among the longest of their kind, or at least so long.
struct Cut {
  std::string_view by;    ///< A column of times; empty: all rows are kept.
  Ns always = 0;          ///< 0: no row only for its length.
  std::string_view what;  ///< In words, after "the longest".
};
constexpr std::size_t kLongest = 100;

struct KeptSpec {
  std::string_view id;
  std::string_view order;  ///< Column by which the run's rows come, largest first; then...
  std::string_view then;   ///< ...this one, ascending; then by rank, as each rank has them.
  Cut cut;
};

/// Not `launches`: its rules need medians of all rows.
constexpr KeptSpec kTables[] = {
    {"gpus", "", "", {}},
    {"streams", "", "", {}},
    {"kernels_by_op", "time", "name", {}},
    {"gaps", "duration", "", {"duration", 1'000'000, "and all of at least 1 ms"}},
    {"kernels_by_iteration", "", "", {"time", 0, "in device time"}},
    {"ops_by_iteration", "", "", {"time", 0, "in device time"}},
};

/// The most rows of the run's table, as of profiles.
std::size_t MostRows(std::string_view table) {
  return table == "gaps" ? 10'000 : std::numeric_limits<std::size_t>::max();
}

void CopyCell(const Column& from, std::size_t row, const StringPool& strings, Column& to,
              StringPool& to_strings) {
  if (from.IsAbsentAt(row)) return to.AddAbsent();
  switch (from.type()) {
    case CellType::kInteger:
      return to.AddInteger(from.IntegerAt(row));
    case CellType::kReal:
      return to.AddReal(from.RealAt(row));
    case CellType::kText:
      return to.AddText(to_strings.Intern(strings[from.TextAt(row)]));
  }
}

const TableSpec& SpecOf(std::string_view id) { return *FindTable(id); }

Table EmptyTable(std::string_view id, std::shared_ptr<StringPool> strings) {
  const TableSpec& spec = SpecOf(id);
  Table table(spec.id, spec.row_name, spec.title, std::move(strings));
  for (const ColumnSpec& column : spec.columns) table.AddColumn(column);
  return table;
}

/// Which rows are kept, ascending.
/// With the 100 longest and all of at least 1 ms: of 300 rows, of which 150 take 1 ms or more, 150
/// are kept; of 300 shorter ones 100.
std::vector<std::size_t> KeptRows(const Table& table, const Cut& cut) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (cut.by.empty() || rows.size() <= kLongest) return rows;
  const Column& length = *table.Find(cut.by);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return length.IntegerAt(a) > length.IntegerAt(b);
  });
  std::vector<std::size_t> kept;
  for (const std::size_t row : rows) {
    const bool is_long = cut.always > 0 && length.IntegerAt(row) >= cut.always;
    if (kept.size() < kLongest || is_long) kept.push_back(row);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

Table Kept(const Table& table, const Cut& cut) {
  Table kept = EmptyTable(table.id(), std::make_shared<StringPool>());
  const std::vector<std::size_t> rows = KeptRows(table, cut);
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& from = table.columns()[c];
    Column& to = kept.columns()[c];
    if (!from.absent_because().empty()) to.MarkAbsent(from.absent_because());
    for (const std::size_t row : rows) CopyCell(from, row, table.strings(), to, kept.strings());
  }
  return kept;
}

std::string NameOf(std::string_view table, std::string_view column) {
  return fmt::format("table.{}.{}", table, column);
}

void WriteColumn(const Table& table, const Column& column, Summary& summary) {
  const std::string name = NameOf(table.id(), column.id());
  if (!column.absent_because().empty()) summary.texts[name + ".why"] = {column.absent_because()};
  if (column.type() == CellType::kText) {
    auto& cells = summary.texts[name];
    for (std::size_t row = 0; row < column.size(); ++row) {
      cells.emplace_back(column.IsAbsentAt(row) ? std::string_view{}
                                                : table.strings()[column.TextAt(row)]);
    }
    return;
  }
  auto& cells = summary.numbers[name];
  for (std::size_t row = 0; row < column.size(); ++row) {
    cells.push_back(column.type() == CellType::kReal
                        ? std::bit_cast<std::int64_t>(column.RealAt(row))
                        : column.IntegerAt(row));
  }
}

/// False when there are not `rows` cells.
bool ReadColumn(const Summary& summary, std::size_t rows, Table& table, Column& column) {
  const std::string name = NameOf(table.id(), column.id());
  if (const auto& why = summary.Texts(name + ".why"); !why.empty()) column.MarkAbsent(why.front());
  if (column.type() == CellType::kText) {
    const auto& cells = summary.Texts(name);
    for (const std::string& cell : cells) {
      column.AddText(cell.empty() ? StringId{} : table.strings().Intern(cell));
    }
    return cells.size() == rows;
  }
  const auto& cells = summary.Numbers(name);
  for (const std::int64_t cell : cells) {
    if (column.type() == CellType::kReal) {
      column.AddReal(std::bit_cast<double>(cell));
    } else {
      column.AddInteger(cell);
    }
  }
  return cells.size() == rows;
}

}  // namespace

// Runs the analyses that keep rows for this rank by itself, so that the rows are those of a report
// of this rank.
KeptTables TablesOf(const context::RankContext& rank, communication::RankFacts communication) {
  const std::span<const context::RankContext> alone(&rank, 1);
  tables::Output out(rank.profile->hints, AcceleratorOf(std::span(rank.profile, 1)));
  for (const AnalysisRow& row : Analyses()) {
    if (row.keeps_rows) row.of_events(alone, out);
  }
  communication::AddCommunication(std::span(&communication, 1), out);
  time::AddExposures(alone, out);
  Analysis analysis;
  out.MoveTo(analysis);
  KeptTables kept;
  kept.exposures = ExposuresOf(analysis);
  for (const KeptSpec& spec : kTables) {
    const Table& table = *analysis.FindTable(spec.id);
    if (table.columns().empty()) {
      kept.absent.emplace(spec.id, analysis.absent_tables.find(spec.id)->second);
      continue;
    }
    kept.all_rows.emplace(spec.id, table.rows());
    kept.tables.push_back(Kept(table, spec.cut));
  }
  return kept;
}

void WriteTables(const KeptTables& kept, Summary& summary) {
  WriteExposures(kept.exposures, summary);
  for (const auto& [id, why] : kept.absent) summary.texts[NameOf(id, "absent")] = {why};
  for (const Table& table : kept.tables) {
    summary.numbers[NameOf(table.id(), "rows")] = {static_cast<std::int64_t>(table.rows()),
                                                   kept.all_rows.find(table.id())->second};
    for (const Column& column : table.columns()) {
      if (column.id() != "rank") WriteColumn(table, column, summary);
    }
  }
}

std::optional<KeptTables> ReadTables(const Summary& summary, std::shared_ptr<StringPool> strings) {
  KeptTables kept;
  if (!ReadExposures(summary)) return std::nullopt;  // Kept by nobody yet: AddKeptExposures().
  for (const KeptSpec& spec : kTables) {
    if (const auto& why = summary.Texts(NameOf(spec.id, "absent")); !why.empty()) {
      kept.absent.emplace(spec.id, why.front());
      continue;
    }
    const auto& rows = summary.Numbers(NameOf(spec.id, "rows"));
    if (rows.empty()) continue;  // For a profile without times.
    if (rows.size() != 2 || rows[0] < 0) return std::nullopt;
    Table table = EmptyTable(spec.id, strings);
    for (Column& column : table.columns()) {
      if (column.id() == "rank") continue;
      if (!ReadColumn(summary, static_cast<std::size_t>(rows[0]), table, column)) {
        return std::nullopt;
      }
    }
    // It is as long as the first column, whatever that length is.
    Column* const rank = table.Find(tables::columns::kRank.id);
    for (std::int64_t row = 0; rank != nullptr && row < rows[0]; ++row) rank->AddInteger(0);
    kept.all_rows.emplace(spec.id, rows[1]);
    kept.tables.push_back(std::move(table));
  }
  return kept;
}

struct TablePool::OfRanks {
  const KeptSpec* spec = nullptr;
  Table rows;                         ///< By rank, then as each rank has them.
  std::vector<std::string> absences;  ///< By column: why the first rank does not have it.
  std::vector<bool> has;              ///< By column: some rank has it.
  std::int64_t all = 0;               ///< Rows before they were cut.
  std::size_t ranks = 0;              ///< Those that have the table.
  std::string absent;                 ///< Why the first rank has no such table.

  void Add(std::int64_t rank, const Table& table);
  /// Positions in `rows`, in the order of the run's table.
  std::vector<std::size_t> Order() const;
  void AddTo(tables::Output& out) const;
};

// The rank's number comes from the caller: kept tables have none.
void TablePool::OfRanks::Add(std::int64_t rank, const Table& table) {
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& from = table.columns()[c];
    if (ranks == 0) absences[c] = from.absent_because();
    has[c] = has[c] || from.absent_because().empty();
    Column& to = rows.columns()[c];
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (from.id() == "rank") {
        to.AddInteger(rank);
      } else {
        CopyCell(from, row, table.strings(), to, rows.strings());
      }
    }
  }
  ++ranks;
}

// Stable, so that rows of equal length come by rank, and then as each rank has them.
std::vector<std::size_t> TablePool::OfRanks::Order() const {
  const Column* by = spec->order.empty() ? nullptr : rows.Find(spec->order);
  const Column* then = spec->then.empty() ? nullptr : rows.Find(spec->then);
  const auto text = [&](std::size_t row) {
    const StringId id = then == nullptr ? StringId{} : then->TextAt(row);
    return id.valid() ? rows.strings()[id] : std::string_view();
  };
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (by != nullptr) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const std::int64_t of_a = by->IntegerAt(a), of_b = by->IntegerAt(b);
      return of_a != of_b ? of_a > of_b : text(a) < text(b);
    });
  }
  order.resize(std::min(order.size(), MostRows(spec->id)));
  return order;
}

// A column is absent only if no rank has it; then with the first rank's reason.
void TablePool::OfRanks::AddTo(tables::Output& out) const {
  if (ranks == 0) {
    if (!absent.empty()) out.SetTableAbsent(spec->id, absent);
    return;
  }
  const std::vector<std::size_t> order = Order();
  Table& table = out.AddTable(spec->id);
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    Column& column = table.columns()[c];
    for (const std::size_t row : order) {
      CopyCell(rows.columns()[c], row, rows.strings(), column, out.strings());
    }
    if (!has[c]) column.MarkAbsent(absences[c]);
  }
  const auto shown = static_cast<std::int64_t>(order.size());
  if (all <= shown) return;
  out.AddRemark(std::string(kCutRemark) + std::string(spec->id),
                fmt::format("of {} rows of the table \"{}\", summaries keep {}: of each rank the "
                            "{} longest {}",
                            all, table.title(), shown, kLongest, spec->cut.what));
}

TablePool::TablePool(std::shared_ptr<StringPool> strings) {
  for (const KeptSpec& spec : kTables) {
    const std::size_t columns = SpecOf(spec.id).columns.size();
    tables_.push_back({&spec,
                       EmptyTable(spec.id, strings),
                       std::vector<std::string>(columns),
                       std::vector<bool>(columns),
                       0,
                       0,
                       {}});
  }
}
TablePool::TablePool(TablePool&&) noexcept = default;
TablePool::~TablePool() = default;

void TablePool::Add(std::int64_t rank, const KeptTables& tables) {
  const bool is_first = std::all_of(tables_.begin(), tables_.end(), [](const OfRanks& of_ranks) {
    return of_ranks.ranks == 0 && of_ranks.absent.empty();
  });
  for (OfRanks& of_ranks : tables_) {
    const std::string_view id = of_ranks.spec->id;
    const auto found = std::find_if(tables.tables.begin(), tables.tables.end(),
                                    [&](const Table& table) { return table.id() == id; });
    if (found != tables.tables.end()) {
      of_ranks.Add(rank, *found);
      of_ranks.all += tables.all_rows.find(id)->second;
    } else if (const auto why = tables.absent.find(id); is_first && why != tables.absent.end()) {
      of_ranks.absent = why->second;
    }
  }
}

void TablePool::AddTables(tables::Output& out) && {
  for (const OfRanks& of_ranks : tables_) of_ranks.AddTo(out);
  tables_.clear();
}

}  // namespace profgauge::analysis::summary
