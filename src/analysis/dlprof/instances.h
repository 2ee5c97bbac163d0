// Calls of ops, as DLProf counts them: the input of Compute().
//
// The outermost range that has a role is the call; all that it contains is part of it:
//
//   host       |conv2d (marked)------|   |mm (no marker)|
//                |aten::convolution|
//   calls          |launch|  |launch|       |launch|        |sync|
//   instances  conv2d, with both launches; unassociated for the launch in mm, if the profile has
//              markers, and for sync
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "analysis/dlprof/report.h"
#include "base/numbers.h"

namespace profgauge::analysis::dlprof::dlprof {

inline constexpr std::uint32_t kNoInstance = kNoIndex;

/// One call of an op.
struct Instance {
  Span time;
  std::uint32_t host = kNoInstance;  ///< Its row of the host table; none for a call outside of ops.
  std::uint32_t api = kNoInstance;   ///< That call, then.
  std::string name, direction, type, stack;
  bool unassociated = false;
  /// Represents device work whose call was not recorded.
  bool orphan() const { return host == kNoInstance && api == kNoInstance; }
};

/// Every call of the runtime and all device work belong to exactly one instance.
struct Instances {
  std::vector<Instance> all;             ///< In order of time.
  std::vector<std::uint32_t> of_api;     ///< By row of the call table.
  std::vector<std::uint32_t> of_device;  ///< By row of the device table.
};

/// Sorts the ranges, calls and work without calls into instances. O(n log n).
Instances FindInstances(const Profile& profile);

/// The call's name as recorded, "cudaLaunchKernel_v7000".
std::string_view SymbolOf(const Profile& profile, StringId call);

}  // namespace profgauge::analysis::dlprof::dlprof
