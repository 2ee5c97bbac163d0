// Protocol Buffers messages for tests, field by field.
#pragma once

#include <cstdint>
#include <string>

namespace profgauge::readers {

// Puts a Protocol Buffers message together.
class ProtoMessage {
 public:
  ProtoMessage& Number(std::uint32_t field, std::uint64_t value) {
    Varint(field << 3);
    Varint(value);
    return *this;
  }
  ProtoMessage& Bytes(std::uint32_t field, const std::string& value) {
    Varint(field << 3 | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& Sub(std::uint32_t field, const ProtoMessage& message) {
    return Bytes(field, message.bytes_);
  }
  ProtoMessage& Fixed64(std::uint32_t field, std::uint64_t value) {
    Varint(field << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace profgauge::readers
