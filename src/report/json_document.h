// Parses a whole JSON text into boost::json values, with doubles exact: the parser of this Boost
// version can be off by a bit, and a report read back must give the same bytes again.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::report {

/// Errors (kInput, "report/not-json"): not JSON, with the byte offset; nested deeper than 32.
Result<boost::json::value> ParseJsonDocument(std::string_view text, const std::string& name);

}  // namespace profgauge::report
