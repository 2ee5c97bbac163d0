// The sums of DLProf's summary report.
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

/// The time range and the content of the selected iterations.
struct SelectedTime {
  Span window;
  std::vector<Span> cpu;              ///< Ranges of ops.
  std::vector<std::uint32_t> device;  ///< Rows of device work that ops launched.
};

/// Wall time, utilization, breakdown, and the shares of copies and memsets.
Summary Summarize(const Profile& profile, const classify::KernelClasses& classes,
                  const SelectedTime& selected);

/// Sets Summary::ops… from the report's ops, and Tensor Core utilization.
void AddOpShares(Report& report);
/// Sets Summary::kernels… from the launches.
void AddKernelShares(Report& report, const Profile& profile);

}  // namespace profgauge::analysis::dlprof::dlprof
