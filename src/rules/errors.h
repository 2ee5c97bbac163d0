// All errors of a configuration, and how a person reads them.
//
// A function that checks a file goes on after an error and returns all of them, so that a person
// edits a file once. Errors that only follow from others are dropped on the way.
#pragma once

#include <string>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::rules {

/// Errors of a configuration, all of them, in file order.
using Errors = std::vector<Error>;

/// The error of a file that a configuration names and that is elsewhere. None of its text is in it.
Error OutsideRepository(const std::string& path, const Where& from, std::string help = {});

/// All of `errors` as a person reads them, with their source lines, one blank line between two.
/// Reads the files again; one that has gone is shown without its line. Empty for no errors.
std::string RenderErrors(const Errors& errors, bool color);

}  // namespace profgauge::rules
