// The two metrics of a part: its time and its share.
#pragma once

#include <string>

#include "analysis/catalog/output.h"
#include "base/metric_id.h"

namespace profgauge::analysis::catalog {

/// Sets the time, in ns, and its share in `whole`. The share is absent if `whole` is 0. REQUIRES: 0
/// <= time <= whole, unless `whole` is 0.
inline void SetPart(const PartMetrics& part, Ns time, Ns whole, Output& out) {
  out.Set(part.time, time);
  if (whole > 0) {
    out.Set(part.share, static_cast<double>(time) / static_cast<double>(whole));
  } else {
    out.SetAbsent(part.share, "the iterations have no length");
  }
}

/// Makes the time and the share absent with the same reason.
inline void SetPartAbsent(const PartMetrics& part, const std::string& why, Output& out) {
  out.SetAbsent(part.share, why);
  out.SetAbsent(part.time, why);
}

}  // namespace profgauge::analysis::catalog
