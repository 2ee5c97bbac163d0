#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "gate/by_chance.h"
#include "gate/change.h"
#include "gate/compare.h"

namespace profgauge::gate {

/// One difference between the work of two runs, before and after: "aten::mm [[64, 1024]]" and
/// "aten::mm [[128, 1024]] (1 of 5 shapes)", or "no aten::copy_" and "aten::copy_: 2 launches per
/// iteration".
struct WorkFact {
  std::string base, current;
  bool is_of_inputs = false;
  double time = 0;  ///< Time of the operator per iteration.
};
/// Finds at most three differences, longest first, and how many more operators differ. If none is
/// known, returns a general one.
std::vector<WorkFact> DescribeSignatures(const Snapshot& base, const Snapshot& current);

}  // namespace profgauge::gate
