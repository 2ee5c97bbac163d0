// Which of many changes are significant. Kernels are tested by the hundred, so that their
// p-values are judged together.
#pragma once

#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// A change of one kernel or op between two runs.
struct TestedChange {
  double p_value = -1;  ///< -1: it could not be tested.
  Ns delta = 0;         ///< Per iteration.
};

/// p-value of a shift between the per-iteration times of two runs, which are taken as
/// autocorrelated where they are too few to show it; -1 when a side has fewer than two.
double PValueOf(std::span<const Ns> base, std::span<const Ns> current);

/// For each change whether it is called out: significant by Benjamini-Hochberg at q = 0.1, and at
/// least 50 us and 1 % of `mean`, the base's mean iteration time.
std::vector<bool> FindSignificant(std::span<const TestedChange> changes, Ns mean);

}  // namespace profgauge
