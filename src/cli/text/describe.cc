#include "cli/text/describe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/context/derived_markers.h"
#include "analysis/context/iterations.h"
#include "analysis/recording/workload.h"
#include "base/format.h"
#include "base/text.h"
#include "model/devices.h"
#include "model/import_log.h"
#include "model/run_side.h"
#include "readers/builtin.h"

namespace profgauge::cli {
namespace {

void AddLine(std::string& text, std::string_view label, std::string_view value) {
  if (value.empty()) return;
  fmt::format_to(std::back_inserter(text), "  {:<13} {}\n", label, value);
}

std::string Count(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", FormatCount(static_cast<std::int64_t>(count)),
                     count == 1 ? one : many);
}

std::size_t CountKind(const DeviceTable& device, DeviceKind kind) {
  return static_cast<std::size_t>(std::count(device.kind.begin(), device.kind.end(), kind));
}

std::string Device(const Gpu& gpu, std::string_view core) {
  std::string text = gpu.name.empty() ? "name not recorded" : Printable(gpu.name);
  if (gpu.compute_major >= 0) {
    text += fmt::format(", compute capability {}.{}", gpu.compute_major, gpu.compute_minor);
  }
  if (gpu.sms > 0) text += fmt::format(", {} {}s", gpu.sms, core);
  if (gpu.memory > 0) text += ", " + FormatBytes(static_cast<double>(gpu.memory));
  return text;
}

/// "0-7: NVIDIA A100…; 8: …": neighbors that are alike together.
std::string Devices(const Profile& profile) {
  std::string text;
  std::vector<Gpu> gpus = profile.gpus;  // Some files list them from the last to the first.
  std::sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) { return a.id < b.id; });
  const std::string_view core = DeviceWordsOf(AcceleratorOf(std::span(&profile, 1))).core;
  for (std::size_t first = 0, next = 0; first < gpus.size(); first = next) {
    const std::string device = Device(gpus[first], core);
    while (next < gpus.size() && Device(gpus[next], core) == device &&
           (next == first || gpus[next].id == gpus[next - 1].id + 1)) {
      ++next;
    }
    if (!text.empty()) text += "; ";
    text += next - first == 1 ? fmt::format("{}: {}", gpus[first].id, device)
                              : fmt::format("{}-{}: {}", gpus[first].id, gpus[next - 1].id, device);
  }
  return text.empty() ? "none recorded" : text;
}

std::string Events(const Profile& profile) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(Count(count, one, many));
  };
  add(profile.host.size(), "host range", "host ranges");
  add(profile.api.size(), "runtime call", "runtime calls");
  add(profile.os.size(), "OS call", "OS calls");
  add(CountKind(profile.device, DeviceKind::kKernel), "kernel", "kernels");
  add(CountKind(profile.device, DeviceKind::kMemcpy), "copy", "copies");
  add(CountKind(profile.device, DeviceKind::kMemset), "memset", "memsets");
  add(profile.sync.size(), "sync record", "sync records");
  add(profile.python.size(), "Python frame", "Python frames");
  add(profile.memory.size(), "allocator event", "allocator events");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "none" : text;
}

std::string Rank(const DistributedInfo& info) {
  if (info.rank < 0) return {};
  std::string text = std::to_string(info.rank);
  if (info.world_size > 0) text += fmt::format(" of {}", info.world_size);
  if (!info.backend.empty()) text += fmt::format(" ({})", Printable(info.backend));
  return text;
}

// How the iterations were found, or which ways could be chosen: a user who sees "none marked" can
// copy the option of a candidate.
std::string IterationText(const Profile& profile) {
  const Result<analysis::context::Iterations> found =
      analysis::context::FindIterations(profile, analysis::Selection{});
  if (!found) return found.error().message;
  std::string text = fmt::format("{} ({})", found->all.size(), found->source.Text());
  if (found->source.by == IterationsBy::kUndivided) {
    const auto candidates = analysis::context::IterationCandidates(profile);
    if (!candidates.empty()) text = "none marked; candidates:";
    for (const analysis::context::IterationCandidate& candidate : candidates) {
      text += fmt::format("\n{:18}{}", "", Printable(candidate.text));
      if (candidate.pattern.empty()) continue;
      text += fmt::format("   --iteration-marker '{}'", Printable(candidate.pattern));
    }
  }
  if (found->dropped_at_start > 0) {
    text += fmt::format("; {} at the start left out as incomplete", found->dropped_at_start);
  }
  if (found->dropped_at_end > 0) {
    text += fmt::format("; {} at the end left out as incomplete", found->dropped_at_end);
  }
  return text;
}

std::string WorkloadText(const Profile& profile) {
  const analysis::recording::Workload workload = analysis::recording::WorkloadOf(profile);
  std::string text(workload.kind);
  if (text.empty()) return {};
  if (workload.in_graphs) text += ", most kernels in graphs";
  if (workload.loads_data) text += ", with a data loader";
  return text;
}

struct CapabilityName {
  Capability capability;
  std::string_view name;
};
constexpr CapabilityName kCapabilities[] = {
    {Capability::kDeviceEvents, "device events"},
    {Capability::kHostOps, "host ops"},
    {Capability::kLaunchLinks, "launch links"},
    {Capability::kShapes, "input shapes"},
    {Capability::kCallStacks, "call stacks"},
    {Capability::kMemoryEvents, "allocator events"},
    {Capability::kIterationMarkers, "iteration markers"},
    {Capability::kPython, "Python frames"},
    {Capability::kOccupancy, "occupancy"},
    {Capability::kDeviceProperties, "device properties"},
    {Capability::kSyncEvents, "sync events"},
    {Capability::kCollectiveInfo, "collective sizes"},
};

/// "needs memory events; record with profile_memory=True" without its first word.
/// The gap is written for the reason of an absent metric; here only the cause and the way to record
/// it are wanted.
std::string Gap(Capability capability, const Profile& profile) {
  constexpr std::string_view kNeeds = "needs ", kTail = ", which this profile does not have";
  const DeviceWords& words = DeviceWordsOf(AcceleratorOf(std::span(&profile, 1)));
  std::string gap = InDeviceWords(CapabilityGap(capability, profile.hints), words);
  if (gap.starts_with(kNeeds)) gap.erase(0, kNeeds.size());
  if (gap.ends_with(kTail)) gap.resize(gap.size() - kTail.size());
  return gap;
}

void AddCapabilities(std::string& text, const Profile& profile) {
  std::string has;
  bool first_gap = true;
  for (const auto& [capability, name] : kCapabilities) {
    if (!profile.Has(capability)) continue;
    has += (has.empty() ? "" : ", ") + std::string(name);
  }
  AddLine(text, "has", has);
  for (const auto& [capability, name] : kCapabilities) {
    if (profile.Has(capability)) continue;
    // Older releases of PyTorch write stacks at operators, and no separate frames.
    if (capability == Capability::kPython && profile.Has(Capability::kCallStacks)) continue;
    AddLine(text, first_gap ? "lacks" : "", Gap(capability, profile));
    first_gap = false;
  }
}

void AddImportLog(std::string& text, const ImportLog& log) {
  bool first = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    if (log[counter] == 0) continue;
    const CounterInfo& info = InfoOf(counter);
    std::string line =
        fmt::format("{} {} ({})", FormatCount(static_cast<std::int64_t>(log[counter])),
                    CounterText(counter, log[counter]), SeverityName(info.severity));
    const std::vector<std::string>& examples = log.Examples(counter);
    if (!examples.empty()) line += fmt::format(", first at {}", Printable(examples.front()));
    AddLine(text, first ? "import" : "", line);
    first = false;
  }
}

/// "sm 1980 (1200 to 1980, limit 1980) MHz, 512.3 (512.3 to 699.1, limit 700) W, …"
void AddConditions(const RunDevice& device, std::string& text) {
  std::string line = device.id >= 0 ? fmt::format("device {}", device.id) : std::string("a device");
  for (const auto& [name, words, unit] :
       {std::tuple("sm_mhz", "clock ", "MHz"), std::tuple("memory_mhz", "memory clock ", "MHz"),
        std::tuple("watts", "", "W"), std::tuple("celsius", "", "°C")}) {
    const auto found = device.conditions.find(std::string_view(name));
    if (found == device.conditions.end()) continue;
    const DeviceCondition& one = found->second;
    line += fmt::format(", {}{:.0f} {} ({:.0f} to {:.0f}", words, one.median, unit, one.least,
                        one.most);
    line += std::isfinite(one.limit) ? fmt::format(", limit {:.0f})", one.limit) : ")";
  }
  for (const auto& [reason, share] : device.reasons) {
    line += fmt::format(", {} {}", Printable(reason), FormatShare(share));
  }
  AddLine(text, "conditions", line);
}

/// Times of unrecorded iterations, and why a document is not used.
void AddRunSide(const Profile& profile, std::string& text) {
  if (profile.run_side == nullptr) return;
  const RunSide& side = *profile.run_side;
  if (side.document) {
    const RunDocument& document = *side.document;
    std::size_t steps = 0;
    for (const StepSegment& segment : document.segments) steps += segment.lengths.size();
    std::string line = fmt::format("{}, from {}, clock {}", Count(steps, "iteration", "iterations"),
                                   TextOf(side.carrier), NameOf(document.clock));
    if (!document.batches.empty()) line += fmt::format(", {} sums", document.batches.size());
    if (document.unknown_keys > 0) line += fmt::format(", {} unknown keys", document.unknown_keys);
    if (document.left_out > 0) line += fmt::format(", {} values not shown", document.left_out);
    AddLine(text, IsOfTimes(profile) ? "times" : "unrecorded", line);
  }
  if (!side.benchmarks.empty()) {
    AddLine(text, "benchmarks", FormatCount(static_cast<std::int64_t>(side.benchmarks.size())));
  }
  if (side.load_test) {
    AddLine(text, "load test", fmt::format("{:.0f} answered requests", side.load_test->completed));
  }
  if (!side.note.empty()) AddLine(text, "note", side.note);
  for (const RunDevice& device : DevicesOf(side)) AddConditions(device, text);
  for (const RunProblem& problem : side.problems) {
    AddLine(text, IsOfTimes(profile) ? "left out" : "unrecorded",
            fmt::format("`{}`: {}", problem.code, problem.text));
  }
}

}  // namespace

std::string DescribeProfile(const Profile& profile) {
  std::string text = Printable(profile.source.path) + "\n";
  AddLine(text, "format",
          profile.source.format +
              (profile.source.dialect.empty() ? "" : ", " + profile.source.dialect));
  AddLine(text, "size", FormatBytes(static_cast<double>(profile.source.bytes)) + " decompressed");
  AddLine(text, "content hash", profile.source.hash);
  if (IsOfTimes(profile)) {  // All else would be what a profile has.
    AddLine(text, "rank", Rank(profile.distributed));
    AddRunSide(profile, text);
    AddImportLog(text, profile.log);
    return text;
  }
  AddLine(text, "time span",
          profile.has_timeline ? FormatDuration(static_cast<double>(profile.last - profile.first))
                               : "unknown; this kind of file has durations or sums only");
  AddLine(text, "rank", Rank(profile.distributed));
  AddLine(text, "devices", Devices(profile));
  AddLine(text, "threads", Count(profile.threads.size(), "thread", "threads"));
  AddLine(text, "events", Events(profile));
  if (profile.has_timeline) AddLine(text, "iterations", IterationText(profile));
  AddLine(text, "workload", WorkloadText(profile));
  AddRunSide(profile, text);
  AddCapabilities(text, profile);
  bool first = true;
  for (const auto& [name, value] : profile.facts) {
    AddLine(text, first ? "facts" : "", fmt::format("{}: {}", name, PrintableShort(value, 120)));
    first = false;
  }
  AddImportLog(text, profile.log);
  AddLine(text, "check first", readers::WhatToCheckFirst(profile.source));
  return text;
}

}  // namespace profgauge::cli
