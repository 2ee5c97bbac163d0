// Bounds a rule's estimate of its saving by the time in which devices do only its rows' work, or
// are idle beside it. Assumes that other work starts and overlaps as before. Not for simulations.
#pragma once

#include <optional>
#include <span>

#include "analysis/catalog/row_exposure.h"
#include "expr/eval.h"
#include "rules/bindings.h"
#include "rules/compile.h"

namespace profgauge::rules {

/// Bounds for the findings of one rule over one run.
class MostGain {
 public:
  /// REQUIRES: both arguments outlive the object.
  MostGain(const CompiledRule& rule, const RunData& run);

  /// The bound in ns per iteration; nothing if not recorded. If the rule's gain is idle time: the
  /// idle time next to its rows; otherwise the time in which devices do only this work.
  std::optional<double> Of(std::span<const expr::RowId> rows);

  /// True if the gain is time of kernels, copies or memsets in a run without collectives: it is at
  /// most RunData::SavingOfAllDeviceWork(). In collectives, other ranks arrive as recorded in a
  /// simulation, although a change of the program makes them faster, too.
  bool is_device_work() const { return is_device_work_; }

 private:
  const RunData& run_;
  const analysis::catalog::Exposure* exposure_ = nullptr;
  bool is_idle_;
  bool each_delays_all_;
  bool is_device_work_;
  std::optional<analysis::catalog::ExposureCosts> costs_;  // Computed at the first call.
};

}  // namespace profgauge::rules
