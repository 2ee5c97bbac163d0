// Parses a whole JSON text into boost::json values, with doubles exact: the parser of this Boost
// version can be off by a bit, and what was written must be read back as the same.
#pragma once

#include <boost/json/parse_options.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

namespace profgauge {

/// What is no JSON gives null and an error; `parsed` is how much of the text was understood then.
/// Among the errors: json::error::incomplete, too_deep, extra_data, exponent_overflow. Of a key
/// given twice in an object the last value counts; `repeated` says how many such keys there were.
boost::json::value ParseExactJson(std::string_view text, const boost::json::parse_options& options,
                                  boost::json::error_code& error, std::size_t& parsed,
                                  std::size_t* repeated = nullptr);

}  // namespace profgauge
