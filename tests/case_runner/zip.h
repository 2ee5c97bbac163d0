// The texts inside a zip file, enough to look into an .xlsx.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace profgauge::cases {

/// All entries by name, inflated. Empty when `bytes` is no zip file.
std::map<std::string, std::string> UnzipAll(std::string_view bytes);

}  // namespace profgauge::cases
