#include "analysis/flops/op_gradients.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace profgauge::analysis::flops {
namespace {

// The work of only the matmul in a call that may also add.
std::optional<OpWork> ProductAlone(OpCall call) {
  constexpr std::string_view kAddFirst[] = {"addmm", "baddbmm", "addbmm", "addmv"};
  if (call.op == "linear") {
    call.arguments.resize(std::min<std::size_t>(call.arguments.size(), 2));
  } else if (std::ranges::find(kAddFirst, call.op) != std::end(kAddFirst)) {
    if (call.arguments.empty()) return std::nullopt;
    call.arguments.erase(call.arguments.begin());
    call.op = "matmul";
  }
  return ProductWork(call) ? WorkOf(call) : std::nullopt;
}

// For PyProf's "mmBackward", which has the arguments of its "mm".
std::optional<OpWork> OwnProduct(const Profile& profile, std::uint32_t row) {
  constexpr std::string_view kNode = "Backward";
  auto call = CallOf(profile, row);
  if (!call || !call->op.ends_with(kNode)) return std::nullopt;
  call->op.resize(call->op.size() - kNode.size());
  return ProductAlone(*std::move(call));
}

// The work of the linked call, or of the nearest outer call with known arguments.
std::optional<OpWork> LinkedProduct(const Profile& profile, std::uint32_t row,
                                    const OpWorks& works) {
  const HostTable& host = profile.host;
  HostId at = host.forward[row];
  while (at.valid() && works.Find(at.value) == nullptr) at = host.parent[at.value];
  if (!at.valid()) return std::nullopt;
  auto call = CallOf(profile, at.value);
  return call ? ProductAlone(*std::move(call)) : std::nullopt;
}

// By row: whether the work of any inner operator is known.
std::vector<bool> HoldWork(const HostTable& host, const OpWorks& works) {
  std::vector<bool> hold(host.size(), false);
  for (std::size_t row = host.size(); row-- > 0;) {
    const HostId parent = host.parent[row];
    if (!parent.valid()) continue;
    if (hold[row] || works.of_row[row] != OpWorks::kNone) hold[parent.value] = true;
  }
  return hold;
}

}  // namespace

// Makes three walks. Over host rows (parents first): finds the outermost node around each. Over
// device rows: counts the matrix kernels of each node. Over host rows again: gives each node with
// such kernels the work of its matmuls. A linear layer launches one matmul in backward if its input
// needs no gradient, else two.
void AddGradientWork(const Profile& profile, const OpTree& tree,
                     const classify::KernelClasses& classes, OpWorks& works) {
  const HostTable& host = profile.host;
  const std::vector<bool> holds_work = HoldWork(host, works);
  // By row: the outermost candidate node around it, and the node's matrix kernels.
  std::vector<std::uint32_t> node(host.size(), OpWorks::kNone), products(host.size(), 0);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid()) node[row] = node[parent.value];
    const bool may_be = node[row] == OpWorks::kNone && works.counted_in[row] == OpWorks::kNone &&
                        !holds_work[row] && host.kind[row] == HostKind::kOp && tree.IsOp(row) &&
                        tree.direction[row] == OpDirection::kBackward;
    if (may_be) node[row] = row;
  }
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const HostId op = device.op[row];
    if (device.kind[row] != DeviceKind::kKernel || !op.valid() ||
        !classify::IsMatrixRule(classes[row]))
      continue;
    if (node[op.value] != OpWorks::kNone) ++products[node[op.value]];
  }
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (node[row] == OpWorks::kNone || products[node[row]] == 0) continue;
    if (node[row] != row) {
      works.counted_in[row] = works.counted_in[node[row]];
      continue;
    }
    auto work = OwnProduct(profile, row);
    if (!work) work = LinkedProduct(profile, row, works);
    if (!work) continue;
    // At most two factors: libraries may split one matmul into several kernels.
    const std::uint32_t factors = std::min(products[row], 2U);
    work->flops *= factors;
    if (work->bytes >= 0) work->bytes *= factors;
    works.of_row[row] = static_cast<std::uint32_t>(works.works.size());
    works.works.push_back(*std::move(work));
    works.counted_in[row] = row;
  }
}

}  // namespace profgauge::analysis::flops
