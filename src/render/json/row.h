// A run as one line of JSON, for `--write row=FILE` and `history list --format jsonl`.
#pragma once

#include <string>

#include "report/run_row.h"

namespace profgauge::render {

/// The row as an object on one line, in the order of report::RowColumns(). It ends with a newline
/// and has at most 16 kB.
std::string RenderRow(const report::RunRow& row);

}  // namespace profgauge::render
