// One plane of an XSpace: its definitions of ids, then its lines with their events. The layout:
// readers/xla/xplane.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/profile_builder.h"
#include "readers/xla/timeline.h"

namespace profgauge::readers::xla {

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

/// Reads a plane, the bytes of one message, into the timeline and the environment of the profile.
/// Gives where a part of it is no message; nothing when all is well. O(bytes).
std::optional<std::string_view> ReadPlane(std::string_view message, Timeline& timeline,
                                          ProfileBuilder& builder);

}  // namespace profgauge::readers::xla
