#include "analysis/flops/recomputation.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/flops/op_tree.h"
#include "base/numbers.h"
#include "knowledge/recomputation.h"

namespace profgauge::analysis::flops {
namespace {

// The nearest backward node around a row.
enum class Inside : std::uint8_t { kNone, kNode, kCheckpoint };

// Tracks which nodes contain numbered operators: nearly every node does if backward recorded
// gradients for higher-order gradients. A node that repeats a layer counts once.
class Nodes {
 public:
  explicit Nodes(std::size_t rows) : of_row_(rows, kNoIndex) {}

  void Enter(std::uint32_t row, HostId parent, std::string_view name) {
    Inherit(row, parent);
    if (of_row_[row] != kNoIndex) return;
    // It sums gradients, and calls no operator with a number.
    if (name.find("AccumulateGrad") != std::string_view::npos) return;
    of_row_[row] = static_cast<std::uint32_t>(has_numbered_.size());
    has_numbered_.push_back(false);
  }
  void Inherit(std::uint32_t row, HostId parent) {
    if (parent.valid() && parent.value < row) of_row_[row] = of_row_[parent.value];
  }
  void AddNumbered(std::uint32_t row) {
    if (of_row_[row] == kNoIndex || has_numbered_[of_row_[row]]) return;
    has_numbered_[of_row_[row]] = true;
    ++numbered_;
  }
  bool RecordGradients() const {
    return knowledge::kRecomputationLeastNodes <= has_numbered_.size() &&
           numbered_ > knowledge::kRecomputationMostNodesShare.Of(has_numbered_.size());
  }

 private:
  std::vector<std::uint32_t> of_row_;  // By row: the outermost node around it.
  std::vector<bool> has_numbered_;
  std::size_t numbered_ = 0;
};

}  // namespace

// Rows inside of backward nodes, as PyTorch records them:
//
//   MmBackward0 > aten::mm, no sequence number      the gradient itself
//   CheckpointBackward > aten::mm                   repeated: the node's name shows it
//   any node > aten::mm with a sequence number      repeated, unless most nodes have such rows,
//                                                   due to higher-order gradients
//
// A user's range is not a node, whatever its name: "net_backward" may contain a forward loss.
std::vector<bool> FindRecomputed(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<bool> recomputed(host.size());
  std::vector<Inside> inside(host.size(), Inside::kNone);
  std::vector<std::int8_t> backward(profile.strings.size(), -1);
  Nodes nodes(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid() && parent.value < row) inside[row] = inside[parent.value];
    nodes.Inherit(row, parent);
    if (!host.name[row].valid()) continue;
    const std::string_view name = profile.Name(host.name[row]);
    std::int8_t& known = backward[host.name[row].value];
    if (known < 0) known = NamesBackward(name) ? 1 : 0;
    if (known == 1 && host.kind[row] == HostKind::kOp) {
      const bool checkpoint = name.find("Checkpoint") != std::string_view::npos;
      inside[row] = checkpoint ? Inside::kCheckpoint : Inside::kNode;
      if (!checkpoint) nodes.Enter(row, parent, name);
      continue;
    }
    if (host.kind[row] != HostKind::kOp || host.forward[row].valid()) continue;
    const bool is_numbered = inside[row] == Inside::kNode && host.sequence[row] >= 0;
    if (is_numbered) nodes.AddNumbered(row);
    recomputed[row] = inside[row] == Inside::kCheckpoint || is_numbered;
  }
  if (!nodes.RecordGradients()) return recomputed;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (inside[row] != Inside::kCheckpoint) recomputed[row] = false;
  }
  return recomputed;
}

bool HasBackward(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<std::int8_t> backward(profile.strings.size(), -1);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!host.name[row].valid() || host.kind[row] != HostKind::kOp) continue;
    std::int8_t& known = backward[host.name[row].value];
    if (known < 0) known = NamesBackward(profile.Name(host.name[row])) ? 1 : 0;
    if (known == 1 && host.thread[row].valid()) return true;
  }
  return false;
}

// Parents come first, so one walk covers all levels.
std::vector<bool> WithInner(std::vector<bool> some, const HostTable& host) {
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid() && parent.value < row && some[parent.value]) some[row] = true;
  }
  return some;
}

std::vector<bool> OutermostOf(const std::vector<bool>& some, const HostTable& host) {
  std::vector<bool> outermost(host.size()), inside(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    inside[row] = parent.valid() && parent.value < row && inside[parent.value];
    outermost[row] = some[row] && !inside[row];
    if (some[row]) inside[row] = true;
  }
  return outermost;
}

}  // namespace profgauge::analysis::flops
