// A project's additions to the analysis. They change metrics, so the report's provenance contains
// them. A policy names them (`tensor_core: {names: …}`, `devices`, `thresholds_of_analysis`), and
// the Selection passes them to the analysis.
#pragma once

#include <string>
#include <vector>

#include "analysis/classify/collective.h"
#include "analysis/classify/kernel_class.h"
#include "knowledge/tunable.h"
#include "model/devices.h"

namespace profgauge::analysis::classify {

/// A name rule of a project. A project's rules are tried before the built-in rules, in order; the
/// first match wins. Communication stays communication unless a rule sets `communication`; kernels
/// recorded as a collective always are one.
struct KernelNameRule {
  std::string id;       ///< Reported as the deciding rule.
  std::string matches;  ///< RE2 that the name must contain. REQUIRES: both patterns compile.
  std::string except;   ///< RE2 that it must not contain; empty: none.
  Tri tensor_core = Tri::kUnknown;
  /// Whether it moves data between ranks; kUnknown: the rule does not decide this.
  Tri communication = Tri::kUnknown;
  CollectiveKind kind = CollectiveKind::kOther;  ///< For communication; kOther: by its name.
};

/// Empty by default: a run without a policy.
struct Knowledge {
  std::vector<KernelNameRule> kernel_names;
  std::vector<KnownDevice> devices;
  /// Whether kernels without a matching rule count as using Tensor Cores in tensor_core.*: then
  /// these metrics are upper bounds.
  bool undecided_use_tensor_cores = false;
  knowledge::TunableThresholds thresholds;  ///< `thresholds_of_analysis:`
};

}  // namespace profgauge::analysis::classify
