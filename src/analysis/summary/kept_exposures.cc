#include "analysis/summary/kept_tables.h"
#include "analysis/tables/shared_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace profgauge::analysis::summary {
namespace {

// An exposure with more parts than this is not kept, so that a summary stays small.
constexpr std::size_t kMostParts = 5'000;

// The columns that distinguish the rows of a table, beside the rank.
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

// Of these rows, in their order. Rows without any visible difference are numbered in that order.
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

std::array<std::vector<tables::Exposure::Part> tables::Exposure::Device::*, 3> KindsOfParts() {
  return {&tables::Exposure::Device::alone, &tables::Exposure::Device::blocked,
          &tables::Exposure::Device::gaps};
}

std::size_t PartsOf(const tables::Exposure& exposure) {
  std::size_t parts = 0;
  for (const tables::Exposure::Device& device : exposure.devices) {
    for (const auto kind : KindsOfParts()) parts += (device.*kind).size();
  }
  return parts;
}

// With the row of every part's rows that `row_of` gives.
template <class RowOf>
tables::Exposure Renamed(const tables::Exposure& exposure, RowOf row_of) {
  tables::Exposure renamed = exposure;
  for (tables::Exposure::Device& device : renamed.devices) {
    for (const auto kind : KindsOfParts()) {
      for (tables::Exposure::Part& part : device.*kind) {
        for (std::uint32_t& row : part.rows) row = row_of(row);
        std::sort(part.rows.begin(), part.rows.end());
      }
    }
  }
  return renamed;
}

// Only rows that a part names get a key, in the order of their first use.
KeptExposure Kept(const Table& table, const KeySpec& spec, const tables::Exposure& exposure) {
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

// Takes numbers one after the other; none is left once one was missing.
class Reading {
 public:
  explicit Reading(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
  /// At least 0 and at most `most`.
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

// Sums of all times stay below it.
constexpr std::int64_t kLargest = std::int64_t{1} << 62;

// Refuses numbers that are missing, negative or too large: a damaged file must not cause an
// overflow of summed times or a row that is not there.
tables::Exposure ReadOne(Reading& numbers, std::size_t keys) {
  tables::Exposure exposure;
  std::int64_t left = kLargest;
  exposure.has_work = numbers.Next(1) == 1;
  const std::int64_t devices = numbers.Count();
  for (std::int64_t d = 0; d < devices && numbers.ok(); ++d) {
    tables::Exposure::Device& device = exposure.devices.emplace_back();
    device.iterations = numbers.Next(kLargest);
    for (const auto kind : KindsOfParts()) {
      const std::int64_t parts = numbers.Count();
      for (std::int64_t p = 0; p < parts && numbers.ok(); ++p) {
        tables::Exposure::Part& part = (device.*kind).emplace_back();
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

}  // namespace

KeptExposures ExposuresOf(const Analysis& analysis) {
  KeptExposures kept;
  for (const KeySpec& spec : kKeys) {
    const auto found = analysis.exposures.find(spec.table);
    const Table* table = analysis.FindTable(spec.table);
    if (found == analysis.exposures.end() || table == nullptr) continue;
    if (PartsOf(*found->second) > kMostParts) continue;
    kept.emplace(spec.table, Kept(*table, spec, *found->second));
  }
  return kept;
}

// One text for each row's contents, and one list of numbers:
//
//   has_work | devices | for each device: iterations, then three lists of parts (alone, blocked,
//   gaps) | for each list: its length | for each part: time, number of rows, rows as positions in
//   the keys
void WriteExposures(const KeptExposures& kept, Summary& summary) {
  for (const auto& [table, of_table] : kept) {
    summary.texts[ColumnOf(table) + ".keys"] = of_table.keys;
    std::vector<std::int64_t>& numbers = summary.numbers[ColumnOf(table)];
    numbers.push_back(of_table.exposure.has_work ? 1 : 0);
    numbers.push_back(static_cast<std::int64_t>(of_table.exposure.devices.size()));
    for (const tables::Exposure::Device& device : of_table.exposure.devices) {
      numbers.push_back(device.iterations);
      for (const auto kind : KindsOfParts()) {
        numbers.push_back(static_cast<std::int64_t>((device.*kind).size()));
        for (const tables::Exposure::Part& part : device.*kind) {
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
    Reading numbers(column);
    of_table.exposure = ReadOne(numbers, of_table.keys.size());
    if (!numbers.ok() || !numbers.at_end()) return std::nullopt;
  }
  return kept;
}

namespace {

// The table's rows by their keys, for one rank after the other: 512 ranks with 1 000 rows each
// never have 512 000 keys at once. Where the table does not distinguish ranks, its rows are every
// rank's.
class RowsByKey {
 public:
  RowsByKey(const Table& table, const KeySpec& spec) : table_(&table), spec_(&spec) {
    const Column* rank = table.Find(tables::columns::kRank.id);
    is_of_rank_ = rank != nullptr;
    if (!is_of_rank_) Take(AllRows(table));
    for (std::uint32_t row = 0; is_of_rank_ && row < table.rows(); ++row) {
      rows_of_[rank->IntegerAt(row)].push_back(row);
    }
  }

  /// Valid until the next call.
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

// The exposure of one table for the run, from one rank after the other; nothing where a rank does
// not have it or has rows missing in the table: less than all would bound gains too low.
class OfRun {
 public:
  OfRun(const Table& table, const KeySpec& spec) : spec_(&spec), rows_by_key_(table, spec) {}

  void Add(std::int64_t rank, KeptExposures& kept) {
    const auto own = kept.find(spec_->table);
    if (!exposure_ || own == kept.end()) return exposure_.reset();
    const auto& rows = rows_by_key_.Of(rank);
    std::vector<std::uint32_t> row_of;
    for (const std::string& key : own->second.keys) {
      const auto row = rows.find(key);
      if (row == rows.end()) return exposure_.reset();
      row_of.push_back(row->second);
    }
    tables::Exposure renamed =
        Renamed(own->second.exposure, [&](std::uint32_t key) { return row_of[key]; });
    exposure_->has_work = renamed.has_work;
    std::move(renamed.devices.begin(), renamed.devices.end(),
              std::back_inserter(exposure_->devices));
  }

  void SetIn(tables::Output& out) && {
    if (exposure_) out.SetExposure(spec_->table, *std::move(exposure_));
  }

 private:
  const KeySpec* spec_;
  RowsByKey rows_by_key_;
  std::optional<tables::Exposure> exposure_ = tables::Exposure{};
};

}  // namespace

Status AddKeptExposures(std::span<const std::int64_t> ranks,
                        const std::function<Result<KeptExposures>(std::size_t)>& kept_of,
                        tables::Output& out) {
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

}  // namespace profgauge::analysis::summary
