// The upper bound of a finding's saving: the time in which only its rows keep a device from
// finishing.
#pragma once

#include <optional>
#include <span>

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
  std::optional<ExposureCosts> costs_;  // From the first question on.
};

}  // namespace profgauge
