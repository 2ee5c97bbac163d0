// A stable name for an alert: 16 hex digits of XXH64 over its id.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render {

std::string Fingerprint(std::string_view id);

}  // namespace profgauge::render
