// The report against which templates are checked.
#pragma once

#include "report/report.h"

namespace profgauge::render {

/// A report with one of everything, so that every list of its view has an element.
const report::Report& SchemaReport();

}  // namespace profgauge::render
