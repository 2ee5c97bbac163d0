// Helpers for tests that read traces written in the test itself.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/errors.h"
#include "model/profile.h"
#include "readers/kineto/kineto_reader.h"

namespace profgauge::readers {

inline Result<Profile> ReadText(std::string_view text, ReadOptions options = {}) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  const auto source = MakeMemorySource("trace.json", bytes);
  return readers::MakeKinetoReader()->Read(*source, options);
}

/// A trace around `events`, the elements of its list.
inline std::string Trace(std::string_view events) {
  return "{\"schemaVersion\": 1, \"traceEvents\": [" + std::string(events) + "]}";
}

/// One op named `name`, as it is in the file.
inline std::string Op(std::string_view name) {
  return "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" + std::string(name) +
         "\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 2}";
}

/// The whole result of reading: the error as a user sees it, or "read", counts apart from plain
/// information, and the first place of each.
inline std::string Outcome(const Result<Profile>& profile) {
  if (!profile) return RenderDiagnostic(profile.error(), {}, false);
  std::string text = "read";
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    const auto count = profile->log[counter];
    if (count == 0 || counter == Counter::events_read) continue;
    text += fmt::format(", {} {}", InfoOf(counter).name, count);
    for (const auto& place : profile->log.Examples(counter)) text += " (" + place + ")";
  }
  return text;
}

}  // namespace profgauge::readers
