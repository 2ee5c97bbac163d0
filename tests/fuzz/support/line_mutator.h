// A mutator for text that is lines of cells: CSV, command lines, YAML, the tables of databases. It
// moves lines and cells, changes numbers, and adds lines that a format is known to have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace profgauge::fuzz {

/// As LLVMFuzzerCustomMutator. `known`: lines that may be put in.
std::size_t MutateLines(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                        char separator, std::span<const std::string_view> known);

}  // namespace profgauge::fuzz

/// Gives a target this mutator.
#define PROFGAUGE_FUZZ_LINES(separator, known)                                          \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,  \
                                                 std::size_t max_size, unsigned seed) { \
    return profgauge::fuzz::MutateLines(data, size, max_size, seed, separator, known);  \
  }
