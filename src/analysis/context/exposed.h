// Exposed time of one rank: one sweep for each kind of work, whoever asks for it.
#pragma once

#include <memory>

#include "analysis/classify/device_spans.h"
#include "base/units.h"
#include "model/optional_column.h"

namespace profgauge::analysis::context {

struct RankContext;

/// Kept columns of exposed times, made when they are first asked for; several threads may ask. A
/// copy of the rank shares them.
class ExposedColumns {
 public:
  ExposedColumns();
  /// Of `rank`: ExposedTimes() of classify/device_spans.h without UncountedParts() of observed.h.
  /// REQUIRES: always the rank that these are part of, measured (MeasureContexts()).
  const OptionalColumn<Ns>& Of(const RankContext& rank, classify::Exposable wanted) const;

 private:
  struct Columns;
  std::shared_ptr<Columns> columns_;
};

}  // namespace profgauge::analysis::context
