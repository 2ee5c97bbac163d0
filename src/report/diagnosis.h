// Makes the first sentence of every output: the bottleneck of the run, with its numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::report {

/// True if a finding concerns the profile instead of the run.
bool IsAboutProfile(const Finding& finding);

/// A reason for the verdict: an error, a warning if there are no errors, or an undecided result.
struct Reason {
  std::string text;             ///< "Exposed communication 59.5 % (limit 20 %)".
  std::string code;             ///< "limit", "change", "finding" or "no_verdict".
  std::string finding, metric;  ///< Key of the finding, or the metric; at most one is set.
  bool in_plan = false;         ///< A step of the plan covers it.
};

/// A reason for no verdict without its id, e.g. "[baseline/lost]", at the end.
std::string_view WithoutId(std::string_view reason);

struct Diagnosis {
  /// "input-bound", "launch-bound", …; "none": nothing was found; "small": findings save little;
  /// "cpu": no device; "regression": worse than the baseline; "unknown": kernels run all the time,
  /// on a device without known peaks.
  std::string bottleneck;
  std::string text;                  ///< Empty: nothing was measured.
  std::string finding;               ///< Key of the finding in the text; may be empty.
  std::vector<Reason> reasons = {};  ///< One for each problem that the verdict counts.
};

/// Sentences of a failed run about kernels, benchmarks and other parts, which no limit or rule
/// reports: "kernel flash_fwd: +6.1 % in 2 runs (…)".
std::vector<std::string> PartReasons(const Report& report);

/// The diagnosis is the first of these that applies:
///
///   no verdict                    the reason, in at most twelve words
///   only limits on changes fail   the first of them, else the first part
///   findings                      of the causes (of errors, if one fails the run) the one with the
///                                 largest saving: low end of a simulation, half of a bound
///   work                          the finding about half of the kernel time
///   no device                     the operator with most time
///   parts                         the largest part of an iteration without a kernel
///   nothing                       how long kernels run
///
/// A report that was read from report.json gives the same.
Diagnosis Diagnose(const Report& report);

}  // namespace profgauge::report
