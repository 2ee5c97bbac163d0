// The head of a page: its contents, and how they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::readers::parquet {

/// The kinds of pages that are distinguished.
enum class PageKind : std::uint8_t { kOther, kData, kDictionary, kDataV2 };

/// How values are written, by the format's numbers.
enum class Encoding : std::int32_t {
  kPlain = 0,
  kPlainDictionary = 2,
  kRuns = 3,
  kBitPacked = 4,
  kDeltas = 5,
  kDeltaLengths = 6,
  kDeltaBytes = 7,
  kDictionary = 8,
  kSplitBytes = 9,
};

/// The head of one page. Sizes are in bytes.
/// A page in the file, of the first version and of the second:
///
///   | head (Thrift) | packed by the codec: | n, repetition | n, definition | values |     v1
///   | head (Thrift) | repetition | definition | packed by the codec: | values |           v2
///
/// `n` is the length of the levels in four bytes; v2 has it in the head. Levels of a column that
/// cannot be absent, or does not repeat, are not there at all.
struct PageHead {
  PageKind kind = PageKind::kOther;
  std::uint64_t size = 0, stored = 0;  ///< Bytes unpacked, and in the file.
  std::uint64_t values = 0;            ///< With those that are absent.
  Encoding encoding = Encoding::kPlain;
  Encoding definition = Encoding::kRuns, repetition = Encoding::kRuns;  ///< Encodings of levels.
  /// Only for kDataV2: bytes of levels, which precede the packed part.
  std::uint64_t definition_bytes = 0, repetition_bytes = 0;
  bool is_packed = true;
  std::optional<std::uint32_t> crc;
  std::size_t bytes = 0;  ///< Bytes of the head itself.
};

/// Reads the head that `bytes` begin with; nothing where it ends after them. Errors:
/// "parquet/damaged".
/// A head has no length: whether all of it is there shows only its reading.
Result<std::optional<PageHead>> ReadPageHead(std::string_view bytes);

// Unpacking the pages of Parquet files.

/// Unpacks `stored` with the codec of that number: exactly `size` bytes.
/// Memory is taken only if the codec can give this many. Errors: "parquet/damaged",
/// "parquet/unsupported", "parquet/too-large".
Status Unpack(std::int32_t codec, std::string_view stored, std::uint64_t size, std::string& out);

/// Snappy's and LZ4's blocks; false unless they give exactly out.size() bytes.
bool UnpackSnappy(std::string_view stored, std::string& out);
bool UnpackLz4(std::string_view stored, std::string& out);

}  // namespace profgauge::readers::parquet
