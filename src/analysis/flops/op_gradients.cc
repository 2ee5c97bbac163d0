#include "analysis/flops/op_gradients.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace profgauge::analysis::flops {
namespace {

// The product alone, of a call that may add to it.
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

// PyProf's "mmBackward" has the arguments of the "mm" that it belongs to.
std::optional<OpWork> OwnProduct(const Profile& profile, std::uint32_t row) {
  constexpr std::string_view kNode = "Backward";
  auto call = CallOf(profile, row);
  if (!call || !call->op.ends_with(kNode)) return std::nullopt;
  call->op.resize(call->op.size() - kNode.size());
  return ProductAlone(*std::move(call));
}

// Of the call that it is linked to, or of the nearest around that with known arguments.
std::optional<OpWork> LinkedProduct(const Profile& profile, std::uint32_t row,
                                    const OpWorks& works) {
  const HostTable& host = profile.host;
  HostId at = host.forward[row];
  while (at.valid() && works.Find(at.value) == nullptr) at = host.parent[at.value];
  if (!at.valid()) return std::nullopt;
  auto call = CallOf(profile, at.value);
  return call ? ProductAlone(*std::move(call)) : std::nullopt;
}

// By row: whether work is known of an operator inside it.
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

// Three walks: over host rows, whose parents come first, for the outermost node around each; over
// device rows, for the matrix kernels of each node; again over host rows, to give each node with
// such kernels the work of its matmuls. A linear layer whose input needs no gradient launches one
// matmul in backward, others two.
void AddGradientWork(const Profile& profile, const OpTree& tree,
                     const classify::KernelClasses& classes, OpWorks& works) {
  const HostTable& host = profile.host;
  const std::vector<bool> holds_work = HoldWork(host, works);
  // The outermost node around each row that may be one of these, and its matrix kernels.
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
    // Of two factors; libraries may cut the product of one into several kernels.
    const std::uint32_t factors = std::min(products[row], 2U);
    work->flops *= factors;
    if (work->bytes >= 0) work->bytes *= factors;
    works.of_row[row] = static_cast<std::uint32_t>(works.works.size());
    works.works.push_back(*std::move(work));
    works.counted_in[row] = row;
  }
}

}  // namespace profgauge::analysis::flops
