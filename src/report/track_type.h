// Types of timeline tracks. The page's script distinguishes them by these words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::report {

enum class TrackType : std::uint8_t {
  kStream,      ///< Work of a device.
  kThread,      ///< Operators and calls of a host thread.
  kPython,      ///< Its Python stack.
  kOs,          ///< Its system calls.
  kWaiting,     ///< The reasons of its waiting.
  kSample,      ///< Its call stack at single moments.
  kCore,        ///< The threads on a core of the host.
  kAnnotation,  ///< Ranges that annotate a stream.
  kLayer,       ///< Annotations that are a device's regions.
  kDetail,      ///< Shows work again, more finely.
  kPath,        ///< The critical path.
};

constexpr std::string_view NameOf(TrackType type) {
  constexpr std::array<std::string_view, 11> kNames = {"stream",  "thread", "python", "os",
                                                       "waiting", "sample", "core",   "annotation",
                                                       "layer",   "detail", "path"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace profgauge::report
