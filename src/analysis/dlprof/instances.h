// Calls of ops, as DLProf counts them: the input of Compute().
//
// The outermost range with a role is the call; everything inside is part of it:
//
//   host       |conv2d (marked)------|   |mm (no marker)|
//                |aten::convolution|
//   calls          |launch|  |launch|       |launch|        |sync|
//   instances  conv2d, with both launches; unassociated for sync, and for the launch in mm if
//              the profile has markers
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
  std::uint32_t host = kNoInstance;  ///< Its host row; none for a call outside of ops.
  std::uint32_t api = kNoInstance;   ///< The row of that call.
  std::string name, direction, type, stack;
  bool unassociated = false;
  /// Whether it represents device work without a recorded call.
  bool orphan() const { return host == kNoInstance && api == kNoInstance; }
};

/// Every runtime call and all device work belong to exactly one instance.
struct Instances {
  std::vector<Instance> all;             ///< In order of time.
  std::vector<std::uint32_t> of_api;     ///< By row of the call table.
  std::vector<std::uint32_t> of_device;  ///< By row of the device table.
};

/// Groups the ranges, calls and work without calls into instances. O(n log n).
Instances FindInstances(const Profile& profile);

/// The call's name as recorded, e.g. "cudaLaunchKernel_v7000".
std::string_view SymbolOf(const Profile& profile, StringId call);

}  // namespace profgauge::analysis::dlprof::dlprof
