// What an expression may name: fields with a unit, each constant in a group or different from row
// to row. Built by the caller; the language itself knows no deep learning.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace profgauge::expr {

enum class Scope : std::uint8_t {
  kGroup,  ///< One value everywhere: metrics, `$params`, `let` names.
  kKey,    ///< One value for all rows of a group, but rows differ: what rows are grouped by.
  kRow,    ///< Differs from row to row: in group context it must stand inside an aggregate.
};

/// Index of a field in its Schema; evaluation gets its data by it.
using Slot = std::uint32_t;

struct Field {
  std::string name;  ///< "kernel.mean", "$limit", "wait": as it is written.
  Unit unit = Unit::kNumber;
  Scope scope = Scope::kGroup;
};

class Schema {
 public:
  static constexpr Slot kNone = 0xffff'ffff;

  /// The slot of the new field, or of the one that had this name before, which is left as it was:
  /// add what shall win first.
  Slot Add(std::string name, Unit unit, Scope scope);
  /// kNone when there is no such field.
  Slot Find(std::string_view name) const;
  const Field& operator[](Slot slot) const { return fields_[slot]; }
  Slot size() const { return static_cast<Slot>(fields_.size()); }

  /// What rows are called ("kernel"), for messages; empty when there are none.
  void SetRowName(std::string name) { row_name_ = std::move(name); }
  const std::string& row_name() const { return row_name_; }

 private:
  std::vector<Field> fields_;
  boost::unordered_flat_map<std::string, Slot> by_name_;
  std::string row_name_;
};

}  // namespace profgauge::expr
