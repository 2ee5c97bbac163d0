// What every fuzz target says when something is false, and the small words they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::fuzz {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
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
