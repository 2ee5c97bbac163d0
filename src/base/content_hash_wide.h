// The part of a content hash that is compiled for processors with 32-byte vectors (AVX2). It takes
// half the time of the code for all x86-64. PROFGAUGE_WIDE_HASH is defined if it is compiled.
#pragma once

#include <cstddef>

namespace profgauge {

/// Adds bytes like XXH3_128bits_update(); `state` is an XXH3_state_t. The result equals that of the
/// narrow code, so hashes do not depend on the processor. REQUIRES: the processor has AVX2.
void AddByWideVectors(void* state, const char* bytes, std::size_t count);

}  // namespace profgauge
