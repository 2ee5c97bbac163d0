#include <string_view>

#include "gate/verdict.h"

namespace profgauge::gate {

std::string_view VerdictStatusName(VerdictStatus status) {
  switch (status) {
    case VerdictStatus::kPass:
      return "pass";
    case VerdictStatus::kFail:
      return "fail";
    case VerdictStatus::kNoVerdict:
      return "no_verdict";
    case VerdictStatus::kNotJudged:
      return "not_judged";
  }
  return "not_judged";
}

std::string_view GateStatusName(GateStatus status) {
  switch (status) {
    case GateStatus::kPass:
      return "pass";
    case GateStatus::kWarn:
      return "warn";
    case GateStatus::kError:
      return "error";
    case GateStatus::kInfo:
      return "info";
    case GateStatus::kMissing:
      return "missing";
    case GateStatus::kSkipped:
      return "skipped";
    case GateStatus::kNotApplicable:
      return "not_applicable";
    case GateStatus::kLowConfidence:
      return "low_confidence";
    case GateStatus::kWaived:
      return "waived";
    case GateStatus::kCaution:
      return "caution";
  }
  return "missing";
}

}  // namespace profgauge::gate
