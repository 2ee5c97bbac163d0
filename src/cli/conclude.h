// The end of check, report and render: the list of outputs, then the summary with the verdict last.
#pragma once

#include "report/report.h"
#include "report/runs.h"

namespace profgauge::cli {

class Console;
class Drawing;

/// The summary goes to standard output, unless a report goes there; then to standard error.
void Conclude(const report::Report& report, const Drawing& drawing, Console& console);
void Conclude(const report::Runs& runs, const Drawing& drawing, Console& console);

}  // namespace profgauge::cli
