// A stable name for an alert: 16 hex digits of XXH64 over its id.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render {

/// 16 lower-case hexadecimal digits of XXH64 with seed 0. The same on every machine, and for ever:
/// CI systems recognize an alert of an earlier run by it.
std::string Fingerprint(std::string_view id);

}  // namespace profgauge::render
