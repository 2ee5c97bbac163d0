// Compiled with separate options (CMakeLists.txt), so it must not define functions of other files.
#include "base/content_hash_wide.h"

#ifdef __AVX2__

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace profgauge {

void AddByWideVectors(void* state, const char* bytes, std::size_t count) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, count);
}

}  // namespace profgauge

#endif
