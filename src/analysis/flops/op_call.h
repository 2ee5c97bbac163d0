// A call of an operator with typed arguments, from any record: shapes, types and values (Kineto,
// emit_nvtx), or a dictionary of PyProf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::flops {

/// One argument. Only the fields of its type are set. `number` is a double for all types.
struct OpArgument {
  std::string name;  ///< Empty: positional.
  std::string type;  ///< "tensor", "int", "float", "bool", "str", "NoneType", "list", "tuple".
  std::vector<std::int64_t> shape;
  std::string dtype;               ///< Data type of a tensor, as recorded.
  double number = 0;               ///< Value of an int, float or bool.
  std::string text;                ///< Value of a str.
  std::vector<std::int64_t> list;  ///< Integers of a list or tuple.
  std::size_t place = 0;           ///< Position in the record; tensors of one list share it.

  bool is_tensor() const { return type == "tensor" || type == "ndarray"; }
  bool is_number() const { return type == "int" || type == "float" || type == "bool"; }
};

/// A call with its arguments in the order of the recorded list.
struct OpCall {
  std::string module, op;
  std::vector<OpArgument> arguments;

  std::vector<const OpArgument*> Tensors() const;
  /// The argument with that name, else the positional one at `position`; nullptr if neither exists.
  const OpArgument* Find(std::string_view name, std::size_t position) const;
};

/// Returns the call of a host row: for "aten::mm" the module is "aten", the op "mm". Types become
/// canonical names. Lists of tensors become tensors with the same `place`. Arguments of callers,
/// and a given result, are omitted (classify/arguments.h). None if no shapes were recorded.
/// REQUIRES: row < profile.host.size().
std::optional<OpCall> CallOf(const Profile& profile, std::uint32_t row);

/// Parses PyProf's dictionary. None if the text is no {'mod', 'op', 'args'}. Any bytes are valid.
///
///   {'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (4, 8),
///    'dtype': 'float16'}, …]}
std::optional<OpCall> ParseCall(std::string_view marker);

/// Product of the sizes; 1 without dimensions. A double, since untrusted sizes may overflow.
double Elements(const std::vector<std::int64_t>& shape);

/// The shape to which two shapes broadcast, like in NumPy; none if they are incompatible.
std::optional<std::vector<std::int64_t>> Broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b);

// A call of an operator as its recorded texts, which summaries contain.

/// Views of the profile's strings, which must outlive it.
struct CallText {
  std::string_view name, shapes, dtypes;  ///< Like in HostTable.
  std::string_view values;                ///< HostTable::concrete_inputs.
};

/// Like CallOf() of a host row. None if no shapes were recorded.
std::optional<OpCall> CallOf(const CallText& text);

}  // namespace profgauge::analysis::flops
