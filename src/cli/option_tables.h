// The rows of the options, a table for each group. The help text prints groups in their order, and
// the rows of a group in the order of its table.
#pragma once

#include <span>

#include "cli/options.h"

namespace profgauge::cli {

std::span<const OptionSpec> OutputOptions();
std::span<const OptionSpec> JudgingOptions();
std::span<const OptionSpec> SelectionOptions();  ///< Those of reading and general ones, too.

}  // namespace profgauge::cli
