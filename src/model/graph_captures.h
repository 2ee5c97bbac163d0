// The work that a profile of captured graphs reports, in the order in which it was launched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// The launch of one kernel, copy or memset, with the operator that made it. Valid while the
/// profile of the capture exists.
struct CapturedWork {
  Ns at = 0;  ///< When it was launched.
  ApiId call;
  StringId name;  ///< Name of the kernel, in the capture's profile; invalid for copies and memsets.
  DeviceKind kind = DeviceKind::kKernel;
  HostId op;
  const LaunchConfig* config = nullptr;  ///< Null where not recorded.
};

/// Returns captured work of all threads, by time, without work of graphs replayed in `capture`.
std::vector<CapturedWork> CapturedWorkOf(const Profile& capture);

/// True if a call launches a graph, judged by its name.
bool IsGraphLaunch(std::string_view call);

/// Calls of nn.Modules by thread, to find the calls that contain a moment.
class ModuleCalls {
 public:
  explicit ModuleCalls(const Profile& profile);
  /// Returns the rows of PythonTable that contain `at` on `thread`, outermost first. O(log n +
  /// depth). Empty for a thread without modules.
  std::vector<std::uint32_t> Around(ThreadId thread, Ns at) const;

 private:
  const PythonTable& python_;
  std::vector<std::vector<std::uint32_t>> by_thread_;  ///< Rows, in the table's order.
  std::vector<std::uint32_t> outer_;                   ///< By row: the row around it.
};

}  // namespace profgauge
