// Protocol Buffers' wire format, read in place: https://protobuf.dev/programming-guides/encoding.
//
// A message is a sequence of fields and does not state its length. Lengths are checked against the
// available bytes before use, and nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::readers {

/// Reads the fields of one protobuf message. A field is a tag and a value; the tag is a varint of
/// number << 3 | type:
///
///   08 96 01         field 1, varint      150
///   12 02 68 69      field 2, 2 bytes     "hi", a text or a message
///   19 8 bytes       field 3, fixed64     a double or a number
///
/// Fields may repeat and come in any order. One object is one pass; another object reads nested
/// messages, from Bytes().
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Moves to the next field. False at the end, and if the bytes are no field; then ok() is false.
  bool Next() {
    if (!ok_ || rest_.empty()) return false;
    std::uint64_t tag = 0;
    if (!TakeVarint(tag) || tag >> 3 == 0 || tag >> 3 > kMostFields) return Stop();
    field_ = static_cast<std::uint32_t>(tag >> 3);
    type_ = static_cast<std::uint32_t>(tag & 7);
    bytes_ = {};
    number_ = 0;
    switch (type_) {
      case kVarint:
        return TakeVarint(number_) || Stop();
      case kBytes: {
        std::uint64_t length = 0;
        return (TakeVarint(length) && TakeBytes(length)) || Stop();
      }
      case kFixed64:
        return TakeBytes(8) || Stop();
      case kFixed32:
        return TakeBytes(4) || Stop();
      default:  // Groups, from before proto3, are not read.
        return Stop();
    }
  }
  bool ok() const { return ok_; }
  /// The field's number, 1 to 2^29 - 1.
  std::uint32_t field() const { return field_; }

  /// The field's value; zero or empty if it has another wire type, as if it were absent.
  std::uint64_t Varint() const { return type_ == kVarint ? number_ : 0; }
  std::int64_t Signed() const { return static_cast<std::int64_t>(Varint()); }
  std::uint64_t Fixed64() const;
  double Double() const;
  std::string_view Bytes() const { return type_ == kBytes ? bytes_ : std::string_view{}; }
  bool is_varint() const { return type_ == kVarint; }
  bool is_bytes() const { return type_ == kBytes; }

  /// The bytes after the current field, to report the position of an error.
  std::string_view rest() const { return rest_; }

 private:
  enum : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  static constexpr std::uint64_t kMostFields = (std::uint64_t{1} << 29) - 1;
  // Most varints are small numbers, or tags of fields below 16, which take one byte.
  bool TakeVarint(std::uint64_t& value) {
    if (rest_.empty() || static_cast<unsigned char>(rest_.front()) >= 0x80) {
      return TakeLongVarint(value);
    }
    value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeLongVarint(std::uint64_t& value);
  bool TakeBytes(std::uint64_t count) {
    if (count > rest_.size()) return false;
    bytes_ = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(static_cast<std::size_t>(count));
    return true;
  }
  bool Stop() { return ok_ = false; }

  std::string_view rest_;
  std::string_view bytes_;
  std::uint64_t number_ = 0;
  std::uint32_t field_ = 0;
  std::uint32_t type_ = 0;
  bool ok_ = true;
};

}  // namespace profgauge::readers
