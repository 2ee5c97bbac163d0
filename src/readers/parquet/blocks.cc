// Snappy and LZ4 without a library: both are literals and copies of earlier bytes.
#include <algorithm>
#include <cstring>

#include "readers/parquet/page.h"

namespace profgauge::readers::parquet {
namespace {

/// Bytes come in from the front of one text and go to the next place of another.
class Block {
 public:
  Block(std::string_view in, std::string& out) : in_(in), out_(out) {}

  bool has_more() const { return !in_.empty(); }
  bool is_full() const { return to_ == out_.size(); }
  /// Little-endian; false at the end.
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
  /// From `back` bytes before. Where that is less than the length, it repeats itself.
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
      back += part;  // Written bytes repeat as well: each time the part is twice as long.
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
  constexpr std::size_t kLengthFollows = 60;  // One to four bytes have the length.
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

/// A length that goes on in bytes of 255.
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
    if (!block.has_more()) break;  // The last literal is followed by nothing.
    std::size_t back = 0;
    if (!block.Take(2, back)) return false;
    length = token & 15;
    if (!TakeLz4Length(length, block) || !block.Copy(back, length + kLeastCopy)) return false;
  }
  return block.is_full();
}

}  // namespace profgauge::readers::parquet
