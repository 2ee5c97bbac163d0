// Protocol Buffers' wire format, read in place: https://protobuf.dev/programming-guides/encoding.
//
// A message is a run of fields; nothing says how long it is but the bytes that hold it. Lengths are
// held against what is there before anything is done with them, and nothing is allocated.
#pragma once

#include <cstdint>
#include <string_view>

namespace profgauge::readers {

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Moves to the next field; false at the end, or where the bytes are no field: then ok() is
  /// false.
  bool Next();
  bool ok() const { return ok_; }
  /// The field's number, 1 to 2^29 - 1.
  std::uint32_t field() const { return field_; }

  /// The field's value; zero or empty when it is of another wire type, as if it were absent.
  std::uint64_t Varint() const { return type_ == kVarint ? number_ : 0; }
  std::int64_t Signed() const { return static_cast<std::int64_t>(Varint()); }
  std::uint64_t Fixed64() const;
  double Double() const;
  std::string_view Bytes() const { return type_ == kBytes ? bytes_ : std::string_view{}; }
  bool is_varint() const { return type_ == kVarint; }
  bool is_bytes() const { return type_ == kBytes; }

  /// What is behind the current field: for the place of an error.
  std::string_view rest() const { return rest_; }

 private:
  enum : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  bool TakeVarint(std::uint64_t& value);
  bool TakeBytes(std::uint64_t count);
  bool Stop() { return ok_ = false; }

  std::string_view rest_;
  std::string_view bytes_;
  std::uint64_t number_ = 0;
  std::uint32_t field_ = 0;
  std::uint32_t type_ = 0;
  bool ok_ = true;
};

}  // namespace profgauge::readers
