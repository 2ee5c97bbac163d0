// Unpacks Snappy and LZ4, both literals and copies of earlier bytes, without a library.

#include "readers/parquet/page.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>

#include "base/thrift.h"
#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {
namespace {

/// Reads bytes from the front of `in`, and writes to the next position of `out`.
class Block {
 public:
  Block(std::string_view in, std::string& out) : in_(in), out_(out) {}

  bool has_more() const { return !in_.empty(); }
  bool is_full() const { return to_ == out_.size(); }
  /// Reads a little-endian number; false at the end.
  bool Take(std::size_t bytes, std::size_t& number) {
    if (bytes > in_.size()) return false;
    number = 0;
    for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(in_[i]);
    in_.remove_prefix(bytes);
    return true;
  }
  bool Literal(std::size_t length) {
    if (length > in_.size() || length > out_.size() - to_) return false;
    std::memcpy(out_.data() + to_, in_.data(), length);
    in_.remove_prefix(length);
    to_ += length;
    return true;
  }
  /// Copies bytes that begin `back` bytes earlier. If `back` is less than `length`, they repeat.
  bool Copy(std::size_t back, std::size_t length) {
    if (back == 0 || back > to_ || length > out_.size() - to_) return false;
    char* to = out_.data() + to_;
    to_ += length;
    // "ab" copied from 2 back with length 5 is "ababa".
    while (length > 0) {
      const std::size_t part = std::min(back, length);
      std::memcpy(to, to - back, part);
      to += part;
      length -= part;
      back += part;  // Written bytes can be copied, too, so the part doubles each time.
    }
    return true;
  }

 private:
  std::string_view in_;
  std::string& out_;
  std::size_t to_ = 0;
};

//   Snappy   size | tag: 2 bits of kind, then a length (and 3 bits of the distance) | ...
//            kind 0 a literal, 1 to 3 a copy with its distance in 1, 2 or 4 bytes
//   LZ4      token: 4 bits of literal, 4 bits of copy | more length | literal | distance in 2 | ...
bool TakeSnappyLiteral(std::size_t tag, Block& block) {
  constexpr std::size_t kLengthFollows = 60;  // One to four bytes with the length follow.
  std::size_t length = tag >> 2;
  if (length >= kLengthFollows && !block.Take(length - kLengthFollows + 1, length)) return false;
  return block.Literal(length + 1);
}

bool TakeSnappyCopy(std::size_t tag, Block& block) {
  std::size_t back = 0;
  if ((tag & 3) == 1) {
    return block.Take(1, back) && block.Copy(tag >> 5 << 8 | back, (tag >> 2 & 7) + 4);
  }
  return block.Take((tag & 3) == 2 ? 2 : 4, back) && block.Copy(back, (tag >> 2) + 1);
}

/// Adds the bytes after a length of 15. The length continues after each byte of 255.
bool TakeLz4Length(std::size_t& length, Block& block) {
  constexpr std::size_t kGoesOn = 15;
  if (length < kGoesOn) return true;
  for (std::size_t byte = 255; byte == 255; length += byte) {
    if (!block.Take(1, byte)) return false;
  }
  return true;
}

}  // namespace

bool UnpackSnappy(std::string_view stored, std::string& out) {
  Block block(stored, out);
  std::size_t size = 0, byte = 0x80;
  for (unsigned shift = 0; byte >= 0x80; shift += 7) {
    if (shift > 28 || !block.Take(1, byte)) return false;
    size |= (byte & 0x7F) << shift;
  }
  if (size != out.size()) return false;
  while (block.has_more()) {
    std::size_t tag = 0;
    if (!block.Take(1, tag)) return false;
    if (!((tag & 3) == 0 ? TakeSnappyLiteral(tag, block) : TakeSnappyCopy(tag, block)))
      return false;
  }
  return block.is_full();
}

bool UnpackLz4(std::string_view stored, std::string& out) {
  constexpr std::size_t kLeastCopy = 4;
  Block block(stored, out);
  while (block.has_more()) {
    std::size_t token = 0;
    if (!block.Take(1, token)) return false;
    std::size_t length = token >> 4;
    if (!TakeLz4Length(length, block) || !block.Literal(length)) return false;
    if (!block.has_more()) break;  // The block ends after the last literal.
    std::size_t back = 0;
    if (!block.Take(2, back)) return false;
    length = token & 15;
    if (!TakeLz4Length(length, block) || !block.Copy(back, length + kLeastCopy)) return false;
  }
  return block.is_full();
}

namespace {

/// The fields as stored, not yet checked: numbers may be negative.
struct WrittenPage {
  std::int64_t kind = -1, size = -1, stored = -1;
  std::int64_t values = -1, encoding = -1, definition = 3, repetition = 3;
  std::int64_t definition_bytes = 0, repetition_bytes = 0;
  std::optional<std::int64_t> crc;
  bool is_packed = true;
};

// The three kinds of pages have the same fields with different numbers.
void ReadData(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) page.values = thrift.Integer();
    if (field == 2) page.encoding = thrift.Integer();
    if (field == 3) page.definition = thrift.Integer();
    if (field == 4) page.repetition = thrift.Integer();
  });
}

void ReadDictionary(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) page.values = thrift.Integer();
    if (field == 2) page.encoding = thrift.Integer();
  });
}

void ReadDataV2(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) page.values = thrift.Integer();
    if (field == 4) page.encoding = thrift.Integer();
    if (field == 5) page.definition_bytes = thrift.Integer();
    if (field == 6) page.repetition_bytes = thrift.Integer();
    if (field == 7) page.is_packed = thrift.Bool();
  });
}

void ReadPage(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    switch (field) {
      case 1:
        page.kind = thrift.Integer();
        break;
      case 2:
        page.size = thrift.Integer();
        break;
      case 3:
        page.stored = thrift.Integer();
        break;
      case 4:
        page.crc = thrift.Integer();
        break;
      case 5:
        ReadData(thrift, page);
        break;
      case 7:
        ReadDictionary(thrift, page);
        break;
      case 8:
        ReadDataV2(thrift, page);
        break;
      default:
        break;
    }
  });
}

PageKind KindOf(std::int64_t kind) {
  return kind == 0   ? PageKind::kData
         : kind == 2 ? PageKind::kDictionary
         : kind == 3 ? PageKind::kDataV2
                     : PageKind::kOther;
}

bool IsSmall(std::int64_t number) {
  return number >= 0 && number <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

Result<std::optional<PageHead>> ReadPageHead(std::string_view bytes) {
  ThriftReader thrift(bytes);
  WrittenPage page;
  ReadPage(thrift, page);
  if (!thrift.ok() && thrift.ended_early()) return std::nullopt;
  if (!thrift.ok()) return Damaged("the head of a page cannot be read");
  PageHead head;
  head.kind = KindOf(page.kind);
  head.bytes = thrift.used();
  if (!IsSmall(page.size) || !IsSmall(page.stored)) return Damaged("a page without a size");
  head.size = static_cast<std::uint64_t>(page.size);
  head.stored = static_cast<std::uint64_t>(page.stored);
  if (head.kind == PageKind::kOther) return head;
  if (!IsSmall(page.values) || !IsSmall(page.encoding)) return Damaged("a page without values");
  if (!IsSmall(page.definition_bytes) || !IsSmall(page.repetition_bytes)) {
    return Damaged("levels without a size");
  }
  head.values = static_cast<std::uint64_t>(page.values);
  head.encoding = static_cast<Encoding>(page.encoding);
  head.definition = static_cast<Encoding>(page.definition);
  head.repetition = static_cast<Encoding>(page.repetition);
  head.definition_bytes = static_cast<std::uint64_t>(page.definition_bytes);
  head.repetition_bytes = static_cast<std::uint64_t>(page.repetition_bytes);
  head.is_packed = page.is_packed;
  if (page.crc) head.crc = static_cast<std::uint32_t>(*page.crc);
  return head;
}

namespace {

// The maximum size of a page. Writers make pages of one to eight megabytes.
constexpr std::uint64_t kMostPage = std::uint64_t{256} << 20;

struct Codec {
  std::string_view name;
  std::uint64_t most = 0;  ///< The maximum output for one byte; 0: unsupported.
};
// Indexed by the format's numbers. zstd's ratio is limited only by the size of a page.
constexpr Codec kCodecs[] = {{"no codec", 1},     {"Snappy", 64},  {"gzip", 1032},
                             {"LZO", 0},          {"Brotli", 0},   {"LZ4", 0},
                             {"zstd", kMostPage}, {"LZ4_RAW", 255}};
enum : std::int32_t { kNoCodec = 0, kSnappy = 1, kGzip = 2, kZstd = 6, kLz4 = 7 };

bool UnpackZstd(std::string_view stored, std::string& out) {
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size());
  return ZSTD_isError(size) == 0 && size == out.size();
}

/// Unpacks one or several members. Files from before 2015 have zlib's header, not gzip's.
bool UnpackGzip(std::string_view stored, std::string& out) {
  constexpr char kGzipMagic = '\x1F';
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> unpacker(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!unpacker) throw std::bad_alloc();
  std::size_t done = 0;
  while (!stored.empty()) {
    const auto unpack = stored.front() == kGzipMagic ? libdeflate_gzip_decompress_ex
                                                     : libdeflate_zlib_decompress_ex;
    std::size_t used = 0, made = 0;
    if (unpack(unpacker.get(), stored.data(), stored.size(), out.data() + done, out.size() - done,
               &used, &made) != LIBDEFLATE_SUCCESS) {
      return false;
    }
    done += made;
    stored.remove_prefix(used);
  }
  return done == out.size();
}

bool UnpackBy(std::int32_t codec, std::string_view stored, std::string& out) {
  switch (codec) {
    case kSnappy:
      return UnpackSnappy(stored, out);
    case kGzip:
      return UnpackGzip(stored, out);
    case kZstd:
      return UnpackZstd(stored, out);
    case kLz4:
      return UnpackLz4(stored, out);
    default:
      return false;
  }
}

}  // namespace

Status Unpack(std::int32_t codec, std::string_view stored, std::uint64_t size, std::string& out) {
  if (codec < 0 || codec >= static_cast<std::int32_t>(std::size(kCodecs)) ||
      kCodecs[codec].most == 0) {
    return Unsupported(codec < 0 || codec >= static_cast<std::int32_t>(std::size(kCodecs))
                           ? fmt::format("pages packed by a codec of number {}", codec)
                           : fmt::format("pages packed by {}", kCodecs[codec].name));
  }
  if (size > kMostPage) return TooLarge(fmt::format("a page of {} bytes", size));
  if (codec == kNoCodec) {
    if (size != stored.size()) return Damaged("an uncompressed page has another size");
    out.assign(stored);
    return {};
  }
  // Some writers pack empty data to no bytes.
  if (size == 0 && stored.empty()) {
    out.clear();
    return {};
  }
  constexpr std::uint64_t kHead = 64;  // Short data may exceed the ratio.
  if (size > kHead + stored.size() * kCodecs[codec].most) {
    return Damaged(fmt::format("a page of {} bytes in {} cannot be of {}", size, stored.size(),
                               kCodecs[codec].name));
  }
  out.resize(static_cast<std::size_t>(size));
  if (UnpackBy(codec, stored, out)) return {};
  return Damaged(fmt::format("a page of {} does not unpack to the {} bytes that it states",
                             kCodecs[codec].name, size));
}

}  // namespace profgauge::readers::parquet
