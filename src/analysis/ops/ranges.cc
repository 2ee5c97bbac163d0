#include "analysis/ops/ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/tables/tree_rows.h"

namespace profgauge {
namespace {

// A range at its place in the hierarchy.
struct Range {
  StringId name, domain;
  std::int64_t calls = 0, kernels = 0;
  Ns host_total = 0, host_self = 0, shortest = 0, longest = 0, device_total = 0, device_self = 0;
};

struct Ranges {
  std::vector<Range> ranges;
  std::vector<std::uint32_t> parents;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> places;
};

bool IsRange(const HostTable& host, std::uint32_t row) {
  return host.kind[row] == HostKind::kAnnotation || host.kind[row] == HostKind::kIterationMarker;
}

// "ProfilerStep#N" of "ProfilerStep#5", "batch N" of "batch 12"; other names as they are.
std::string WithoutNumber(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size()) return std::string(name);
  const char before = name[last];
  if (before != '#' && before != ' ' && before != '_' && before != ':') return std::string(name);
  return std::string(name.substr(0, last + 1)) + "N";
}

// Per host row: the node of the innermost range around it or that it is, or kNoNode.
using NodeOf = std::vector<std::uint32_t>;

void AddCall(const HostTable& host, std::uint32_t row, Range& range) {
  const Ns time = std::max<Ns>(host.duration[row], 0);
  range.shortest = range.calls == 0 ? time : std::min(range.shortest, time);
  range.longest = std::max(range.longest, time);
  range.host_total += time;
  range.host_self += time;
  ++range.calls;
}

// A parent stands before its children: rows are sorted by start, the longest first.
NodeOf FindRanges(const RankContext& rank, StringPool& strings, Ranges& out) {
  const HostTable& host = rank.profile->host;
  NodeOf node_of(host.size(), kNoNode);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId above = host.parent[row];
    const std::uint32_t parent =
        above.valid() && above.value < row ? node_of[above.value] : kNoNode;
    node_of[row] = parent;
    if (!IsRange(host, row) || !rank.iterations.SelectsHostTime(host.start[row])) continue;
    const StringId name = strings.Intern(WithoutNumber(rank.profile->Name(host.name[row])));
    const StringId domain = strings.Intern(rank.profile->Name(host.domain[row]));
    const auto [place, is_new] = out.places.try_emplace(
        {parent, name.value, domain.value}, static_cast<std::uint32_t>(out.ranges.size()));
    if (is_new) {
      out.ranges.push_back({name, domain});
      out.parents.push_back(parent);
    }
    node_of[row] = place->second;
    AddCall(host, row, out.ranges[place->second]);
    if (parent != kNoNode) out.ranges[parent].host_self -= std::max<Ns>(host.duration[row], 0);
  }
  return node_of;
}

void AddDeviceWork(const RankContext& rank, const NodeOf& node_of, Ranges& out) {
  const DeviceTable& device = rank.profile->device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid() || !rank.iterations.SelectsDevice(row)) continue;
    const HostId around = rank.profile->api.op[device.launch[row].value];
    if (!around.valid() || node_of[around.value] == kNoNode) continue;
    Range& range = out.ranges[node_of[around.value]];
    range.device_self += std::max<Ns>(device.duration[row], 0);
    range.kernels += device.kind[row] == DeviceKind::kKernel ? 1 : 0;
  }
}

// Children have higher numbers than their parents.
void SumUp(Ranges& found) {
  for (Range& range : found.ranges) {
    range.device_total = range.device_self;
    range.host_self = std::max<Ns>(range.host_self, 0);
  }
  for (std::size_t i = found.ranges.size(); i-- > 0;) {
    if (found.parents[i] == kNoNode) continue;
    found.ranges[found.parents[i]].device_total += found.ranges[i].device_total;
    found.ranges[found.parents[i]].kernels += found.ranges[i].kernels;
  }
}

void Fill(const Ranges& found, bool has_device, Table& table) {
  const auto order = TreeOrder(found.parents);
  AppendTreeColumns(found.parents, order, 0, table);
  const auto integer = [&](std::string_view id, std::int64_t value) {
    table.Find(id)->AddInteger(value);
  };
  const auto device = [&](std::string_view id, std::int64_t value) {
    integer(id, has_device ? value : Column::kAbsentInteger);
  };
  for (const std::uint32_t node : order) {
    const Range& range = found.ranges[node];
    table.Find("name")->AddText(range.name);
    if (table.strings()[range.domain].empty()) {
      table.Find("domain")->AddAbsent();
    } else {
      table.Find("domain")->AddText(range.domain);
    }
    integer("calls", range.calls);
    integer("host_total", range.host_total);
    integer("mean", range.host_total / range.calls);
    integer("min", range.shortest);
    integer("max", range.longest);
    integer("host_self", range.host_self);
    device("device_total", range.device_total);
    device("device_self", range.device_self);
    device("kernels", range.kernels);
  }
}

}  // namespace

void AddRanges(std::span<const RankContext> ranks, Output& out) {
  Ranges found;
  bool has_device = false;
  for (const RankContext& rank : ranks) {
    const NodeOf node_of = FindRanges(rank, out.strings(), found);
    AddDeviceWork(rank, node_of, found);
    has_device = has_device || rank.has_device();
  }
  if (found.ranges.empty()) {
    out.SetTableAbsent("ranges",
                       "needs ranges that the program marks: torch.profiler.record_function, NVTX");
    return;
  }
  SumUp(found);
  Fill(found, has_device, out.AddTable("ranges"));
}

}  // namespace profgauge
