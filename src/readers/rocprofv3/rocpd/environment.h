// The rank of a process and the traced kinds, from its environment. The database holds all of
// the environment, with tokens: only the variables named here are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profgauge::readers::rocpd {

struct Environment {
  std::int64_t rank = -1, world_size = -1;  ///< -1: not said.
  /// Whether the profiler's own variables state the traced kinds.
  bool says_traced = false;
  bool kernels_traced = false, copies_traced = false;
  std::string traced;  ///< "kernels, copies, HIP calls"
};

/// `json` is an object of texts; nothing is taken of anything else.
Environment EnvironmentOf(std::string_view json);

/// The JSON of these variables alone; a filter that is set is "hidden".
std::string ScrubbedEnvironment(std::string_view json);

}  // namespace profgauge::readers::rocpd
