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

/// As Compute() says. Errors: kUsage when the key op does not occur.
Result<std::vector<Span>> IterationsOf(const Profile& profile, const Instances& instances,
                                       const Selection& selection);
/// The host's parts of known iterations, each up to the start of the next.
std::vector<Span> IterationsOf(const Profile& profile, const Instances& instances,
                               const context::Iterations& known);

/// The call's name as recorded, "cudaLaunchKernel_v7000".
std::string_view SymbolOf(const Profile& profile, StringId call);

/// "<N:32, C:3, H:32, W:32>; <6>" of "[[32, 3, 32, 32], [6]]"; dimensions of convolutions and
/// linear layers are named.
std::string InputShapesText(std::string_view type, std::string_view shapes);
/// The output's shape if the type derives it from the inputs' (stride 1, no padding); else empty.
std::string OutputShapesText(std::string_view type, std::string_view shapes);

// The sums of DLProf's summary report.

/// The contents of the selected iterations.
struct SelectedTime {
  Span window;
  std::vector<Span> cpu;              ///< Ranges of ops.
  std::vector<std::uint32_t> device;  ///< Rows of device work that ops launched.
};

/// Wall time, utilization, breakdown and the memory rows' share.
Summary Summarize(const Profile& profile, const classify::KernelClasses& classes,
                  const SelectedTime& selected);

/// Fills Summary::ops… from the report's ops, and Tensor Core utilization.
void AddOpShares(Report& report);
/// Fills Summary::kernels… from the launches.
void AddKernelShares(Report& report, const Profile& profile);

}  // namespace profgauge::analysis::dlprof::dlprof
