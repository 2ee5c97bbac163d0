#include "report/launch_check.h"

#include <utility>

namespace profgauge::report {

void AddLaunchCheck(const RunComparison* comparison, Certificate& certificate) {
  if (certificate.checks.empty()) return;
  CertificateCheck check{"launches-as-baseline", "Iterations launch as much as the baseline's"};
  check.affects = {"time", "idle", "kernels"};
  if (comparison == nullptr) {
    check.state = CheckState::kUnknown;
    check.text = "there is no baseline";
  } else if (comparison->other_launches) {
    check.state = CheckState::kDoubt;
    check.text = *comparison->other_launches;
    if (certificate.trust == Trust::kWhole) certificate.trust = Trust::kLimited;
  }
  certificate.checks.push_back(std::move(check));
}

}  // namespace profgauge::report
