#include "model/graph_operators.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <optional>
#include <tuple>

#include "model/graph_captures.h"
#include "model/graph_recipe.h"
#include "model/link.h"
#include "model/permute.h"

namespace profgauge {
namespace {

/// The launches of a capture that may belong to a graph: kernels by name id, and their positions.
struct Sequence {
  std::vector<std::uint32_t> names;   ///< Ids in the replayed profile; StringId::kNone: not there.
  std::vector<std::uint32_t> places;  ///< Indices among all work.
};

Sequence SequenceOf(const std::vector<CapturedWork>& work, const Profile& capture,
                    const Profile& replayed) {
  Sequence sequence;
  std::vector<std::uint32_t> known(capture.strings.size(), StringId::kNone);
  std::vector<bool> is_known(capture.strings.size(), false);
  for (std::uint32_t place = 0; place < work.size(); ++place) {
    if (work[place].kind != DeviceKind::kKernel || !work[place].name.valid()) continue;
    const std::uint32_t name = work[place].name.value;
    if (!is_known[name]) {
      known[name] = replayed.strings.Find(capture.strings[work[place].name]).value;
      is_known[name] = true;
    }
    sequence.names.push_back(known[name]);
    sequence.places.push_back(place);
  }
  return sequence;
}

/// Polynomial hashes of all ranges of one length, computed as a rolling hash in O(names) (Rabin and
/// Karp).
///
///   names 5 8 8 5 8, length 2:   (5 8) at 0, 3   (8 8) at 1   (8 5) at 2
///
/// The base is odd, so that multiplication loses no bits; equal hashes are compared in full.
class Windows {
 public:
  Windows(std::span<const std::uint32_t> names, std::size_t length) {
    if (length == 0 || length > names.size()) return;
    std::uint64_t drop = 1, hash = 0;
    for (std::size_t i = 0; i + 1 < length; ++i) drop *= kBase;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i >= length) hash -= drop * (names[i - length] + std::uint64_t{1});
      hash = hash * kBase + names[i] + 1;
      if (i + 1 >= length) at_[hash].push_back(static_cast<std::uint32_t>(i + 1 - length));
    }
  }
  static std::uint64_t Hash(std::span<const std::uint32_t> names) {
    std::uint64_t hash = 0;
    for (const std::uint32_t name : names) hash = hash * kBase + name + 1;
    return hash;
  }
  std::span<const std::uint32_t> At(std::uint64_t hash) const {
    const auto found = at_.find(hash);
    return found == at_.end() ? std::span<const std::uint32_t>{} : found->second;
  }

 private:
  static constexpr std::uint64_t kBase = 0x9E37'79B9'7F4A'7C15;
  boost::unordered_flat_map<std::uint64_t, std::vector<std::uint32_t>> at_;
};

bool HasShape(const LaunchConfig& config) { return config.grid[0] > 0 && config.block[0] > 0; }

bool SameShape(const LaunchConfig& a, const LaunchConfig& b) {
  return std::equal(a.grid, a.grid + 3, b.grid) && std::equal(a.block, a.block + 3, b.block);
}

/// The work of one launch of a graph: device rows, and which of them are kernels.
struct Replayed {
  std::span<const std::uint32_t> rows;
  std::vector<std::uint32_t> kernels;  ///< Indices in `rows`.
};

Replayed ReplayedOf(const Profile& profile, std::span<const std::uint32_t> rows) {
  Replayed replayed{rows, {}};
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (profile.device.kind[rows[i]] == DeviceKind::kKernel) replayed.kernels.push_back(i);
  }
  return replayed;
}

/// Gives operators to copies and memsets between two kernels, too, if both sequences have the same
/// kinds there. `first`: the position of the first kernel in the sequence.
///
///   replayed   K1  memset  K2  copy  K3        capture   K1  memset  K2  K3
///   given      yes yes     yes no    yes       between K2 and K3 the counts differ
std::vector<std::optional<std::uint32_t>> PlacesOfWork(const Profile& profile,
                                                       const Replayed& replayed,
                                                       const std::vector<CapturedWork>& work,
                                                       std::span<const std::uint32_t> places) {
  std::vector<std::optional<std::uint32_t>> of_work(replayed.rows.size());
  for (std::size_t k = 0; k < replayed.kernels.size(); ++k)
    of_work[replayed.kernels[k]] = places[k];
  const auto pair_up = [&](std::uint32_t row, std::uint32_t count, std::uint32_t place) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (place + i >= work.size()) return;
      if (work[place + i].kind != profile.device.kind[replayed.rows[row + i]]) return;
    }
    for (std::uint32_t i = 0; i < count; ++i) of_work[row + i] = place + i;
  };
  for (std::size_t k = 0; k + 1 < replayed.kernels.size(); ++k) {
    const std::uint32_t count = replayed.kernels[k + 1] - replayed.kernels[k] - 1;
    if (places[k + 1] - places[k] - 1 != count) continue;
    pair_up(replayed.kernels[k] + 1, count, places[k] + 1);
  }
  const std::uint32_t before = replayed.kernels.front();
  if (places.front() >= before) pair_up(0, before, places.front() - before);
  const std::uint32_t last = replayed.kernels.back();
  pair_up(last + 1, static_cast<std::uint32_t>(replayed.rows.size()) - last - 1, places.back() + 1);
  return of_work;
}

bool SayTheSame(const GraphRecipe& a, const GraphRecipe& b) {
  return a.of_work == b.of_work &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const GraphNode& x, const GraphNode& y) { return x.SaysTheSame(y); });
}

/// Returns `log` with `fewer` cases less of `counter`, because the log cannot lower a count. Drops
/// examples beyond the new count.
ImportLog WithFewer(const ImportLog& log, Counter counter, std::uint64_t fewer) {
  ImportLog made;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto each = static_cast<Counter>(i);
    std::uint64_t count = log[each];
    if (each == counter) count -= std::min(count, fewer);
    for (const std::string& example : log.Examples(each)) {
      if (count == 0) break;
      made.AddAt(each, example);
      --count;
    }
    made.Add(each, count);
  }
  return made;
}

/// Values that rows of graphs' operators never have.
struct HostRange {
  CollectiveId collective;
  StringId domain;
  RangeStyle style = RangeStyle::kNone;
};

void Renumber(const std::vector<std::uint32_t>& places, std::vector<HostId>& column) {
  for (HostId& id : column) {
    if (id.valid()) id.value = places[id.value];
  }
}

}  // namespace

// Launches with equal keys are considered the same graph:
//
//   rows     gemm_a, shape 3    memset           gelu, shape 5
//   key      (gemm_a, 3)        (-, kMemset)     (gelu, 5)
GraphOperators::GraphOperators(Profile& replayed) : profile_(replayed) {
  const DeviceTable& device = profile_.device;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_launch;
  StringId known;  // Most launches have the same name as the previous one.
  bool is_graph = false;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (!launch.valid() || profile_.IsWholeGraph(row)) continue;
    if (const StringId name = profile_.api.name[launch.value]; name != known) {
      known = name;
      is_graph = IsGraphLaunch(profile_.Name(name));
    }
    if (!is_graph) continue;
    by_launch[launch.value].push_back(row);
  }
  for (auto& [launch, rows] : by_launch) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return device.start[a] < device.start[b];
    });
    // Copies and memsets have no name here, so their kind replaces the launch's shape.
    Key key;
    bool has_kernel = false, has_op = false;
    for (const std::uint32_t row : rows) {
      has_op |= device.op[row].valid();
      const bool is_kernel = device.kind[row] == DeviceKind::kKernel;
      has_kernel |= is_kernel;
      key.emplace_back(
          is_kernel ? device.name[row].value : StringId::kNone,
          is_kernel ? device.config[row].value : static_cast<std::uint32_t>(device.kind[row]));
    }
    if (!has_kernel || has_op) continue;
    Graph& graph = graphs_[key];
    graph.launches.push_back(ApiId{launch});
    graph.rows.push_back(std::move(rows));
  }
}

void GraphOperators::Consider(Graph& graph, GraphRecipe recipe) {
  constexpr std::size_t kSeveral = 2;  // Enough to know that there are several.
  const bool is_known =
      std::any_of(graph.recipes.begin(), graph.recipes.end(),
                  [&](const GraphRecipe& other) { return SayTheSame(recipe, other); });
  if (!is_known && graph.recipes.size() < kSeveral) graph.recipes.push_back(std::move(recipe));
}

// Windows finds candidates by a hash of the names. Then the names are compared, and the launches'
// shapes if both have them.
void GraphOperators::Learn(const Profile& capture) {
  const std::vector<CapturedWork> work = CapturedWorkOf(capture);
  const Sequence sequence = SequenceOf(work, capture, profile_);
  const ModuleCalls modules(capture);
  RecipeMaker maker(capture, modules, work, profile_);
  std::map<std::size_t, Windows> windows;  // By length.
  for (auto& [key, graph] : graphs_) {
    const Replayed replayed = ReplayedOf(profile_, graph.rows.front());
    std::vector<std::uint32_t> names;
    for (const std::uint32_t at : replayed.kernels) names.push_back(key[at].first);
    const auto [of_length, is_new] =
        windows.try_emplace(names.size(), sequence.names, names.size());
    for (const std::uint32_t first : of_length->second.At(Windows::Hash(names))) {
      const auto place = std::span(sequence.names).subspan(first, names.size());
      if (!std::equal(names.begin(), names.end(), place.begin())) continue;
      const auto places = std::span(sequence.places).subspan(first, names.size());
      bool fits = true;
      for (std::size_t k = 0; k < names.size() && fits; ++k) {
        const LaunchConfigId id{key[replayed.kernels[k]].second};
        const LaunchConfig* captured = work[places[k]].config;
        if (!id.valid() || captured == nullptr) continue;
        const LaunchConfig& config = profile_.launch_configs[id.value];
        fits = !HasShape(config) || !HasShape(*captured) || SameShape(config, *captured);
      }
      if (fits) Consider(graph, maker.Make(PlacesOfWork(profile_, replayed, work, places)));
    }
  }
}

// Each begin and end of a row takes one nanosecond.
bool GraphOperators::FitsInto(const GraphRecipe& recipe, ApiId launch) const {
  const auto needed = static_cast<Ns>(2 * recipe.nodes.size() + 2);
  return profile_.api.duration[launch.value] >= needed;
}

void GraphOperators::Append(const GraphRecipe& recipe, ApiId launch,
                            std::span<const std::uint32_t> rows) {
  const auto count = static_cast<std::uint32_t>(recipe.nodes.size());
  std::vector<Ns> starts(count), ends(count);
  std::vector<std::uint32_t> open;
  Ns now = profile_.api.start[launch.value] + 1;
  //   nodes 0 module, 1 linear, 2 gelu      call [100, 110)
  //   ns    101 0 begins, 102 1 begins, 103 1 ends, 104 2 begins, 105 2 ends, 106 0 ends
  const auto close_until = [&](std::uint32_t node) {
    while (!open.empty() && recipe.nodes[open.back()].behind <= node) {
      ends[open.back()] = now++;
      open.pop_back();
    }
  };
  for (std::uint32_t node = 0; node < count; ++node) {
    close_until(node);
    starts[node] = now++;
    open.push_back(node);
  }
  close_until(count);
  HostTable& host = profile_.host;
  PythonTable& python = profile_.python;
  const ThreadId thread = profile_.api.thread[launch.value];
  std::vector<std::uint32_t> row_of(count, GraphNode::kNone);
  for (std::uint32_t i = 0; i < count; ++i) {
    const GraphNode& node = recipe.nodes[i];
    if (node.is_module) {
      python.start.push_back(starts[i]);
      python.duration.push_back(ends[i] - starts[i]);
      python.name.push_back(node.name);
      python.thread.push_back(thread);
      python.id.push_back(-1);
      python.parent_id.push_back(-1);
      python.module_id.push_back(node.module);
      continue;
    }
    row_of[i] = static_cast<std::uint32_t>(host.size());
    host.start.push_back(starts[i]);
    host.duration.push_back(ends[i] - starts[i]);
    host.name.push_back(node.name);
    host.kind.push_back(HostKind::kOp);
    host.thread.push_back(thread);
    host.parent.emplace_back();
    host.forward.emplace_back();
    host.sequence.push_back(node.sequence);
    const auto one = std::span(&node, 1);
    host.input_shapes.Append(one, &GraphNode::input_shapes);
    host.input_dtypes.Append(one, &GraphNode::input_dtypes);
    host.call_stack.Append(one, &GraphNode::call_stack);
    host.concrete_inputs.Append(one, &GraphNode::concrete_inputs);
    const HostRange none;
    host.collective.Append(std::span(&none, 1), &HostRange::collective);
    host.domain.Append(std::span(&none, 1), &HostRange::domain);
    host.style.Append(std::span(&none, 1), &HostRange::style);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t forward = recipe.nodes[i].forward;
    if (forward != GraphNode::kNone && row_of[i] != GraphNode::kNone) {
      host.forward[row_of[i]] = HostId{row_of[forward]};
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (recipe.of_work[i] == GraphNode::kNone) continue;
    operators_.emplace_back(rows[i], row_of[recipe.of_work[i]]);
  }
}

// Adds nothing if several recipes are left: a guess would look like a measurement.
GraphOperators::Outcome GraphOperators::Give() {
  Outcome outcome;
  for (auto& [key, graph] : graphs_) {
    outcome.launches += graph.launches.size();
    if (graph.recipes.empty()) outcome.unknown += graph.launches.size();
    if (graph.recipes.size() > 1) outcome.ambiguous += graph.launches.size();
    if (graph.recipes.size() != 1) continue;
    for (std::size_t i = 0; i < graph.launches.size(); ++i) {
      if (!FitsInto(graph.recipes.front(), graph.launches[i])) {
        ++outcome.no_room;
        continue;
      }
      Append(graph.recipes.front(), graph.launches[i], graph.rows[i]);
      ++outcome.given;
    }
  }
  outcome.work = operators_.size();
  graphs_.clear();
  if (outcome.work > 0) Settle();
  return outcome;
}

// Sorts the tables again, and updates all references to their rows.
void GraphOperators::Settle() {
  HostTable& host = profile_.host;
  for (const auto& [work, op] : operators_) profile_.device.op[work] = HostId{op};
  const auto by_thread = [](const auto& table) {
    return SortedRows(table.size(), [&](auto a, auto b) {
      return std::tuple(table.thread[a], table.start[a], -table.duration[a]) <
             std::tuple(table.thread[b], table.start[b], -table.duration[b]);
    });
  };
  const Permutation rows = by_thread(host);
  PermuteAll(rows, host.start, host.duration, host.name, host.kind, host.thread, host.parent,
             host.forward, host.input_shapes, host.input_dtypes, host.call_stack,
             host.concrete_inputs, host.sequence, host.collective, host.domain, host.style);
  if (!rows.empty()) {
    std::vector<std::uint32_t> places(rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) places[rows[i]] = i;
    Renumber(places, host.forward);
    Renumber(places, profile_.api.op);
    Renumber(places, profile_.device.op);
    Renumber(places, profile_.memory.op);
  }
  PythonTable& python = profile_.python;
  PermuteAll(by_thread(python), python.start, python.duration, python.name, python.thread,
             python.id, python.parent_id, python.module_id);
  const ImportLog log = profile_.log;  // Parents() would count the same cases again.
  link::Parents(profile_);
  profile_.log = WithFewer(log, Counter::kernels_without_op, operators_.size());
}

}  // namespace profgauge
