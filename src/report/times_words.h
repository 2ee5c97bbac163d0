// The words of a report of times. Nothing was recorded there, so that no iteration is "unrecorded",
// and what is compared is no profile.
#pragma once

#include <string>

#include "report/report.h"

namespace profgauge::report {

/// Changes the texts of limits, metrics, comparison, verdict and remarks.
void UseWordsOfTimes(Report& report);

}  // namespace profgauge::report
