// What a finding can gain at most: the time in which its rows, and nothing else, keep a device from
// being done.
#pragma once

#include <optional>
#include <span>

#include "analysis/tables/exposure.h"
#include "rules/bindings.h"
#include "rules/compile.h"

namespace profgauge {

/// Of the findings of one rule over one run.
class MostGain {
 public:
  /// Both must outlive this.
  MostGain(const CompiledRule& rule, const RunData& run);

  /// In ns per iteration. Where the rule's gain is idle time, the idle time that its rows touch;
  /// else the time in which devices do their work alone. Nothing where not recorded.
  std::optional<double> Of(std::span<const expr::RowId> rows);

 private:
  const RunData& run_;
  const Exposure* exposure_ = nullptr;
  bool is_idle_;
  std::optional<ExposureCosts> costs_;  // From the first question on.
};

}  // namespace profgauge
