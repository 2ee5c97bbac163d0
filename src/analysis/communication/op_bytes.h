// Sizes of collectives from the operators that PyTorch records around them, for recordings whose
// kernels carry none (PyTorch up to 2.2).
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/classify/collective.h"

namespace profgauge {

/// The size of a collective as its operator states it.
struct OpSize {
  std::int64_t bytes = -1;  ///< Size of the whole buffer, as CollectiveBytes() counts; -1 unknown.
  std::int64_t chunk = -1;  ///< One rank's part, where the whole needs the group's size.
  std::int64_t group_size = -1;  ///< As far as the shapes, or an argument, say.
};

/// Sizes by the arguments of an operator, by its signature: the operators of process groups take
/// (output, input, …) for gathers, scatters and exchanges and (tensor, …) else; the functional ones
/// (input, …, group size, group); the backend's own ranges ("nccl:all_reduce") only their inputs.
/// The texts are those of HostTable.
OpSize SizeOfOp(std::string_view name, CollectiveKind kind, std::string_view shapes,
                std::string_view dtypes, std::string_view values);

}  // namespace profgauge
