// gzip for what a page, a trace or a summary carries. Reading files of it is byte_source.h's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// `kSmallest`: by some hundredths smaller, at twice the cost.
enum class Effort : std::uint8_t { kSmall, kSmallest };

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(std::string_view bytes, Effort effort = Effort::kSmall);

/// What Gzip() was given. REQUIRES: `gzipped` is what Gzip() gave, and `size` how long that was.
std::string Gunzip(std::string_view gzipped, std::size_t size);

}  // namespace profgauge
