// The rows of rules/knowledge/thresholds.yaml as data, for `profgauge thresholds` and for policies.
// Code that uses a threshold includes its constant instead: "knowledge/SECTION.h", which the build
// generates from the same file, has kSectionName for the row section.name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/units.h"

namespace profgauge::knowledge {

struct TunableThresholds;  // In the header that the build writes.

/// One number that influences results.
struct ThresholdRow {
  std::string_view id;        ///< "straggler.minimum_cost_share": section, then name.
  Unit unit = Unit::kNumber;  ///< kTime, kShare, kNumber (a factor), kCount or kBytes.
  double value = 0;           ///< In base units.
  std::string_view means;     ///< Its effect, in one sentence.
  std::string_view evidence;  ///< The profile or measurement that set it; "chosen: …" without one.
  std::string_view used_by;   ///< Files of src/ that include it, separated by blanks.
  bool tunable = false;       ///< A policy may set it, from least to most.
  double least = 0, most = 0;
  /// The value in a set of tunable thresholds. REQUIRES: tunable.
  double (*get)(const TunableThresholds&) = nullptr;
  /// Sets it. REQUIRES: tunable, least <= value <= most; an integer if the unit is a count or time.
  void (*set)(TunableThresholds&, double value) = nullptr;

  /// True if a policy has set it to a value other than the default.
  bool IsChanged(const TunableThresholds& all) const { return tunable && get(all) != value; }
};

/// All thresholds, by id. The texts live as long as the program.
std::span<const ThresholdRow> Thresholds();
/// nullptr if there is none.
const ThresholdRow* FindThreshold(std::string_view id);

}  // namespace profgauge::knowledge
