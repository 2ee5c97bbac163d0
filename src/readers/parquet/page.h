// The head of a page: what the page contains and how it is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::readers::parquet {

/// The kinds of pages; kOther: skipped.
enum class PageKind : std::uint8_t { kOther, kData, kDictionary, kDataV2 };

/// Encodings of values, by the format's numbers.
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

/// The head of one page; sizes are in bytes.
/// A page in the file, for versions 1 and 2:
///
///   | head (Thrift) | packed by the codec: | n, repetition | n, definition | values |     v1
///   | head (Thrift) | repetition | definition | packed by the codec: | values |           v2
///
/// `n` is the length of the levels in four bytes; v2 has it in the head. A column whose values are
/// always present has no definition levels; one that does not repeat has no repetition levels.
struct PageHead {
  PageKind kind = PageKind::kOther;
  std::uint64_t size = 0, stored = 0;  ///< Bytes decompressed, and in the file.
  std::uint64_t values = 0;            ///< Including absent values.
  Encoding encoding = Encoding::kPlain;
  Encoding definition = Encoding::kRuns, repetition = Encoding::kRuns;  ///< Encodings of levels.
  /// Only for kDataV2: bytes of levels, which precede the packed part.
  std::uint64_t definition_bytes = 0, repetition_bytes = 0;
  bool is_packed = true;
  std::optional<std::uint32_t> crc;
  std::size_t bytes = 0;  ///< Bytes of the head itself.
};

/// Reads the head at the start of `bytes`; nullopt if they end inside the head. A head does not
/// state its length, so only reading it shows whether it is complete. Errors: "parquet/damaged".
Result<std::optional<PageHead>> ReadPageHead(std::string_view bytes);

// Decompresses the pages of Parquet files.

/// Decompresses `stored` to exactly `size` bytes; `codec` is the format's number. Allocates memory
/// only if the codec can produce this size. Errors: "parquet/damaged", "parquet/unsupported",
/// "parquet/too-large".
Status Unpack(std::int32_t codec, std::string_view stored, std::uint64_t size, std::string& out);

/// Decompresses a block of Snappy or LZ4. False unless it gives exactly out.size() bytes.
bool UnpackSnappy(std::string_view stored, std::string& out);
bool UnpackLz4(std::string_view stored, std::string& out);

}  // namespace profgauge::readers::parquet
