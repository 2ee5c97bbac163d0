// The sums of DLProf's summary report.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "exports/dlprof/dlprof.h"
#include "exports/dlprof/instances.h"

namespace profgauge::dlprof {

/// The contents of the selected iterations.
struct SelectedTime {
  Span window;
  std::vector<Span> cpu;              ///< Ranges of ops.
  std::vector<std::uint32_t> device;  ///< Rows of device work that ops launched.
};

/// Wall time, utilization, breakdown and the memory rows' share.
Summary Summarize(const Profile& profile, const KernelClasses& classes,
                  const SelectedTime& selected);

/// Fills Summary::ops… from the report's ops, and Tensor Core utilization.
void AddOpShares(Report& report);
/// Fills Summary::kernels… from the launches.
void AddKernelShares(Report& report, const Profile& profile);

}  // namespace profgauge::dlprof
