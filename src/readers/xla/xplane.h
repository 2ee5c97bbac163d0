// XSpace, the Protocol Buffers message in `*.xplane.pb`: planes (devices, hosts), which have lines,
// which have events; and their stats. Message and field numbers: tsl/profiler/protobuf/xplane.proto
// of github.com/openxla/tsl.
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
// An event has its own stats and those of its metadata, which all events of one op share. Lines'
// times count from the start of the session; the plane "Task Environment" has it in Unix time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/profile_builder.h"
#include "profgauge/error.h"
#include "readers/xla/timeline.h"

namespace profgauge::readers::xla {

/// The name of the plane with the session's times.
inline constexpr std::string_view kEnvironmentPlane = "Task Environment";

/// True if `head`, the first bytes of a file, is the beginning of an XSpace: field 1, a length, and
/// a first plane with a name that XLA's profilers use.
bool BeginsXSpace(std::string_view head);

/// The position and state at which ReadXSpace() stopped.
struct XSpaceEnd {
  bool complete = true;      ///< The last plane is complete.
  bool goes_on = false;      ///< A second profile follows.
  std::uint64_t offset = 0;  ///< The position of the stop.
};

/// Reads all of `bytes` into `builder`; an incomplete end is skipped. Events without a usable time,
/// or that only count occurrences, are counted in the import log. A plane that is repeated byte for
/// byte counts once. A different plane of a known device belongs to a second profile, so reading
/// stops there. Errors: kInput "xla/malformed" if a complete plane has bytes that are no message.
Result<XSpaceEnd> ReadXSpace(std::string_view bytes, Timeline& timeline, ProfileBuilder& builder);

/// The kind of a profiler message in fixed words, for counting: lost events, or others. The message
/// itself may have names of files.
std::string_view MessageKind(bool is_error, std::string_view text);

/// Lists the names of planes, as far as `bytes` go: "/host:CPU, /device:GPU:0". For errors about
/// profiles without events.
std::string PlaneNames(std::string_view bytes);

// Reads one plane of an XSpace: first its definitions of ids, then its lines with their events.
// Layout: readers/xla/xplane.h.

/// Field numbers by message.
namespace space {
enum : std::uint32_t { kPlanes = 1, kErrors = 2, kWarnings = 3 };
}
namespace plane {
enum : std::uint32_t { kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6 };
}
namespace line {
enum : std::uint32_t { kId = 1, kName = 2, kTimestampNs = 3, kEvents = 4, kDisplayName = 11 };
}
namespace event {
enum : std::uint32_t {
  kMetadata = 1,
  kOffsetPs = 2,
  kDurationPs = 3,
  kStats = 4,
  kOccurrences = 5
};
}
namespace stat {
enum : std::uint32_t {
  kMetadata = 1,
  kDouble = 2,
  kUnsigned = 3,
  kSigned = 4,
  kText = 5,
  kBytes = 6,
  kRef = 7
};
}
namespace metadata {
enum : std::uint32_t { kName = 2, kDisplayName = 4, kStats = 5 };
}

/// Reads a plane, i.e. one message, into the timeline and the profile's environment. Returns the
/// part that is no message; nullopt if all parts are valid. O(bytes).
std::optional<std::string_view> ReadPlane(std::string_view message, Timeline& timeline,
                                          ProfileBuilder& builder);

}  // namespace profgauge::readers::xla
