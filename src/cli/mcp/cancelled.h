// Requests that the agent gave up, which is noticed while another request, or this one, is
// answered.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace profgauge::cli::mcp {

class Cancelled {
 public:
  /// For the thread that reads. Whether the line is a cancellation; a statement that runs for it
  /// ends soon, other work is finished and not answered.
  bool Notice(std::string_view line);

  /// For the thread that answers; `id` as JSON. False: it was given up before.
  bool Begin(const std::string& id);
  /// False: it was given up since.
  bool End();

 private:
  std::mutex mutex_;
  std::set<std::string> ids_;
  std::string current_;
};

}  // namespace profgauge::cli::mcp
