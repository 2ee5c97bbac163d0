// An argument marker of PyProf as a call with typed arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::pyprof {

struct Argument {
  std::string name;  ///< Empty: positional.
  std::string type;  ///< "tensor", "int", "float", "bool", "str", "NoneType", "list", "tuple".
  std::vector<std::int64_t> shape;
  std::string dtype;  ///< Of a tensor, as written.
  double number = 0;  ///< Of int, float and bool.
  std::string text;   ///< Of str.
  std::vector<std::int64_t> list;  ///< Whole numbers of a list or tuple.

  bool is_tensor() const { return type == "tensor" || type == "ndarray"; }
  bool is_number() const { return type == "int" || type == "float" || type == "bool"; }
};

struct Call {
  std::string module, op;
  std::vector<Argument> arguments;

  std::vector<const Argument*> Tensors() const;
  /// The argument with that name, else the positional one at `position`; nullptr when neither is.
  const Argument* Find(std::string_view name, std::size_t position) const;
};

/// Nothing when the text is no {'mod', 'op', 'args'}.
std::optional<Call> ParseCall(std::string_view marker);

/// Product of the sizes: 1 for no dimensions. In double: sizes are untrusted and may overflow.
double Elements(const std::vector<std::int64_t>& shape);

/// What two shapes broadcast to, as NumPy defines it; nothing when they do not.
std::optional<std::vector<std::int64_t>> Broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b);

}  // namespace profgauge::pyprof
