// The work that a profile of captured graphs reports, in the order in which it was launched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// A launch of one piece of work, with the operator that made it.
/// Valid as long as the profile of the capture.
struct CapturedWork {
  Ns at = 0;  ///< When it was launched.
  ApiId call;
  StringId name;  ///< Name of the kernel, in the capture's profile; invalid for copies and memsets.
  DeviceKind kind = DeviceKind::kKernel;
  HostId op;
  const LaunchConfig* config = nullptr;  ///< Null where not recorded.
};

/// By time, of all threads. Work of graphs that were replayed there is left out.
std::vector<CapturedWork> CapturedWorkOf(const Profile& capture);

/// Whether a call launches a graph, by its name.
bool IsGraphLaunch(std::string_view call);

/// Calls of modules by their threads, for looking up which are around a moment.
class ModuleCalls {
 public:
  explicit ModuleCalls(const Profile& profile);
  /// Rows of PythonTable around `at` on `thread`, outermost first.
  /// O(log n + depth). Empty for a thread without modules.
  std::vector<std::uint32_t> Around(ThreadId thread, Ns at) const;

 private:
  const PythonTable& python_;
  std::vector<std::vector<std::uint32_t>> by_thread_;  ///< Rows, in the table's order.
  std::vector<std::uint32_t> outer_;                   ///< By row: the row around it.
};

}  // namespace profgauge
