#include "render/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include "base/text.h"

namespace profgauge::render {

std::string Fingerprint(std::string_view id) {
  return fmt::format("{:016x}", XXH64(id.data(), id.size(), 0));
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace profgauge::render
