#include "analysis/communication/suspects.h"

#include "analysis/communication/communication.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/kernel_name.h"
#include "base/format.h"
#include "knowledge/collectives.h"

namespace profgauge::analysis::communication {
namespace {

struct Launches {
  std::int64_t blocks = 0, count = 0;
  Ns shortest = 0, longest = 0, total = 0;
  bool same_blocks = true;
  void Add(std::int64_t of_blocks, Ns length) {
    if (count == 0) {
      blocks = of_blocks;
      shortest = longest = length;
    }
    ++count;
    same_blocks = same_blocks && blocks == of_blocks;
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    total += length;
  }
  // A kernel that waits for other ranks has the same few blocks for any amount of data, and lasts
  // until the slowest rank arrives.
  bool is_suspect() const {
    return same_blocks && blocks > 1 && blocks <= knowledge::kCollectivesSuspectBlocks &&
           count >= knowledge::kCollectivesSuspectCalls &&
           longest >= knowledge::kCollectivesSuspectSpread.Of(std::max<Ns>(1, shortest));
  }
};

// Whether a known computing operator launched it.
bool Computes(const Profile& profile, HostId op) {
  if (!op.valid()) return false;
  const std::string_view name = profile.Name(profile.host.name[op.value]);
  return name.starts_with("aten::") || name.starts_with("triton");
}

std::int64_t Blocks(const LaunchConfig& config) {
  return std::int64_t{config.grid[0]} * config.grid[1] * config.grid[2];
}

}  // namespace

std::string DescribeSuspects(const iterations::RankContext& rank) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  std::map<std::uint32_t, Launches> by_name;
  for (std::size_t i = 0; i < device.size(); ++i) {
    const bool known = device.kind[i] != DeviceKind::kKernel || rank.classes[i].rule != 0;
    if (known || !device.config[i].valid() || Computes(profile, device.op[i])) continue;
    const LaunchConfig& config = profile.launch_configs[device.config[i].value];
    by_name[device.name[i].value].Add(Blocks(config), device.duration[i]);
  }
  std::vector<std::pair<std::uint32_t, Launches>> found;
  for (const auto& [name, launches] : by_name) {
    if (launches.is_suspect()) found.emplace_back(name, launches);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  constexpr std::size_t kSuspectsNamed = 3;
  std::string words;
  for (std::size_t i = 0; i < std::min(kSuspectsNamed, found.size()); ++i) {
    const Launches& launches = found[i].second;
    words += fmt::format("{}`{}` ({} launches of {} blocks, {} to {})", i == 0 ? "" : ", ",
                         classify::WithoutArguments(profile.Name(StringId{found[i].first})),
                         launches.count, launches.blocks,
                         FormatDuration(static_cast<double>(launches.shortest)),
                         FormatDuration(static_cast<double>(launches.longest)));
  }
  return words;
}

}  // namespace profgauge::analysis::communication
