// The first sentence of every output: the limit of the run, with its numbers.
#pragma once

#include <string>

#include "report/report.h"

namespace profgauge::report {

/// Whether a finding is about the profile, not about the run in it.
bool IsAboutProfile(const Finding& finding);

struct Diagnosis {
  /// "input-bound", "launch-bound", …; "none": nothing large to fix; "regression": worse than the
  /// baseline; "unknown": kernels run all the time, on a device without known peaks.
  std::string bottleneck;
  std::string text;  ///< Empty: of nothing that was measured.
};

/// In this order: the reason that leaves a verdict undecided; for a run that fails only by changes,
/// the first of these; for one that fails by errors of which the plan removes none, the cause of
/// the largest; the first step of the plan; without a plan, the finding that could save most;
/// without one, the largest part of an iteration in which no kernel runs. A run without faults is
/// praised with its numbers. A report that was read back from report.json has the same.
Diagnosis Diagnose(const Report& report);

}  // namespace profgauge::report
