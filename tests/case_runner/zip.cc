#include "zip.h"

#include <zlib.h>

#include <cstdint>

namespace profgauge::cases {
namespace {

std::uint64_t Little(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

std::string Inflate(std::string_view packed, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return text;
}

}  // namespace

std::map<std::string, std::string> UnzipAll(std::string_view bytes) {
  std::map<std::string, std::string> entries;
  // The central directory's records; field offsets by PKWARE's APPNOTE, section 4.3.12.
  const std::string_view kRecord("PK\x01\x02", 4);
  for (std::size_t at = bytes.find(kRecord); at != std::string_view::npos;
       at = bytes.find(kRecord, at)) {
    const bool deflated = Little(bytes, at + 10, 2) == 8;
    const std::size_t packed_size = Little(bytes, at + 20, 4), size = Little(bytes, at + 24, 4);
    const std::size_t name_size = Little(bytes, at + 28, 2), local = Little(bytes, at + 42, 4);
    const std::string name(bytes.substr(at + 46, name_size));
    const std::size_t data =
        local + 30 + Little(bytes, local + 26, 2) + Little(bytes, local + 28, 2);
    const std::string_view packed = bytes.substr(data, packed_size);
    entries[name] = deflated ? Inflate(packed, size) : std::string(packed);
    at += 46 + name_size;
  }
  return entries;
}

}  // namespace profgauge::cases
