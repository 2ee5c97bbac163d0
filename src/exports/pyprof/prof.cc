#include "exports/pyprof/prof.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/flops/op_call.h"
#include "analysis/flops/op_work.h"
#include "base/python_literal.h"
#include "base/text.h"

namespace profgauge::exports::pyprof {
namespace {

constexpr ColumnName kColumns[] = {
    {"idx", "Idx", 7},       {"seq", "SeqId", 7},     {"altseq", "AltSeqId", 7},
    {"tid", "TId", 12},      {"layer", "Layer", 10},  {"trace", "Trace", 25},
    {"dir", "Direction", 5}, {"sub", "Sub", 3},       {"mod", "Module", 15},
    {"op", "Op", 15},        {"kernel", "Kernel", 0}, {"params", "Params", 0},
    {"sil", "Sil(ns)", 10},  {"tc", "TC", 2},         {"device", "Device", 3},
    {"stream", "Stream", 3}, {"grid", "Grid", 12},    {"block", "Block", 12},
    {"flops", "FLOPs", 12},  {"bytes", "Bytes", 12},
};

template <class T>
std::string Joined(const std::vector<T>& items, std::string_view separator) {
  if (items.empty()) return "-";
  return fmt::format("{}", fmt::join(items, separator));
}

std::string WithoutBlanks(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

std::string Dimensions(const Profile& profile, std::uint32_t row, bool grid) {
  const LaunchConfigId config = profile.device.config[row];
  if (!config.valid()) return "-";
  const LaunchConfig& launch = profile.launch_configs[config.value];
  const auto& size = grid ? launch.grid : launch.block;
  return fmt::format("{},{},{}", size[0], size[1], size[2]);
}

std::string FirstOr(const std::vector<std::string>& texts, std::string_view otherwise) {
  return texts.empty() ? std::string(otherwise) : texts.front();
}

}  // namespace

std::span<const ColumnName> AllColumns() { return kColumns; }

std::vector<std::size_t> DefaultColumns() {
  std::vector<std::size_t> chosen;
  for (const std::string_view name :
       {"idx", "dir", "sub", "mod", "op", "kernel", "params", "sil"}) {
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      if (kColumns[i].option == name) chosen.push_back(i);
    }
  }
  return chosen;
}

KernelRows BuildKernelRows(const SelectedRank& rank) {
  const Profile& profile = *rank.profile;
  KernelRows rows;
  Prof prof(profile);
  for (const KernelRecord& record : BuildRecords(profile)) {
    const ProfResult result = prof(record);  // For all: later ones depend on it.
    if (!rank.HasWork(record.row)) continue;
    if (!result.understood) ++rows.unattributed;
    const DeviceTable& device = profile.device;
    rows.cells.push_back({
        fmt::format("{}", rows.cells.size() + 1),
        Joined(record.seq_ids, ","),
        Joined(record.alt_seq_ids, ","),
        fmt::format("{}", record.thread),
        Joined(record.layers, ":"),
        Joined(record.trace, ","),
        record.backward ? "bprop" : "fprop",
        fmt::format("{}", record.sub_seq),
        result.module.empty() ? FirstOr(record.modules, "na") : result.module,
        result.op.empty() ? FirstOr(record.ops, "") : result.op,
        WithoutBlanks(record.short_name),
        result.params,
        fmt::format("{}", device.duration[record.row]),
        result.tensor_core,
        fmt::format("{}", device.gpu[record.row]),
        fmt::format("{}", device.stream[record.row]),
        Dimensions(profile, record.row, true),
        Dimensions(profile, record.row, false),
        result.flops,
        result.bytes,
    });
  }
  return rows;
}

namespace {

// A text as Python's repr() writes it: in double quotes if it has single quotes but no double ones.
// Bytes from 0x80 on stay, because texts are UTF-8, which Python 3 prints unchanged.
std::string Quoted(std::string_view text) {
  const bool has_double = text.find('"') != text.npos;
  const char quote = text.find('\'') != text.npos && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + quote;
}

template <class T>
std::string Texts(const std::vector<T>& texts) {
  std::vector<std::string> quoted;
  for (const T& text : texts) quoted.push_back(Quoted(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string Numbers(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string Triple(const std::int32_t (&size)[3]) {
  return fmt::format("({}, {}, {})", size[0], size[1], size[2]);
}

std::string LineOf(const Profile& profile, const KernelRecord& record) {
  const DeviceTable& device = profile.device;
  const std::uint32_t row = record.row;
  const LaunchConfigId id = device.config[row];
  const LaunchConfig config = id.valid() ? profile.launch_configs[id.value] : LaunchConfig{};
  const std::vector<std::string> none;
  return fmt::format(
      "{{'kShortName': {}, 'kDuration': {}, 'layer': {}, 'trace': {}, 'reprMarkers': {}, "
      "'marker': {}, 'seqMarker': {}, 'seqId': {}, 'subSeqId': {}, 'altSeqId': {}, 'dir': '{}', "
      "'mod': {}, 'op': {}, 'tid': {}, 'device': {}, 'stream': {}, 'grid': {}, 'block': {}, "
      "'kLongName': {}}}\n",
      Quoted(record.short_name), std::max<Ns>(device.duration[row], 0), Texts(record.layers),
      Texts(record.trace), Texts(none), Texts(record.markers), Texts(record.seq_markers),
      Numbers(record.seq_ids), record.sub_seq, Numbers(record.alt_seq_ids),
      record.backward ? "bprop" : "fprop", Texts(record.modules), Texts(record.ops), record.thread,
      device.gpu[row], device.stream[row], Triple(config.grid), Triple(config.block),
      Quoted(profile.Name(device.name[row])));
}

}  // namespace

std::string NetDict(const SelectedRank& rank) {
  std::string text;
  for (const KernelRecord& record : BuildRecords(*rank.profile, Stage::kParse)) {
    if (rank.HasWork(record.row)) text += LineOf(*rank.profile, record);
  }
  return text;
}

namespace {

// The short name of a type in PyProf's tables ("fp16"). Others, such as bfloat16, keep theirs.
std::string_view TypeName(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"float16", "fp16"}, {"half", "fp16"},    {"short", "int16"},
      {"float32", "fp32"}, {"float", "fp32"},   {"int", "int32"},
      {"long", "int64"},   {"float64", "fp64"}, {"double", "fp64"},
  };
  for (const auto& [name, shown] : kNames) {
    if (name == dtype) return shown;
  }
  return dtype;
}

// The tensors of a call as text: "[35,20]fp32;[]fp32".
std::string TensorTexts(const analysis::flops::OpCall& call) {
  std::string text;
  for (const analysis::flops::OpArgument* tensor : call.Tensors()) {
    text += fmt::format("{}[{}]{}", text.empty() ? "" : ";", fmt::join(tensor->shape, ","),
                        TypeName(tensor->dtype));
  }
  return text.empty() ? "-" : text;
}

// The result for a call that a marker describes, which is the forward call. Our own rule: every
// kernel that is a matmul by its name, forward or backward, gets the call's work, because a
// gradient's matmul costs as much. Other work is assigned to the first kernel of a call.
ProfResult OurResult(const KernelRecord& record, const analysis::flops::OpCall& call,
                     const analysis::classify::KernelClass& kernel) {
  ProfResult result;
  const auto work = analysis::flops::WorkOf(call);
  result.params = TensorTexts(call);
  const bool eligible = (work && work->is_matrix) || analysis::classify::IsEligibleOp(call.op);
  const analysis::classify::Tri uses = kernel.tensor_core;
  result.tensor_core = uses == analysis::classify::Tri::kYes                  ? "1"
                       : uses == analysis::classify::Tri::kUnknown            ? "na"
                       : eligible && analysis::classify::IsMatrixRule(kernel) ? "0"
                                                                              : "-";
  if (!work) {
    result.flops = result.bytes = "na";
    return result;
  }
  result.understood = true;
  const bool counts =
      work->is_matrix ? analysis::classify::IsMatrixRule(kernel) : record.sub_seq == 0;
  if (!counts) return result;
  result.flops = fmt::format("{:.0f}", work->flops);
  result.bytes = work->bytes < 0 ? "na" : fmt::format("{:.0f}", work->bytes);
  return result;
}

}  // namespace

Prof::Prof(const Profile& profile)
    : profile_(profile),
      classes_(analysis::classify::ClassifyDevice(profile)),
      works_(analysis::flops::CountWork(profile, analysis::flops::BuildOpTree(profile, classes_))),
      division_(profile, classes_, works_) {}

// A kernel without a marker gets the recorded shapes of the operators around it: those of the
// outermost operator whose work is known.
ProfResult Prof::operator()(const KernelRecord& record) const {
  auto call =
      record.markers.empty() ? std::nullopt : analysis::flops::ParseCall(record.markers.front());
  ProfResult result;
  const analysis::classify::KernelClass& kernel = classes_[record.row];
  for (HostId op = record.op; op.valid() && record.markers.empty();
       op = profile_.host.parent[op.value]) {
    if (profile_.host.kind[op.value] != HostKind::kOp) continue;
    auto around = analysis::flops::CallOf(profile_, op.value);
    if (around && (analysis::flops::WorkOf(*around) || !call)) call = std::move(around);
  }
  if (call) {
    result = OurResult(record, *call, kernel);
    if (record.markers.empty()) {
      DivideWork(record, result);
      return result;
    }
    result.module = call->module;
    result.op = call->op;
    return result;
  }
  result.flops = result.bytes = "na";
  if (kernel.tensor_core != analysis::classify::Tri::kUnknown) {
    result.tensor_core = kernel.tensor_core == analysis::classify::Tri::kYes ? "1"
                         : analysis::classify::IsMatrixRule(kernel)          ? "0"
                                                                             : "-";
  }
  return result;
}

void Prof::DivideWork(const KernelRecord& record, ProfResult& result) const {
  const analysis::iterations::KernelWork part = division_.Of(record.row);
  if (part.flops < 0) return;
  result.flops = fmt::format("{:.0f}", std::round(part.flops));
  result.bytes = part.bytes < 0 ? "na" : fmt::format("{:.0f}", std::round(part.bytes));
}

namespace {

void Remove(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

/// True for files of the framework, which do not show the caller: PyProf's list and today's names.
bool IsFrameworkFile(std::string_view line) {
  for (const std::string_view part :
       {"/torch/nn/modules/", "/torch/nn/functional.py", "/torch/tensor.py", "/torch/_tensor.py",
        "/torch/_ops.py", "/torch/_dynamo/", "/torch/autograd/__init__.py",
        "/torch/_jit_internal.py", "/pyprof/nvtx/nvmarker.py", "/apex/optimizers/",
        "/torch/_utils.py", "/torch/optim/"}) {
    if (Contains(line, part)) return true;
  }
  return false;
}

// Converts "b.py(9): g;a.py(3): f", which is innermost first, to the list a.py:3, b.py:9.
std::vector<std::string> TraceOf(std::string_view stack) {
  std::vector<std::string> trace;
  while (!stack.empty()) {
    const auto end = stack.find(';');
    const std::string_view frame = stack.substr(0, end);
    stack = end == std::string_view::npos ? std::string_view{} : stack.substr(end + 1);
    const auto open = frame.rfind('(');
    const auto close = frame.find(')', open == std::string_view::npos ? 0 : open);
    std::string line(frame);
    if (open != std::string_view::npos && close != std::string_view::npos) {
      line = fmt::format("{}:{}", frame.substr(0, open), frame.substr(open + 1, close - open - 1));
    }
    if (!IsFrameworkFile(line)) trace.push_back(std::move(line));
  }
  std::reverse(trace.begin(), trace.end());
  return trace;
}

// True if the marker is of the backward pass: PyProf's pattern "Backward, seq = ", also with a
// number as in today's "MmBackward0", and two names of the autograd engine.
bool SaysBackward(std::string_view marker) {
  if (Contains(marker, "ackward, seq = ")) return true;
  for (auto at = marker.find("Backward"); at != std::string_view::npos;
       at = marker.find("Backward", at + 1)) {
    auto end = at + 8;
    while (end < marker.size() && marker[end] >= '0' && marker[end] <= '9') ++end;
    if (marker.substr(end).starts_with(", seq = ")) return true;
  }
  return marker.starts_with("autograd::engine::evaluate_function: ") ||
         Contains(marker, "AccumulateGrad");
}

// The op of a backward node by its name, by PyProf's rule: "Mm" with a prefix, e.g.
// "engineevaluate_function: Mm" for "autograd::engine::evaluate_function: MmBackward0, seq = 3".
std::string BackwardOp(std::string_view marker) {
  std::string name(marker.substr(0, marker.find(',')));
  for (const char* part :
       {"torch", "autograd", "_backward", "::", "jit", "(anonymous namespace)"}) {
    Remove(name, part);
  }
  return name.substr(0, name.find("Backward"));
}

// The ranges around one launch in the groups of PyProf.
struct Bins {
  std::vector<std::pair<std::string, std::int64_t>> seq;  // Each: a name and a number.
  std::string innermost_other;
};

// Sorts by the number as text, then by name, as PyProf does. If neighbors have equal numbers and
// one name contains the other, only the first is kept.
void SortSequenceMarkers(Bins& bins, KernelRecord& record) {
  auto& seq = bins.seq;
  const auto key = [](const auto& marker) {
    return std::pair(std::to_string(marker.second), std::string_view(marker.first));
  };
  std::sort(seq.begin(), seq.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  seq.erase(std::unique(seq.begin(), seq.end()), seq.end());
  const std::pair<std::string, std::int64_t>* kept = nullptr;
  for (const auto& marker : seq) {
    const bool similar =
        kept != nullptr && kept->second == marker.second &&
        (Contains(kept->first, marker.first) || Contains(marker.first, kept->first));
    if (similar) continue;
    kept = &marker;
    record.seq_markers.push_back(fmt::format("{}, seq = {}", marker.first, marker.second));
    record.seq_ids.push_back(marker.second);
  }
  auto& ids = record.seq_ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// Names the ops of a kernel by its markers, sequence markers, or the operator or range around it.
void NameOps(const Profile& profile, const Bins& bins, KernelRecord& record) {
  for (const std::string_view marker : record.markers) {
    const auto parsed = ParsePythonLiteral(marker);
    if (!parsed) continue;
    const PyValue* module = parsed->Find("mod");
    const PyValue* op = parsed->Find("op");
    if (module == nullptr || op == nullptr) continue;
    record.modules.push_back(module->text);
    record.ops.push_back(op->text);
  }
  if (!record.ops.empty()) return;
  record.modules = {"na"};
  for (const std::string& marker : record.seq_markers) {
    if (record.backward && !SaysBackward(marker)) continue;
    record.ops.push_back(record.backward ? BackwardOp(marker) : marker.substr(0, marker.find(',')));
  }
  if (!record.ops.empty()) return;
  if (record.op.valid()) {
    record.ops.emplace_back(profile.Name(profile.host.name[record.op.value]));
  } else if (!bins.innermost_other.empty()) {
    record.ops.push_back(bins.innermost_other);
  }
}

// The ranges around the launch, outermost first.
std::vector<std::uint32_t> RangesAround(const Profile& profile, std::uint32_t row) {
  std::vector<std::uint32_t> ranges;
  const ApiId call = profile.device.launch[row];
  HostId range = call.valid() ? profile.api.op[call.value] : profile.device.op[row];
  for (; range.valid(); range = profile.host.parent[range.value]) ranges.push_back(range.value);
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

// Puts each range around the launch, outermost first, into a group of PyProf: argument markers,
// layers, sequence markers, others. The trace is that of the innermost range with a call stack.
KernelRecord Derive(const Profile& profile, std::uint32_t row) {
  const HostTable& host = profile.host;
  KernelRecord record;
  record.row = row;
  record.short_name = ShortName(profile.Name(profile.device.name[row]));
  record.op = profile.device.op[row];
  const ApiId call = profile.device.launch[row];
  if (call.valid()) record.thread = profile.threads[profile.api.thread[call.value].value].tid;
  Bins bins;
  bool in_gradient = false;
  for (const std::uint32_t range : RangesAround(profile, row)) {
    const std::string_view name = profile.Name(host.name[range]);
    const std::string_view dictionary = profile.Name(host.concrete_inputs[range]);
    if (Contains(name, "CheckpointFunctionBackward")) continue;
    const bool is_marker = dictionary.starts_with("{'");
    in_gradient = in_gradient || host.forward[range].valid();
    // The stack of a gradient is that of its forward operator, which PyProf copies later.
    const bool is_copied = in_gradient && !is_marker && host.kind[range] == HostKind::kOp;
    if (host.call_stack[range].valid() && !is_copied) {
      record.trace = TraceOf(profile.Name(host.call_stack[range]));
    }
    if (is_marker && host.kind[range] == HostKind::kOp) {
      record.markers.push_back(dictionary);
    } else if (is_marker) {
      continue;  // It is a call trace or a module's text.
    } else if (const auto at = name.find("layer:"); at != std::string_view::npos) {
      const std::string_view layer = name.substr(at + 6);
      record.layers.push_back(layer.substr(0, layer.find(':')));
    } else if (host.sequence[range] >= 0) {
      bins.seq.emplace_back(name, host.sequence[range]);
    } else if (host.kind[range] != HostKind::kIterationMarker) {
      bins.innermost_other = name;
    }
  }
  SortSequenceMarkers(bins, record);
  record.backward = std::any_of(record.seq_markers.begin(), record.seq_markers.end(), SaysBackward);
  NameOps(profile, bins, record);
  return record;
}

// Copies the values that net.dict contains. Derives nothing.
KernelRecord FromMarkers(const Profile& profile, std::uint32_t row, const KernelMarkers& markers) {
  KernelRecord record;
  record.row = row;
  record.short_name = profile.Name(markers.short_name);
  record.op = profile.device.op[row];
  for (const StringId id : markers.layers) record.layers.push_back(profile.Name(id));
  for (const StringId id : markers.trace) record.trace.emplace_back(profile.Name(id));
  for (const StringId id : markers.markers) record.markers.push_back(profile.Name(id));
  for (const StringId id : markers.seq_markers) record.seq_markers.emplace_back(profile.Name(id));
  for (const StringId id : markers.modules) record.modules.emplace_back(profile.Name(id));
  for (const StringId id : markers.ops) record.ops.emplace_back(profile.Name(id));
  record.seq_ids = markers.seq_ids;
  record.alt_seq_ids = markers.alt_seq_ids;
  record.sub_seq = markers.sub_seq;
  record.backward = markers.backward;
  record.thread = markers.thread;
  return record;
}

}  // namespace

std::string ShortName(std::string_view name) {
  std::string text(name.substr(0, name.find('<')));
  for (const char* part : {"void ", "at::", "cuda::", "native::", "(anonymous namespace)::"}) {
    Remove(text, part);
  }
  return text.substr(0, text.find('('));
}

// If a profile has markers of net.dict, all device rows have them.
std::vector<KernelRecord> BuildRecords(const Profile& profile, Stage stage) {
  const DeviceTable& device = profile.device;
  const bool recorded = profile.kernel_markers.size() == device.size();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] == DeviceKind::kKernel) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (recorded) return profile.kernel_markers[a].position < profile.kernel_markers[b].position;
    return device.start[a] < device.start[b];
  });
  std::vector<KernelRecord> records;
  records.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    records.push_back(recorded ? FromMarkers(profile, row, profile.kernel_markers[row])
                               : Derive(profile, row));
  }
  if (!recorded) NumberSequences(records);
  if (stage == Stage::kProf) CopyForwardToBackward(records);
  return records;
}

namespace {

struct State {
  std::int64_t id = -1;
  std::int64_t sub = -1;
  std::vector<std::string> ops;
};

bool IsCellForward(const KernelRecord& record) {
  if (record.ops.empty() || record.ops[0] != "forward" || record.modules.empty()) return false;
  const std::string& module = record.modules[0];
  return module == "LSTMCell" || module == "GRUCell" || module == "RNNCell";
}

// The current id. For a forward kernel, the smallest id above the previous one, or the previous one
// if none is above it. For a backward kernel, the smallest id.
std::int64_t CurrentId(const KernelRecord& record, std::int64_t previous) {
  const auto& ids = record.seq_ids;
  if (record.backward) return ids.front();
  const auto later = std::upper_bound(ids.begin(), ids.end(), previous);
  return later == ids.end() ? previous : *later;
}

// PyProf removes entries from the list over which it iterates, so it skips the entry after each.
void MoveOthers(KernelRecord& record, std::int64_t current) {
  for (std::size_t i = 0; i < record.seq_ids.size(); ++i) {
    if (record.seq_ids[i] == current) continue;
    record.alt_seq_ids.push_back(record.seq_ids[i]);
    record.seq_ids.erase(record.seq_ids.begin() + static_cast<std::ptrdiff_t>(i));
  }
  auto& alt = record.alt_seq_ids;
  std::sort(alt.begin(), alt.end());
  alt.erase(std::unique(alt.begin(), alt.end()), alt.end());
}

}  // namespace

// Forward kernels of a recurrent cell increment sub_seq although their ids differ.
//
//   ops         linear  linear  relu  linear
//   seq_ids     5       5       6     7
//   sub_seq     0       1       0     0          increments while ops and id are equal
void NumberSequences(std::vector<KernelRecord>& records) {
  State previous{-1, -1, {"na"}};
  for (KernelRecord& record : records) {
    auto& ids = record.seq_ids;
    if (ids.size() > 1) std::erase(ids, 0);
    if (ids.empty()) continue;
    const std::int64_t current = CurrentId(record, previous.id);
    const bool same_ops = record.ops == previous.ops;
    const bool continues = same_ops && (current == previous.id || IsCellForward(record));
    record.sub_seq = continues ? previous.sub + 1 : 0;
    previous = {current, record.sub_seq, record.ops};
    MoveOthers(record, current);
  }
}

void CopyForwardToBackward(std::vector<KernelRecord>& records) {
  boost::unordered_flat_map<std::int64_t, std::size_t> by_id, by_alt;
  for (std::size_t i = 0; i < records.size(); ++i) {
    KernelRecord& record = records[i];
    if (!record.backward) {
      for (const std::int64_t id : record.seq_ids) by_id[id] = i;
      for (const std::int64_t id : record.alt_seq_ids) by_alt[id] = i;
      continue;
    }
    if (!record.markers.empty() || record.seq_ids.empty()) continue;
    const std::int64_t id = record.seq_ids.front();
    const auto same = by_id.find(id);
    const auto other = by_alt.find(id);
    if (same == by_id.end() && other == by_alt.end()) continue;
    const KernelRecord& forward = records[same != by_id.end() ? same->second : other->second];
    record.markers = forward.markers;
    record.modules = forward.modules;
    record.ops = forward.ops;
    record.layers = forward.layers;
    record.trace = forward.trace;
  }
}

}  // namespace profgauge::exports::pyprof
