// The upper bound of a rule's own estimate: the time in which only its rows keep devices from
// finishing, if other work neither starts earlier nor overlaps more once they are gone. A
// simulation knows better and is not bounded by it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/tables/exposure.h"
#include "rules/bindings.h"
#include "rules/compile.h"

namespace profgauge {

/// For the findings of one rule over one run.
class MostGain {
 public:
  /// Both must outlive this.
  MostGain(const CompiledRule& rule, const RunData& run);

  /// In ns per iteration. Where the rule's gain is idle time, the idle time that its rows touch;
  /// otherwise the time in which devices do only their work. Nothing where not recorded.
  std::optional<double> Of(std::span<const expr::RowId> rows);

 private:
  const RunData& run_;
  const Exposure* exposure_ = nullptr;
  bool is_idle_;
  bool each_delays_all_;
  std::vector<ExposureCosts> costs_;  // By device, or of all; from the first question on.
};

}  // namespace profgauge
