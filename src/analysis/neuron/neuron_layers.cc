// The operator table: a tree of layers, the graph's operators in them, and their opcodes.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/neuron_cells.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/neuron/neuron.h"

namespace profgauge::analysis::neuron {
namespace {

using profgauge::neuron::Engine;
using profgauge::neuron::Instruction;

// Instructions are leaves below the path of their layer and their operator in the graph:
//
//   /sg00/Model/Layer[3]   hlo "dot.7"   opcode MATMUL
//
//   node     sg00 > Model > Layer[3] > dot.7 > MATMUL
//   kind     layer  layer   layer      hlo     opcode
//
// An instruction adds to its leaf and to all nodes above it, so that each node sums its contents.
constexpr std::uint32_t kRoot = 0;
/// Deeper paths are cut, to bound the table.
constexpr std::uint32_t kMostDepth = 64;

enum class Kind : std::uint8_t { kLayer, kHlo, kOpcode };
constexpr std::string_view kKinds[] = {"layer", "hlo", "opcode"};

struct Node {
  std::string name;
  std::uint32_t parent = kRoot;
  std::uint32_t depth = 0;
  Kind kind = Kind::kLayer;
  std::vector<std::uint32_t> children;
  std::int64_t instructions = 0, flops = 0, transpose_flops = 0;
  profgauge::neuron::Traffic traffic;
  Ns wait = 0, first = -1, last = -1;
  std::array<Ns, profgauge::neuron::kEngines> active{};
  std::vector<Span> all;     // The times of all engines, merged per engine.
  SpanCollector collecting;  // For the current engine.
  bool open = false;         // Has rows of the current engine.
  Ns busy = 0;
  const profgauge::neuron::Layer* stated = nullptr;
};

class Tree {
 public:
  explicit Tree(const NeuronRank& rank) : rank_(rank), nodes_(1) {
    for (const profgauge::neuron::Layer& layer : rank.data->layers) {
      const std::uint32_t node = LayerNode(layer.path);
      if (node != kRoot && rank.whole) nodes_[node].stated = &layer;
    }
    AddInstructions();
    for (Node& node : nodes_) node.busy = Length(Merge(std::exchange(node.all, {})));
    for (Node& node : nodes_) {
      std::stable_sort(
          node.children.begin(), node.children.end(),
          [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].busy > nodes_[b].busy; });
    }
  }

  /// `row`: number of the next row in the table; is advanced.
  void Write(std::int64_t& row, catalog::RowWriter<catalog::columns::kLayers>& write) const {
    // Depth first without recursion, since paths come from the file.
    struct Place {
      std::uint32_t node = kRoot;
      std::int64_t parent = -1;  // A row in the table.
      std::string path;          // The path of the parent.
    };
    std::vector<Place> open;
    const auto push = [&](const Node& parent, std::int64_t parent_row, const std::string& path) {
      for (auto child = parent.children.rbegin(); child != parent.children.rend(); ++child) {
        open.push_back({*child, parent_row, path});
      }
    };
    push(nodes_[kRoot], -1, "");
    while (!open.empty()) {
      const Place place = std::move(open.back());
      open.pop_back();
      const Node& node = nodes_[place.node];
      const std::string path = place.path + "/" + node.name;
      write.Integer("node"_col, row)
          .Known("parent"_col, place.parent)
          .Integer("depth"_col, node.depth);
      WriteNode(node, path, write);
      push(node, row++, path);
    }
  }
  bool empty() const { return nodes_.size() == 1; }

 private:
  // The child of `parent` with this name and kind; adds it if needed, which invalidates references
  // to nodes.
  std::uint32_t Child(std::uint32_t parent, std::string_view name, Kind kind) {
    auto& known = children_[{parent, std::string(name)}];
    if (known == kRoot) {
      known = static_cast<std::uint32_t>(nodes_.size());
      Node& node = nodes_.emplace_back();
      node.name = name;
      node.parent = parent;
      node.depth = parent == kRoot ? 0 : nodes_[parent].depth + 1;
      node.kind = kind;
      nodes_[parent].children.push_back(known);
    }
    return known;
  }

  // The node of a path, e.g. "/sg00/Model/Layer[3]"; kRoot for an empty one.
  std::uint32_t LayerNode(StringId path) {
    if (!path.valid()) return kRoot;
    const auto [found, is_new] = layers_.try_emplace(path.value, kRoot);
    if (!is_new) return found->second;
    std::uint32_t node = kRoot;
    std::string_view rest = rank_.Name(path);
    while (!rest.empty() && (node == kRoot || nodes_[node].depth < kMostDepth)) {
      const auto slash = rest.find('/');
      const std::string_view part = rest.substr(0, slash);
      if (!part.empty()) node = Child(node, part, Kind::kLayer);
      rest.remove_prefix(slash == rest.npos ? rest.size() : slash + 1);
    }
    layers_[path.value] = node;
    return node;
  }

  // The leaf of an instruction: below its layer and operator of the graph, the opcode.
  std::uint32_t LeafOf(const Instruction& row) {
    const std::uint64_t texts =
        (std::uint64_t{row.hlo.value} << 32) | std::uint64_t{row.opcode.value};
    const auto [found, is_new] = leaves_.try_emplace({row.layer.value, texts}, kRoot);
    if (!is_new) return found->second;
    std::uint32_t node = LayerNode(row.layer);
    if (row.hlo.valid()) node = Child(node, rank_.Name(row.hlo), Kind::kHlo);
    const std::string_view opcode = rank_.context->profile->Name(row.opcode);
    node = Child(node, opcode.empty() ? "instruction" : opcode, Kind::kOpcode);
    leaves_[{row.layer.value, texts}] = node;
    return node;
  }

  // Adds instructions in runs: rows of one engine of a core are adjacent. After each run, the
  // touched nodes merge their times: a node's time is a union, by engine and over all.
  void AddInstructions() {
    const auto& rows = rank_.data->instructions;
    std::vector<std::uint32_t> touched;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Instruction& row = rows[i];
      for (std::uint32_t at = LeafOf(row); at != kRoot; at = nodes_[at].parent) {
        Node& node = nodes_[at];
        Add(row, node);
        if (!std::exchange(node.open, true)) touched.push_back(at);
      }
      const bool last =
          i + 1 == rows.size() || rows[i + 1].core != row.core || rows[i + 1].engine != row.engine;
      if (!last) continue;
      for (const std::uint32_t at : touched) Close(row.engine, nodes_[at]);
      touched.clear();
    }
  }

  void Add(const Instruction& row, Node& node) const {
    if (!row.semaphore) node.collecting.Add(row.start, row.duration);
    const Span window = rank_.sums.window;
    if (row.start < window.start || row.start >= window.end) return;
    ++node.instructions;
    node.flops += row.flops;
    if (row.transpose) node.transpose_flops += row.flops;
    node.traffic.Add(row.traffic);
    node.wait += row.wait;
    node.first = node.first < 0 ? row.start : std::min(node.first, row.start);
    node.last = std::max(node.last, row.end());
  }

  void Close(Engine engine, Node& node) const {
    const std::vector<Span> spans = Clip(node.collecting.Take(), rank_.sums.window);
    node.open = false;
    node.all.insert(node.all.end(), spans.begin(), spans.end());
    if (engine != Engine::kOther) node.active[static_cast<std::size_t>(engine)] += Length(spans);
  }

  // The file's own values for a layer have priority over those from rows. They cover the whole
  // profile, so they are only used if no range is selected.
  void WriteNode(const Node& node, const std::string& path,
                 catalog::RowWriter<catalog::columns::kLayers>& write) const {
    const profgauge::neuron::Layer* stated = node.stated;
    const Ns start = stated != nullptr ? stated->start : node.first;
    const Ns duration = stated != nullptr ? stated->duration : node.last - node.first;
    const double peak = rank_.PeakFlops() * static_cast<double>(duration) * 1e-9;
    const std::int64_t model =
        stated != nullptr ? stated->model_flops : profgauge::neuron::kUnknown;
    const std::int64_t useful = model >= 0 ? model : node.flops - node.transpose_flops;
    write.Integer("rank"_col, rank_.context->rank)
        .Text("name"_col, node.name)
        .Text("kind"_col, kKinds[static_cast<int>(node.kind)]);
    write.Integer("active_time"_col, node.busy).Integer("instructions"_col, node.instructions);
    // The profiler divides by the time range of a layer's Tensor Engine work, which is not here.
    const auto utilization = [&](auto column, double as_stated, std::int64_t flops) {
      if (as_stated >= 0) {
        write.Real(column, as_stated);
      } else {
        write.Share(column, static_cast<double>(flops), peak);
      }
    };
    utilization("mfu"_col, stated == nullptr ? -1 : stated->mfu, useful);
    utilization("hfu"_col, stated == nullptr ? -1 : stated->hfu, node.flops);
    write.Flops("flops"_col, node.flops);
    if (model >= 0)
      write.Flops("model_flops"_col, model);
    else
      write.Absent("model_flops"_col);
    write.Flops("transpose_flops"_col, node.transpose_flops);
    const profgauge::neuron::Traffic& moved = node.traffic;
    write.Integer("bytes"_col, moved.hbm_read + moved.hbm_write);
    catalog::AppendTraffic(moved, write);
    catalog::AppendActive(node.active, write);
    write.Integer("wait_time"_col, node.wait);
    write.Known("start"_col, start)
        .Known("duration"_col, node.first < 0 && stated == nullptr ? -1 : duration)
        .Text("path"_col, path);
  }

  const NeuronRank& rank_;
  std::vector<Node> nodes_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::string>, std::uint32_t> children_;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> layers_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> leaves_;
};

}  // namespace

void AddNeuronLayers(std::span<const NeuronRank> ranks, catalog::Output& out) {
  catalog::RowWriter<catalog::columns::kLayers> write(out.AddTable("layers"));
  bool any = false;
  std::int64_t row = 0;
  for (const NeuronRank& rank : ranks) {
    const Tree tree(rank);
    any = any || !tree.empty();
    tree.Write(row, write);
  }
  if (!any) out.RemoveTable("layers", "the file has no instructions and no layers");
}

}  // namespace profgauge::analysis::neuron
