// XSpace, the Protocol Buffers message in `*.xplane.pb`: planes (devices, hosts) with lines with
// events, and their stats. Message and field numbers: tsl/profiler/protobuf/xplane.proto of
// github.com/openxla/tsl.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/profile_builder.h"
#include "profgauge/error.h"
#include "readers/xla/timeline.h"

namespace profgauge::readers::xla {

/// The plane of the session's times.
inline constexpr std::string_view kEnvironmentPlane = "Task Environment";

/// Whether `head`, the first bytes of a file, begin an XSpace.
bool BeginsXSpace(std::string_view head);

/// How far ReadXSpace() came.
struct XSpaceEnd {
  bool complete = true;      ///< The last plane is whole.
  bool goes_on = false;      ///< A second recording follows there.
  std::uint64_t offset = 0;  ///< Where it stopped.
};

/// Reads all of `bytes` into `builder`; an incomplete end is skipped. Events without a
/// usable time, or that only count occurrences, are counted in the import log. A plane that is
/// there twice byte for byte counts once; another of a device that has one is a second recording's,
/// at which reading ends. Errors: kInput "xla/malformed" when a whole plane holds bytes that are no
/// message.
Result<XSpaceEnd> ReadXSpace(std::string_view bytes, Timeline& timeline, ProfileBuilder& builder);

/// What a message of the profiler's comes to, in words that count like it: that of lost events, or
/// of anything else. Its own text may have names of files.
std::string_view MessageKind(bool is_error, std::string_view text);

/// "/host:CPU, /device:GPU:0": as far as the bytes go.
std::string PlaneNames(std::string_view bytes);

}  // namespace profgauge::readers::xla
