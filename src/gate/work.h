// Decides whether both sides do the same work; only then can their times be compared.
//
//     kernel    baseline   run              gone     new       launches and time per iteration
//     gemm        48        48                                 kept: their time is compared
//     softmax     12         0              12                 nothing replaces it: less work
//     fused_x      0         6                        6        replaces it if it takes at least a
//                                                              quarter of the time: changed work
//
// By launches and device time per iteration and name (by operators without a device). More work is
// never doubted, because the time shows it. The program's own count of samples has priority over
// names, since a compiled program has other names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gate/snapshot.h"

namespace profgauge::gate {

/// How the work differs: the first of these that is true.
enum class WorkKind : std::uint8_t {
  kSame,
  kChanged,    ///< Other work of about the same amount: judged, and reported.
  kInputs,     ///< Another batch size, by shapes.
  kOther,      ///< Fewer than half of the launches are common to both.
  kLess,       ///< Work is missing, with little replacement.
  kCollapsed,  ///< The same launches take far less device time.
};
std::string_view WorkKindName(WorkKind kind);  ///< "same", "changed", …

/// The difference between the work of two sides.
struct WorkChange {
  WorkKind kind = WorkKind::kSame;
  /// Shares of the baseline's launches, and of their time, that are gone or new.
  double gone_launches = 0, gone_time = 0, new_launches = 0, new_time = 0;
  double own = 0;    ///< The largest gone share between runs of the baseline.
  double share = 1;  ///< Launches common to both / launches of either.
  double kept = 0;   ///< Log change in time of kernels launched equally often.
  /// Samples per iteration, divided by the baseline's; nothing if unknown.
  std::optional<double> samples;
  bool is_counted = false;   ///< `samples` was counted by the program.
  bool by_sample = false;    ///< Samples differ: times are compared per sample.
  bool is_accepted = false;  ///< A user accepts a change that would leave no verdict.
  std::string answered;      ///< The unanswered part of a load test, as a sentence; else empty.
  std::string gone, come;    ///< "adamw (0.75 an iteration, 11 % of the time)"; three at most.
};

/// Compares the work of both sides. With `accepts`, kinds that leave no verdict become kChanged.
WorkChange CompareWork(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       bool accepts = false);

/// True if the kind of work leaves comparisons of times undecided.
constexpr bool LeavesOpen(const WorkChange& work) {
  return work.kind != WorkKind::kSame && work.kind != WorkKind::kChanged;
}

/// Explains why times have no verdict; nothing if they can be judged. `is_failure`: the run is
/// certainly slower, which less work does not excuse. `is_improved`: it is faster.
std::optional<std::string> WhyNoTimes(const WorkChange& work, bool is_failure, bool is_improved);

/// Text for changed work that is judged anyway: "work: gone: …; new: …"; empty for the same work.
std::string WorkText(const WorkChange& work);

/// How much of the work of two runs is equal, 0 to 1: common launches per iteration, divided by the
/// launches of either run (the weighted Jaccard index), by operator or by kernel, whichever is
/// larger. 1 if the work of a run is unknown.
double WorkOverlap(const Snapshot& a, const Snapshot& b);

}  // namespace profgauge::gate
