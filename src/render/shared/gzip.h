// gzip for the data of a page or a trace.
#pragma once

#include <string>

namespace profgauge::render {

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(const std::string& bytes);

}  // namespace profgauge::render
