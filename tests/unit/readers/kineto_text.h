// Helpers for tests that read traces written in the test itself.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "model/profile.h"
#include "readers/kineto/kineto_reader.h"

namespace profgauge {

inline Result<Profile> ReadText(std::string_view text, ReadOptions options = {}) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  const auto source = MakeMemorySource("trace.json", bytes);
  return readers::MakeKinetoReader()->Read(*source, options);
}

/// A trace around `events`, the elements of its list.
inline std::string Trace(std::string_view events) {
  return "{\"schemaVersion\": 1, \"traceEvents\": [" + std::string(events) + "]}";
}

}  // namespace profgauge
