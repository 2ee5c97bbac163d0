// gzip for what a page, a trace or a summary carries. Reading it is byte_source.h's.
#pragma once

#include <string>
#include <string_view>

namespace profgauge {

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(std::string_view bytes);

}  // namespace profgauge
