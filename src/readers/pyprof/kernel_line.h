// One line of net.dict taken apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/units.h"
#include "model/tables.h"

namespace profgauge::readers::pyprof {

struct KernelLine {
  std::string short_name, long_name;
  Ns duration = 0;
  std::vector<std::string> layers, trace, markers, seq_markers, modules, ops;
  std::vector<std::int64_t> seq_ids, alt_seq_ids;
  std::int64_t sub_seq = 0, thread = 0, stream = 0;
  std::int32_t device = 0;
  bool backward = false;
  LaunchConfig config;
};

/// The error is a clause: "expected a text for `kShortName`", "expected `,` at column 17".
tl::expected<KernelLine, std::string> ParseKernelLine(std::string_view line);

}  // namespace profgauge::readers::pyprof
