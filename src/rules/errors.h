// All errors of a configuration, and how a person reads them.
#pragma once

#include <string>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

/// Errors of a configuration, all of them, in file order.
using Errors = std::vector<Error>;

/// All of `errors` as a person reads them, with their source lines, one blank line between two.
/// Reads the files again; one that has gone is shown without its line.
std::string RenderErrors(const Errors& errors, bool color);

}  // namespace profgauge
