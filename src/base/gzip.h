// gzip for what a page, a trace or a summary carries. Reading files of it is byte_source.h's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// `kQuick`: several times faster and some tenths larger, for what stays in memory. `kSmallest`: by
/// a hundredth smaller, at several times the cost.
enum class Effort : std::uint8_t { kSmall, kQuick, kSmallest };

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(std::string_view bytes, Effort effort = Effort::kSmall);

/// What Gzip() was given. REQUIRES: `gzipped` is what Gzip() gave, and `size` how long that was.
std::string Gunzip(std::string_view gzipped, std::size_t size);

}  // namespace profgauge
