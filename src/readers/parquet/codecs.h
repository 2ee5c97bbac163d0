// Unpacking the pages of Parquet files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::readers::parquet {

/// Unpacks `stored` with the codec of that number: exactly `size` bytes.
/// Memory is taken only if the codec can give this many. Errors: "parquet/damaged",
/// "parquet/unsupported", "parquet/too-large".
Status Unpack(std::int32_t codec, std::string_view stored, std::uint64_t size, std::string& out);

/// Snappy's and LZ4's blocks; false unless they give exactly out.size() bytes.
bool UnpackSnappy(std::string_view stored, std::string& out);
bool UnpackLz4(std::string_view stored, std::string& out);

}  // namespace profgauge::readers::parquet
