// The names that an expression may use: fields with a unit, constant in a group or different by
// row. The caller builds the schema; the language itself has no deep learning terms.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/units.h"

namespace profgauge::expr {

enum class Scope : std::uint8_t {
  kGroup,  ///< One value everywhere: metrics, `$params`, `let` names.
  kKey,    ///< Constant in a group, but not between groups: fields that rows are grouped by.
  kRow,    ///< Differs from row to row: in group context only inside an aggregate.
};

/// One value of a text field.
struct EnumValue {
  std::string_view id;    ///< As written in rules: "host_wait".
  std::string_view cell;  ///< As in data and reports: "host not ready".
};
/// All values of a field with named values. Lives as long as the program.
struct Enumeration {
  std::span<const EnumValue> values;
  bool is_open = false;  ///< There may be others.
};

/// Index of a field in its Schema, and of its data in evaluation.
using Slot = std::uint32_t;

struct Field {
  std::string name;  ///< "kernel.mean", "$limit", "wait": as written.
  Unit unit = Unit::kNumber;
  Scope scope = Scope::kGroup;
  const Enumeration* values = nullptr;  ///< For a text: its possible values, if known.
};

/// A source of fields that are added to a schema when they are first named, for callers with very
/// many fields, of which an expression names few.
struct FieldSource {
  std::function<std::optional<Field>(std::string_view name)> find;
  std::function<std::vector<std::string>()> names;  ///< All names, for messages.
};

/// Slots are assigned in order and never change: compiled programs stay valid when it grows.
class Schema {
 public:
  static constexpr Slot kNone = kNoIndex;

  /// Added fields take precedence over the source.
  void SetSource(FieldSource source) { source_ = std::move(source); }
  /// Adds a field and returns its slot. If a field of that name exists, it is unchanged and its
  /// slot is returned: add fields that take precedence first.
  Slot Add(std::string name, Unit unit, Scope scope, const Enumeration* values = nullptr);
  /// Finds a field, if necessary from the source. kNone if there is no such field.
  Slot Find(std::string_view name);
  const Field& operator[](Slot slot) const { return fields_[slot]; }
  /// Number of fields that were added or named.
  Slot size() const { return static_cast<Slot>(fields_.size()); }
  /// All names that Find() knows, each once; first those of the source.
  std::vector<std::string> Names() const;

  /// The name of rows ("kernel"), for messages; empty if there are none.
  void SetRowName(std::string name) { row_name_ = std::move(name); }
  const std::string& row_name() const { return row_name_; }

 private:
  std::vector<Field> fields_;
  boost::unordered_flat_map<std::string, Slot> by_name_;
  std::string row_name_;
  FieldSource source_;
};

// Help for an unknown name.

/// "did you mean `kernel.time`?", and similar existing names; may be empty. `rows`: the name of the
/// rows. Compares with all names: only for errors.
std::string HelpForName(const std::string& name, const std::vector<std::string>& names,
                        std::string_view rows);

}  // namespace profgauge::expr
