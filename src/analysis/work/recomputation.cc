#include "analysis/work/recomputation.h"

#include <cstdint>
#include <string_view>

namespace profgauge {
namespace {

// The nearest backward node around a row.
enum class Inside : std::uint8_t { kNone, kNode, kCheckpoint };

bool IsBackward(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function") ||
         name.find("Backward") != std::string_view::npos ||
         name.find("backward") != std::string_view::npos;
}

}  // namespace

std::vector<bool> FindRecomputed(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<bool> recomputed(host.size());
  std::vector<Inside> inside(host.size(), Inside::kNone);
  std::vector<std::int8_t> backward(profile.strings.size(), -1);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid() && parent.value < row) inside[row] = inside[parent.value];
    if (!host.name[row].valid()) continue;
    const std::string_view name = profile.Name(host.name[row]);
    std::int8_t& known = backward[host.name[row].value];
    if (known < 0) known = IsBackward(name) ? 1 : 0;
    if (known == 1) {
      const bool checkpoint = name.find("Checkpoint") != std::string_view::npos;
      inside[row] = checkpoint ? Inside::kCheckpoint : Inside::kNode;
      continue;
    }
    if (host.kind[row] != HostKind::kOp || host.forward[row].valid()) continue;
    recomputed[row] = inside[row] == Inside::kCheckpoint ||
                      (inside[row] == Inside::kNode && host.sequence[row] >= 0);
  }
  return recomputed;
}

}  // namespace profgauge
