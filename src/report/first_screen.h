// The first sentence of every output: the limit of the run, with its numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::report {

/// Whether a finding is about the profile, not about the run in it.
bool IsAboutProfile(const Finding& finding);

/// Why a run has its verdict: an error, a warning where there is none, or what leaves it undecided.
struct Reason {
  std::string text;             ///< "Exposed communication 59.5 % (limit 20 %)".
  std::string code;             ///< "limit", "change", "finding" or "no_verdict".
  std::string finding, metric;  ///< Which; at most one of them.
  bool in_plan = false;         ///< Whether a step of the plan is about it.
};

/// A reason for no verdict without its id, "… [baseline/lost]".
std::string_view WithoutId(std::string_view reason);

struct Diagnosis {
  /// "input-bound", "launch-bound", …; "none": nothing was found; "small": what was found saves
  /// little; "cpu": no device; "regression": worse than the baseline; "unknown": kernels run all
  /// the time, on a device without known peaks.
  std::string bottleneck;
  std::string text;                  ///< Empty: of nothing that was measured.
  std::string finding;               ///< The key of the finding that it tells; may be empty.
  std::vector<Reason> reasons = {};  ///< As many as the verdict counts.
};

/// The sentences of a failed run about kernels, benchmarks and other parts: no limit or rule has
/// them. "kernel flash_fwd: +6.1 % in 2 runs (…)".
std::vector<std::string> PartReasons(const Report& report);

/// In this order:
///
///   no verdict                    the reason, in at most twelve words
///   only limits on changes fail   the first of them, else the first part
///   findings                      of the causes (of an error, if one fails the run) the one that
///                                 could save most: the least of a simulation, half of a bound
///   work                          the finding about half of the kernel time
///   no device                     the operator that takes most of the time
///   parts                         the largest part of an iteration in which no kernel runs
///   nothing                       for how long kernels run
///
/// A report that was read back from report.json has the same.
Diagnosis Diagnose(const Report& report);

}  // namespace profgauge::report
