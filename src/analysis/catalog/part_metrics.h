// The two metrics of a part of a whole: its time and its share.
#pragma once

#include <string>

#include "analysis/catalog/output.h"
#include "base/metric_id.h"

namespace profgauge::analysis::catalog {

/// Sets both, in ns. The share is absent where `whole` is none. REQUIRES: 0 <= time <= whole, if
/// there is a whole.
inline void SetPart(const PartMetrics& part, Ns time, Ns whole, Output& out) {
  out.Set(part.time, time);
  if (whole > 0) {
    out.Set(part.share, static_cast<double>(time) / static_cast<double>(whole));
  } else {
    out.SetAbsent(part.share, "the iterations have no length");
  }
}

/// Both are absent for the same reason.
inline void SetPartAbsent(const PartMetrics& part, const std::string& why, Output& out) {
  out.SetAbsent(part.share, why);
  out.SetAbsent(part.time, why);
}

}  // namespace profgauge::analysis::catalog
