// One call of an operator with typed arguments, however it was recorded: as shapes, types and
// values (Kineto, emit_nvtx) or as one of PyProf's dictionaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::flops {

/// One argument. Only the fields of its type are set. `number` is a double, whatever the type.
struct OpArgument {
  std::string name;  ///< Empty: positional.
  std::string type;  ///< "tensor", "int", "float", "bool", "str", "NoneType", "list", "tuple".
  std::vector<std::int64_t> shape;
  std::string dtype;               ///< Data type of a tensor, as written.
  double number = 0;               ///< Value of an int, float or bool.
  std::string text;                ///< Value of a str.
  std::vector<std::int64_t> list;  ///< Whole numbers of a list or tuple.
  std::size_t place = 0;  ///< Among the recorded arguments: the tensors of one list share it.

  bool is_tensor() const { return type == "tensor" || type == "ndarray"; }
  bool is_number() const { return type == "int" || type == "float" || type == "bool"; }
};

/// A call with its arguments in the order of the recorded list.
struct OpCall {
  std::string module, op;
  std::vector<OpArgument> arguments;

  std::vector<const OpArgument*> Tensors() const;
  /// The argument with that name, else the positional one at `position`; nullptr when neither is.
  const OpArgument* Find(std::string_view name, std::size_t position) const;
};

/// The call of a host row: the module of "aten::mm" is "aten", the op "mm". Recorded types come in
/// their canonical spelling; lists of tensors become tensors, which share their `place`. Arguments
/// that are a caller's, or a given result, are left out (classify/arguments.h). Nothing when no
/// shapes were recorded. REQUIRES: row < profile.host.size().
std::optional<OpCall> CallOf(const Profile& profile, std::uint32_t row);

/// PyProf's dictionary. Nothing when the text is no {'mod', 'op', 'args'}. Any bytes will do.
///
///   {'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (4, 8),
///    'dtype': 'float16'}, …]}
std::optional<OpCall> ParseCall(std::string_view marker);

/// Product of the sizes: 1 for no dimensions. In double: sizes are untrusted and may overflow.
double Elements(const std::vector<std::int64_t>& shape);

/// The shape to which two shapes broadcast, as NumPy defines it; nothing when they do not.
std::optional<std::vector<std::int64_t>> Broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b);

// One call of an operator as the texts that were recorded of it, which summaries keep.

/// Views of the profile's strings, which must outlive it.
struct CallText {
  std::string_view name, shapes, dtypes;  ///< As HostTable has them.
  std::string_view values;                ///< HostTable::concrete_inputs.
};

/// As CallOf() of a host row. Nothing when no shapes were recorded.
std::optional<OpCall> CallOf(const CallText& text);

}  // namespace profgauge::analysis::flops
