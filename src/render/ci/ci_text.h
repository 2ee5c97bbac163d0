// Parts of CI outputs that reports and endings share.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "render/ci/ci.h"

namespace profgauge::render {

/// GitHub shows at most ten annotations of a kind per step.
inline constexpr std::size_t kMostAnnotations = 10;

inline constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

/// A file and a line; a line of 0 becomes 1, since SARIF counts from there.
boost::json::object SarifLocation(const AlertPlace& place);

/// One workflow command, with its line end. `command` is "error", "warning" or "notice".
std::string GithubCommand(std::string_view command, const AlertPlace& place, std::string_view title,
                          std::string_view message);

/// Text of a label or of help in OpenMetrics: backslash, quote and line feed are escaped.
std::string EscapeLabel(std::string_view text);

/// The labels of a run, without braces: `run="x",team="vision"`. REQUIRES: names of labels are
/// valid; they were checked on the command line.
std::string LabelSet(std::string_view run, const Labels& labels);

}  // namespace profgauge::render
