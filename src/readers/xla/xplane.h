// XSpace, the Protocol Buffers message in `*.xplane.pb`: planes (devices, hosts) with lines with
// events, and their stats. Message and field numbers: tsl/profiler/protobuf/xplane.proto of
// github.com/openxla/tsl.
//
//   XSpace     1 planes, 2 errors, 3 warnings
//   XPlane     2 name "/device:GPU:0", 3 lines, 4 event metadata, 5 stat metadata, 6 stats
//   XLine      1 id, 2 name "Stream #16(Kernel)", 3 start in ns, 4 events, 11 display name
//   XEvent     1 its metadata's number, 2 offset in ps from the line's start, 3 duration in ps,
//              4 stats, 5 occurrences (in place of 2: an aggregate)
//   XStat      1 its metadata's number, one of 2 double, 3 uint64, 4 int64, 5 text, 6 bytes,
//              7 number of the stat metadata whose name is the text
//   metadata   entries { 1 number, 2 { 1 id, 2 name, 4 display name, 5 stats } }
//
// An event has its own stats and those of its metadata, which all events of one op share. Times of
// lines count from the start of the session, which the plane "Task Environment" has in Unix time.
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

/// Whether `head`, the first bytes of a file, begin an XSpace: field 1, a length, and a first plane
/// whose name is one that XLA's profilers give.
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

/// "/host:CPU, /device:GPU:0": as far as the bytes go. For errors about profiles without events.
std::string PlaneNames(std::string_view bytes);

}  // namespace profgauge::readers::xla
