#include "render/shared/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

namespace profgauge::render {

std::string Fingerprint(std::string_view id) {
  return fmt::format("{:016x}", XXH64(id.data(), id.size(), 0));
}

}  // namespace profgauge::render
