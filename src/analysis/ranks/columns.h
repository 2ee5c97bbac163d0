// Converts the facts of a rank to the columns of a summary, and back.
//
// A list of structs becomes one column per member. A list within a list becomes one column with the
// lengths and one with all values:
//
//   parts [{"a", cells (1, 2)}, {"b", no cells}, {"c", cells (3)}]
//
//   part.name    "a" "b" "c"
//   part.cells   2   0   1
//   cell.time    1   2   3
//
// A reader takes values in the order in which the writer stored them, and rejects columns that are
// too short and invalid values. Adding, removing or moving a member changes the format (increase
// kSummarySchema), unless Later() reads the member.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/rank_attribution.h"
#include "analysis/ranks/rank_summary.h"

namespace profgauge::analysis::ranks {

/// Writes values of a struct to columns or reads them back, with the same function. So both
/// directions always have the same fields.
class Columns {
 public:
  static Columns Writing(Summary& summary) { return Columns(&summary, nullptr, nullptr); }
  /// `strings`: pool for the texts of views.
  static Columns Reading(const Summary& summary, StringPool& strings) {
    return Columns(nullptr, &summary, &strings);
  }
  /// False after a value was rejected; the read values must then not be used.
  bool ok() const { return ok_; }
  void Refuse() { ok_ = false; }

  /// The number of rows, for a column with one number per row.
  std::size_t Rows(std::string_view column, std::size_t own) {
    if (to_ != nullptr) return own;
    return from_->Numbers(column).size();
  }

  template <class T>
  void Number(std::string_view column, T& value) {
    Cursor<std::int64_t>& cursor = CursorOf(column);
    if (to_ != nullptr) {
      cursor.to->push_back(static_cast<std::int64_t>(value));
      return;
    }
    if (cursor.at >= cursor.from->size()) return Refuse();
    value = static_cast<T>((*cursor.from)[cursor.at++]);
  }

  /// Unchanged if the column is missing: summaries of earlier releases do not have it.
  template <class T>
  void Later(std::string_view column, T& value) {
    if (from_ == nullptr || !from_->Numbers(column).empty()) Number(column, value);
  }

  /// Rejects values that are not among the first `count`.
  template <class E>
  void Enum(std::string_view column, E& value, std::int64_t count) {
    std::int64_t number = static_cast<std::int64_t>(value);
    Number(column, number);
    if (number < 0 || number >= count) return Refuse();
    value = static_cast<E>(number);
  }

  /// Rejects values below 1, because the number is a divisor.
  void Positive(std::string_view column, std::int64_t& value) {
    Number(column, value);
    if (value < 1) Refuse();
  }

  void Text(std::string_view column, std::string& value) {
    Cursor<std::string>& cursor = TextCursorOf(column);
    if (to_ != nullptr) {
      cursor.to->push_back(value);
      return;
    }
    if (cursor.at >= cursor.from->size()) return Refuse();
    value = (*cursor.from)[cursor.at++];
  }

  void Text(std::string_view column, std::string_view& value) {
    Cursor<std::string>& cursor = TextCursorOf(column);
    if (to_ != nullptr) {
      cursor.to->emplace_back(value);
      return;
    }
    if (cursor.at >= cursor.from->size()) return Refuse();
    value = (*strings_)[strings_->Intern((*cursor.from)[cursor.at++])];
  }

  /// Stores the exact bits.
  void Real(std::string_view column, std::optional<double>& value) {
    bool known = value.has_value();
    Number(std::string(column) + ".known", known);
    std::int64_t bits = known && value ? std::bit_cast<std::int64_t>(*value) : 0;
    Number(column, bits);
    if (from_ != nullptr) value = known ? std::optional(std::bit_cast<double>(bits)) : std::nullopt;
  }

  /// Stores the exact bits.
  void Real(std::string_view column, double& value) {
    auto bits = std::bit_cast<std::int64_t>(value);
    Number(column, bits);
    value = std::bit_cast<double>(bits);
  }

  void Time(const std::string& column, Span& span) {
    Number(column + ".start", span.start);
    Number(column + ".end", span.end);
    Ns length = 0;  // Extreme times may overflow.
    if (__builtin_sub_overflow(span.end, span.start, &length) || length < 0) Refuse();
  }

 private:
  /// Where a column is written, or how far it was read.
  template <class T>
  struct Cursor {
    std::vector<T>* to = nullptr;
    const std::vector<T>* from = nullptr;
    std::size_t at = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view column) const {
      return std::hash<std::string_view>{}(column);
    }
  };
  template <class T>
  using Cursors = boost::unordered_flat_map<std::string, Cursor<T>, Hash, std::equal_to<>>;

  Columns(Summary* to, const Summary* from, StringPool* strings)
      : to_(to), from_(from), strings_(strings) {}

  /// The reference is valid until the next call.
  Cursor<std::int64_t>& CursorOf(std::string_view column) {
    if (const auto known = numbers_.find(column); known != numbers_.end()) return known->second;
    Cursor<std::int64_t> cursor;
    if (to_ != nullptr) cursor.to = &to_->numbers[std::string(column)];
    if (from_ != nullptr) cursor.from = &from_->Numbers(column);
    return numbers_.emplace(std::string(column), cursor).first->second;
  }
  Cursor<std::string>& TextCursorOf(std::string_view column) {
    if (const auto known = texts_.find(column); known != texts_.end()) return known->second;
    Cursor<std::string> cursor;
    if (to_ != nullptr) cursor.to = &to_->texts[std::string(column)];
    if (from_ != nullptr) cursor.from = &from_->Texts(column);
    return texts_.emplace(std::string(column), cursor).first->second;
  }

  Summary* to_;
  const Summary* from_;
  StringPool* strings_;
  bool ok_ = true;
  Cursors<std::int64_t> numbers_;
  Cursors<std::string> texts_;
};

template <class T, class Each>
void List(Columns& columns, std::string_view counted, std::vector<T>& values, Each each) {
  values.resize(columns.Rows(counted, values.size()));
  for (T& value : values) {
    each(value);
    if (!columns.ok()) return;
  }
}

/// A list within a list: `counted` has its length, and `column` one number for each value.
template <class T, class Each>
void Inner(Columns& columns, std::string_view counted, std::string_view column,
           std::vector<T>& values, Each each) {
  auto count = static_cast<std::int64_t>(values.size());
  columns.Number(counted, count);
  if (count < 0 || static_cast<std::size_t>(count) > columns.Rows(column, values.size())) {
    return columns.Refuse();
  }
  values.resize(static_cast<std::size_t>(count));
  for (T& value : values) {
    each(value);
    if (!columns.ok()) return;
  }
}

/// Exchanges the facts on GPU work and host calls.
void ExchangeWork(Columns& columns, RankSummary& rank);

/// Exchanges the attribution of time.
void ExchangeTime(Columns& columns, breakdown::AttributionFacts& facts);

}  // namespace profgauge::analysis::ranks
