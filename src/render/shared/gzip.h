// gzip for what a page or a trace carries.
#pragma once

#include <string>

namespace profgauge::render {

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(const std::string& bytes);

}  // namespace profgauge::render
