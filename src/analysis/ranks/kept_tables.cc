#include "analysis/ranks/kept_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/row_exposures.h"
#include "analysis/catalog/shared_columns.h"
#include "analysis/ranks/registry.h"

namespace profgauge::analysis::ranks {
namespace {

// An exposure with more parts than this is not stored, so that a summary stays small.
constexpr std::size_t kMostParts = 5'000;

// The columns that identify the rows of a table, besides the rank.
struct KeySpec {
  std::string_view table;
  std::array<std::string_view, 8> columns;
};
constexpr KeySpec kKeys[] = {
    {"kernels_by_op",
     {"name", "op", "dtype", "gpu", "grid", "block", "registers", "shared_memory"}},
    {"memcpys", {"kind", "host_memory", "gpu"}},
    {"collectives", {"name", "group", "dtype"}},
    {"tensor_core_ops", {"name", "input_shapes", "dtype"}},
    {"roofline", {"name", "input_shapes", "dtype", "gpu_name", "values"}},
    {"api_calls", {"name"}},
    {"ops", {"name"}},
};

std::string KeyOf(const Table& table, const KeySpec& spec, std::size_t row) {
  std::string key;
  for (const std::string_view id : spec.columns) {
    const Column* column = id.empty() ? nullptr : table.Find(id);
    if (column == nullptr) continue;
    key += '\x1f';
    if (column->IsAbsentAt(row)) continue;
    if (column->type() == CellType::kText) {
      key += table.strings()[column->TextAt(row)];
    } else {
      key += fmt::to_string(column->IntegerAt(row));
    }
  }
  return key;
}

// Keys of these rows, in order. Rows with equal contents are numbered in that order.
std::vector<std::string> KeysOf(const Table& table, const KeySpec& spec,
                                std::span<const std::uint32_t> rows) {
  std::map<std::string, std::int64_t> seen;
  std::vector<std::string> keys;
  keys.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    std::string key = KeyOf(table, spec, row);
    if (const std::int64_t before = seen[key]++; before > 0) key += fmt::format("\x1f{}", before);
    keys.push_back(std::move(key));
  }
  return keys;
}

std::vector<std::uint32_t> AllRows(const Table& table) {
  std::vector<std::uint32_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

std::array<std::vector<catalog::Exposure::Part> catalog::Exposure::Device::*, 3> KindsOfParts() {
  return {&catalog::Exposure::Device::alone, &catalog::Exposure::Device::blocked,
          &catalog::Exposure::Device::gaps};
}

std::size_t PartsOf(const catalog::Exposure& exposure) {
  std::size_t parts = 0;
  for (const catalog::Exposure::Device& device : exposure.devices) {
    for (const auto kind : KindsOfParts()) parts += (device.*kind).size();
  }
  return parts;
}

// The exposure with its rows replaced by `row_of`.
template <class RowOf>
catalog::Exposure Renamed(const catalog::Exposure& exposure, RowOf row_of) {
  catalog::Exposure renamed = exposure;
  for (catalog::Exposure::Device& device : renamed.devices) {
    for (const auto kind : KindsOfParts()) {
      for (catalog::Exposure::Part& part : device.*kind) {
        for (std::uint32_t& row : part.rows) row = row_of(row);
        std::sort(part.rows.begin(), part.rows.end());
      }
    }
  }
  return renamed;
}

// Only rows that a part refers to get a key, in the order of their first use.
KeptExposure Kept(const Table& table, const KeySpec& spec, const catalog::Exposure& exposure) {
  KeptExposure kept;
  const std::vector<std::string> keys = KeysOf(table, spec, AllRows(table));
  std::map<std::uint32_t, std::uint32_t> known;
  const auto key_of = [&](std::uint32_t row) {
    const auto next = static_cast<std::uint32_t>(known.size());
    const auto [at, is_new] = known.try_emplace(row, next);
    if (is_new) kept.keys.push_back(keys[row]);
    return at->second;
  };
  kept.exposure = Renamed(exposure, key_of);
  return kept;
}

std::string ColumnOf(std::string_view table) { return fmt::format("exposure.{}", table); }

// Reads numbers one after another; none is valid after an error.
class Reading {
 public:
  explicit Reading(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
  /// The next number, which must be in 0..`most`.
  std::int64_t Next(std::int64_t most) {
    if (at_ >= numbers_.size() || numbers_[at_] < 0 || numbers_[at_] > most) {
      ok_ = false;
      at_ = numbers_.size();
      return 0;
    }
    return numbers_[at_++];
  }
  std::int64_t Count() { return Next(static_cast<std::int64_t>(numbers_.size())); }
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == numbers_.size(); }

 private:
  const std::vector<std::int64_t>& numbers_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

constexpr std::int64_t kDropped = 2;

// Sums of all times stay below it.
constexpr std::int64_t kLargest = std::int64_t{1} << 62;

// Rejects numbers that are missing, negative or too large: a damaged file must not cause an
// overflow of time sums or an invalid row.
catalog::Exposure ReadOne(Reading& numbers, std::size_t keys) {
  catalog::Exposure exposure;
  std::int64_t left = kLargest;
  exposure.has_work = numbers.Next(1) == 1;
  const std::int64_t devices = numbers.Count();
  for (std::int64_t d = 0; d < devices && numbers.ok(); ++d) {
    catalog::Exposure::Device& device = exposure.devices.emplace_back();
    device.iterations = numbers.Next(kLargest);
    for (const auto kind : KindsOfParts()) {
      const std::int64_t parts = numbers.Count();
      for (std::int64_t p = 0; p < parts && numbers.ok(); ++p) {
        catalog::Exposure::Part& part = (device.*kind).emplace_back();
        part.time = numbers.Next(left);
        left -= part.time;
        const std::int64_t rows = numbers.Count();
        for (std::int64_t r = 0; r < rows && numbers.ok(); ++r) {
          part.rows.push_back(
              static_cast<std::uint32_t>(numbers.Next(static_cast<std::int64_t>(keys) - 1)));
        }
      }
    }
  }
  return exposure;
}

// False for times of damaged clocks, decades apart, that ReadOne() would refuse.
bool HasSum(const catalog::Exposure& exposure) {
  std::int64_t left = kLargest;
  for (const catalog::Exposure::Device& device : exposure.devices) {
    for (const auto kind : KindsOfParts()) {
      for (const catalog::Exposure::Part& part : device.*kind) {
        if (part.time > left) return false;
        left -= part.time;
      }
    }
  }
  return true;
}

}  // namespace

KeptExposures ExposuresOf(const Analysis& analysis) {
  KeptExposures kept;
  for (const KeySpec& spec : kKeys) {
    const auto found = analysis.exposures.find(spec.table);
    const Table* table = analysis.FindTable(spec.table);
    if (found == analysis.exposures.end() || table == nullptr) continue;
    const bool is_dropped = PartsOf(*found->second) > kMostParts || !HasSum(*found->second);
    kept.emplace(spec.table,
                 is_dropped ? KeptExposure{{}, {}, true} : Kept(*table, spec, *found->second));
  }
  return kept;
}

// Writes a text with the contents of each row, and one list of numbers:
//
//   has_work | devices | for each device: iterations, then three lists of parts (alone, blocked,
//   gaps) | for each list: its length | for each part: time, number of rows, rows as positions in
//   the keys
//
// A dropped exposure is a single 2.
void WriteExposures(const KeptExposures& kept, Summary& summary) {
  for (const auto& [table, of_table] : kept) {
    summary.texts[ColumnOf(table) + ".keys"] = of_table.keys;
    std::vector<std::int64_t>& numbers = summary.numbers[ColumnOf(table)];
    if (of_table.is_dropped) {
      numbers.push_back(kDropped);
      continue;
    }
    numbers.push_back(of_table.exposure.has_work ? 1 : 0);
    numbers.push_back(static_cast<std::int64_t>(of_table.exposure.devices.size()));
    for (const catalog::Exposure::Device& device : of_table.exposure.devices) {
      numbers.push_back(device.iterations);
      for (const auto kind : KindsOfParts()) {
        numbers.push_back(static_cast<std::int64_t>((device.*kind).size()));
        for (const catalog::Exposure::Part& part : device.*kind) {
          numbers.push_back(part.time);
          numbers.push_back(static_cast<std::int64_t>(part.rows.size()));
          numbers.insert(numbers.end(), part.rows.begin(), part.rows.end());
        }
      }
    }
  }
}

std::optional<KeptExposures> ReadExposures(const Summary& summary) {
  KeptExposures kept;
  for (const KeySpec& spec : kKeys) {
    const std::vector<std::int64_t>& column = summary.Numbers(ColumnOf(spec.table));
    if (column.empty()) continue;
    KeptExposure& of_table = kept[std::string(spec.table)];
    of_table.keys = summary.Texts(ColumnOf(spec.table) + ".keys");
    of_table.is_dropped = column.size() == 1 && column.front() == kDropped;
    if (of_table.is_dropped) continue;
    Reading numbers(column);
    of_table.exposure = ReadOne(numbers, of_table.keys.size());
    if (!numbers.ok() || !numbers.at_end()) return std::nullopt;
  }
  return kept;
}

namespace {

// Maps keys to rows of the table for one rank at a time, so that 512 ranks with 1 000 rows each
// never need 512 000 keys simultaneously. If the table does not distinguish ranks, all rows belong
// to every rank.
class RowsByKey {
 public:
  RowsByKey(const Table& table, const KeySpec& spec) : table_(&table), spec_(&spec) {
    const Column* rank = table.Find(catalog::columns::kRank.id);
    is_of_rank_ = rank != nullptr;
    if (!is_of_rank_) Take(AllRows(table));
    for (std::uint32_t row = 0; is_of_rank_ && row < table.rows(); ++row) {
      rows_of_[rank->IntegerAt(row)].push_back(row);
    }
  }

  /// The reference is valid until the next call.
  const std::map<std::string, std::uint32_t>& Of(std::int64_t rank) {
    if (is_of_rank_) Take(rows_of_[rank]);
    return rows_;
  }

 private:
  void Take(const std::vector<std::uint32_t>& rows) {
    rows_.clear();
    std::vector<std::string> keys = KeysOf(*table_, *spec_, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows_.emplace(std::move(keys[i]), rows[i]);
  }

  const Table* table_;
  const KeySpec* spec_;
  bool is_of_rank_ = false;
  std::map<std::int64_t, std::vector<std::uint32_t>> rows_of_;
  std::map<std::string, std::uint32_t> rows_;
};

// Combines the exposures of one table over the ranks. None if a rank has no exposure, or if the
// table does not have all rows: an incomplete exposure would bound savings too low.
class OfRun {
 public:
  OfRun(const Table& table, const KeySpec& spec) : spec_(&spec), rows_by_key_(table, spec) {}

  void Add(std::int64_t rank, KeptExposures& kept) {
    const auto own = kept.find(spec_->table);
    dropped_ += own != kept.end() && own->second.is_dropped ? 1 : 0;
    if (!exposure_ || own == kept.end() || own->second.is_dropped) return exposure_.reset();
    const auto& rows = rows_by_key_.Of(rank);
    std::vector<std::uint32_t> row_of;
    for (const std::string& key : own->second.keys) {
      const auto row = rows.find(key);
      if (row == rows.end()) return exposure_.reset();
      row_of.push_back(row->second);
    }
    catalog::Exposure renamed =
        Renamed(own->second.exposure, [&](std::uint32_t key) { return row_of[key]; });
    exposure_->has_work = renamed.has_work;
    std::move(renamed.devices.begin(), renamed.devices.end(),
              std::back_inserter(exposure_->devices));
  }

  void SetIn(catalog::Output& out) && {
    if (dropped_ > 0) {
      out.AddRemark(
          std::string(kUnboundRemark) + std::string(spec_->table),
          fmt::format("summaries of {} rank{} keep no bound of the savings by rows of the "
                      "table \"{}\", whose work overlaps in over {} ways or lasts for "
                      "decades: savings of "
                      "findings about them may be too high",
                      dropped_, dropped_ == 1 ? "" : "s", out.Added(spec_->table)->title(),
                      kMostParts));
    }
    if (exposure_) out.SetExposure(spec_->table, *std::move(exposure_));
  }

 private:
  const KeySpec* spec_;
  RowsByKey rows_by_key_;
  std::size_t dropped_ = 0;  // Ranks whose exposure was too large to be kept.
  std::optional<catalog::Exposure> exposure_ = catalog::Exposure{};
};

}  // namespace

Status AddKeptExposures(std::span<const std::int64_t> ranks,
                        const std::function<Result<KeptExposures>(std::size_t)>& kept_of,
                        catalog::Output& out) {
  std::vector<OfRun> tables;
  for (const KeySpec& spec : kKeys) {
    if (const Table* table = out.Added(spec.table)) tables.emplace_back(*table, spec);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    PROFGAUGE_TRY(KeptExposures kept, kept_of(i));
    for (OfRun& table : tables) table.Add(ranks[i], kept);
  }
  for (OfRun& table : tables) std::move(table).SetIn(out);
  return {};
}

namespace {

constexpr std::size_t kLongest = 100;
/// So many that iterations of most programs are whole: pages sum these rows for a chosen rank.
constexpr std::size_t kLongestByIteration = 250;

/// Which rows of a table are kept: the longest of a kind, and all of a minimum length.
struct Cut {
  std::string_view by;    ///< A column of times; empty: keeps all rows.
  Ns always = 0;          ///< Minimum length to keep; 0: none.
  std::string_view what;  ///< In words, after "the longest".
  std::size_t most = kLongest;
};

struct KeptSpec {
  std::string_view id;
  std::string_view order;  ///< Column that sorts the run's rows, largest first;
  std::string_view then;   ///< then this one, ascending; then rank and original order.
  Cut cut;
};

/// Excludes `launches`: its rules need medians of all rows.
constexpr KeptSpec kTables[] = {
    {"gpus", "", "", {}},
    {"streams", "", "", {}},
    {"kernels_by_op", "time", "name", {}},
    {"gaps", "duration", "", {"duration", 1'000'000, "and all of at least 1 ms"}},
    {"kernels_by_iteration", "", "", {"time", 0, "in device time", kLongestByIteration}},
    {"ops_by_iteration", "", "", {"time", 0, "in device time", kLongestByIteration}},
};

/// The maximum number of rows in the run's table, as for profiles.
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

/// Returns the kept rows, ascending. Example: the 100 longest and all of at least 1 ms. If 150 of
/// 300 rows take at least 1 ms, these 150 are kept; if none does, the 100 longest.
std::vector<std::size_t> KeptRows(const Table& table, const Cut& cut) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (cut.by.empty() || rows.size() <= cut.most) return rows;
  const Column& length = *table.Find(cut.by);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return length.IntegerAt(a) > length.IntegerAt(b);
  });
  std::vector<std::size_t> kept;
  for (const std::size_t row : rows) {
    const bool is_long = cut.always > 0 && length.IntegerAt(row) >= cut.always;
    if (kept.size() < cut.most || is_long) kept.push_back(row);
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

/// False if the number of cells is not `rows`.
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

// Runs the analyses with stored rows on only this rank, so that the rows are those of the rank's
// own report.
KeptTables TablesOf(const iterations::RankContext& rank, communication::RankFacts communication) {
  const std::span<const iterations::RankContext> alone(&rank, 1);
  catalog::Output out(rank.profile->hints, AcceleratorOf(std::span(rank.profile, 1)));
  for (const AnalysisRow& row : Analyses()) {
    if (row.keeps_rows) row.of_events(alone, out);
  }
  communication::AddCommunication(std::span(&communication, 1), out);
  breakdown::AddExposures(alone, out);
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
  if (!ReadExposures(summary)) return std::nullopt;  // Only a check: AddKeptExposures() reads them.
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
    // As long as the first column, of any length.
    Column* const rank = table.Find(catalog::columns::kRank.id);
    for (std::int64_t row = 0; rank != nullptr && row < rows[0]; ++row) rank->AddInteger(0);
    kept.all_rows.emplace(spec.id, rows[1]);
    kept.tables.push_back(std::move(table));
  }
  return kept;
}

struct TablePool::OfRanks {
  const KeptSpec* spec = nullptr;
  Table rows;                         ///< By rank, then in the rank's order.
  std::vector<std::string> absences;  ///< By column: reason of the first rank without it.
  std::vector<bool> has;              ///< By column: whether any rank has it.
  std::int64_t all = 0;               ///< Rows before cutting.
  std::size_t ranks = 0;              ///< Number of ranks with this table.
  std::string absent;                 ///< The first rank's reason for a missing table.

  void Add(std::int64_t rank, const Table& table);
  /// Positions in `rows`, in the order of the run's table.
  std::vector<std::size_t> Order() const;
  void AddTo(catalog::Output& out) const;
};

// The caller gives the rank's number, which stored tables do not contain.
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

// Stable, so that rows of equal length are sorted by rank, then in the rank's order.
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
void TablePool::OfRanks::AddTo(catalog::Output& out) const {
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
  table.SetAllRows(static_cast<std::size_t>(all));
  out.AddRemark(std::string(kCutRemark) + std::string(spec->id),
                fmt::format("of {} rows of the table \"{}\", summaries keep {}: of each rank the "
                            "{} longest {}",
                            all, table.title(), shown, spec->cut.most, spec->cut.what));
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

void TablePool::AddTables(catalog::Output& out) && {
  for (const OfRanks& of_ranks : tables_) of_ranks.AddTo(out);
  tables_.clear();
}

}  // namespace profgauge::analysis::ranks
