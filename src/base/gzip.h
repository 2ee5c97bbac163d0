// gzip for the data in a page, a trace or a summary. byte_source.h reads files of it.
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

/// The input of Gzip(). REQUIRES: `gzipped` is an output of Gzip(), and `size` its input's length.
std::string Gunzip(std::string_view gzipped, std::size_t size);

}  // namespace profgauge
