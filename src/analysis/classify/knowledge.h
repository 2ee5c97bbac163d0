// A project's additions to its profiles. They change numbers, so they are in the report's
// provenance. A policy names them (`tensor_core: {names: …}`, `devices`,
// `thresholds_of_analysis`), and the Selection hands them to the analysis.
#pragma once

#include <string>
#include <vector>

#include "analysis/classify/collective.h"
#include "analysis/classify/kernel_class.h"
#include "knowledge/tunable.h"
#include "model/devices.h"

namespace profgauge::analysis::classify {

/// A name rule of a project's own. They are tried before the built-in ones, in order; the first
/// that matches wins. Communication stays communication unless a rule says otherwise, and kernels
/// that the profiler recorded as a collective are one whatever their names.
struct KernelNameRule {
  std::string id;       ///< Shown as the rule that decided.
  std::string matches;  ///< RE2 that the name must contain. REQUIRES: both patterns compile.
  std::string except;   ///< RE2 that it must not contain; empty: nothing.
  Tri tensor_core = Tri::kUnknown;
  /// Whether it moves data between ranks; kUnknown: the rule does not speak of that.
  Tri communication = Tri::kUnknown;
  CollectiveKind kind = CollectiveKind::kOther;  ///< For communication; kOther: by its name.
};

/// Empty by default: a run without a policy.
struct Knowledge {
  std::vector<KernelNameRule> kernel_names;
  std::vector<KnownDevice> devices;
  /// Kernels without a matching rule count as using Tensor Cores in the metrics tensor_core.*,
  /// which are upper bounds then.
  bool undecided_use_tensor_cores = false;
  knowledge::TunableThresholds thresholds;  ///< `thresholds_of_analysis:`
};

}  // namespace profgauge::analysis::classify
