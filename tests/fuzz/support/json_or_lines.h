// The mutator of a target whose formats are JSON or CSV, by how the input begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/json_mutator.h"
#include "support/line_mutator.h"

namespace profgauge::fuzz {

inline std::size_t MutateJsonOrLines(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                     unsigned seed) {
  const bool is_json = size > 0 && (data[0] == '{' || data[0] == '[');
  return is_json ? MutateJson(data, size, max_size, seed)
                 : MutateLines(data, size, max_size, seed, ',', {});
}

}  // namespace profgauge::fuzz

/// Gives a target this mutator.
#define PROFGAUGE_FUZZ_JSON_OR_LINES                                                    \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,  \
                                                 std::size_t max_size, unsigned seed) { \
    return profgauge::fuzz::MutateJsonOrLines(data, size, max_size, seed);              \
  }
