// Moments of a profile on the command line: `--mark`, `--marks` and the ends of `--range`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"

namespace profgauge::cli {

using Marks = std::vector<std::pair<std::string, std::int64_t>>;  ///< Name, ns from the start.

/// "load=5us,store=12.5us": names and times; a time without a unit is in nanoseconds.
/// Errors: kUsage "usage/bad-value".
Result<Marks> ParseMarks(const std::string& text);

/// A file of marks, as the page's timeline saves it: {"marks": [{"name": "load", "time": 5000}]},
/// with times in nanoseconds. Errors: kUsage "usage/bad-marks".
Result<Marks> ReadMarks(const std::string& path);
/// The same of the file's text.
Result<Marks> MarksOfFile(std::string_view text, const std::string& path);

/// Fills Options::range and sorts Options::marks from their texts. A range is "A:B",
/// each end a time, the name of a mark, or nothing for the start or end of the profile. Errors:
/// kUsage.
Status ResolveRange(Options& options);

}  // namespace profgauge::cli
