// Parses a whole JSON text into boost::json values with exact doubles. The parser of this Boost
// version can be off by a bit, but a written value must be read as the same value.
#pragma once

#include <boost/json/parse_options.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

namespace profgauge {

/// Returns null for invalid JSON and sets `error`; `parsed` is the length of the text read until
/// then. Errors include json::error::incomplete, too_deep, extra_data and exponent_overflow. A
/// number outside the range of doubles (1e999, 1e-999) is exponent_overflow: infinity would spread
/// through sums, and 0 is another number. If a key occurs twice, the last value counts; `repeated`
/// is the number of such keys. For documents that are kept as a whole; profiles are scanned piece
/// by piece (readers/text/json_scan.h).
boost::json::value ParseExactJson(std::string_view text, const boost::json::parse_options& options,
                                  boost::json::error_code& error, std::size_t& parsed,
                                  std::size_t* repeated = nullptr);

}  // namespace profgauge
