#include "analysis/ops/modules.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/row_writer.h"
#include "base/numbers.h"

namespace profgauge::analysis::ops {
namespace {

constexpr std::uint32_t kNone = kNoIndex;

// A relevant event on one thread.
struct Item {
  enum Kind : std::uint8_t { kModule, kOp, kLaunch };
  Ns start = 0, end = 0;
  Kind kind = kModule;
  std::uint32_t row = 0;  // In python (in host if ranges name the modules), host or device.
};

// Lightning's profiler records a range with this prefix for each call of a module.
constexpr std::string_view kLightningModule = "[pl][module]";

// One call of a module.
struct Call {
  std::uint32_t row = 0;         // Like in Item.
  std::uint32_t parent = kNone;  // The parent module's call.
  bool in_op = false;            // There is an operator between both.
  std::int64_t operators = 0;
  Ns host_self = 0, device_self = 0, device_total = 0, backward_device = 0;
};

using Threads = std::map<std::uint32_t, std::vector<Item>>;

struct Calls {
  bool of_ranges = false;            // Rows of calls are host rows.
  std::vector<Call> calls;           // Parents come first.
  std::vector<std::uint32_t> of_op;  // By host row: the innermost call around it, or kNone.
};

void AddFrames(const iterations::RankContext& rank, Threads& threads) {
  const PythonTable& python = rank.profile->python;
  for (std::uint32_t row = 0; row < python.size(); ++row) {
    if (python.module_id[row] < 0 || !python.thread[row].valid()) continue;
    if (!rank.iterations.SelectsHostTime(python.start[row])) continue;
    const Ns end = python.start[row] + std::max<Ns>(python.duration[row], 0);
    threads[python.thread[row].value].push_back({python.start[row], end, Item::kModule, row});
  }
}

void AddLightning(const iterations::RankContext& rank, Threads& threads) {
  const HostTable& host = rank.profile->host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kAnnotation || !host.thread[row].valid()) continue;
    if (!rank.profile->Name(host.name[row]).starts_with(kLightningModule)) continue;
    if (!rank.iterations.SelectsHostTime(host.start[row])) continue;
    const Ns end = host.start[row] + std::max<Ns>(host.duration[row], 0);
    threads[host.thread[row].value].push_back({host.start[row], end, Item::kModule, row});
  }
}

// Returns the items of threads with modules, by start, the longer first, so that containers come
// first. Sets `of_ranges` if there are no Python frames of modules: then Lightning's ranges name
// them.
Threads ItemsByThread(const iterations::RankContext& rank, bool& of_ranges) {
  const Profile& profile = *rank.profile;
  Threads threads;
  AddFrames(rank, threads);
  if (threads.empty()) {
    AddLightning(rank, threads);
    of_ranges = true;
  }
  if (threads.empty()) return threads;
  const HostTable& host = profile.host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!rank.tree.IsOp(row) || !host.thread[row].valid()) continue;
    const auto thread = threads.find(host.thread[row].value);
    if (thread == threads.end()) continue;
    const Ns end = host.start[row] + std::max<Ns>(host.duration[row], 0);
    thread->second.push_back({host.start[row], end, Item::kOp, row});
  }
  const DeviceTable& device = profile.device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.op[row].valid() || !device.launch[row].valid()) continue;
    const std::uint32_t call = device.launch[row].value;
    const auto thread = threads.find(profile.api.thread[call].value);
    if (thread == threads.end()) continue;
    const Ns start = profile.api.start[call];
    thread->second.push_back({start, start, Item::kLaunch, row});
  }
  for (auto& [thread, items] : threads) {
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.start, b.end, a.kind) < std::tuple(b.start, a.end, b.kind);
    });
  }
  return threads;
}

// An open call: of a module, or of an operator (kNone).
struct Open {
  Ns end = 0;
  std::uint32_t call = kNone;
};

// Uses a stack. A module's own time excludes modules and operators directly in it:
//
//   Net       |------------------------------|     own: 30 - 14
//   Linear        |------------|                   own: 14 - 6
//   op               |----|                        keeps all time inside it
//   launch                   ^                     device work without an operator: for Linear
//
// A module within an operator (`in_op`) adds nothing to its parent module: the operator's device
// total already includes its work.
void Sweep(const iterations::RankContext& rank, const std::vector<Item>& items, Calls& out) {
  std::vector<Open> open;
  for (const Item& item : items) {
    while (!open.empty() && open.back().end <= item.start) open.pop_back();
    const bool direct = !open.empty() && open.back().call != kNone;
    std::uint32_t around = kNone;
    for (auto frame = open.rbegin(); frame != open.rend() && around == kNone; ++frame) {
      around = frame->call;
    }
    Call* outer = direct ? &out.calls[open.back().call] : nullptr;
    const Ns inside = open.empty() ? 0 : std::min(item.end, open.back().end) - item.start;
    if (outer != nullptr) outer->host_self -= inside;
    if (item.kind == Item::kLaunch) {
      if (outer != nullptr) outer->device_self += rank.profile->device.duration[item.row];
    } else if (item.kind == Item::kOp) {
      out.of_op[item.row] = around;
      if (outer != nullptr) {
        ++outer->operators;
        outer->device_self += rank.tree.device_total[item.row];
      }
      open.push_back({item.end, kNone});
    } else {
      open.push_back({item.end, static_cast<std::uint32_t>(out.calls.size())});
      Call call;
      call.row = item.row;
      call.parent = around;
      call.in_op = around != kNone && !direct;
      call.host_self = item.end - item.start;
      out.calls.push_back(call);
    }
  }
}

// Adds device work of backward operators to the modules of their forward operators, and to all
// parents. Each linked backward operator counts once, including its content: `linked` prevents
// operators inside from counting again.
void AddBackward(const iterations::RankContext& rank, Calls& calls) {
  const HostTable& host = rank.profile->host;
  std::vector<std::uint8_t> linked(host.size(), 0);  // It or a parent has a link.
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!rank.tree.IsOp(row)) continue;
    const std::uint32_t above = rank.tree.parent[row];
    linked[row] = above != flops::OpTree::kNone && above < row ? linked[above] : 0;
    if (linked[row] != 0 || !host.forward[row].valid()) continue;
    linked[row] = 1;
    const std::uint32_t forward = rank.tree.representative[host.forward[row].value];
    const std::uint32_t call = forward == flops::OpTree::kNone ? kNone : calls.of_op[forward];
    for (std::uint32_t at = call; at != kNone; at = calls.calls[at].parent) {
      calls.calls[at].backward_device += rank.tree.device_total[row];
    }
  }
}

Calls FindCalls(const iterations::RankContext& rank) {
  Calls out;
  out.of_op.assign(rank.profile->host.size(), kNone);
  for (const auto& [thread, items] : ItemsByThread(rank, out.of_ranges)) Sweep(rank, items, out);
  for (Call& call : out.calls) {
    call.device_total = call.device_self;
    call.host_self = std::max<Ns>(call.host_self, 0);
  }
  for (std::size_t i = out.calls.size(); i-- > 0;) {
    const Call& call = out.calls[i];
    if (call.parent != kNone && !call.in_op) {
      out.calls[call.parent].device_total += call.device_total;
    }
  }
  AddBackward(rank, out);
  return out;
}

// Identifies a module: its parent, name and number.
using ModulePlaces =
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::uint32_t>;

std::string_view NameOf(std::string_view recorded) {
  for (const std::string_view prefix : {std::string_view("nn.Module: "), kLightningModule}) {
    if (recorded.starts_with(prefix)) recorded.remove_prefix(prefix.size());
  }
  return recorded;
}

void AddTo(ModuleSum& module, const ModuleSum& more) {
  module.calls += more.calls;
  module.operators += more.operators;
  module.host_total += more.host_total;
  module.host_self += more.host_self;
  module.device_total += more.device_total;
  module.device_self += more.device_self;
  module.backward_device += more.backward_device;
}

// The index in `out` of the sum for this module; adds a new sum if there is none.
std::uint32_t AddAt(std::uint32_t parent, StringId name, const ModuleSum& sum, ModulePlaces& places,
                    std::vector<ModuleSum>& out) {
  const auto [place, is_new] =
      places.try_emplace({parent, name.value, sum.id}, static_cast<std::uint32_t>(out.size()));
  if (is_new) {
    out.push_back(sum);
    out.back().parent = parent;
  } else {
    AddTo(out[place->second], sum);
  }
  return place->second;
}

std::vector<ModuleSum> SumCalls(const iterations::RankContext& rank) {
  const Calls found = FindCalls(rank);
  const PythonTable& python = rank.profile->python;
  const HostTable& host = rank.profile->host;
  StringPool names;
  ModulePlaces places;
  std::vector<ModuleSum> out;
  std::vector<std::uint32_t> place_of;
  for (const Call& call : found.calls) {
    const StringId recorded = found.of_ranges ? host.name[call.row] : python.name[call.row];
    const Ns duration = found.of_ranges ? host.duration[call.row] : python.duration[call.row];
    const StringId name = names.Intern(NameOf(rank.profile->Name(recorded)));
    ModuleSum sum;
    sum.name = names[name];
    sum.id = found.of_ranges ? -1 : python.module_id[call.row];
    sum.calls = 1;
    sum.operators = call.operators;
    sum.host_total = std::max<Ns>(duration, 0);
    sum.host_self = call.host_self;
    sum.device_total = call.device_total;
    sum.device_self = call.device_self;
    sum.backward_device = call.backward_device;
    const std::uint32_t parent = call.parent == kNone ? catalog::kNoNode : place_of[call.parent];
    place_of.push_back(AddAt(parent, name, sum, places, out));
  }
  return out;
}

void Merge(const ModuleFacts& rank, StringPool& strings, ModulePlaces& places,
           std::vector<ModuleSum>& out) {
  std::vector<std::uint32_t> place_of;
  for (const ModuleSum& sum : rank.modules) {
    const std::uint32_t parent =
        sum.parent == catalog::kNoNode ? catalog::kNoNode : place_of[sum.parent];
    place_of.push_back(AddAt(parent, strings.Intern(sum.name), sum, places, out));
  }
}

void Fill(const std::vector<ModuleSum>& modules, bool has_device, StringPool& strings,
          Table& table) {
  std::vector<std::uint32_t> parents;
  for (const ModuleSum& module : modules) parents.push_back(module.parent);
  const auto order = catalog::TreeOrder(parents);
  catalog::TreeCells tree(parents, 0);
  catalog::RowWriter<catalog::columns::kModules> write(table);
  for (const std::uint32_t node : order) {
    const ModuleSum& module = modules[node];
    tree.Append(node, write);
    write.Text("name"_col, strings.Intern(module.name))
        .Integer("calls"_col, module.calls)
        .Integer("operators"_col, module.operators)
        .Integer("host_total"_col, module.host_total)
        .Integer("host_self"_col, module.host_self)
        .IntegerIf("device_total"_col, has_device, module.device_total)
        .IntegerIf("device_self"_col, has_device, module.device_self)
        .IntegerIf("backward_device"_col, has_device, module.backward_device)
        .Integer("mean"_col, module.host_total / module.calls);
  }
}

}  // namespace

ModuleFacts ModuleFactsOf(const iterations::RankContext& rank) {
  ModuleFacts facts;
  facts.modules = SumCalls(rank);
  facts.has_device = rank.has_device();
  return facts;
}

std::vector<breakdown::NameWork> ModuleWorkOf(const iterations::RankContext& rank) {
  const Calls found = FindCalls(rank);
  const PythonTable& python = rank.profile->python;
  const HostTable& host = rank.profile->host;
  std::vector<Ns> backward;  // Without inner calls.
  for (const Call& call : found.calls) backward.push_back(call.backward_device);
  for (const Call& call : found.calls) {
    if (call.parent != kNone) backward[call.parent] -= call.backward_device;
  }
  breakdown::NamedWork work(rank);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < found.calls.size(); ++i) {
    const Call& call = found.calls[i];
    const StringId recorded = found.of_ranges ? host.name[call.row] : python.name[call.row];
    const Ns start = found.of_ranges ? host.start[call.row] : python.start[call.row];
    std::string path = call.parent == kNone ? std::string() : paths[call.parent] + "/";
    paths.push_back(path += NameOf(rank.profile->Name(recorded)));
    work.Add(path, rank.iterations.AtHostTime(start), call.device_self + backward[i],
             call.host_self);
  }
  return work.Take();
}

void AddModules(std::span<const ModuleFacts> ranks, catalog::Output& out) {
  std::vector<ModuleSum> modules;
  ModulePlaces places;
  bool has_device = false;
  for (const ModuleFacts& rank : ranks) {
    Merge(rank, out.strings(), places, modules);
    has_device = has_device || rank.has_device;
  }
  if (modules.empty()) {
    out.SetTableAbsent("modules",
                       "needs the Python frames of nn.Modules, which PyTorch's profiler records "
                       "by with_modules=True and with_stack=True");
    return;
  }
  Fill(modules, has_device, out.strings(), out.AddTable("modules"));
}

namespace {

// Identifies a range: its parent, name and domain.
using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Places = std::map<Place, std::uint32_t>;

bool IsRange(const HostTable& host, std::uint32_t row) {
  return host.kind[row] == HostKind::kAnnotation || host.kind[row] == HostKind::kIterationMarker;
}

// Returns "ProfilerStep#N" for "ProfilerStep#5", "batch N" for "batch 12"; other names unchanged.
std::string WithoutNumber(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size()) return std::string(name);
  const char before = name[last];
  if (before != '#' && before != ' ' && before != '_' && before != ':') return std::string(name);
  return std::string(name.substr(0, last + 1)) + "N";
}

// By host row: the node of the range itself or the innermost one around it, or kNoNode.
using NodeOf = std::vector<std::uint32_t>;

void AddCall(Ns time, RangeSum& range) {
  range.shortest = range.calls == 0 ? time : std::min(range.shortest, time);
  range.longest = std::max(range.longest, time);
  range.host_total += time;
  range.host_self += time;
  ++range.calls;
}

// Sets the node of each host row. Parents come first, since rows are sorted by start, the longest
// first. O(host rows). A range in an unselected iteration is no node: it, and work in it, belong to
// the node of the outer range.
NodeOf FindRanges(const iterations::RankContext& rank, std::vector<RangeSum>& out) {
  const HostTable& host = rank.profile->host;
  NodeOf node_of(host.size(), catalog::kNoNode);
  StringPool names;
  Places places;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId above = host.parent[row];
    const std::uint32_t parent =
        above.valid() && above.value < row ? node_of[above.value] : catalog::kNoNode;
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
    if (parent != catalog::kNoNode) out[parent].host_self -= time;
  }
  return node_of;
}

// Adds work to the innermost range around its launching call; work without one is in no range.
void AddDeviceWork(const iterations::RankContext& rank, const NodeOf& node_of,
                   std::vector<RangeSum>& out) {
  const DeviceTable& device = rank.profile->device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid() || !rank.iterations.SelectsDevice(row)) continue;
    const HostId around = rank.profile->api.op[device.launch[row].value];
    if (!around.valid() || node_of[around.value] == catalog::kNoNode) continue;
    RangeSum& range = out[node_of[around.value]];
    range.device_self += std::max<Ns>(device.duration[row], 0);
    range.kernels += device.kind[row] == DeviceKind::kKernel ? 1 : 0;
  }
}

// A range of the run, with its position in the hierarchy.
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
        sum.parent == catalog::kNoNode ? catalog::kNoNode : node_of[sum.parent];
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

// Children have larger indices than their parents.
void SumUp(Ranges& found) {
  for (Range& range : found.ranges) {
    range.device_total = range.device_self;
    range.host_self = std::max<Ns>(range.host_self, 0);
  }
  for (std::size_t i = found.ranges.size(); i-- > 0;) {
    if (found.parents[i] == catalog::kNoNode) continue;
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

// Returns "dense n" for "Dense 1", "Dense 1 grad" and "grad_Dense 1": the common part of a range
// and of its gradient, if a program marks both.
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

// The gradient range of a forward range, if a program marks both (nvtx-plugins, in two domains).
struct Gradient {
  StringId name;
  Ns host = 0, device = 0;
};

// Gradients by forward range. If several forward ranges have one layer, its gradients get none.
//
//   domain Forward    "Dense N", of "Dense 1" and "Dense 2"    layer "dense n"
//   domain Gradient   "Dense 1 grad", "Dense 2 grad"           layer "dense n": both are added
//                                                              to "Dense N"
std::map<std::uint32_t, Gradient> PairGradients(const Ranges& found, const StringPool& strings) {
  constexpr std::uint32_t kSeveral = catalog::kNoNode;
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
  const auto order = catalog::TreeOrder(found.parents);
  const auto gradients = PairGradients(found, table.strings());
  catalog::TreeCells tree(found.parents, 0);
  catalog::RowWriter<catalog::columns::kRanges> write(table);
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

RangeFacts RangeFactsOf(const iterations::RankContext& rank) {
  RangeFacts facts;
  const NodeOf node_of = FindRanges(rank, facts.ranges);
  AddDeviceWork(rank, node_of, facts.ranges);
  facts.has_device = rank.has_device();
  return facts;
}

void AddRanges(std::span<const RangeFacts> ranks, catalog::Output& out) {
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
