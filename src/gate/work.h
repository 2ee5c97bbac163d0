// Whether both sides did the same: a comparison of times holds only then.
//
//     kernel    baseline   run              gone     new       launches and time per iteration
//     gemm        48        48                                 kept: their time as well
//     softmax     12         0              12                 nothing new: less
//     fused_x      0         6                        6        a quarter of the time of what went,
//                                                              or more: changed
//
// By launches and device time per iteration of each name (by operators where no device is). More
// work is never doubted: it shows in the time. The program's own count of samples overrules what
// names suggest, since a compiled program has others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gate/snapshot.h"

namespace profgauge::gate {

/// The first that holds.
enum class WorkKind : std::uint8_t {
  kSame,
  kChanged,    ///< Other work, as much of it: judged, and told.
  kInputs,     ///< Another batch, by shapes.
  kOther,      ///< Under half of the launches are of both.
  kLess,       ///< Work is gone, and little came for it.
  kCollapsed,  ///< The same launches take far less device time.
};
std::string_view WorkKindName(WorkKind kind);  ///< "same", "changed", …

/// What differs between the work of two sides.
struct WorkChange {
  WorkKind kind = WorkKind::kSame;
  /// Shares of the baseline's launches, and of their time.
  double gone_launches = 0, gone_time = 0, new_launches = 0, new_time = 0;
  double own = 0;    ///< As much is gone between runs of the baseline.
  double share = 1;  ///< Launches of both over those of either.
  double kept = 0;   ///< Logarithm of the change of the time of what was launched as often.
  /// Samples of an iteration over those of the baseline; nothing where it is unknown.
  std::optional<double> samples;
  bool is_counted = false;   ///< By the program itself.
  bool by_sample = false;    ///< It counted others: times are compared per sample.
  bool is_accepted = false;  ///< Somebody accepts what would leave no verdict.
  std::string answered;      ///< What of a load test's requests was not answered; else empty.
  std::string gone, come;    ///< "adamw (0.75 an iteration, 11 % of the time)"; three at most.
};

/// `accepts`: the kinds that leave no verdict are kChanged.
WorkChange CompareWork(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       bool accepts = false);

/// Whether it is of a kind that leaves comparisons of times open.
constexpr bool LeavesOpen(const WorkChange& work) {
  return work.kind != WorkKind::kSame && work.kind != WorkKind::kChanged;
}

/// Why a comparison of times has no verdict; `is_failure`: they are slower for certain, which less
/// work does not excuse; `is_improved`: they are faster. Nothing where the work lets it be judged.
std::optional<std::string> WhyNoTimes(const WorkChange& work, bool is_failure, bool is_improved);

/// "changed: gone: …; new: …", for what is judged all the same; empty of the same work.
std::string WorkText(const WorkChange& work);

/// How much of the work of two runs is the same, 0 to 1: the launches per iteration that both have,
/// by operator or kernel, whichever says more, over those that either has (the weighted Jaccard
/// index). 1 where a run does not know its work.
double WorkOverlap(const Snapshot& a, const Snapshot& b);

}  // namespace profgauge::gate
