// The trend page: `history trend --html`.
#pragma once

#include <string>

#include "profgauge/error.h"
#include "render/shared/renderer.h"
#include "report/runs.h"

namespace profgauge::render {

/// One self-contained page: for each metric a chart, its changes of level in words, and a table of
/// all runs. Errors: those of templates.
Result<std::string> RenderTrend(const report::Trend& trend, const HtmlOptions& options);

}  // namespace profgauge::render
