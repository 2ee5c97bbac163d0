// A stable name for an alert: 16 hex digits of XXH64 of its id.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render {

/// 16 lower-case hex digits of XXH64 with seed 0. This must never change, because CI systems
/// recognize alerts of earlier runs by it.
std::string Fingerprint(std::string_view id);

}  // namespace profgauge::render
