// How the facts of a rank become the columns of a summary, and come back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary/rank_summary.h"
#include "analysis/time/rank_attribution.h"

namespace profgauge {

/// Writes values of a struct into columns, or reads them back from there, by the same function: so
/// that neither can forget what the other does.
class Columns {
 public:
  static Columns Writing(Summary& summary) { return Columns(&summary, nullptr); }
  static Columns Reading(const Summary& summary) { return Columns(nullptr, &summary); }
  bool ok() const { return ok_; }
  void Refuse() { ok_ = false; }

  /// How many rows follow; of a column that has one number for each.
  std::size_t Rows(std::string_view column, std::size_t own) {
    if (to_ != nullptr) return own;
    return from_->Numbers(column).size();
  }

  template <class T>
  void Number(std::string_view column, T& value) {
    if (to_ != nullptr) {
      to_->numbers[std::string(column)].push_back(static_cast<std::int64_t>(value));
      return;
    }
    const auto& values = from_->Numbers(column);
    std::size_t& at = number_at_[std::string(column)];
    if (at >= values.size()) {
      ok_ = false;
      return;
    }
    value = static_cast<T>(values[at++]);
  }

  /// Refused when it is none of the first `count`.
  template <class E>
  void Enum(std::string_view column, E& value, std::int64_t count) {
    std::int64_t number = static_cast<std::int64_t>(value);
    Number(column, number);
    if (number < 0 || number >= count) return Refuse();
    value = static_cast<E>(number);
  }

  /// Refused when it is less than 1: what others are divided by.
  void Positive(std::string_view column, std::int64_t& value) {
    Number(column, value);
    if (value < 1) Refuse();
  }

  void Text(std::string_view column, std::string& value) {
    if (to_ != nullptr) {
      to_->texts[std::string(column)].push_back(value);
      return;
    }
    const auto& values = from_->Texts(column);
    std::size_t& at = text_at_[std::string(column)];
    if (at >= values.size()) {
      ok_ = false;
      return;
    }
    value = values[at++];
  }

  /// Bit for bit.
  void Real(std::string_view column, std::optional<double>& value) {
    bool known = value.has_value();
    Number(std::string(column) + ".known", known);
    std::int64_t bits = known && value ? std::bit_cast<std::int64_t>(*value) : 0;
    Number(column, bits);
    if (from_ != nullptr) value = known ? std::optional(std::bit_cast<double>(bits)) : std::nullopt;
  }

  /// Bit for bit.
  void Real(std::string_view column, double& value) {
    auto bits = std::bit_cast<std::int64_t>(value);
    Number(column, bits);
    value = std::bit_cast<double>(bits);
  }

  void Time(const std::string& column, Span& span) {
    Number(column + ".start", span.start);
    Number(column + ".end", span.end);
  }

 private:
  Columns(Summary* to, const Summary* from) : to_(to), from_(from) {}
  Summary* to_;
  const Summary* from_;
  bool ok_ = true;
  std::map<std::string, std::size_t> number_at_, text_at_;
};

template <class T, class Each>
void List(Columns& columns, std::string_view counted, std::vector<T>& values, Each each) {
  values.resize(columns.Rows(counted, values.size()));
  for (T& value : values) {
    each(value);
    if (!columns.ok()) return;
  }
}

/// As many values as `counted` says, each with a number in `column`: of a list within a list.
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

/// Of the GPU's work and of the host's calls.
void ExchangeWork(Columns& columns, RankSummary& rank);

/// What the time is due to.
void ExchangeTime(Columns& columns, AttributionFacts& facts);

}  // namespace profgauge
