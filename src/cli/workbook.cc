#include "cli/file_kind.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "base/files.h"
#include "base/gzip.h"

namespace profgauge::cli {
namespace {

// The size limit: a workbook's tables are limited, so a larger file is not ours.
constexpr std::size_t kLargest = std::size_t{256} << 20;
constexpr std::size_t kLargestProperties = 1 << 20;

// A little-endian number; nullopt if it reaches beyond the end of the file.
std::optional<std::uint32_t> Little(std::string_view bytes, std::size_t at, int size) {
  if (at > bytes.size() || bytes.size() - at < static_cast<std::size_t>(size)) return std::nullopt;
  std::uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

std::string LittleBytes(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// Unpacks a deflated entry as a gzip member, whose checksum and size the archive contains.
std::string Inflated(std::string_view packed, std::uint32_t checksum, std::uint32_t size) {
  std::string member("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  member.append(packed).append(LittleBytes(checksum)).append(LittleBytes(size));
  std::string text(size, '\0');
  const auto inflater = MakeInflater();
  std::span in = std::as_bytes(std::span(member));
  std::span out = std::as_writable_bytes(std::span(text));
  while (true) {
    const Inflater::Step step = inflater->Decode(in, out);
    in = in.subspan(step.consumed);
    out = out.subspan(step.written);
    if (step.state == Inflater::State::kMemberEnd) return text;
    if (step.state == Inflater::State::kDamaged || step.consumed + step.written == 0) return {};
  }
}

// Returns one file of a zip archive, by the central directory; empty if it is missing.
//   local header, data        the bytes at `local` + 30 + name + extra
//   …
//   central directory entry   "PK\1\2": +10 method, +16 checksum, +20 packed, +24 size, +28 name,
//                             +30 extra, +32 comment, +42 local; the name follows at +46
//   end of the directory      "PK\5\6": +10 number of entries, +16 where the directory begins
//
// All numbers are little-endian. Source: PKWARE's APPNOTE.TXT, 4.3. The workbook may be anybody's,
// so offsets outside the file are rejected as not ours.
std::string FileOf(std::string_view zip, std::string_view wanted) {
  const std::size_t end = zip.rfind(std::string_view("PK\x05\x06", 4));
  if (end == zip.npos) return {};
  auto next = Little(zip, end + 16, 4);
  for (std::uint32_t left = Little(zip, end + 10, 2).value_or(0); next && left > 0; --left) {
    const std::size_t at = *next;
    const auto method = Little(zip, at + 10, 2), checksum = Little(zip, at + 16, 4),
               packed = Little(zip, at + 20, 4), size = Little(zip, at + 24, 4),
               name = Little(zip, at + 28, 2), extra = Little(zip, at + 30, 2),
               comment = Little(zip, at + 32, 2), local = Little(zip, at + 42, 4);
    if (!local) return {};
    next = static_cast<std::uint32_t>(at + 46 + *name + *extra + *comment);
    if (at + 46 > zip.size() || zip.substr(at + 46, *name) != wanted) continue;
    const auto local_name = Little(zip, *local + std::size_t{26}, 2),
               local_extra = Little(zip, *local + std::size_t{28}, 2);
    if (!local_extra || *size > kLargestProperties) return {};
    const std::size_t data = *local + std::size_t{30} + *local_name + *local_extra;
    if (data > zip.size()) return {};
    const std::string_view bytes = zip.substr(data, *packed);
    return *method == 0 ? std::string(bytes) : Inflated(bytes, *checksum, *size);
  }
  return {};
}

}  // namespace

bool IsOurWorkbook(const std::string& path) {
  const std::optional<std::string> zip = ReadSmallFile(path, kLargest);
  if (!zip || !zip->starts_with("PK")) return false;
  const std::string properties = FileOf(*zip, "docProps/core.xml");
  // Versions before this mark wrote only a remark.
  return properties.find("<dc:creator>profgauge</dc:creator>") != properties.npos ||
         properties.find(">Written by profgauge<") != properties.npos;
}

}  // namespace profgauge::cli
