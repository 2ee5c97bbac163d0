// The part of a content's hash compiled for processors with vectors of 32 bytes, which take half of
// the time of those that all x86-64 have. Where it is compiled PROFGAUGE_WIDE_HASH says.
#pragma once

#include <cstddef>

namespace profgauge {

/// XXH3_128bits_update(). `state`: an XXH3_state_t. REQUIRES: the processor has AVX2.
/// The result is that of the narrow code: hashes do not depend on the processor.
void AddByWideVectors(void* state, const char* bytes, std::size_t count);

}  // namespace profgauge
