#include "rules/groups.h"

#include "rules/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>

#include "base/format.h"
#include "base/hashes.h"

namespace profgauge::rules {
namespace {

constexpr std::int64_t kAbsentKey = Column::kAbsentInteger;

/// Converts a real to an integer with the same equality and order. -0.0 becomes 0.0. The bits of
/// negative values are inverted, because their order is reversed:
///
///     -2.0   c000...   -> bfff...     -1.0   bff0...   -> c00f...     0.0   0     1.0   3ff0...
std::int64_t OrderedBits(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}

/// The value of a key in a row as an integer, equal for equal values. Numbers are ordered by value,
/// texts by their index in the table's string pool.
std::int64_t KeyAt(const Column& column, expr::RowId row) {
  if (column.IsAbsentAt(row)) return kAbsentKey;
  switch (column.type()) {
    case CellType::kInteger:
      return column.IntegerAt(row);
    case CellType::kReal:
      return OrderedBits(column.RealAt(row));
    case CellType::kText:
      return column.TextAt(row).value;
  }
  return kAbsentKey;
}

/// The integers of one key for all of `rows`.
std::vector<std::int64_t> KeysOf(const CompiledRule& rule, const RuleSchema::Key& key, RunData& run,
                                 const std::vector<expr::RowId>& rows) {
  std::vector<std::int64_t> out(rows.size(), kAbsentKey);
  if (key.joined != nullptr) {
    const std::vector<expr::RowId>* join = run.Join(*rule.names.table, *key.joined);
    if (join == nullptr) return out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const expr::RowId row = (*join)[rows[i]];
      if (row != expr::Source::kNoRow) out[i] = row;
    }
    return out;
  }
  const Table* table = run.FindTable(*rule.names.table);
  const Column* column = table == nullptr ? nullptr : table->Find(key.column);
  if (column == nullptr || !column->absent_because().empty()) return out;
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = KeyAt(*column, rows[i]);
  return out;
}

std::string LabelOf(const RuleSchema::Key& key, const CompiledRule& rule, const RunData& run,
                    std::int64_t value, expr::RowId first) {
  if (key.joined == nullptr) {
    const Table& table = *run.FindTable(*rule.names.table);
    const Column& column = *table.Find(key.column);
    return FormatValue(table.At(first, column), column.unit());
  }
  const Table& table = *run.FindTable(*key.joined);
  const auto row = static_cast<std::size_t>(value);
  const std::string name = FormatValue(table.At(row, key.column), Unit::kCount);
  if (key.joined->row_name != "gpu") return fmt::format("{} {}", key.joined->row_name, name);
  const std::string_view device = run.device_words().device;
  const analysis::TableSpec* ranks = FindTableByRow("rank");
  const Table* rank_table = ranks == nullptr ? nullptr : run.FindTable(*ranks);
  if (rank_table == nullptr || rank_table->rows() < 2) return fmt::format("{} {}", device, name);
  return fmt::format("rank {}, {} {}", FormatValue(table.At(row, "rank"), Unit::kCount), device,
                     name);
}

/// A text as part of a key: the whole text or, for a long one, its start and a hash of all of it.
/// Names of C++ templates may have kilobytes; this keeps their keys short and distinct.
std::string ShortKey(const std::string& text) {
  constexpr std::size_t kWhole = 48, kHead = 40;
  if (text.size() <= kWhole) return text;
  std::size_t head = kHead;
  while (head > 0 && (static_cast<unsigned char>(text[head]) & 0xc0U) == 0x80) --head;
  ContentHash hash;
  hash.Add(text);
  return fmt::format("{}~{}", text.substr(0, head), hash.Hex().substr(0, 8));
}

/// The key of a group, e.g. "rank=3". It is equal in other runs, so it has no measured number.
std::string KeyOf(const RuleSchema::Key& key, const CompiledRule& rule, const RunData& run,
                  std::int64_t value, expr::RowId first) {
  const auto text = [](const Value& cell) {
    if (const auto* name = std::get_if<std::string>(&cell)) return ShortKey(*name);
    return fmt::format("{}", AsNumber(cell, 0));
  };
  if (key.joined == nullptr) {
    const Table& table = *run.FindTable(*rule.names.table);
    const std::string_view name =
        key.column == "id" ? rule.names.table->row_name : std::string_view(key.column);
    return fmt::format("{}={}", name, text(table.At(first, *table.Find(key.column))));
  }
  const Table& table = *run.FindTable(*key.joined);
  const auto row = static_cast<std::size_t>(value);
  const std::string own =
      fmt::format("{}={}", key.joined->row_name, text(table.At(row, key.column)));
  if (key.joined->row_name != "gpu") return own;
  const analysis::TableSpec* ranks = FindTableByRow("rank");
  const Table* rank_table = ranks == nullptr ? nullptr : run.FindTable(*ranks);
  if (rank_table == nullptr || rank_table->rows() < 2) return own;
  return fmt::format("rank={},{}", text(table.At(row, "rank")), own);
}

/// The groups of rows.
struct Numbers {
  std::vector<std::uint32_t> number;  ///< The group of each row with known keys.
  std::vector<bool> known;
  std::uint32_t count = 1;  ///< Upper bound of the numbers; some may not occur.
};

/// Numbers groups key by key: rows with equal (number so far, key) get the same number.
///
///     row                  0   1   2   3   4
///     rank                 0   0   1   1   1      numbers   0 0 1 1 1
///     name                 a   b   a   a   b      pairs     (0,a) (0,b) (1,a) (1,a) (1,b)
///                                                 numbers   0 1 2 2 3
///
/// A row without one of its keys is in no group. Expected O(rows) per key.
Numbers NumberRows(const std::vector<std::vector<std::int64_t>>& columns, std::size_t rows) {
  Numbers out{std::vector<std::uint32_t>(rows, 0), std::vector<bool>(rows, true)};
  for (const auto& column : columns) {
    boost::unordered_flat_map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> numbers;
    std::pair<std::uint32_t, std::int64_t> last{~0U, kAbsentKey};
    std::uint32_t last_number = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (column[i] == kAbsentKey) out.known[i] = false;
      if (!out.known[i]) continue;
      const std::pair pair(out.number[i], column[i]);
      if (pair != last) {
        last = pair;
        last_number =
            numbers.try_emplace(pair, static_cast<std::uint32_t>(numbers.size())).first->second;
      }
      out.number[i] = last_number;
    }
    out.count = static_cast<std::uint32_t>(numbers.size());
  }
  return out;
}

}  // namespace

Grouping GroupRows(const CompiledRule& rule, RunData& run, std::vector<expr::RowId> rows) {
  Grouping out;
  const auto& keys = rule.names.keys;
  if (keys.empty()) {
    out.groups.push_back({"", "", std::move(rows)});
    return out;
  }
  std::vector<std::vector<std::int64_t>> columns;
  for (const RuleSchema::Key& key : keys) columns.push_back(KeysOf(rule, key, run, rows));
  const auto [number, known, count] = NumberRows(columns, rows.size());
  std::vector<RowGroup> groups(count);
  std::vector<std::size_t> firsts(count, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!known[i]) {
      ++out.unknown;
      continue;
    }
    if (groups[number[i]].rows.empty()) firsts[number[i]] = i;
    groups[number[i]].rows.push_back(rows[i]);
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t group = 0; group < count; ++group) {
    if (!groups[group].rows.empty()) order.push_back(group);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& column : columns) {
      if (column[firsts[a]] != column[firsts[b]]) return column[firsts[a]] < column[firsts[b]];
    }
    return false;
  });
  for (const std::uint32_t group : order) {
    RowGroup& done = groups[group];
    for (std::size_t k = 0; k < keys.size(); ++k) {
      done.key += (k == 0 ? "" : ",") +
                  KeyOf(keys[k], rule, run, columns[k][firsts[group]], done.rows.front());
      done.label += (k == 0 ? "" : ", ") +
                    LabelOf(keys[k], rule, run, columns[k][firsts[group]], done.rows.front());
    }
    out.groups.push_back(std::move(done));
  }
  return out;
}

}  // namespace profgauge::rules
