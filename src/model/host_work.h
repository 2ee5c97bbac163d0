// Kinds of host work while a device waits: the table `host_work` of rules/knowledge/names.yaml, and
// the values of `gap.category`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace profgauge {

struct HostWork {
  std::string_view id;       ///< "data_loader"
  std::string_view title;    ///< "data loader"
  std::string_view pattern;  ///< RE2 that names of frames, operators and ranges contain.
};
inline constexpr HostWork kHostWork[] = {
#include "knowledge/host_work.inc"
};
/// By the cause of the gap, whatever is recorded.
inline constexpr const HostWork& kFirstUse = kHostWork[0];
/// Something is recorded, and no row matches it.
inline constexpr HostWork kUnnamedHostWork = {"unnamed", "other code", ""};
/// No frame, operator or range covers the gap.
inline constexpr HostWork kUnrecordedHostWork = {"not_recorded", "not recorded", ""};

static_assert(kFirstUse.id == "first_use");

}  // namespace profgauge
