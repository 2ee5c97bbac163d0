// Completion scripts for shells, made from the tables of commands and options, with
// the ids of the built-in metrics and rules.
#pragma once

#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::cli {

/// The script that `shell` reads. It needs nothing but the shell itself.
/// Errors: kUsage "usage/unknown-shell", with the shells there are.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace profgauge::cli
