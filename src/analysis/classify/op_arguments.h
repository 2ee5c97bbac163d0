// Which of the recorded arguments are an operator's own.
//
// Under TorchScript PyTorch's profiler records the whole stack of the interpreter, on which the
// operator's arguments are last. Where an operator of known signature has more, the rest belongs to
// those that called it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace profgauge {

/// How many of the recorded arguments, from the first on, are not the operator's own. `shapes` is
/// HostTable's text; 0 when the signature is unknown or fits.
std::size_t ForeignArguments(std::string_view op, std::string_view shapes);

/// The items of "[a, b, c]" (HostTable's shapes, types or values) that are the operator's own.
std::vector<std::string_view> OwnArguments(std::string_view op, std::string_view shapes,
                                           std::string_view list);

/// The element type of the operator's first tensor, canonical; empty when there is none.
std::string_view FirstTensorDtypeOf(std::string_view op, std::string_view shapes,
                                    std::string_view dtypes);

}  // namespace profgauge
