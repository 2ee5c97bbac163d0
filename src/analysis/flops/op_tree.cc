#include "analysis/flops/op_tree.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include "analysis/classify/eligibility.h"
#include "model/iteration_source.h"

namespace profgauge::analysis::flops {
namespace {

// Properties of a name, found once per distinct name.
struct NameFacts {
  bool eligible = false;
  bool backward = false;
  bool optimizer = false;
  bool known = false;
};

class NameBook {
 public:
  explicit NameBook(const Profile& profile) : profile_(profile), facts_(profile.strings.size()) {}
  const NameFacts& operator[](StringId id) {
    static const NameFacts kNothing;
    if (!id.valid()) return kNothing;
    NameFacts& facts = facts_[id.value];
    if (!facts.known) {
      const std::string_view name = profile_.strings[id];
      facts = {classify::IsEligibleOp(name), NamesBackward(name), name.starts_with("Optimizer."),
               true};
    }
    return facts;
  }

 private:
  const Profile& profile_;
  std::vector<NameFacts> facts_;
};

// Annotations, markers and the profiler's own work are skipped.
bool IsTreeNode(HostKind kind) { return kind == HostKind::kOp || kind == HostKind::kPython; }

// A negative length counts as 0.
Ns EndOf(const HostTable& host, std::size_t row) {
  return host.start[row] + std::max<Ns>(host.duration[row], 0);
}

void Resize(OpTree& tree, std::size_t rows) {
  tree.representative.assign(rows, OpTree::kNone);
  tree.parent.assign(rows, OpTree::kNone);
  for (auto* column : {&tree.host_self, &tree.device_self, &tree.device_total, &tree.kernel_self,
                       &tree.kernel_total, &tree.tensor_core_self, &tree.tensor_core_total}) {
    column->assign(rows, 0);
  }
  tree.kernels_self.assign(rows, 0);
  tree.eligible.assign(rows, 0);
  tree.undecided.assign(rows, 0);
  tree.direction.assign(rows, OpDirection::kForward);
}

// The nearest tree node at or above each row of any kind. Parents must come before children; a
// reader's violation counts as "no parent".
std::vector<std::uint32_t> NearestNodes(const HostTable& host) {
  std::vector<std::uint32_t> nearest(host.size(), OpTree::kNone);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (IsTreeNode(host.kind[row])) {
      nearest[row] = row;
    } else if (host.parent[row].value < row) {
      nearest[row] = nearest[host.parent[row].value];
    }
  }
  return nearest;
}

// Sets `representative` and `parent`. An op whose only child is an op of the same name takes over
// that child's children and calls, repeatedly. Otherwise an operator that the dispatcher records
// twice would count as two calls:
//
//   aten::conv2d > aten::conv2d > aten::convolution        one conv2d, parent of convolution
void Link(const HostTable& host, const std::vector<std::uint32_t>& nearest, OpTree& tree) {
  std::vector<std::uint32_t> direct(host.size(), OpTree::kNone);
  std::vector<std::uint32_t> children(host.size(), 0);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!IsTreeNode(host.kind[row]) || host.parent[row].value >= row) continue;
    direct[row] = nearest[host.parent[row].value];
    if (direct[row] != OpTree::kNone) ++children[direct[row]];
  }
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!IsTreeNode(host.kind[row])) continue;
    tree.representative[row] = row;
    const std::uint32_t above = direct[row];
    if (above == OpTree::kNone) continue;
    const bool duplicate = children[above] == 1 && host.name[above] == host.name[row] &&
                           host.kind[above] == HostKind::kOp && host.kind[row] == HostKind::kOp;
    if (duplicate) {
      tree.representative[row] = tree.representative[above];
    } else {
      tree.parent[row] = tree.representative[above];
    }
  }
}

// Subtracts children and runtime calls from an op's own time. Only the part inside the op counts,
// since children with another clock may extend beyond it.
void AddHostTime(const Profile& profile, const std::vector<std::uint32_t>& nearest, OpTree& tree) {
  const HostTable& host = profile.host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!tree.IsOp(row)) continue;
    tree.host_self[row] += std::max<Ns>(host.duration[row], 0);
    const std::uint32_t parent = tree.parent[row];
    if (parent == OpTree::kNone) continue;
    const Ns inside = std::min(EndOf(host, row), EndOf(host, parent)) - host.start[row];
    tree.host_self[parent] -= std::max<Ns>(inside, 0);
  }
  const ApiTable& api = profile.api;
  ThreadId thread;
  Ns covered = 0;
  for (std::size_t call = 0; call < api.size(); ++call) {
    const Ns end = api.start[call] + std::max<Ns>(api.duration[call], 0);
    if (api.thread[call] == thread && end <= covered) continue;  // Inside another call.
    thread = api.thread[call];
    covered = end;
    if (!api.op[call].valid()) continue;
    const std::uint32_t node = nearest[api.op[call].value];
    if (node == OpTree::kNone) continue;
    tree.host_self[tree.representative[node]] -= end - api.start[call];
  }
  for (Ns& self : tree.host_self) self = std::max<Ns>(self, 0);
}

// Sums the work that each op launched directly, by its representative row.
void AddDeviceTime(const Profile& profile, const classify::KernelClasses& classes,
                   const std::vector<std::uint32_t>& nearest, OpTree& tree) {
  const DeviceTable& device = profile.device;
  classify::VectorProducts vectors(profile);
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.op[row].valid()) continue;
    const std::uint32_t node = nearest[device.op[row].value];
    if (node == OpTree::kNone) continue;
    const std::uint32_t op = tree.representative[node];
    const Ns duration = std::max<Ns>(device.duration[row], 0);
    tree.device_self[op] += duration;
    if (device.kind[row] != DeviceKind::kKernel) continue;
    tree.kernel_self[op] += duration;
    ++tree.kernels_self[op];
    if (classes[row].tensor_core == classify::Tri::kYes) tree.tensor_core_self[op] += duration;
    if (classes[row].tensor_core == classify::Tri::kUnknown) tree.undecided[op] = 1;
    // An operator with any name (e.g. a compiled function) is eligible if its kernel multiplies.
    if (classify::IsEligibleKernel(classes[row], profile.Name(device.name[row])) &&
        !vectors.Has(device.op[row])) {
      tree.eligible[op] = 1;
    }
  }
}

// Children come after their parents, so one backward walk sums whole subtrees.
void SumUpwards(const Profile& profile, NameBook& names, OpTree& tree) {
  tree.device_total = tree.device_self;
  tree.kernel_total = tree.kernel_self;
  tree.tensor_core_total = tree.tensor_core_self;
  classify::DoubleWork doubles(profile);
  classify::VectorProducts vectors(profile);
  for (std::size_t row = tree.parent.size(); row-- > 0;) {
    if (!tree.IsOp(row)) continue;
    const auto row_id = static_cast<std::uint32_t>(row);
    const HostId op{row_id};
    const bool could =
        names[profile.host.name[row]].eligible && !doubles.HasNoCores(op) && !vectors.Has(op);
    if (tree.tensor_core_self[row] > 0 || could) tree.eligible[row] = 1;
    const std::uint32_t parent = tree.parent[row];
    if (parent == OpTree::kNone) continue;
    tree.device_total[parent] += tree.device_total[row];
    tree.kernel_total[parent] += tree.kernel_total[row];
    tree.tensor_core_total[parent] += tree.tensor_core_total[row];
    tree.undecided[parent] |= tree.undecided[row];
    if (tree.eligible[row] != 0 && profile.host.kind[parent] == HostKind::kOp) {
      tree.eligible[parent] = 1;
    }
  }
}

// A link to a forward op, or the name of a node, indicates backward; inner operators inherit it.
// Names of users' ranges prove nothing.
void SetDirections(const HostTable& host, NameBook& names, OpTree& tree) {
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const NameFacts& facts = names[host.name[row]];
    if (facts.optimizer) {
      tree.direction[row] = OpDirection::kOptimizer;
    } else if ((facts.backward && host.kind[row] == HostKind::kOp) || host.forward[row].valid()) {
      tree.direction[row] = OpDirection::kBackward;
    } else if (host.parent[row].value < row) {
      tree.direction[row] = tree.direction[host.parent[row].value];
    }
  }
}

}  // namespace

bool IsDataLoaderRange(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

bool NamesBackward(std::string_view name) {
  return name.starts_with("autograd::engine::") || name.find("Backward") != name.npos ||
         name.find("backward") != name.npos;
}

bool IsFrameworkRange(std::string_view name) {
  return name.starts_with("Optimizer.") || name == "DataParallel.forward" ||
         name == "DistributedDataParallel.forward" || name.starts_with(kProfilerStep) ||
         IsDataLoaderRange(name);
}

namespace {

// Returns "MatMul" for TensorFlow's "dense/MatMul_1", "gemm_fusion_dot" for XLA's
// "jit_f/gemm_fusion_dot.3"; empty for names without such scopes.
std::string_view ScopedLeaf(std::string_view name) {
  const auto slash = name.rfind('/');
  if (slash == std::string_view::npos) return {};
  std::string_view leaf = name.substr(slash + 1);
  const bool plain = !leaf.empty() && std::all_of(leaf.begin(), leaf.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  });
  if (!plain) return {};
  const auto last = leaf.find_last_not_of("0123456789");
  const bool numbered = last != leaf.npos && last > 0 && last + 1 < leaf.size() &&
                        (leaf[last] == '.' || leaf[last] == '_');
  return numbered ? leaf.substr(0, last) : leaf;
}

// The type of a layer built by TensorRT; empty for other names. A fused layer ("/conv1/Conv +
// /relu/Relu") has the type of its first part; TensorRT's own layers name type and purpose.
std::string_view TensorRtType(std::string_view name) {
  if (name.starts_with("Reformatting CopyNode ")) return "Reformatting CopyNode";
  if (name.starts_with("reshape_after_") || name.starts_with("reshape_before_")) return "reshape";
  // PyTorch's exporter names weights after their operator.
  if (name.starts_with("onnx::")) return "Constant";
  const auto plus = name.find(" + ");
  return plus == name.npos ? std::string_view{} : OpType(name.substr(0, plus));
}

}  // namespace

// Applies these steps in order: TensorRT's layers, the prefix "autograd::engine::…: ", scopes with
// a slash, namespaces, the number of a backward node, underscores of in-place variants.
std::string_view OpType(std::string_view name) {
  if (const auto type = TensorRtType(name); !type.empty()) return type;
  std::string_view type = name;
  if (const auto colon = type.rfind(": "); colon != type.npos && type.starts_with("autograd::")) {
    type.remove_prefix(colon + 2);
  }
  if (const auto leaf = ScopedLeaf(type); !leaf.empty()) return leaf;
  if (const auto scope = type.rfind("::"); scope != type.npos && type.find('<') == type.npos) {
    type.remove_prefix(scope + 2);
  }
  if (const auto last = type.find_last_not_of("0123456789");
      last != type.npos && type.substr(0, last + 1).ends_with("Backward")) {
    type = type.substr(0, last + 1);
  }
  while (type.size() > 1 && type.ends_with('_')) type.remove_suffix(1);
  return type.empty() ? name : type;
}

// Links come first, because sums are by representative.
OpTree BuildOpTree(const Profile& profile, const classify::KernelClasses& classes) {
  OpTree tree;
  Resize(tree, profile.host.size());
  NameBook names(profile);
  const std::vector<std::uint32_t> nearest = NearestNodes(profile.host);
  Link(profile.host, nearest, tree);
  AddHostTime(profile, nearest, tree);
  AddDeviceTime(profile, classes, nearest, tree);
  SumUpwards(profile, names, tree);
  SetDirections(profile.host, names, tree);
  return tree;
}

}  // namespace profgauge::analysis::flops
