// Writes Protocol Buffers' wire format, to copy messages with only some of their fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "readers/text/wire.h"

namespace profgauge::readers {

class WireWriter {
 public:
  /// Adds a field as it was read: tag and value.
  void Raw(std::string_view field) { bytes_ += field; }
  void Number(std::uint32_t field, std::uint64_t value) {
    Varint(std::uint64_t{field} << 3);
    Varint(value);
  }
  void Bytes(std::uint32_t field, std::string_view value) {
    Varint(std::uint64_t{field} << 3 | 2);  // The wire type of bytes with a length.
    Varint(value.size());
    bytes_ += value;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// Calls `each(field, raw)` for the fields of a message; `raw` is tag and value. False if the bytes
/// are not a message.
template <class Each>
bool ForEachWireField(std::string_view message, Each each) {
  WireReader fields(message);
  std::string_view before = message;
  while (fields.Next()) {
    each(fields, before.substr(0, before.size() - fields.rest().size()));
    before = fields.rest();
  }
  return fields.ok();
}

}  // namespace profgauge::readers
