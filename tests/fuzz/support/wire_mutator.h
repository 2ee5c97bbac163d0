// A mutator that knows protobuf's wire format without any schema: it moves, repeats, drops and
// changes fields and keeps the lengths of the messages around them right.
#pragma once

#include <cstddef>
#include <cstdint>

namespace profgauge::fuzz {

/// As LLVMFuzzerCustomMutator. Bytes that are no message are changed one by one.
std::size_t MutateWire(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);

}  // namespace profgauge::fuzz

/// Gives a target this mutator.
#define PROFGAUGE_FUZZ_WIRE                                                             \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,  \
                                                 std::size_t max_size, unsigned seed) { \
    return profgauge::fuzz::MutateWire(data, size, max_size, seed);                     \
  }
