// Parses a whole JSON text into boost::json values, with doubles exact: the parser of this Boost
// version can be off by a bit, but a written value must be read as the same value.
#pragma once

#include <boost/json/parse_options.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

namespace profgauge {

/// Invalid JSON gives null and an error; `parsed` is the length of the text read until then.
/// Among the errors: json::error::incomplete, too_deep, extra_data, exponent_overflow. If a key
/// occurs twice in an object, the last value counts; `repeated` is the number of such keys.
/// A number that no double holds (1e999, 1e-999) is exponent_overflow: infinity would pass through
/// sums, and 0 is another number.
/// For documents that are kept as a whole. Profiles of any size are scanned piece by piece instead
/// (readers/text/json_scan.h).
boost::json::value ParseExactJson(std::string_view text, const boost::json::parse_options& options,
                                  boost::json::error_code& error, std::size_t& parsed,
                                  std::size_t* repeated = nullptr);

}  // namespace profgauge
