// The metrics and tables of the critical path.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "analysis/path/module_of.h"
#include "analysis/path/replayer.h"
#include "analysis/tables/row_writer.h"

namespace profgauge {
namespace {

constexpr std::string_view kBetweenOps = "(between operators)";
constexpr std::string_view kBetweenThreads = "(from thread to thread)";
constexpr std::string_view kNextOnStream = "(next on its stream)";
constexpr std::string_view kOtherStream = "(waits for another stream)";
constexpr std::string_view kNotExplained = "(nothing recorded explains it)";

// What a row of the table stands for.
struct Part {
  std::int64_t rank = 0;
  PathKind kind = PathKind::kUnknown;
  std::string_view name, op, module, tensor_core;
  friend auto operator<=>(const Part&, const Part&) = default;
};
struct PartSum {
  std::int64_t segments = 0;
  Ns time = 0;
};
using Parts = std::map<Part, PartSum>;

std::string_view OpName(const Profile& profile, HostId op) {
  return op.valid() ? profile.Name(profile.host.name[op.value]) : std::string_view();
}

class PartNamer {
 public:
  explicit PartNamer(const PathGraph& graph)
      : graph_(graph), profile_(*graph.rank().profile), modules_(ModulesOfHost(profile_)) {}

  Part Of(const PathSegment& segment) const {
    Part part{graph_.rank().rank, segment.kind, kNotExplained, {}, {}, {}};
    if (segment.step == PathGraph::kNone || segment.kind == PathKind::kUnknown) return part;
    const PathOwner owner = graph_.OwnerOf(segment.step);
    if (owner.table == PathTable::kDevice) {
      NameDevice(owner.row, segment, part);
    } else if (segment.edge == PathEdge::kThread) {
      part.name = kBetweenThreads;
    } else {
      NameHost(segment.step, part);
    }
    return part;
  }

 private:
  void SetOp(HostId op, Part& part) const {
    part.op = OpName(profile_, op);
    if (op.valid() && !modules_.empty()) part.module = profile_.Name(modules_[op.value]);
  }

  void NameDevice(std::uint32_t row, const PathSegment& segment, Part& part) const {
    SetOp(profile_.device.op[row], part);
    switch (segment.edge) {
      case PathEdge::kLaunch:
        part.name = profile_.Name(profile_.api.name[profile_.device.launch[row].value]);
        break;
      case PathEdge::kStream:
        part.name = kNextOnStream;
        break;
      case PathEdge::kEvent:
        part.name = kOtherStream;
        break;
      default:
        part.name = profile_.Name(profile_.device.name[row]);
        if (segment.kind == PathKind::kKernel) {
          part.tensor_core = TriName(graph_.rank().classes[row].tensor_core);
        }
    }
  }

  void NameHost(PathGraph::StepId step, Part& part) const {
    const PathOwner in = InnermostAt(graph_, step);
    if (in.table == PathTable::kApi) {
      part.name = profile_.Name(profile_.api.name[in.row]);
      SetOp(profile_.api.op[in.row], part);
      return;
    }
    const bool between =
        in.row == PathGraph::kNone || profile_.host.kind[in.row] == HostKind::kIterationMarker;
    part.name = between ? kBetweenOps : profile_.Name(profile_.host.name[in.row]);
    if (!between) SetOp(HostId{in.row}, part);
    part.op = {};
  }

  const PathGraph& graph_;
  const Profile& profile_;
  std::vector<StringId> modules_;
};

void FillPath(const Parts& parts, Ns whole, Table& table) {
  std::vector<Parts::const_iterator> rows;
  for (auto at = parts.begin(); at != parts.end(); ++at) rows.push_back(at);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto a, auto b) { return a->second.time > b->second.time; });
  RowWriter writer(table);
  for (const auto& row : rows) {
    const auto& [part, sum] = *row;
    writer.Integer(part.rank)
        .Text(PathKindTitle(part.kind))
        .Text(part.name)
        .Text(part.op)
        .Text(part.module)
        .Text(part.tensor_core)
        .Integer(sum.segments)
        .Integer(sum.time)
        .Share(static_cast<double>(sum.time), static_cast<double>(whole));
  }
}

// Kernels, copies and sets of one name on one stream.
struct SlackRow {
  std::int64_t calls = 0;
  Ns time = 0, on_path = 0, least = 0;
};
using SlackKey = std::tuple<std::int64_t, std::int32_t, std::int64_t, std::string_view>;
using SlackRows = std::map<SlackKey, SlackRow>;

void AddSlacks(const PathGraph& graph, std::span<const PathSegment> path,
               std::span<const Ns> slacks, SlackRows& rows) {
  const RankContext& rank = graph.rank();
  const DeviceTable& device = rank.profile->device;
  const auto key = [&](std::uint32_t row) {
    return SlackKey{rank.rank, device.gpu[row], device.stream[row],
                    rank.profile->Name(device.name[row])};
  };
  for (PathGraph::StepId step = 0; step < graph.size(); ++step) {
    const PathOwner owner = graph.OwnerOf(step);
    if (owner.table != PathTable::kDevice || !owner.is_end) continue;
    if (!rank.iterations.SelectsIteration(rank.iterations.of_device[owner.row])) continue;
    SlackRow& row = rows[key(owner.row)];
    // Nothing that the iterations wait for follows it: free until they end.
    const Ns slack =
        std::min(slacks[step], std::max<Ns>(0, rank.window().end - graph.RecordedAt(step)));
    row.least = row.calls == 0 ? slack : std::min(row.least, slack);
    ++row.calls;
    row.time += device.duration[owner.row];
  }
  for (const PathSegment& segment : path) {
    if (segment.edge != PathEdge::kDuration || segment.step == PathGraph::kNone) continue;
    const PathOwner owner = graph.OwnerOf(segment.step);
    if (owner.table != PathTable::kDevice) continue;
    const auto found = rows.find(key(owner.row));
    if (found != rows.end()) found->second.on_path += segment.time.length();
  }
}

void FillSlacks(const SlackRows& rows, Table& table) {
  std::vector<SlackRows::const_iterator> order;
  for (auto at = rows.begin(); at != rows.end(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(),
                   [](auto a, auto b) { return a->second.time > b->second.time; });
  RowWriter writer(table);
  for (const auto& at : order) {
    const auto& [rank, gpu, stream, name] = at->first;
    const SlackRow& row = at->second;
    writer.Integer(rank).Integer(gpu).Integer(stream).Text(name).Integer(row.calls);
    writer.Integer(row.time).Integer(row.on_path).Integer(row.least);
  }
}

void SetMetrics(const Replayer& replayer, const PathSums& sums, Ns whole, Output& out) {
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    const auto kind = static_cast<PathKind>(i);
    const std::string id = "critical." + std::string(PathKindId(kind));
    if (kind == PathKind::kWaiting && !replayer.knows_waiting()) {
      const std::string why =
          "needs the recordings of the other ranks: waiting is in critical.transfer";
      out.SetAbsent(id + ".share", why);
      out.SetAbsent(id + ".time", why);
      continue;
    }
    out.Set(id + ".time", sums[i]);
    if (whole > 0) {
      out.Set(id + ".share", static_cast<double>(sums[i]) / static_cast<double>(whole));
    } else {
      out.SetAbsent(id + ".share", "the iterations have no length");
    }
  }
  if (!replayer.knows_waiting() && sums[static_cast<std::size_t>(PathKind::kTransfer)] > 0) {
    out.SetNote("critical.transfer.share", "with waiting for other ranks, which are not recorded");
  }
}

void SetAbsent(const std::string& why, Output& out) {
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    const std::string id = "critical." + std::string(PathKindId(static_cast<PathKind>(i)));
    out.SetAbsent(id + ".share", why);
    out.SetAbsent(id + ".time", why);
  }
  out.SetTableAbsent("critical_path", why);
  out.SetTableAbsent("slack", why);
}

}  // namespace

void AddCriticalPath(const Replayer& replayer, Output& out) {
  if (!replayer.can_replay()) return SetAbsent(replayer.why_not(), out);
  Parts parts;
  SlackRows slacks;
  PathSums sums{};
  Ns whole = 0;
  const std::vector<std::vector<Ns>> of_steps = replayer.Slacks();
  for (std::size_t i = 0; i < replayer.graphs().size(); ++i) {
    const PathGraph& graph = replayer.graphs()[i];
    const std::vector<PathSegment> path =
        CriticalPath(graph, {}, graph.Replay({}), replayer.transfers(i));
    const PartNamer namer(graph);
    for (const PathSegment& segment : path) {
      PartSum& sum = parts[namer.Of(segment)];
      ++sum.segments;
      sum.time += segment.time.length();
      sums[static_cast<std::size_t>(segment.kind)] += segment.time.length();
      whole += segment.time.length();
    }
    AddSlacks(graph, path, of_steps[i], slacks);
  }
  SetMetrics(replayer, sums, whole, out);
  FillPath(parts, whole, out.AddTable("critical_path"));
  if (slacks.empty()) {
    out.SetTableAbsent("slack", out.Gap(Capability::kDeviceEvents));
  } else {
    FillSlacks(slacks, out.AddTable("slack"));
  }
}

}  // namespace profgauge
