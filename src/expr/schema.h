// Names that an expression may use: fields with a unit, each constant in a group or different from
// row to row. Built by the caller; the language itself knows no deep learning.
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
  kKey,    ///< Constant in a group, not between rows: fields that rows are grouped by.
  kRow,    ///< Differs from row to row: in group context it must be inside an aggregate.
};

/// One value that a field of texts may have.
struct EnumValue {
  std::string_view id;    ///< As rules write it: "host_wait".
  std::string_view cell;  ///< As the data has it and reports show it: "host not ready".
};
/// All values of such a field. Lives as long as the program.
struct Enumeration {
  std::span<const EnumValue> values;
  bool is_open = false;  ///< There may be others.
};

/// Index of a field in its Schema; evaluation gets its data by it.
using Slot = std::uint32_t;

struct Field {
  std::string name;  ///< "kernel.mean", "$limit", "wait": as it is written.
  Unit unit = Unit::kNumber;
  Scope scope = Scope::kGroup;
  const Enumeration* values = nullptr;  ///< For a text: its possible values, where known.
};

/// Fields that a schema gets when they are first named, for callers that know very many of which an
/// expression names few.
struct FieldSource {
  std::function<std::optional<Field>(std::string_view name)> find;
  std::function<std::vector<std::string>()> names;  ///< All names, for messages.
};

/// Slots are given in order and never change, so programs compiled earlier stay valid as it grows.
class Schema {
 public:
  static constexpr Slot kNone = kNoIndex;

  /// Added fields win against the source.
  void SetSource(FieldSource source) { source_ = std::move(source); }
  /// The slot of the new field, or of the one that had this name before, which is left as it was:
  /// add fields that shall win first.
  Slot Add(std::string name, Unit unit, Scope scope, const Enumeration* values = nullptr);
  /// Takes the field from the source if need be. kNone when there is no such field.
  Slot Find(std::string_view name);
  const Field& operator[](Slot slot) const { return fields_[slot]; }
  /// Number of fields that were added or named.
  Slot size() const { return static_cast<Slot>(fields_.size()); }
  /// All names that Find() knows, each once; those of the source first.
  std::vector<std::string> Names() const;

  /// The name of rows ("kernel"), for messages; empty when there are none.
  void SetRowName(std::string name) { row_name_ = std::move(name); }
  const std::string& row_name() const { return row_name_; }

 private:
  std::vector<Field> fields_;
  boost::unordered_flat_map<std::string, Slot> by_name_;
  std::string row_name_;
  FieldSource source_;
};

// Help for a name that does not exist.

/// "did you mean `kernel.time`?", and similar names that exist. `rows`: the name of the rows.
/// May be empty.
/// Looks at all names: for errors only.
std::string HelpForName(const std::string& name, const std::vector<std::string>& names,
                        std::string_view rows);

}  // namespace profgauge::expr
