// A rank's facts as columns: every column is written and read here, in the same order.
#include "analysis/summary/columns.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "analysis/summary/analyze_run.h"
#include "analysis/summary/rank_summary.h"

namespace profgauge::analysis::summary {
namespace {

void Exchange(Columns& columns, const std::string& prefix, time::Breakdown& parts) {
  for (std::size_t c = 0; c < parts.size(); ++c) {
    columns.Number(prefix + std::string(CategoryId(static_cast<Category>(c))), parts[c]);
  }
}

void Exchange(Columns& columns, context::Iterations& iterations) {
  List(columns, "iteration.start", iterations.all, [&](context::Iteration& iteration) {
    columns.Text("iteration.name", iteration.name);
    columns.Time("iteration", iteration.time);
    columns.Time("iteration.host", iteration.host);
    columns.Number("iteration.lead_in", iteration.lead_in);
    columns.Number("iteration.device_events", iteration.device_events);
  });
  columns.Number("iterations.first", iterations.first);
  columns.Number("iterations.last", iterations.last);
  columns.Number("iterations.dropped_at_end", iterations.dropped_at_end);
  columns.Number("iterations.dropped_at_start", iterations.dropped_at_start);
  columns.Number("iterations.lost", iterations.lost);
  columns.Number("iterations.launches_lost", iterations.launches_lost);
  columns.Number("iterations.launches_made", iterations.launches_made);
  columns.Number("iterations.markers", iterations.marker_faults.all);
  columns.Number("iterations.markers_open", iterations.marker_faults.open);
  columns.Number("iterations.markers_displaced", iterations.marker_faults.displaced);
  columns.Number("iterations.markers_unfinished", iterations.marker_faults.unfinished);
  columns.Text("iterations.without_work", iterations.without_work);
  columns.Number("iterations.in_doubt", iterations.in_doubt);
  columns.Number("iterations.lacking", iterations.lacking);
  List(columns, "iterations.partials", iterations.partial, [&](std::string& name) {
    std::int64_t one = 1;
    columns.Number("iterations.partials", one);
    columns.Text("iterations.partial", name);
  });
  columns.Number("iterations.is_whole", iterations.is_whole);
  columns.Number("iterations.has_numbers", iterations.has_numbers);
  columns.Number("iterations.everything", iterations.everything);
  std::string source = iterations.source.Text();
  columns.Text("iterations.source", source);
  iterations.source = ParseIterationSource(source);
  columns.Text("iterations.nested", iterations.nested);
  columns.Time("window", iterations.window);
}

void Exchange(Columns& columns, std::vector<context::GpuUse>& gpus) {
  List(columns, "use.gpu", gpus, [&](context::GpuUse& use) {
    columns.Number("use.gpu", use.gpu);
    columns.Number("use.window", use.window);
    columns.Number("use.observed", use.observed);
    columns.Number("use.kernel_busy", use.kernel_busy);
    columns.Number("use.busy", use.busy);
    columns.Number("use.idle_once", use.idle_once);
    columns.Number("use.idle_most_in", use.idle_most_in);
    columns.Number("use.whole_graphs", use.whole_graphs);
    columns.Real("use.sm_efficiency", use.sm_efficiency);
    columns.Real("use.occupancy", use.occupancy);
  });
}

void Exchange(Columns& columns, time::IterationFacts& facts) {
  columns.Number("has_device", facts.has_device);
  columns.Number("has_host", facts.has_host);
  columns.Number("has_api", facts.has_api);
  columns.Number("gpus_listed", facts.gpus_listed);
  columns.Number("processes", facts.processes.count);
  columns.Real("processes.slower", facts.processes.slower);
  columns.Number("loader.between", facts.loader.between);
  columns.Number("loader.stalled", facts.loader.stalled);
  List(columns, "iteration.other", facts.parts,
       [&](time::Breakdown& parts) { Exchange(columns, "iteration.", parts); });
  List(columns, "iteration.kernels", facts.kernels, [&](time::IterationKernels& kernels) {
    columns.Number("iteration.kernels", kernels.kernels);
    columns.Number("iteration.tensor_core_kernels", kernels.tensor_core_kernels);
    columns.Number("iteration.kernel_time", kernels.time);
    columns.Number("iteration.tensor_core_time", kernels.tensor_core_time);
    columns.Number("iteration.changing_work", kernels.changing);
  });
}

void Exchange(Columns& columns, communication::CollectiveCall& call) {
  columns.Number("call.kind", call.kind);
  columns.Text("call.name", call.name);
  columns.Text("call.group", call.group);
  columns.Text("call.description", call.group_description);
  columns.Text("call.dtype", call.dtype);
  columns.Number("call.group_size", call.group_size);
  columns.Number("call.bytes", call.bytes);
  columns.Number("call.chunk", call.chunk);
  columns.Number("call.is_uneven", call.is_uneven);
  columns.Number("call.in_elements", call.in_elements);
  columns.Number("call.out_elements", call.out_elements);
  columns.Number("call.sequence", call.sequence);
  columns.Number("call.source", call.source);
  columns.Number("call.destination", call.destination);
  columns.Number("call.iteration", call.iteration);
  columns.Time("call", call.time);
  columns.Number("call.exposed", call.exposed);
  columns.Number("call.in_iterations", call.in_iterations);
  if (call.kind > classify::CollectiveKind::kOther) columns.Refuse();
}

void Exchange(Columns& columns, communication::RankTimes& times, communication::RankParts& parts) {
  columns.Number("times.compute", times.compute);
  columns.Number("times.communication", times.communication);
  columns.Number("times.hidden", times.hidden);
  columns.Number("times.window", times.window);
  columns.Number("times.observed", times.observed);
  columns.Number("times.busy", times.busy);
  columns.Number("parts.compute_only", parts.compute_only);
  columns.Number("parts.overlapped", parts.overlapped);
  columns.Number("parts.exposed", parts.transfer_exposed);
  columns.Number("parts.copy", parts.copy);
  columns.Number("parts.dataloader", parts.dataloader);
  columns.Number("parts.host", parts.host);
  columns.Number("parts.unattributed", parts.unattributed);
}

void Exchange(Columns& columns, communication::RankFacts& facts) {
  columns.Number("facts.rank", facts.rank);
  List(columns, "step.number", facts.steps, [&](communication::RankFacts::Step& step) {
    columns.Number("step.number", step.number);
    columns.Time("step", step.time);
    columns.Number("step.overlapped", step.parts.overlapped);
  });
  Exchange(columns, facts.times, facts.parts);
  List(columns, "call.kind", facts.calls,
       [&](communication::CollectiveCall& call) { Exchange(columns, call); });
  List(columns, "exposed.start", facts.exposed, [&](Span& span) { columns.Time("exposed", span); });
  List(columns, "moment", facts.moments, [&](Ns& moment) { columns.Number("moment", moment); });
  List(columns, "until.other", facts.until,
       [&](time::Breakdown& until) { Exchange(columns, "until.", until); });
  List(columns, "kernel.calls", facts.kernels, [&](communication::KernelSum& kernel) {
    columns.Text("kernel.name", kernel.name);
    for (std::int64_t& side : kernel.shape) columns.Number("kernel.shape", side);
    columns.Number("kernel.inputs", kernel.inputs);
    columns.Number("kernel.is_matrix", kernel.is_matrix);
    columns.Number("kernel.calls", kernel.calls);
    columns.Number("kernel.time", kernel.time);
  });
  columns.Number("slow_gpu", facts.slow_gpu);
  columns.Real("gpu_slowdown", facts.gpu_slowdown);
  columns.Text("suspects", facts.suspects);
  columns.Real("links.bus", facts.machine.links.bus);
  columns.Number("links.peers", facts.machine.links.peers);
  columns.Number("machine.devices", facts.machine.devices);
  columns.Number("shared.time", facts.shared.time);
  columns.Number("shared.all", facts.shared.all);
  columns.Number("shared.calls", facts.shared.calls);
  columns.Text("shared.streams", facts.shared.streams);
}

// The order of the columns within a summary. Texts of lists without a number count by a column of
// ones, e.g. "stated.ids".
void Exchange(Columns& columns, RankSummary& rank) {
  columns.Text("selection", rank.selection);
  columns.Number("is_told", rank.is_told);
  List(columns, "stated.ids", rank.stated, [&](std::string& id) {
    std::int64_t one = 1;
    columns.Number("stated.ids", one);
    columns.Text("stated.id", id);
  });
  Exchange(columns, rank.iterations);
  List(columns, "unobserved.start", rank.unobserved,
       [&](Span& span) { columns.Time("unobserved", span); });
  columns.Number("captured", rank.captured);
  Exchange(columns, rank.gpus);
  Exchange(columns, rank.times);
  Exchange(columns, rank.communication);
  ExchangeWork(columns, rank);
}

/// Whether lists that belong together have equal lengths, and all calls begin and end at known
/// moments: RankFacts::Between() finds moments without a further check.
bool Agrees(const RankSummary& rank) {
  const communication::RankFacts& facts = rank.communication;
  const context::Iterations& iterations = rank.iterations;
  if (iterations.first > iterations.last || iterations.last > iterations.all.size()) return false;
  const std::size_t steps = iterations.last - iterations.first;
  const auto in_order = [](const std::vector<Ns>& moments) {
    return std::is_sorted(moments.begin(), moments.end());
  };
  const auto is_moment = [&](Ns moment) {
    return std::binary_search(facts.moments.begin(), facts.moments.end(), moment);
  };
  return steps > 0 && rank.times.parts.size() == steps && rank.times.kernels.size() == steps &&
         facts.steps.size() == steps && facts.until.size() == facts.moments.size() &&
         in_order(facts.moments) &&
         std::all_of(facts.calls.begin(), facts.calls.end(),
                     [&](const communication::CollectiveCall& call) {
                       return is_moment(call.time.start) && is_moment(call.time.end) &&
                              call.time.start <= call.time.end;
                     });
}

/// A program may give each range a separate name. Names omitted from one rank are missing in the
/// run, so all are omitted.
template <class T>
void KeepIfFew(std::vector<T>& values, bool& has_all) {
  constexpr std::size_t kMostValuesKept = 2'000;
  has_all = values.size() <= kMostValuesKept;
  if (!has_all) values.clear();
}

}  // namespace

Summary Summarize(const context::RankContext& rank, const Selection& selection) {
  RankSummary kept;
  kept.selection = SelectionText(selection);
  kept.iterations = rank.iterations;
  kept.unobserved = rank.unobserved;
  kept.captured = rank.captured;
  kept.gpus = rank.gpus;
  communication::RankTimeFacts time_facts = communication::TimeFactsOf(rank);
  kept.times = std::move(time_facts.iterations);
  kept.communication = std::move(time_facts.communication);
  kept.counts = ops::CountFactsOf(rank);
  kept.coverage = recording::CoverageFactsOf(rank);
  kept.edges = recording::EdgeFactsOf(rank);
  kept.calls = host::CallFactsOf(rank);
  kept.copies = device::CopyFactsOf(rank);
  kept.launches = device::LaunchFactsOf(rank);
  device::FoldDelays(kept.launches);
  kept.kernels = device::KernelFactsOf(rank);
  kept.tensor_cores = device::TensorCoreFactsOf(rank);
  kept.idle = time::IdleFactsOf(rank);
  kept.memory = device::MemoryFactsOf(rank);
  kept.roofline = device::RooflineFactsOf(rank);
  std::vector<std::uint32_t> events;
  for (const communication::CollectiveCall& call : kept.communication.calls)
    events.push_back(call.event);
  kept.path = path::PathFactsOf(rank, events);
  kept.ops = ops::OpFactsOf(rank);
  if (rank.profile->has_timeline) {
    kept.modules = ops::ModuleFactsOf(rank);
    kept.ranges = ops::RangeFactsOf(rank);
    KeepIfFew(kept.modules.modules, kept.modules.has_all);
    KeepIfFew(kept.ranges.ranges, kept.ranges.has_all);
    kept.tables = TablesOf(rank, kept.communication);
  }
  kept.is_told = rank.profile->has_timeline && rank.profile->neuron == nullptr;
  for (const auto& metric : rank.profile->reported.metrics)
    kept.stated.emplace_back(metric.id.text());
  for (const auto& table : rank.profile->reported.tables) kept.stated.push_back(table.id);
  Summary summary = BeginSummary(*rank.profile);
  Columns columns = Columns::Writing(summary);
  Exchange(columns, kept);
  time::AttributionFacts time = WholeAttributionOf(rank, {});
  time::FoldSmall(time);
  ExchangeTime(columns, time);
  WriteTables(kept.tables, summary);
  return summary;
}

std::optional<RankSummary> ReadRankSummary(const Summary& summary, const std::string& path,
                                           std::shared_ptr<StringPool> strings) {
  RankSummary rank;
  rank.strings = strings;
  Columns columns = Columns::Reading(summary, *strings);
  Exchange(columns, rank);
  if (!columns.ok() || !Agrees(rank)) return std::nullopt;
  auto tables = ReadTables(summary, std::move(strings));
  if (!tables) return std::nullopt;
  rank.tables = *std::move(tables);
  rank.profile = DescribedBy(summary, path);
  communication::RankFacts& facts = rank.communication;
  facts.world_size = rank.profile.distributed.world_size;
  facts.groups = rank.profile.distributed.groups;
  facts.has_device = rank.times.has_device;
  facts.has_timeline = rank.profile.has_timeline;
  for (std::size_t i = 0; i < facts.steps.size(); ++i) {
    communication::RankParts& parts = facts.steps[i].parts;
    parts = communication::PartsFrom(rank.times.parts[i], parts.overlapped);
  }
  return rank;
}

}  // namespace profgauge::analysis::summary
