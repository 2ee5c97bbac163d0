#include "cli/text/describe.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/communication/blame.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/derived_markers.h"
#include "analysis/iterations/iteration_ways.h"
#include "analysis/iterations/iterations.h"
#include "analysis/ranks/rank_summary.h"
#include "analysis/trust/workload.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/text.h"
#include "model/devices.h"
#include "model/import_log.h"
#include "model/run_side.h"
#include "model/summary/summary.h"
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

/// The devices as text: "0-7: NVIDIA A100…; 8: …". Neighbors that are equal form a group.
std::string Devices(const Profile& profile) {
  std::string text;
  std::vector<Gpu> gpus = profile.gpus;  // Sorted below: some files are in reverse.
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

// How iterations were found. If none are marked, lists the candidates with the option that chooses
// each, so that a user can copy it.
std::string IterationText(const Profile& profile) {
  const Result<analysis::iterations::Iterations> found =
      analysis::iterations::FindIterations(profile, analysis::Selection{});
  if (!found) return found.error().message;
  std::string text = fmt::format("{} ({})", found->all.size(), found->source.Text());
  if (found->source.by == IterationsBy::kUndivided) {
    const auto candidates = analysis::iterations::IterationCandidates(profile);
    if (!candidates.empty()) text = "none marked; candidates:";
    for (const analysis::iterations::IterationCandidate& candidate : candidates) {
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
  const analysis::trust::Workload workload = analysis::trust::WorkloadOf(profile);
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

/// The cause and the way to record it, from a sentence about absent metrics: "needs memory events;
/// record with profile_memory=True, which this profile does not have". Removes both ends.
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
    // Older PyTorch releases record call stacks in operators, so separate frames are not missing.
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
        fmt::format("{}{} ({})", log[counter] == 1 && info.one != info.text ? "1 " : "",
                    CountedText(counter, log[counter]), SeverityName(info.severity));
    const std::vector<std::string>& examples = log.Examples(counter);
    if (!examples.empty()) line += fmt::format(", first at {}", Printable(examples.front()));
    AddLine(text, first ? "import" : "", line);
    first = false;
  }
}

/// Appends "sm 1980 (1200 to 1980, limit 1980) MHz, 512.3 (512.3 to 699.1, limit 700) W, …"
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

/// Appends times of iterations beyond the profile's, and why a document of times is not used.
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
  if (IsOfTimes(profile)) {  // Other lines would describe a profile.
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

namespace {

void AddEntry(std::string& text, std::string_view label, std::string_view value) {
  fmt::format_to(std::back_inserter(text), "  {:<13} {}\n", label, value);
}

std::string Count(std::size_t count) { return FormatCount(static_cast<std::int64_t>(count)); }

}  // namespace

std::string DescribeSummary(const Summary& summary, const std::string& path) {
  std::string text = Printable(path) + "\n";
  const auto rank = analysis::ranks::ReadRankSummary(summary, path);
  if (!rank) {
    AddEntry(text, "summary", "damaged: data that this version needs is missing");
    return text;
  }
  const Profile& profile = rank->profile;
  const analysis::communication::RankFacts& facts = rank->communication;
  AddEntry(text, "summary of",
           fmt::format("rank {}{}", facts.rank,
                       facts.world_size > 0 ? fmt::format(" of {}", facts.world_size) : ""));
  AddEntry(text, "made of",
           fmt::format("{}, {}, {}", Printable(profile.source.format),
                       FormatBytes(static_cast<double>(profile.source.bytes)),
                       Printable(profile.source.hash)));
  AddEntry(text, "selection", Printable(rank->selection));
  AddEntry(text, "iterations",
           fmt::format("{} by {}, {}", rank->iterations.all.size(),
                       Printable(rank->iterations.source.Text()),
                       FormatDuration(static_cast<double>(facts.step_time()))));
  AddEntry(text, "GPUs",
           fmt::format("{} with work of {}", Count(rank->gpus.size()),
                       FormatCount(rank->times.gpus_listed)));
  AddEntry(text, "groups", Count(facts.groups.size()));
  AddEntry(text, "collectives", Count(facts.calls.size()));
  AddEntry(text, "kernels", fmt::format("{} names and shapes", Count(facts.kernels.size())));
  AddEntry(text, "size", FormatBytes(static_cast<double>(EncodeSummary(summary).size())));
  return text;
}

namespace {

constexpr std::size_t kKernelsPrinted = 40;

std::string Counted(std::size_t count, std::string_view one, std::string_view plural = "s") {
  return fmt::format("{} {}{}", FormatCount(static_cast<std::int64_t>(count)), one,
                     count == 1 ? "" : plural);
}

std::string Head(const analysis::iterations::RankContext& rank) {
  return fmt::format("{}\n", Printable(rank.profile->source.path));
}

std::string ExplainIterations(const analysis::iterations::RankContext& rank, JsonList& list) {
  const auto ways = analysis::iterations::IterationWays(*rank.profile, rank.iterations);
  std::string text = Head(rank);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  {} by {}; the first way that holds is chosen:\n",
                 Counted(rank.iterations.all.size(), "iteration"),
                 Printable(rank.iterations.source.Text()));
  for (const analysis::iterations::IterationWay& way : ways) {
    fmt::format_to(out, "  {} {:<18} {}\n", way.chosen ? "*" : " ", way.way,
                   way.found.empty() ? "none" : Printable(way.found));
    fmt::format_to(out, "  {:20} {}\n", "", Printable(way.reason));
    if (!way.pattern.empty() && !way.chosen) {
      fmt::format_to(out, "  {:20} --iteration-marker '{}'\n", "", Printable(way.pattern));
    }
    JsonWriter& row = list.Row();
    row.Field("rank", rank.rank);
    row.Field("way", way.way);
    row.OptionalField("found", way.found);
    row.Key("chosen");
    row.Bool(way.chosen);
    row.Field("reason", way.reason);
    row.OptionalField("iteration_marker", way.pattern);
  }
  return text;
}

/// Sums over the launches of one kernel that have the same class.
struct KernelVerdict {
  std::string_view name;
  analysis::classify::KernelClass verdict;
  std::int64_t launches = 0;
  Ns time = 0;
};

// Sums by kernel and class, longest time first. A kernel may have several rows: if no rule knows
// its name, its operator decides the class.
std::vector<KernelVerdict> VerdictsOf(const analysis::iterations::RankContext& rank) {
  using Key = std::tuple<std::string_view, std::uint16_t, analysis::classify::Tri, bool>;
  std::map<Key, KernelVerdict> sums;
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    const analysis::classify::KernelClass& verdict = rank.classes[row];
    const std::string_view name =
        device.name[row].valid() ? rank.profile->Name(device.name[row]) : "(no name)";
    KernelVerdict& sum = sums[{name, verdict.rule, verdict.tensor_core, verdict.collective}];
    sum.name = name;
    sum.verdict = verdict;
    ++sum.launches;
    sum.time += std::max<Ns>(device.duration[row], 0);
  }
  std::vector<KernelVerdict> verdicts;
  for (auto& [key, sum] : sums) verdicts.push_back(sum);
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return verdicts;
}

// The rule that decided the class, or why the operator decided.
std::string ReasonOf(const analysis::classify::KernelClass& verdict,
                     const analysis::classify::Knowledge& knowledge) {
  if (verdict.rule != 0)
    return fmt::format("rule {}", analysis::classify::RuleName(verdict.rule, knowledge));
  return verdict.tensor_core == analysis::classify::Tri::kUnknown
             ? "no rule knows the name, and its operator may multiply matrices"
             : "no rule knows the name, and its operator multiplies no matrices";
}

std::string ClassOf(const analysis::classify::KernelClass& verdict) {
  if (verdict.collective)
    return fmt::format("communication ({})", analysis::classify::CollectiveKindId(verdict.kind));
  return fmt::format("Tensor Cores: {}", analysis::classify::TriName(verdict.tensor_core));
}

// Lists kernels, longest first. The text has the first kKernelsPrinted; the list has all.
std::string ExplainClasses(const analysis::iterations::RankContext& rank, JsonList& list) {
  std::string text = Head(rank);
  const auto out = std::back_inserter(text);
  const std::vector<KernelVerdict> verdicts = VerdictsOf(rank);
  Ns all = 0;
  for (const KernelVerdict& sum : verdicts) all += sum.time;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const KernelVerdict& sum = verdicts[i];
    const std::string reason = ReasonOf(sum.verdict, rank.knowledge);
    if (i < kKernelsPrinted) {
      const double share =
          all > 0 ? 100.0 * static_cast<double>(sum.time) / static_cast<double>(all) : 0;
      fmt::format_to(out, "  {:5.1f} % of kernel time, {}, {}\n", share,
                     Counted(static_cast<std::size_t>(sum.launches), "launch", "es"),
                     PrintableShort(sum.name));
      fmt::format_to(out, "          {}: {}\n", ClassOf(sum.verdict), reason);
    }
    JsonWriter& row = list.Row();
    row.Field("rank", rank.rank);
    row.Field("kernel", sum.name);
    row.Field("launches", sum.launches);
    row.Field("time", sum.time);
    row.Field("tensor_core", analysis::classify::TriName(sum.verdict.tensor_core));
    row.Key("communication");
    row.Bool(sum.verdict.collective);
    if (sum.verdict.collective)
      row.Field("collective", analysis::classify::CollectiveKindId(sum.verdict.kind));
    if (sum.verdict.rule != 0)
      row.Field("rule", analysis::classify::RuleName(sum.verdict.rule, rank.knowledge));
    row.Field("reason", reason);
  }
  if (verdicts.empty()) text += "  no kernel is recorded\n";
  if (verdicts.size() > kKernelsPrinted) {
    fmt::format_to(out, "  {} more, each shorter; --json has all\n",
                   verdicts.size() - kKernelsPrinted);
  }
  return text;
}

// How far the calls of a group match. A group is judged only if all its ranks are present and
// enough calls match; otherwise the last rank may be one that was not recorded.
std::string GroupText(const analysis::communication::GroupMatch& group) {
  std::string text = fmt::format("  group {}: {} of {} calls matched",
                                 group.name.empty() ? "of all ranks" : Printable(group.name),
                                 group.matched_calls, group.calls);
  if (group.MayBlame()) return text + "; judged\n";
  if (group.size == 1) return text + "; not judged: it has only one rank\n";
  if (!group.point_to_point && !group.complete()) {
    return text + (group.size > 0 ? fmt::format("; not judged: {} of its {} ranks are here\n",
                                                group.present.size(), group.size)
                                  : "; not judged: its size is not recorded\n");
  }
  return text + "; not judged: too few are matched\n";
}

// Returns the first sentence that applies.
std::string VerdictOf(const analysis::communication::Blame& blame,
                      std::span<const analysis::communication::RankFacts> ranks,
                      const Profile& profile) {
  if (blame.straggler) {
    std::string text = fmt::format("rank {} delays the others", ranks[*blame.straggler].rank);
    if (!blame.cause.empty()) {
      text += fmt::format("; takes longer there: {}",
                          InDeviceWords(blame.cause, DeviceWordsOf(AcceleratorOf({&profile, 1}))));
    }
    return text;
  }
  if (blame.judged_groups == 0) return "no group can be judged";
  if (blame.jitter) return "late ranks change: no single rank causes the waiting";
  if (blame.too_few) return "late in too few calls or iterations to exclude chance";
  return "no rank delays the others";
}

// Says how ranks delay each other:
//   group dp: 120 of 120 calls matched; judged
//   rank 0: never last; waited 1.20 s itself
// * rank 1: last in 90 calls, which cost the others 1.20 s; waited 10.0 ms itself
//   rank 1 delays the others; takes longer there: …
Result<std::string> ExplainBlame(std::span<const analysis::iterations::RankContext> contexts,
                                 JsonList& list) {
  if (contexts.size() < 2) {
    return Fail(UsageError("usage/one-rank", "`--explain blame` compares ranks, and there is one",
                           "give the files or the folder of all ranks"));
  }
  analysis::communication::TimeFacts facts(contexts);
  std::vector<analysis::communication::RankFacts>& ranks = facts.communication;
  const analysis::communication::Matching matching = analysis::communication::MatchFacts(ranks);
  const analysis::communication::Blame blame = analysis::communication::FindBlame(ranks, matching);
  std::string text;
  for (const analysis::communication::GroupMatch& group : matching.groups) text += GroupText(group);
  if (matching.groups.empty()) text += "  no collective is recorded\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const analysis::communication::RankLateness& late = blame.ranks[i];
    text += fmt::format("{} rank {}: ", blame.straggler == i ? "*" : " ", ranks[i].rank);
    if (late.last_calls == 0) {
      text += "never last";
    } else {
      text += fmt::format("last in {}, which cost the others {}",
                          Counted(static_cast<std::size_t>(late.last_calls), "call"),
                          FormatDuration(static_cast<double>(late.cost)));
    }
    if (late.once > 0) {
      text += fmt::format(" ({} of it once)", FormatDuration(static_cast<double>(late.once)));
    }
    text += fmt::format("; waited {} itself\n", FormatDuration(static_cast<double>(late.waiting)));
    JsonWriter& row = list.Row();
    row.Field("rank", ranks[i].rank);
    row.Key("straggler");
    row.Bool(blame.straggler == i);
    row.Field("last_calls", late.last_calls);
    row.Field("cost", late.cost);
    row.Field("once", late.once);
    row.Field("waiting", late.waiting);
  }
  return text + fmt::format("  {}\n", VerdictOf(blame, ranks, *contexts.front().profile));
}

}  // namespace

Result<std::string> ExplainDecision(std::string_view decision, std::span<const Profile> ranks,
                                    JsonList& list) {
  for (const Profile& profile : ranks) {
    if (!IsSummary(profile)) continue;
    return Fail(UsageError("usage/conflict",
                           fmt::format("`{}` is a summary, and `--explain` needs the events",
                                       Printable(profile.source.path)),
                           "give the profile that it was made of"));
  }
  PROFGAUGE_TRY(const std::vector<analysis::iterations::RankContext> contexts,
                analysis::iterations::FindRankContexts(ranks, analysis::Selection{}));
  if (decision == "blame") return ExplainBlame(contexts, list);
  std::string text;
  for (const analysis::iterations::RankContext& rank : contexts) {
    if (!text.empty()) text += '\n';
    text += decision == "classes" ? ExplainClasses(rank, list) : ExplainIterations(rank, list);
  }
  return text;
}

}  // namespace profgauge::cli
