#include "base/hashes.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/content_hash_wide.h"

namespace profgauge {

// XXH3 requires a special alignment, which `new` provides.
struct ContentHash::State {
  XXH3_state_t of_library;
};

void ContentHash::Free::operator()(State* state) const { delete state; }

ContentHash::ContentHash() : state_(new State) { XXH3_128bits_reset(&state_->of_library); }

ContentHash::~ContentHash() = default;
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;

void ContentHash::Add(std::string_view bytes) {
#ifdef PROFGAUGE_WIDE_HASH
  static const bool is_wide = __builtin_cpu_supports("avx2") != 0;
  if (is_wide) return AddByWideVectors(&state_->of_library, bytes.data(), bytes.size());
#endif
  XXH3_128bits_update(&state_->of_library, bytes.data(), bytes.size());
}

std::string ContentHash::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->of_library);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace profgauge
