// The errors of a configuration, and their output for people.
//
// Functions that check a file continue after an error and return all errors, so that the user edits
// a file once. Errors that only follow from others are dropped.
#pragma once

#include <string>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::rules {

/// All errors of a configuration, in file order.
using Errors = std::vector<Error>;

/// The error for a file outside of the repository that a configuration names; quotes no text.
Error OutsideRepository(const std::string& path, const Where& from, std::string help = {});

/// Formats `errors` with their source lines, separated by blank lines; empty without errors. Reads
/// the files again; an error in a file that no longer exists has no source line.
std::string RenderErrors(const Errors& errors, bool color);

}  // namespace profgauge::rules
