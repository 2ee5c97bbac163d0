// A mutator that knows JSON: it moves, repeats, drops and changes whole values, so that most
// results are still documents and reach the code after the parser.
#pragma once

#include <cstddef>
#include <cstdint>

namespace profgauge::fuzz {

/// As LLVMFuzzerCustomMutator. Bytes that are no JSON are changed one by one.
std::size_t MutateJson(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);
/// As LLVMFuzzerCustomCrossOver: a value of the one in a place of the other.
std::size_t CrossJson(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                      std::size_t b_size, std::uint8_t* out, std::size_t max_size, unsigned seed);

}  // namespace profgauge::fuzz

/// Gives a target this mutator.
#define PROFGAUGE_FUZZ_JSON                                                                 \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,      \
                                                 std::size_t max_size, unsigned seed) {     \
    return profgauge::fuzz::MutateJson(data, size, max_size, seed);                         \
  }                                                                                         \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(                                         \
      const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b, std::size_t b_size, \
      std::uint8_t* out, std::size_t max_size, unsigned seed) {                             \
    return profgauge::fuzz::CrossJson(a, a_size, b, b_size, out, max_size, seed);           \
  }
