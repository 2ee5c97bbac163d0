// DLProf's eight CSV reports in its format: titles, columns, quotes and rounding.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/dlprof/report.h"

namespace profgauge::exports::dlprof {

/// A problem and what to do about it.
using Advice = std::pair<std::string, std::string>;

inline constexpr std::array<std::string_view, 8> kDlprofFiles = {
    "dlprof_summary.csv", "dlprof_detailed.csv",      "dlprof_iteration.csv",
    "dlprof_kernel.csv",  "dlprof_tensor_core.csv",   "dlprof_group_op.csv",
    "dlprof_op_type.csv", "dlprof_expert_systems.csv"};

/// The first lines of DLProf's reports.
inline constexpr std::array<std::string_view, 8> kDlprofTitles = {
    "System Config",      "All Iterations",  "Iteration Report",       "Kernel Report",
    "Tensor Core Report", "Group Op Report", "Op Type Summary Report", "Expert Systems Feedback"};

/// The texts of kDlprofFiles. Missing system properties are empty; `advice` fills the last file.
/// `report` is made from `profile`, whose device table must have times and names of launches.
std::vector<std::string> DlprofCsvTexts(const Profile& profile,
                                        const analysis::dlprof::dlprof::Report& report,
                                        const std::vector<Advice>& advice);

}  // namespace profgauge::exports::dlprof
