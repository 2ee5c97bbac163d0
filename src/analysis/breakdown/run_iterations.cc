// The run's iterations; ProcessesOf(): programs in one profile that each mark iterations.

#include "analysis/breakdown/run_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/breakdown/changing_work.h"
#include "analysis/breakdown/iteration_metrics.h"
#include "analysis/breakdown/iteration_remarks.h"
#include "analysis/breakdown/iteration_stats.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/iterations/derived_markers.h"
#include "analysis/iterations/marker_names.h"
#include "analysis/iterations/observed.h"
#include "analysis/iterations/utilization.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/collectives.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::breakdown {
namespace {

// The row that marks the first iteration. None in a profile without markers, or if the first
// iteration begins at no row, e.g. a derived one.
std::optional<std::size_t> FirstMark(const iterations::RankContext& rank) {
  const HostTable& host = rank.profile->host;
  if (rank.iterations.all.empty() || !IsMarked(rank)) return std::nullopt;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool starts = host.start[row] == rank.iterations.all.front().host.start;
    if (starts && host.thread[row].valid()) return row;
  }
  return std::nullopt;
}

// The rate of a process's marks.
struct Pace {
  Ns begin = std::numeric_limits<Ns>::max(), end = std::numeric_limits<Ns>::min();
  std::int64_t marks = 0;
  // Mean time between marks, including the length of the last one.
  double OfOne() const { return static_cast<double>(end - begin) / static_cast<double>(marks); }
};

// Rates of the processes that mark iterations, or of their threads that launch work themselves,
// e.g. the workers of a server.
using Paces = std::map<std::pair<std::string_view, ThreadId>, Pace>;

// Whether a name is of a family of markers, cached by name.
class IsOfFamily {
 public:
  IsOfFamily(const Profile& profile, StringId like)
      : profile_(profile), family_(FamilyOf(like)), known_(profile.strings.size()) {}
  bool operator()(StringId name) {
    if (!name.valid()) return false;
    std::optional<bool>& known = known_[name.value];
    if (!known) known = FamilyOf(name) == family_;
    return *known;
  }

 private:
  std::string FamilyOf(StringId name) const {
    return iterations::NameOfMarker(profile_.Name(name)).family;
  }
  const Profile& profile_;
  std::string family_;
  std::vector<std::optional<bool>> known_;
};

// Rates of markers with the kind and family of row `like`.
Paces PacesOf(const Profile& profile, std::size_t like) {
  const HostTable& host = profile.host;
  IsOfFamily is_alike(profile, host.name[like]);
  const std::vector<bool> launches = iterations::LaunchingThreads(profile);
  Paces paces;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const ThreadId thread = host.thread[row];
    if (host.kind[row] != host.kind[like] || !thread.valid()) continue;
    if (!is_alike(host.name[row])) continue;
    const ThreadId own = launches[thread.value] ? thread : ThreadId{};
    Pace& pace = paces[{profile.threads[thread.value].process, own}];
    pace.begin = std::min(pace.begin, host.start[row]);
    pace.end = std::max(pace.end, host.start[row] + host.duration[row]);
    ++pace.marks;
  }
  // Other threads of a launching thread's process mark the data that they prepare for it.
  std::set<std::string_view> launching;
  for (const auto& [name, pace] : paces) {
    if (name.second.valid()) launching.insert(name.first);
  }
  std::erase_if(paces, [&](const auto& each) {
    return !each.first.second.valid() && launching.contains(each.first.first);
  });
  return paces;
}

}  // namespace

// `slower` compares rates with that of the thread whose marks are the iterations; 1 if it is
// unknown. Ranks of one program have equal rates; a server's workers may not.
MarkingProcesses ProcessesOf(const iterations::RankContext& rank) {
  const Profile& profile = *rank.profile;
  MarkingProcesses processes;
  const std::optional<std::size_t> first = FirstMark(rank);
  if (!first) return processes;
  const Paces paces = PacesOf(profile, *first);
  processes.count = static_cast<std::int64_t>(paces.size());
  const ThreadId thread = profile.host.thread[*first];
  const std::string_view process = profile.threads[thread.value].process;
  const auto by_thread = paces.find({process, thread});
  const auto own = by_thread != paces.end() ? by_thread : paces.find({process, ThreadId{}});
  const double taken = own != paces.end() ? own->second.OfOne() : 0;
  for (const auto& [name, pace] : paces) {
    if (taken > 0) processes.slower = std::max(processes.slower, pace.OfOne() / taken);
  }
  return processes;
}

namespace {

// Observed time of the selected iterations, to which the parts of the breakdown add up.
Ns ObservedTime(const iterations::RankContext& rank) {
  Ns time = 0;
  for (const iterations::Iteration& iteration : rank.iterations.selected()) {
    time += iteration.time.length() - OverlapLength(rank.unobserved, std::span(&iteration.time, 1));
  }
  return time;
}

// One entry for each selected iteration. Collectives count as kernels here.
std::vector<IterationKernels> KernelsOf(const iterations::RankContext& rank) {
  const iterations::Iterations& iterations = rank.iterations;
  std::vector<IterationKernels> sums(iterations.last - iterations.first);
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == iterations::Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    if (device.kind[row] != DeviceKind::kKernel) continue;
    IterationKernels& sum = sums[index - iterations.first];
    ++sum.kernels;
    sum.time += device.duration[row];
    if (rank.classes[row].tensor_core != classify::Tri::kYes) continue;
    ++sum.tensor_core_kernels;
    sum.tensor_core_time += device.duration[row];
  }
  const std::vector<Ns> changing = ChangingWork(rank);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].changing = changing[i];
  return sums;
}

// The facts that SetRecording() needs: cheap, and known without a timeline.
IterationFacts RecordingFactsOf(const iterations::RankContext& rank) {
  IterationFacts facts;
  facts.has_device = rank.has_device();
  facts.has_host = rank.has_host();
  facts.has_api = rank.profile->api.size() > 0;
  // A GPU without a name is known only from its work, so it is not a list of all GPUs.
  facts.gpus_listed = std::count_if(rank.profile->gpus.begin(), rank.profile->gpus.end(),
                                    [](const Gpu& gpu) { return !gpu.name.empty(); });
  return facts;
}

// Appends the columns from `tensor_core_kernel` to `other`.
void AppendParts(const Breakdown& parts, catalog::RowWriter<catalog::columns::kIterations>& write) {
  const auto of = [&](Category category) { return parts[static_cast<std::size_t>(category)]; };
  write.Integer("tensor_core_kernel"_col, of(Category::kTensorCoreKernel))
      .Integer("other_kernel"_col, of(Category::kOtherKernel))
      .Integer("memcpy"_col, of(Category::kMemcpy))
      .Integer("memset"_col, of(Category::kMemset))
      .Integer("communication"_col, of(Category::kCommunication))
      .Integer("runtime"_col, of(Category::kRuntime))
      .Integer("dataloader"_col, of(Category::kDataLoader))
      .Integer("cpu"_col, of(Category::kCpu))
      .Integer("other"_col, of(Category::kOther));
}

// Columns of kernels are absent, not 0, if no rank has device work.
void MarkWithoutDevice(std::span<const IterationFacts> facts, const catalog::Output& out,
                       Table& table) {
  if (std::ranges::any_of(facts, &IterationFacts::has_device)) return;
  for (const char* column : {"kernels", "tensor_core_kernels", "gpu_time", "gpu_time_share",
                             "tensor_core_gpu_time", "tensor_core_gpu_time_share"}) {
    table.Find(column)->MarkAbsent(out.Gap(Capability::kDeviceEvents));
  }
}

void FillTable(std::span<const iterations::RankContext> ranks, std::span<const RunIteration> run,
               std::span<const IterationFacts> facts, std::span<const double> typical,
               Table& table) {
  catalog::RowWriter<catalog::columns::kIterations> write(table);
  for (std::size_t i = 0; i < run.size(); ++i) {
    const RunIteration& row = run[i];
    const iterations::RankContext& rank = ranks[row.rank];
    const iterations::Iteration& iteration = rank.iterations.all[row.iteration];
    const std::size_t selected = row.iteration - rank.iterations.first;
    const IterationFacts& of_rank = facts[row.rank];
    const IterationKernels& sums = of_rank.kernels[selected];
    write.Integer("index"_col, static_cast<std::int64_t>(row.iteration))
        .Text("name"_col, table.strings().Intern(row.name))
        .Integer("rank"_col, rank.rank)
        .Integer("start"_col, iteration.time.start)
        .Integer("duration"_col, iteration.time.length())
        .Integer("unobserved"_col, row.unobserved)
        .Integer("typical"_col, std::llround(typical[i]));
    AppendParts(of_rank.parts[selected], write);
    const bool known = of_rank.has_device;
    const double whole = known ? static_cast<double>(iteration.time.length()) *
                                     static_cast<double>(std::max<std::size_t>(rank.gpus.size(), 1))
                               : 0;
    write.IntegerIf("kernels"_col, known, sums.kernels)
        .IntegerIf("tensor_core_kernels"_col, known, sums.tensor_core_kernels)
        .IntegerIf("gpu_time"_col, known, sums.time)
        .Share("gpu_time_share"_col, static_cast<double>(sums.time), whole)
        .IntegerIf("tensor_core_gpu_time"_col, known, sums.tensor_core_time)
        .Share("tensor_core_gpu_time_share"_col, static_cast<double>(sums.tensor_core_time), whole)
        .Text("phase"_col, iterations::PhaseOf(rank.iterations.source));
  }
}

// Proposes options that select the longest steady run, e.g. without a slow part in the middle.
void ProposeSteadyRange(const iterations::RankContext& rank, std::span<const RunIteration> run,
                        std::span<const double> durations, catalog::Output& out) {
  const IterationSource& source = rank.iterations.source;
  const auto steady =
      FindSteadyRange(durations, rank.knowledge.thresholds.iterations_steady_variation);
  if (!steady) return;
  const double cv = Describe(durations).cv.value_or(0);
  const auto label = [&](std::size_t at) {
    return iterations::IterationLabel(source, run[at].name,
                                      static_cast<std::int64_t>(run[at].iteration));
  };
  out.AddRemark(
      "unsteady-selection",
      fmt::format("the selected iterations are unsteady (coefficient of variation {}). Iterations "
                  "{} to {} are steady ({}): select them with --iter-start={} --iter-stop={}",
                  FormatValue(cv, Unit::kShare), label(steady->first), label(steady->last - 1),
                  FormatValue(steady->cv, Unit::kShare), run[steady->first].iteration,
                  run[steady->last - 1].iteration));
}

// Adds the skipped iterations by position, each as on the rank where it is longest.
void AddOthers(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::map<std::size_t, iterations::Iteration> others;
  for (const iterations::RankContext& rank : ranks) {
    const iterations::Iterations& iterations = rank.iterations;
    for (std::size_t i = 0; i < iterations.all.size() && !iterations.is_whole; ++i) {
      if (iterations.SelectsIteration(static_cast<std::uint32_t>(i))) continue;
      const auto [entry, is_new] = others.try_emplace(i, iterations.all[i]);
      if (!is_new && iterations.all[i].time.length() > entry->second.time.length()) {
        entry->second = iterations.all[i];
      }
    }
  }
  if (others.empty()) return out.SetTableAbsent("other_iterations", "all are selected");
  catalog::RowWriter<catalog::columns::kOtherIterations> write(out.AddTable("other_iterations"));
  for (const auto& [index, iteration] : others) {
    write.Integer("index"_col, static_cast<std::int64_t>(index))
        .Text("name"_col, out.strings().Intern(iteration.name))
        .Integer("start"_col, iteration.time.start)
        .Integer("duration"_col, iteration.time.length());
  }
}

// Calls `visit` with the rank's position, the iteration's index there, and its number.
template <class Visit>
void VisitSelected(std::span<const iterations::RankContext> ranks, Visit visit) {
  const bool any_marked = std::any_of(ranks.begin(), ranks.end(), IsMarked);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const iterations::Iterations& iterations = ranks[r].iterations;
    // A profile without markers has one range, which is no iteration of other ranks.
    if (any_marked && !IsMarked(ranks[r])) continue;
    for (std::size_t i = iterations.first; i < iterations.last; ++i) {
      visit(r, i, iterations::NumberOf(iterations.all[i], i));
    }
  }
}

// The longest length of each iteration over all ranks, by the iteration's number.
std::map<std::int64_t, Ns> LongestOf(std::span<const iterations::RankContext> ranks) {
  std::map<std::int64_t, Ns> longest;
  VisitSelected(ranks, [&](std::size_t rank, std::size_t i, std::int64_t number) {
    Ns& length = longest[number];
    length = std::max(length, ranks[rank].iterations.all[i].time.length());
  });
  return longest;
}

}  // namespace

std::vector<RunIteration> PoolIterations(std::span<const iterations::RankContext> ranks,
                                         std::span<const IterationFacts> facts) {
  constexpr auto kWaiting = static_cast<std::size_t>(Category::kCommunication);
  struct Slowest {
    Ns own = -1, length = 0;
    std::size_t rank = 0, iteration = 0;
  };
  const std::map<std::int64_t, Ns> longest = LongestOf(ranks);
  const bool has_device = std::ranges::any_of(facts, &IterationFacts::has_device);
  std::map<std::int64_t, Slowest> by_number;
  VisitSelected(ranks, [&](std::size_t rank, std::size_t i, std::int64_t number) {
    const iterations::Iterations& iterations = ranks[rank].iterations;
    const Ns length = iterations.all[i].time.length();
    if (static_cast<double>(length) < (1 - knowledge::kCollectivesStepEndsShare.value()) *
                                          static_cast<double>(longest.at(number))) {
      return;
    }
    // A rank's waiting is unknown if its device was not recorded.
    const bool is_known = facts[rank].has_device == has_device;
    const Ns own = is_known ? length - facts[rank].parts[i - iterations.first][kWaiting] : 0;
    Slowest& slowest = by_number[number];
    if (std::pair(own, length) <= std::pair(slowest.own, slowest.length)) return;
    slowest = {own, length, rank, i};
  });
  std::vector<std::vector<bool>> follows;
  for (const iterations::RankContext& rank : ranks)
    follows.push_back(iterations::FollowsDirectly(rank.iterations));
  std::vector<RunIteration> run;
  for (const auto& [number, slowest] : by_number) {
    const iterations::RankContext& rank = ranks[slowest.rank];
    const std::size_t i = slowest.iteration;
    const iterations::Iteration& iteration = rank.iterations.all[i];
    const Ns unobserved = OverlapLength(rank.unobserved, std::span(&iteration.time, 1));
    std::optional<Ns> period;
    if (i + 1 < rank.iterations.last && follows[slowest.rank][i]) {
      period = rank.iterations.all[i + 1].time.start - iteration.time.start;
    }
    run.push_back({iteration.name, slowest.rank, i, slowest.length, unobserved, period});
  }
  const bool fall =
      std::ranges::any_of(ranks, iterations::NumbersFall, &iterations::RankContext::iterations);
  if (fall) std::ranges::stable_sort(run, {}, &RunIteration::iteration);
  return run;
}

// A rank that began later has a shorter window: the run uses the longest.
void SetExtent(std::span<const iterations::RankContext> ranks, Analysis& analysis) {
  const iterations::RankContext* longest = &ranks.front();
  for (const iterations::RankContext& rank : ranks) {
    if (rank.window().length() > longest->window().length()) longest = &rank;
    // The iteration in flight at the end of the profile was recorded as well.
    analysis.iterations_total = std::max(
        analysis.iterations_total,
        static_cast<std::int64_t>(rank.iterations.all.size()) + rank.iterations.dropped_at_end +
            rank.iterations.marker_faults.unfinished + rank.iterations.dropped_at_start);
  }
  analysis.iteration_source = longest->iterations.source;
  analysis.iterations_selected = static_cast<std::int64_t>(LongestOf(ranks).size());
  // If ranks' iteration numbers differ, the run has more of them than any rank.
  analysis.iterations_total = std::max(analysis.iterations_total, analysis.iterations_selected);
  analysis.window_start = longest->window().start;
  analysis.window_end = longest->window().end;
}

namespace {

// Sets counts of ranks and GPUs. Without device work, GPUs are counted only if all ranks have
// times: a file of sums without kernels has no information on them.
void SetRecorded(std::span<const iterations::RankContext> ranks,
                 std::span<const IterationFacts> facts, catalog::Output& out) {
  std::int64_t gpus = 0, listed = 0;
  bool has_device = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    gpus += static_cast<std::int64_t>(iterations::MeasureGpus(ranks[i]).size());
    // Ranks of one machine list the same GPUs; which ranks share one is not recorded.
    listed = std::max(listed, facts[i].gpus_listed);
    has_device = has_device || facts[i].has_device;
  }
  out.Set(metric::kProfileRanks, static_cast<std::int64_t>(ranks.size()));
  const auto is_timed = [](const iterations::RankContext& rank) {
    return rank.profile->has_timeline;
  };
  const bool is_known = has_device || std::ranges::all_of(ranks, is_timed);
  if (is_known) out.Set(metric::kProfileGpus, gpus);
  if (listed > 0) {
    out.Set(metric::kProfileGpusListed, listed);
  } else {
    out.SetAbsent(metric::kProfileGpusListed, out.Gap(Capability::kDeviceProperties));
  }
}

}  // namespace

// Collects all data that the run needs of the rank's iterations, besides their times.
IterationFacts IterationFactsOf(const iterations::RankContext& rank, const CategoryTimes& times) {
  IterationFacts facts = RecordingFactsOf(rank);
  facts.parts = times.iterations;
  facts.loader = times.loader;
  facts.kernels = KernelsOf(rank);
  facts.processes = ProcessesOf(rank);
  return facts;
}

void SetRecording(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::vector<IterationFacts> facts;
  for (const iterations::RankContext& rank : ranks) facts.push_back(RecordingFactsOf(rank));
  SetRecorded(ranks, facts, out);
}

// This uses only kept facts, so that summaries of a thousand ranks need no events.
std::vector<RunIteration> AddIterations(std::span<const iterations::RankContext> ranks,
                                        std::span<const IterationFacts> facts,
                                        catalog::Output& out) {
  std::vector<RunIteration> run = PoolIterations(ranks, facts);
  std::vector<double> observed;
  std::vector<std::int64_t> kernels;
  std::vector<Ns> changing;
  for (const RunIteration& iteration : run) {
    const std::size_t selected = iteration.iteration - ranks[iteration.rank].iterations.first;
    observed.push_back(static_cast<double>(iteration.duration - iteration.unobserved));
    kernels.push_back(facts[iteration.rank].kernels[selected].kernels);
    changing.push_back(facts[iteration.rank].kernels[selected].changing);
  }
  const std::vector<double> typical = TypicalLengths(observed, kernels, changing);
  const std::vector<double> alike = WithoutKinds(observed, typical);
  Ns wall = 0;
  for (const iterations::RankContext& rank : ranks) wall = std::max(wall, rank.window().length());
  out.Set(metric::kProfileWallTime, wall);
  out.Set(metric::kProfileIterations, static_cast<std::int64_t>(run.size()));
  SetRecorded(ranks, facts, out);
  SetStatistics(observed, alike, ranks.front().knowledge.thresholds, out);
  SetPeriods(run, out);
  Breakdown sums{};
  Ns whole = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const Breakdown& part : facts[r].parts) {
      for (std::size_t i = 0; i < kBreakdownCategories; ++i) sums[i] += part[i];
    }
    whole += ObservedTime(ranks[r]);
  }
  SetBreakdown(facts, sums, whole, out);
  SetLoader(facts, sums[static_cast<std::size_t>(Category::kDataLoader)], whole, out);
  Table& table = out.AddTable("iterations");
  MarkWithoutDevice(facts, out, table);
  FillTable(ranks, run, facts, typical, table);
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    const auto category = static_cast<Category>(i);
    const std::string untold = WhyUntold(facts, category, out);
    if (!untold.empty() && sums[i] == 0) table.Find(CategoryId(category))->MarkAbsent(untold);
  }
  AddOthers(ranks, out);
  ProposeSteadyRange(ranks.front(), run, alike, out);
  AddIterationRemarks(ranks, facts, out);
  return run;
}

}  // namespace profgauge::analysis::breakdown
