// Parses a report.json as base/exact_json.h does: a report read back must give the same bytes
// again.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::report {

/// Errors (kInput, "report/not-json"): not JSON, with the byte offset; nested deeper than 32.
Result<boost::json::value> ParseJsonDocument(std::string_view text, const std::string& name);

}  // namespace profgauge::report
