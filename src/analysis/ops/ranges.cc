#include "analysis/ops/modules.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/tables/op_columns.h"
#include "analysis/tables/row_writer.h"

namespace profgauge::analysis::ops {
namespace {

// The place of a range: the one around it, its name and its domain.
using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Places = std::map<Place, std::uint32_t>;

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

void AddCall(Ns time, RangeSum& range) {
  range.shortest = range.calls == 0 ? time : std::min(range.shortest, time);
  range.longest = std::max(range.longest, time);
  range.host_total += time;
  range.host_self += time;
  ++range.calls;
}

// A parent is before its children: rows are sorted by start, the longest first.
// O(host rows). Ranges of iterations that are not selected stay out, but ranges in them do not lose
// their place: their node is that of the range around.
NodeOf FindRanges(const context::RankContext& rank, std::vector<RangeSum>& out) {
  const HostTable& host = rank.profile->host;
  NodeOf node_of(host.size(), tables::kNoNode);
  StringPool names;
  Places places;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId above = host.parent[row];
    const std::uint32_t parent =
        above.valid() && above.value < row ? node_of[above.value] : tables::kNoNode;
    node_of[row] = parent;
    if (!IsRange(host, row) || !rank.iterations.SelectsHostTime(host.start[row])) continue;
    const StringId name = names.Intern(WithoutNumber(rank.profile->Name(host.name[row])));
    const auto [place, is_new] = places.try_emplace({parent, name.value, host.domain[row].value},
                                                    static_cast<std::uint32_t>(out.size()));
    if (is_new) {
      RangeSum& range = out.emplace_back();
      range.parent = parent;
      range.name = names[name];
      range.domain = rank.profile->Name(host.domain[row]);
    }
    node_of[row] = place->second;
    const Ns time = std::max<Ns>(host.duration[row], 0);
    AddCall(time, out[place->second]);
    if (parent != tables::kNoNode) out[parent].host_self -= time;
  }
  return node_of;
}

// By the innermost range around the launching call; work without a recorded launch is in no range.
void AddDeviceWork(const context::RankContext& rank, const NodeOf& node_of,
                   std::vector<RangeSum>& out) {
  const DeviceTable& device = rank.profile->device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid() || !rank.iterations.SelectsDevice(row)) continue;
    const HostId around = rank.profile->api.op[device.launch[row].value];
    if (!around.valid() || node_of[around.value] == tables::kNoNode) continue;
    RangeSum& range = out[node_of[around.value]];
    range.device_self += std::max<Ns>(device.duration[row], 0);
    range.kernels += device.kind[row] == DeviceKind::kKernel ? 1 : 0;
  }
}

// A range of the run at its place in the hierarchy.
struct Range {
  StringId name, domain;
  std::int64_t calls = 0, kernels = 0;
  Ns host_total = 0, host_self = 0, shortest = 0, longest = 0, device_total = 0, device_self = 0;
};

struct Ranges {
  std::vector<Range> ranges;
  std::vector<std::uint32_t> parents;
  Places places;
};

void Merge(const RangeFacts& rank, StringPool& strings, Ranges& out) {
  std::vector<std::uint32_t> node_of;
  for (const RangeSum& sum : rank.ranges) {
    const StringId name = strings.Intern(sum.name), domain = strings.Intern(sum.domain);
    const std::uint32_t parent =
        sum.parent == tables::kNoNode ? tables::kNoNode : node_of[sum.parent];
    const auto [place, is_new] = out.places.try_emplace(
        {parent, name.value, domain.value}, static_cast<std::uint32_t>(out.ranges.size()));
    if (is_new) {
      out.ranges.push_back({name, domain});
      out.parents.push_back(parent);
    }
    node_of.push_back(place->second);
    Range& range = out.ranges[place->second];
    range.shortest = is_new ? sum.shortest : std::min(range.shortest, sum.shortest);
    range.longest = std::max(range.longest, sum.longest);
    range.calls += sum.calls;
    range.kernels += sum.kernels;
    range.host_total += sum.host_total;
    range.host_self += sum.host_self;
    range.device_self += sum.device_self;
  }
}

// Children have higher numbers than their parents.
void SumUp(Ranges& found) {
  for (Range& range : found.ranges) {
    range.device_total = range.device_self;
    range.host_self = std::max<Ns>(range.host_self, 0);
  }
  for (std::size_t i = found.ranges.size(); i-- > 0;) {
    if (found.parents[i] == tables::kNoNode) continue;
    found.ranges[found.parents[i]].device_total += found.ranges[i].device_total;
    found.ranges[found.parents[i]].kernels += found.ranges[i].kernels;
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool IsGradientWord(std::string_view word) {
  return word == "grad" || word == "gradient" || word == "gradients" || word == "backward" ||
         word == "bprop";
}

// "dense n" of "Dense 1", "Dense 1 grad", "grad_Dense 1": the common part of a range and that of
// its gradient if a program names both.
std::string NameOfLayer(std::string_view name) {
  std::string layer = Lower(name);
  const auto cut = [&](std::size_t from, std::size_t to, std::size_t word, std::size_t end) {
    if (!IsGradientWord(std::string_view(layer).substr(word, end - word))) return;
    layer.erase(from, to - from);
  };
  constexpr std::string_view kBetween = " _-:/.";
  const auto last = layer.find_last_of(kBetween);
  if (last != layer.npos) cut(last, layer.size(), last + 1, layer.size());
  const auto first = layer.find_first_of(kBetween);
  if (first != layer.npos) cut(0, first + 1, 0, first);
  return Lower(WithoutNumber(layer));
}

// The gradient's range of a forward one, where both are marked (nvtx-plugins: two domains).
struct Gradient {
  StringId name;
  Ns host = 0, device = 0;
};

// By forward range. Where several forward ranges are called alike, nothing shows whose it is.
//
//   domain Forward    "Dense N", of "Dense 1" and "Dense 2"    layer "dense n"
//   domain Gradient   "Dense 1 grad", "Dense 2 grad"           layer "dense n": both add up for
//                                                              "Dense N"
std::map<std::uint32_t, Gradient> PairGradients(const Ranges& found, const StringPool& strings) {
  constexpr std::uint32_t kSeveral = tables::kNoNode;
  std::map<std::string, std::uint32_t> forward;
  std::vector<std::uint32_t> gradients;
  for (std::uint32_t i = 0; i < found.ranges.size(); ++i) {
    const Range& range = found.ranges[i];
    if (strings[range.domain].empty()) continue;
    if (IsGradientWord(Lower(strings[range.domain]))) {
      gradients.push_back(i);
    } else {
      const auto [place, is_new] = forward.try_emplace(NameOfLayer(strings[range.name]), i);
      if (!is_new) place->second = kSeveral;
    }
  }
  std::map<std::uint32_t, Gradient> pairs;
  for (const std::uint32_t i : gradients) {
    const Range& range = found.ranges[i];
    const auto match = forward.find(NameOfLayer(strings[range.name]));
    if (match == forward.end() || match->second == kSeveral) continue;
    Gradient& gradient = pairs[match->second];
    gradient.name = range.name;
    gradient.host += range.host_total;
    gradient.device += range.device_total;
  }
  return pairs;
}

void Fill(const Ranges& found, bool has_device, Table& table) {
  const auto order = tables::TreeOrder(found.parents);
  const auto gradients = PairGradients(found, table.strings());
  tables::TreeCells tree(found.parents, 0);
  tables::RowWriter<tables::columns::kRanges> write(table);
  for (const std::uint32_t node : order) {
    const Range& range = found.ranges[node];
    tree.Append(node, write);
    write.Text("name"_col, range.name)
        .Text("domain"_col, table.strings()[range.domain])
        .Integer("calls"_col, range.calls)
        .Integer("host_total"_col, range.host_total)
        .Integer("mean"_col, range.host_total / range.calls)
        .Integer("min"_col, range.shortest)
        .Integer("max"_col, range.longest)
        .Integer("host_self"_col, range.host_self)
        .IntegerIf("device_total"_col, has_device, range.device_total)
        .IntegerIf("device_self"_col, has_device, range.device_self)
        .IntegerIf("kernels"_col, has_device, range.kernels);
    const auto found_gradient = gradients.find(node);
    if (found_gradient == gradients.end()) {
      write.Absent("gradient"_col, "gradient_host"_col, "gradient_device"_col);
      continue;
    }
    const Gradient& gradient = found_gradient->second;
    write.Text("gradient"_col, gradient.name)
        .Integer("gradient_host"_col, gradient.host)
        .IntegerIf("gradient_device"_col, has_device, gradient.device);
  }
  if (!gradients.empty()) return;
  for (const char* column : {"gradient", "gradient_host", "gradient_device"}) {
    table.Find(column)->MarkAbsent(
        "no range in a domain of gradients has the name of a range in another domain");
  }
}

}  // namespace

RangeFacts RangeFactsOf(const context::RankContext& rank) {
  RangeFacts facts;
  const NodeOf node_of = FindRanges(rank, facts.ranges);
  AddDeviceWork(rank, node_of, facts.ranges);
  facts.has_device = rank.has_device();
  return facts;
}

void AddRanges(std::span<const RangeFacts> ranks, tables::Output& out) {
  Ranges found;
  bool has_device = false;
  for (const RangeFacts& rank : ranks) {
    Merge(rank, out.strings(), found);
    has_device = has_device || rank.has_device;
  }
  if (found.ranges.empty()) {
    out.SetTableAbsent("ranges",
                       "needs ranges marked by the program: torch.profiler.record_function, NVTX");
    return;
  }
  SumUp(found);
  Fill(found, has_device, out.AddTable("ranges"));
}

}  // namespace profgauge::analysis::ops
