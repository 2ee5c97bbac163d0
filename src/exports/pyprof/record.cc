#include "exports/pyprof/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/python_literal.h"
#include "base/text.h"

namespace profgauge::exports::pyprof {
namespace {

void Remove(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

/// Files of the framework say nothing about who called; PyProf's list and today's names.
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

// "b.py(9): g;a.py(3): f", innermost first, as a.py:3, b.py:9.
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

// PyProf's pattern "Backward, seq = ", with the number that today's nodes have in their name
// ("MmBackward0"), and two names of autograd's engine.
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

// The op of a backward node by the node's name: "autograd::engine::evaluate_function:
// MmBackward0, seq = 3" gives "engineevaluate_function: Mm", as PyProf has it.
std::string BackwardOp(std::string_view marker) {
  std::string name(marker.substr(0, marker.find(',')));
  for (const char* part :
       {"torch", "autograd", "_backward", "::", "jit", "(anonymous namespace)"}) {
    Remove(name, part);
  }
  return name.substr(0, name.find("Backward"));
}

// PyProf's bins of the ranges around one launch.
struct Bins {
  std::vector<std::pair<std::string, std::int64_t>> seq;  // Name, number.
  std::string innermost_other;
};

// Sorted by the number as text, then by name, as PyProf sorts; of neighbors with one number whose
// names contain each other only the first is kept.
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

// By the markers, else by the sequence markers, else by the operator or range around the launch.
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

// Ranges from the outermost to the innermost, each into one of PyProf's bins: argument markers,
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
  for (const std::uint32_t range : RangesAround(profile, row)) {
    const std::string_view name = profile.Name(host.name[range]);
    const std::string_view dictionary = profile.Name(host.concrete_inputs[range]);
    if (Contains(name, "CheckpointFunctionBackward")) continue;
    if (host.call_stack[range].valid()) {
      record.trace = TraceOf(profile.Name(host.call_stack[range]));
    }
    const bool is_marker = dictionary.starts_with("{'");
    if (is_marker && host.kind[range] == HostKind::kOp) {
      record.markers.push_back(dictionary);
    } else if (is_marker) {
      continue;  // A call trace or the representation of a module.
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

// As net.dict states it: nothing is derived again.
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

// Markers of net.dict are for all device rows or none.
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

}  // namespace profgauge::exports::pyprof
