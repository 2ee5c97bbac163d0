#include "analysis/time/run_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/context/markers.h"
#include "analysis/context/setup_calls.h"
#include "analysis/context/utilization.h"
#include "analysis/time/iteration_stats.h"
#include "base/format.h"

namespace profgauge {
namespace {

constexpr std::size_t kFewIterations = 8;

Value RoundedTime(double nanoseconds) {
  return static_cast<std::int64_t>(std::llround(nanoseconds));
}

bool IsMarked(const RankContext& rank) { return rank.iterations.source != kWholeProfile; }

void RemarkWithoutMarkers(std::span<const RankContext> ranks, Output& out) {
  const auto marked = std::count_if(ranks.begin(), ranks.end(), IsMarked);
  if (marked == 0 || marked == static_cast<std::ptrdiff_t>(ranks.size())) return;
  const auto without = std::find_if_not(ranks.begin(), ranks.end(), IsMarked);
  out.AddRemark(
      std::string(kRanksWithoutMarkers),
      fmt::format("nothing marks the iterations of {} of {} ranks (the first is {}): "
                  "lengths are those of the other ranks; {}",
                  FormatCount(static_cast<std::int64_t>(ranks.size()) - marked),
                  FormatCount(static_cast<std::int64_t>(ranks.size())), without->rank,
                  out.HowToRecord(Capability::kIterationMarkers, "put a marker around each")));
}

// What lies between the iterations: work that their lengths do not show.
void SetPeriods(std::span<const RunIteration> run, Output& out) {
  std::vector<double> periods;
  Ns all = 0, between = 0;
  for (const RunIteration& iteration : run) {
    if (!iteration.period) continue;
    periods.push_back(static_cast<double>(*iteration.period));
    all += *iteration.period;
    between += std::max<Ns>(0, *iteration.period - iteration.duration);
  }
  if (all <= 0) {
    const std::string reason = "needs two iterations in a row";
    out.SetAbsent("iteration.period.median", reason);
    return out.SetAbsent("iteration.between_share", reason);
  }
  out.Set("iteration.period.median", RoundedTime(Describe(periods).median));
  out.Set("iteration.between_share", static_cast<double>(between) / static_cast<double>(all));
}

// Parts of every selected iteration of one rank, in the order of iterations.selected().
std::vector<Breakdown> BreakdownsOf(const RankContext& rank) {
  std::vector<Span> ranges;
  for (const Iteration& iteration : rank.iterations.selected()) ranges.push_back(iteration.time);
  return Partition(CollectRoles(*rank.profile, rank.classes), ranges);
}

std::vector<IterationKernels> KernelsOf(const RankContext& rank) {
  const Iterations& iterations = rank.iterations;
  std::vector<IterationKernels> sums(iterations.last - iterations.first);
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    if (device.kind[row] != DeviceKind::kKernel) continue;
    IterationKernels& sum = sums[index - iterations.first];
    ++sum.kernels;
    sum.time += device.duration[row];
    if (rank.classes[row].tensor_core != Tri::kYes) continue;
    ++sum.tensor_core_kernels;
    sum.tensor_core_time += device.duration[row];
  }
  return sums;
}

Ns KernelTimeOf(const RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  Ns time = 0;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel || !rank.InIterations(DeviceId{row})) continue;
    time += device.duration[row];
  }
  return time;
}

// What SetRecording() needs: cheap, and known without a timeline.
IterationFacts RecordingFactsOf(const RankContext& rank) {
  IterationFacts facts;
  facts.has_device = rank.has_device();
  facts.has_host = rank.has_host();
  facts.has_api = rank.profile->api.size() > 0;
  facts.gpus_listed = static_cast<std::int64_t>(rank.profile->gpus.size());
  facts.kernel_time = KernelTimeOf(rank);
  return facts;
}

// Of the lengths without what the recording does not show of them.
void SetStatistics(std::span<const double> durations, Output& out) {
  const SeriesStats stats = Describe(durations);
  out.Set("iteration.time.mean", RoundedTime(stats.mean));
  out.Set("iteration.time.median", RoundedTime(stats.median));
  out.Set("iteration.time.min", RoundedTime(stats.min));
  out.Set("iteration.time.max", RoundedTime(stats.max));
  out.Set("iteration.time.p95", RoundedTime(stats.p95));
  const auto set = [&](std::string_view id, std::optional<double> value, std::size_t needed,
                       bool is_time) {
    if (value) {
      out.Set(id, is_time ? RoundedTime(*value) : Value(*value));
      return;
    }
    out.SetAbsent(
        id, durations.size() < needed
                ? fmt::format(
                      "needs at least {} iterations, the selection has {}; record more: {}", needed,
                      durations.size(),
                      out.HowToRecord(Capability::kIterationMarkers, "put a marker around each"))
                : "the iterations have no length");
  };
  set("iteration.time.stddev", stats.stddev, 2, true);
  set("iteration.time.cv", stats.cv, 2, false);
  set("iteration.time.robust_cv", stats.robust_cv, 2, false);
  set("iteration.drift", stats.drift, 3, false);
  if (durations.size() >= 3) {
    out.Set("iteration.outliers", stats.outliers);
  } else {
    set("iteration.outliers", std::nullopt, 3, false);
  }
  if (stats.robust_cv && durations.size() < kConfidentIterations) {
    out.SetNote("iteration.time.robust_cv",
                fmt::format("low confidence: {} iterations, {} would do", durations.size(),
                            kConfidentIterations),
                true);
  }
  // Neighbouring iterations depend on each other; of so few, chance makes drift and outliers.
  if (durations.size() >= kFewIterations) return;
  for (const char* id : {"iteration.time.cv", "iteration.outliers", "iteration.drift"}) {
    if (!out.IsSet(id)) continue;
    out.SetNote(id, fmt::format("low confidence: {} iterations, {} would do", durations.size(),
                                kFewIterations));
  }
}

// Why no time can be known to go to a part: the recording has nothing of the kind. Empty: it has.
std::string WhyUntold(std::span<const IterationFacts> ranks, Category part, const Output& out) {
  const auto any = [&](auto has) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [&](const IterationFacts& rank) { return has(rank); });
  };
  switch (part) {
    case Category::kRuntime:
      return any([](const IterationFacts& f) { return f.has_api; })
                 ? ""
                 : "needs the host's calls of the runtime, which this recording lacks";
    case Category::kDataLoader:
    case Category::kCpu:
      return any([](const IterationFacts& f) { return f.has_host; })
                 ? ""
                 : out.Gap(Capability::kHostOps);
    case Category::kTensorCoreKernel:
    case Category::kOtherKernel:
    case Category::kMemcpy:
    case Category::kMemset:
      return any([](const IterationFacts& f) { return f.has_device; })
                 ? ""
                 : out.Gap(Capability::kDeviceEvents);
    default:
      return {};
  }
}

void SetBreakdown(std::span<const IterationFacts> ranks, const Breakdown& sums, Ns whole,
                  Output& out) {
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    const auto category = static_cast<Category>(i);
    const std::string id = "breakdown." + std::string(CategoryId(category));
    const std::string untold = WhyUntold(ranks, category, out);
    if (whole > 0 && !untold.empty() && sums[i] == 0) {
      out.SetAbsent(id, untold);
      out.SetAbsent(id + ".time", untold);
      continue;
    }
    out.Set(id + ".time", sums[i]);
    if (whole > 0) {
      out.Set(id, static_cast<double>(sums[i]) / static_cast<double>(whole));
    } else {
      out.SetAbsent(id, "the iterations have no length");
    }
  }
  constexpr auto kDataLoader = static_cast<std::size_t>(Category::kDataLoader);
  const std::string untold = WhyUntold(ranks, Category::kDataLoader, out);
  if (whole > 0 && !untold.empty() && sums[kDataLoader] == 0) {
    out.SetAbsent("dataloader.exposed_share", untold);
  } else if (whole > 0) {
    out.Set("dataloader.exposed_share",
            static_cast<double>(sums[kDataLoader]) / static_cast<double>(whole));
  } else {
    out.SetAbsent("dataloader.exposed_share", "the iterations have no length");
  }
}

void FillTable(std::span<const RankContext> ranks, std::span<const RunIteration> run,
               std::span<const IterationFacts> facts, Table& table) {
  for (const RunIteration& row : run) {
    const RankContext& rank = ranks[row.rank];
    const Iteration& iteration = rank.iterations.all[row.iteration];
    const std::size_t selected = row.iteration - rank.iterations.first;
    const IterationFacts& of_rank = facts[row.rank];
    const IterationKernels& sums = of_rank.kernels[selected];
    table.Find("index")->AddInteger(static_cast<std::int64_t>(row.iteration));
    table.Find("name")->AddText(table.strings().Intern(row.name));
    table.Find("rank")->AddInteger(rank.rank);
    table.Find("start")->AddInteger(iteration.time.start);
    table.Find("duration")->AddInteger(iteration.time.length());
    table.Find("unobserved")->AddInteger(row.unobserved);
    const Breakdown& breakdown = of_rank.parts[selected];
    for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
      table.Find(CategoryId(static_cast<Category>(i)))->AddInteger(breakdown[i]);
    }
    const auto count = [&](std::int64_t value) {
      return of_rank.has_device ? value : Column::kAbsentInteger;
    };
    table.Find("kernels")->AddInteger(count(sums.kernels));
    table.Find("tensor_core_kernels")->AddInteger(count(sums.tensor_core_kernels));
    table.Find("gpu_time")->AddInteger(count(sums.time));
    table.Find("tensor_core_gpu_time")->AddInteger(count(sums.tensor_core_time));
    const double whole = static_cast<double>(iteration.time.length()) *
                         static_cast<double>(std::max<std::size_t>(rank.gpus.size(), 1));
    const auto share = [&](std::string_view column, Ns part) {
      if (of_rank.has_device && whole > 0) {
        table.Find(column)->AddReal(static_cast<double>(part) / whole);
      } else {
        table.Find(column)->AddAbsent();
      }
    };
    share("gpu_time_share", sums.time);
    share("tensor_core_gpu_time_share", sums.tensor_core_time);
  }
}

void ProposeSteadyRange(std::string_view source, std::span<const RunIteration> run,
                        std::span<const double> durations, Output& out) {
  const auto steady = FindSteadyRange(durations);
  if (!steady) return;
  const double cv = Describe(durations).cv.value_or(0);
  const auto label = [&](std::size_t at) {
    return IterationLabel(source, run[at].name, static_cast<std::int64_t>(run[at].iteration));
  };
  out.AddRemark(
      "unsteady-selection",
      fmt::format("the selected iterations are unsteady (coefficient of variation {}); iterations "
                  "{} to {} are steady ({}): select them with --iter-start={} --iter-stop={}",
                  FormatValue(cv, Unit::kShare), label(steady->first), label(steady->last - 1),
                  FormatValue(steady->cv, Unit::kShare), run[steady->first].iteration,
                  run[steady->last - 1].iteration));
}

// What marks of iterations have alike: "ProfilerStep#".
std::string_view UpToNumber(std::string_view name) {
  return name.substr(0, std::min(name.find_first_of("0123456789"), name.size()));
}

// How far the marks of a process stand apart.
struct Pace {
  Ns begin = std::numeric_limits<Ns>::max(), end = std::numeric_limits<Ns>::min();
  std::int64_t marks = 0;
  double OfOne() const { return static_cast<double>(end - begin) / static_cast<double>(marks); }
};

// Of the processes that mark iterations, by what they are called.
using Paces = std::map<std::string_view, Pace>;

// `family`: of marks named so alone; of all where it is empty.
Paces PacesOf(const Profile& profile, std::string_view family) {
  const HostTable& host = profile.host;
  Paces paces;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const ThreadId thread = host.thread[row];
    if (host.kind[row] != HostKind::kIterationMarker || !thread.valid()) continue;
    if (!family.empty() && UpToNumber(profile.Name(host.name[row])) != family) continue;
    Pace& pace = paces[profile.threads[thread.value].process];
    pace.begin = std::min(pace.begin, host.start[row]);
    pace.end = std::max(pace.end, host.start[row] + host.duration[row]);
    ++pace.marks;
  }
  return paces;
}

// The marker that the first iteration is.
std::optional<std::size_t> FirstMark(const RankContext& rank) {
  const HostTable& host = rank.profile->host;
  for (std::size_t row = 0; row < host.size() && !rank.iterations.all.empty(); ++row) {
    if (host.kind[row] == HostKind::kIterationMarker && host.thread[row].valid() &&
        host.start[row] == rank.iterations.all.front().host.start) {
      return row;
    }
  }
  return std::nullopt;
}

MarkingProcesses ProcessesOf(const RankContext& rank) {
  const Profile& profile = *rank.profile;
  MarkingProcesses processes;
  processes.count = static_cast<std::int64_t>(PacesOf(profile, {}).size());
  const auto first = processes.count < 2 ? std::nullopt : FirstMark(rank);
  if (!first) return processes;
  const Paces paces = PacesOf(profile, UpToNumber(profile.Name(profile.host.name[*first])));
  const ThreadId thread = profile.host.thread[*first];
  const double taken = paces.at(profile.threads[thread.value].process).OfOne();
  for (const auto& [process, pace] : paces) {
    if (taken > 0) processes.slower = std::max(processes.slower, pace.OfOne() / taken);
  }
  return processes;
}

// The markers of one thread are the iterations; another process has its own pace. One that is far
// slower is judged by nobody.
void RemarkProcesses(std::span<const IterationFacts> ranks, Output& out) {
  constexpr double kApart = 1.25;
  for (const IterationFacts& rank : ranks) {
    const MarkingProcesses& processes = rank.processes;
    if (processes.count < 2) continue;
    const std::string several =
        fmt::format("{} processes mark iterations in one recording: those of one are taken",
                    FormatCount(processes.count));
    if (processes.slower > kApart) {
      return out.AddRemark(std::string(kProcessesApart),
                           fmt::format("{}, and those of another take {:.1f} times as long; give "
                                       "each process its own file",
                                       several, processes.slower));
    }
    return out.AddRemark("several-processes",
                         several +
                             ", and the work of all counts in them; give each process its "
                             "own file");
  }
}

struct LostIterations {
  std::int64_t lost = 0, all = 0;
};

// Of the rank that lost the largest share of its iterations; of those, too, that others lack.
LostIterations MostLost(std::span<const RankContext> ranks) {
  LostIterations most;
  for (const RankContext& rank : ranks) {
    const std::int64_t lost = rank.iterations.dropped_at_end;
    const auto common = static_cast<std::int64_t>(rank.iterations.all.size());
    const auto partial = static_cast<std::int64_t>(rank.iterations.partial.size());
    const std::int64_t all = common + std::max(lost, partial);
    if (lost * std::max<std::int64_t>(most.all, 1) > most.lost * all) most = {lost, all};
  }
  return most;
}

// Beyond that many, and this part of all, iterations are lost, and not in flight at the end.
constexpr std::int64_t kFewLost = 2, kLostOneOf = 4;
bool AreFew(const LostIterations& of) {
  return of.lost < kFewLost || of.lost * kLostOneOf < of.all;
}

// A recording may stop while some iterations are in flight, and is told so; one that lacks a
// quarter has lost them.
void RemarkLost(std::span<const RankContext> ranks, Output& out) {
  const LostIterations most = MostLost(ranks);
  if (most.lost == 0) return;
  const std::string all = FormatCount(most.all), lost = FormatCount(most.lost);
  if (!AreFew(most)) {
    return out.AddRemark(std::string(kIterationsLost),
                         fmt::format("the last {} of {} iterations are left out: they launched "
                                     "work that the recording does not have",
                                     lost, all));
  }
  out.AddRemark("incomplete-iterations",
                most.lost == 1
                    ? fmt::format("the last of {} iterations is left out: the recording does not "
                                  "have all of the work that the others have",
                                  all)
                    : fmt::format("the last {} of {} iterations are left out: the recording does "
                                  "not have all of the work that the others have",
                                  lost, all));
}

// Numbers of the run would be those of the other ranks.
void SetRanksWithoutWork(std::span<const RankContext> ranks, std::span<const IterationFacts> facts,
                         Output& out) {
  constexpr std::string_view kId = "profile.ranks_without_work";
  constexpr std::int64_t kMostNamed = 8;
  std::string list;
  std::int64_t without = 0, with = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    with += facts[i].has_device ? 1 : 0;
    const bool expects = facts[i].has_api || facts[i].gpus_listed > 0;
    if (facts[i].has_device || !expects || !ranks[i].profile->has_timeline) continue;
    if (++without <= kMostNamed) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", ranks[i].rank);
    }
    if (without == kMostNamed + 1) list += ", …";
  }
  if (with == 0) return out.SetAbsent(kId, out.Gap(Capability::kDeviceEvents));
  out.Set(kId, without);
  if (without == 0) return;
  const std::string nothing = out.Told(
      "there is no {{ device.device }} work, though a {{ device.device }} is listed or its "
      "runtime called");
  out.AddRemark(std::string(kRanksWithoutWork),
                fmt::format("in the recording of {} of {} ranks ({}) {}", FormatCount(without),
                            FormatCount(static_cast<std::int64_t>(ranks.size())), list, nothing));
}

void RemarkSetup(std::span<const RankContext> ranks, Output& out) {
  for (const RankContext& rank : ranks) {
    const std::vector<bool> before = CallsBeforeWindow(*rank.profile, rank.iterations);
    const auto first = std::find(before.begin(), before.end(), true);
    if (first == before.end()) continue;
    const auto call = static_cast<std::size_t>(first - before.begin());
    const Ns begin =
        std::min(rank.iterations.all.front().host.start, rank.profile->api.start[call]);
    const Ns left_out = rank.iterations.window.start - begin;
    if (left_out <= 0) continue;
    out.AddRemark(
        "set-up",
        fmt::format("the first {} are left out: the host set the device up in them (in calls such "
                    "as {})",
                    FormatDuration(static_cast<double>(left_out)),
                    rank.profile->Name(rank.profile->api.name[call])));
    return;
  }
}

// A quarter that one rank lacks is more than ranks that began or ended a little apart.
void RemarkPartial(std::span<const RankContext> ranks, Output& out) {
  std::span<const std::string> partial;  // Those of one rank are those of all.
  LostIterations most;
  for (const RankContext& rank : ranks) {
    if (rank.iterations.partial.empty()) continue;
    partial = rank.iterations.partial;
    most.lost = std::max(most.lost, rank.iterations.lacking);
    most.all = static_cast<std::int64_t>(partial.size() + rank.iterations.all.size());
  }
  if (partial.empty()) return;
  std::string list;
  for (const std::string& name : partial) {
    list += fmt::format("{}#{}", list.empty() ? "" : ", ", name);
  }
  out.AddRemark(AreFew(most) ? "partial-iterations" : std::string(kIterationsPartial),
                fmt::format("{} left out, not every rank recorded {}: {}",
                            partial.size() == 1 ? "an iteration is" : "some iterations are",
                            partial.size() == 1 ? "it" : "them", list));
}

// What the selection leaves out, on the slowest rank each.
void AddOthers(std::span<const RankContext> ranks, Output& out) {
  std::map<std::size_t, Iteration> others;
  for (const RankContext& rank : ranks) {
    const Iterations& iterations = rank.iterations;
    for (std::size_t i = 0; i < iterations.all.size() && !iterations.is_whole; ++i) {
      if (iterations.SelectsIteration(static_cast<std::uint32_t>(i))) continue;
      const auto [entry, is_new] = others.try_emplace(i, iterations.all[i]);
      if (!is_new && iterations.all[i].time.length() > entry->second.time.length()) {
        entry->second = iterations.all[i];
      }
    }
  }
  if (others.empty()) return out.SetTableAbsent("other_iterations", "all are selected");
  Table& table = out.AddTable("other_iterations");
  for (const auto& [index, iteration] : others) {
    table.Find("index")->AddInteger(static_cast<std::int64_t>(index));
    table.Find("name")->AddText(out.strings().Intern(iteration.name));
    table.Find("start")->AddInteger(iteration.time.start);
    table.Find("duration")->AddInteger(iteration.time.length());
  }
}

}  // namespace

std::vector<RunIteration> PoolIterations(std::span<const RankContext> ranks) {
  std::map<std::int64_t, RunIteration> by_number;
  const bool any_marked = std::any_of(ranks.begin(), ranks.end(), IsMarked);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Iterations& iterations = ranks[r].iterations;
    // The one stretch of a recording without markers is no iteration of the others'.
    if (any_marked && !IsMarked(ranks[r])) continue;
    const std::vector<bool> follows = FollowsDirectly(iterations);
    for (std::size_t i = iterations.first; i < iterations.last; ++i) {
      const Iteration& iteration = iterations.all[i];
      const Ns duration = iteration.time.length();
      const auto [entry, is_new] = by_number.try_emplace(NumberOf(iteration, i));
      if (!is_new && duration <= entry->second.duration) continue;
      const Ns unobserved = OverlapLength(ranks[r].unobserved, std::span(&iteration.time, 1));
      std::optional<Ns> period;
      if (i + 1 < iterations.last && follows[i]) {
        period = iterations.all[i + 1].time.start - iteration.time.start;
      }
      entry->second = {iteration.name, r, i, duration, unobserved, period};
    }
  }
  std::vector<RunIteration> run;
  for (auto& [number, iteration] : by_number) run.push_back(std::move(iteration));
  return run;
}

namespace {

void SetRecorded(std::span<const RankContext> ranks, std::span<const IterationFacts> facts,
                 Output& out) {
  Ns kernel_time = 0;
  std::int64_t gpus = 0, listed = 0;
  bool has_device = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    gpus += static_cast<std::int64_t>(MeasureGpus(ranks[i]).size());
    // Ranks of one machine list the same GPUs, and which ranks share one is not recorded.
    listed = std::max(listed, facts[i].gpus_listed);
    has_device = has_device || facts[i].has_device;
    kernel_time += facts[i].kernel_time;
  }
  out.Set("profile.ranks", static_cast<std::int64_t>(ranks.size()));
  const bool told = has_device || std::all_of(ranks.begin(), ranks.end(), [](const RankContext& r) {
                      return r.profile->has_timeline;
                    });
  if (told) out.Set("profile.gpus", gpus);
  if (listed > 0) {
    out.Set("profile.gpus_listed", listed);
  } else {
    out.SetAbsent("profile.gpus_listed", out.Gap(Capability::kDeviceProperties));
  }
  if (has_device) {
    out.Set("profile.kernel_time", kernel_time);
  } else {
    out.SetAbsent("profile.kernel_time", out.Gap(Capability::kDeviceEvents));
  }
}

}  // namespace

IterationFacts IterationFactsOf(const RankContext& rank) {
  IterationFacts facts = RecordingFactsOf(rank);
  facts.parts = BreakdownsOf(rank);
  facts.kernels = KernelsOf(rank);
  facts.processes = ProcessesOf(rank);
  return facts;
}

void SetRecording(std::span<const RankContext> ranks, Output& out) {
  std::vector<IterationFacts> facts;
  for (const RankContext& rank : ranks) facts.push_back(RecordingFactsOf(rank));
  SetRecorded(ranks, facts, out);
}

void AddIterations(std::span<const RankContext> ranks, Output& out) {
  std::vector<IterationFacts> facts;
  for (const RankContext& rank : ranks) facts.push_back(IterationFactsOf(rank));
  AddIterations(ranks, facts, out);
}

void AddIterations(std::span<const RankContext> ranks, std::span<const IterationFacts> facts,
                   Output& out) {
  const std::vector<RunIteration> run = PoolIterations(ranks);
  std::vector<double> observed;
  for (const RunIteration& iteration : run) {
    observed.push_back(static_cast<double>(iteration.duration - iteration.unobserved));
  }
  Ns wall = 0;
  for (const RankContext& rank : ranks) wall = std::max(wall, rank.window().length());
  out.Set("profile.wall_time", wall);
  out.Set("profile.iterations", static_cast<std::int64_t>(run.size()));
  SetRecorded(ranks, facts, out);
  SetStatistics(observed, out);
  SetPeriods(run, out);
  Breakdown sums{};
  Ns whole = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const Breakdown& part : facts[r].parts) {
      for (std::size_t i = 0; i < kBreakdownCategories; ++i) sums[i] += part[i];
    }
    whole += ranks[r].iterations.SelectedTime();
  }
  SetBreakdown(facts, sums, whole, out);
  Table& table = out.AddTable("iterations");
  FillTable(ranks, run, facts, table);
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    const auto category = static_cast<Category>(i);
    const std::string untold = WhyUntold(facts, category, out);
    if (!untold.empty() && sums[i] == 0) table.Find(CategoryId(category))->MarkAbsent(untold);
  }
  AddOthers(ranks, out);
  ProposeSteadyRange(ranks.front().iterations.source, run, observed, out);
  RemarkProcesses(facts, out);
  RemarkLost(ranks, out);
  SetRanksWithoutWork(ranks, facts, out);
  RemarkWithoutMarkers(ranks, out);
  RemarkSetup(ranks, out);
  RemarkPartial(ranks, out);
}

}  // namespace profgauge
