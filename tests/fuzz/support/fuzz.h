// The output of every fuzz target whose check fails, and the small words that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/parallel.h"
#include "profgauge/error.h"

namespace profgauge::fuzz {

/// To start others takes longer than inputs of a few kilobytes do.
inline const bool kOneThread = (LimitThreads(1), true);

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Whether IsSampled() takes a sample. A replay as a test checks all inputs.
#ifdef PROFGAUGE_FUZZ_SAMPLES
inline bool takes_samples = true;
#else
inline bool takes_samples = false;
#endif

/// Whether more than the target's own work is done with this input: for one of `one_of` inputs, by
/// its bytes, so that a finding is found again.
inline bool IsSampled(std::string_view input, std::uint64_t one_of) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const char c : input) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return !takes_samples || (hash >> 32) % one_of == 0;
}

/// Ends the program, which makes the input a finding.
inline void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// A refusal is an answer if it says why; a separate defect is none.
inline void RequireReason(const Error& error) {
  if (error.kind != ErrorKind::kInternal && !error.message.empty() && !error.code.empty()) return;
  std::fprintf(stderr, "no reason, or a defect: %s: %s\n", error.code.c_str(),
               error.message.c_str());
  std::abort();
}

/// `value`, or nothing where there is a reason for that.
template <class T>
T* ValueOf(Result<T>& result) {
  if (result) return &*result;
  RequireReason(result.error());
  return nullptr;
}

}  // namespace profgauge::fuzz
