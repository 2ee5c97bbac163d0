// Facts of a rank as columns: each function defines the columns for both writing and reading.

#include "analysis/ranks/columns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/idle.h"
#include "analysis/breakdown/rank_attribution.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/ranks/analyze_run.h"
#include "analysis/ranks/rank_summary.h"

namespace profgauge::analysis::ranks {
namespace {

void Exchange(Columns& columns, const std::string& prefix, breakdown::Breakdown& parts) {
  for (std::size_t c = 0; c < parts.size(); ++c) {
    columns.Number(prefix + std::string(CategoryId(static_cast<Category>(c))), parts[c]);
  }
}

void Exchange(Columns& columns, iterations::Iterations& iterations) {
  List(columns, "iteration.start", iterations.all, [&](iterations::Iteration& iteration) {
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
  columns.Number("iterations.launches_behind", iterations.launches_behind);
  columns.Number("iterations.launches_seen", iterations.launches_seen);
  columns.Number("iterations.silent_end", iterations.silent_end);
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

void Exchange(Columns& columns, std::vector<iterations::GpuUse>& gpus) {
  List(columns, "use.gpu", gpus, [&](iterations::GpuUse& use) {
    columns.Number("use.gpu", use.gpu);
    columns.Number("use.window", use.window);
    columns.Number("use.observed", use.observed);
    columns.Number("use.kernel_busy", use.kernel_busy);
    columns.Number("use.busy", use.busy);
    columns.Number("use.idle_once", use.idle_once);
    columns.Number("use.idle_most_in", use.idle_most_in);
    columns.Number("use.idle_once_in", use.idle_once_in);
    columns.Number("use.whole_graphs", use.whole_graphs);
    columns.Real("use.sm_efficiency", use.sm_efficiency);
    columns.Real("use.occupancy", use.occupancy);
  });
}

void Exchange(Columns& columns, breakdown::IterationFacts& facts) {
  columns.Number("has_device", facts.has_device);
  columns.Number("has_host", facts.has_host);
  columns.Number("has_api", facts.has_api);
  columns.Number("gpus_listed", facts.gpus_listed);
  columns.Number("processes", facts.processes.count);
  columns.Real("processes.slower", facts.processes.slower);
  columns.Number("loader.between", facts.loader.between);
  columns.Number("loader.stalled", facts.loader.stalled);
  List(columns, "iteration.other", facts.parts,
       [&](breakdown::Breakdown& parts) { Exchange(columns, "iteration.", parts); });
  List(columns, "iteration.kernels", facts.kernels, [&](breakdown::IterationKernels& kernels) {
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
       [&](breakdown::Breakdown& until) { Exchange(columns, "until.", until); });
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

// Exchanges all columns of a summary, in this order. Lists of texts only have a column of ones as
// their count, e.g. "stated.ids".
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

/// Whether related lists have equal lengths, and all calls begin and end at known moments:
/// RankFacts::Between() does not check its arguments.
bool Agrees(const RankSummary& rank) {
  const communication::RankFacts& facts = rank.communication;
  const iterations::Iterations& iterations = rank.iterations;
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

/// Drops all values if there are too many, e.g. because a program names each range differently.
/// Values that one rank does not have are missing in the run, so keeping a part is of no use.
template <class T>
void KeepIfFew(std::vector<T>& values, bool& has_all) {
  constexpr std::size_t kMostValuesKept = 2'000;
  has_all = values.size() <= kMostValuesKept;
  if (!has_all) values.clear();
}

}  // namespace

Summary Summarize(const iterations::RankContext& rank, const Selection& selection) {
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
  kept.coverage = trust::CoverageFactsOf(rank);
  kept.edges = trust::EdgeFactsOf(rank);
  kept.calls = host::CallFactsOf(rank);
  kept.copies = device::CopyFactsOf(rank);
  kept.launches = device::LaunchFactsOf(rank);
  device::FoldDelays(kept.launches);
  kept.kernels = device::KernelFactsOf(rank);
  kept.tensor_cores = device::TensorCoreFactsOf(rank);
  kept.idle = breakdown::IdleFactsOf(rank);
  kept.memory = device::MemoryFactsOf(rank);
  kept.roofline = device::RooflineFactsOf(rank);
  std::vector<std::uint32_t> events;
  for (const communication::CollectiveCall& call : kept.communication.calls)
    events.push_back(call.event);
  kept.path = simulation::PathFactsOf(rank, events);
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
  breakdown::AttributionFacts time = WholeAttributionOf(rank, {});
  breakdown::FoldSmall(time);
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

// The attribution of a rank's time as columns.

namespace {

void Exchange(Columns& columns, breakdown::RankPart& part) {
  columns.Enum("part.category", part.category, kBreakdownCategories);
  columns.Text("part.op_type", part.op_type);
  columns.Text("part.op", part.op);
  columns.Text("part.shapes", part.shapes);
  columns.Text("part.kernel", part.kernel);
  columns.Number("part.position", part.position);
  columns.Number("part.is_folded", part.is_folded);
  Inner(columns, "part.cells", "cell.time", part.cells, [&](breakdown::PartCell& cell) {
    columns.Number("cell.iteration", cell.iteration);
    columns.Number("cell.count", cell.count);
    columns.Number("cell.time", cell.time);
  });
  Inner(columns, "part.spans", "part.span.count", part.spans, [&](breakdown::PartSpan& span) {
    columns.Number("part.span.first", span.first);
    columns.Number("part.span.last", span.last);
    columns.Number("part.span.count", span.count);
  });
}

void Exchange(Columns& columns, const std::string& column,
              std::vector<breakdown::NameWork>& names) {
  List(columns, column + ".count", names, [&](breakdown::NameWork& work) {
    columns.Text(column + ".name", work.name);
    columns.Number(column + ".count", work.count);
    columns.Number(column + ".gpu_time", work.gpu_time);
    columns.Number(column + ".host_time", work.host_time);
    columns.Number(column + ".has_series", work.has_series);
    Inner(columns, column + ".series", column + ".series.time", work.series,
          [&](std::pair<std::int64_t, Ns>& point) {
            columns.Number(column + ".series.iteration", point.first);
            columns.Number(column + ".series.time", point.second);
          });
  });
}

/// Whether every position is valid. Positions are indices into lists of iterations, so an invalid
/// one would read past their end.
bool Agrees(const breakdown::AttributionFacts& facts, std::size_t iterations) {
  const auto is_one = [&](std::int64_t iteration) {
    return iteration >= 0 && static_cast<std::size_t>(iteration) < iterations;
  };
  const auto part_agrees = [&](const breakdown::RankPart& part) {
    return std::all_of(part.cells.begin(), part.cells.end(),
                       [&](const breakdown::PartCell& cell) { return is_one(cell.iteration); }) &&
           std::all_of(part.spans.begin(), part.spans.end(), [&](const breakdown::PartSpan& span) {
             return is_one(span.first) && is_one(span.last);
           });
  };
  const auto work_agrees = [&](const breakdown::NameWork& work) {
    return std::all_of(work.series.begin(), work.series.end(),
                       [&](const auto& point) { return is_one(point.first); });
  };
  const std::size_t shapes = facts.iteration_shapes.size();
  const breakdown::RankWork& work = facts.work;
  const auto all_agree = [&](const std::vector<breakdown::NameWork>* names) {
    return std::all_of(names->begin(), names->end(), work_agrees);
  };
  const auto all = {&work.kernels, &work.ops, &work.collectives, &work.modules, &work.sums};
  return (shapes == 0 || shapes == iterations) &&
         std::all_of(facts.parts.begin(), facts.parts.end(), part_agrees) &&
         std::all_of(all.begin(), all.end(), all_agree);
}

}  // namespace

void ExchangeTime(Columns& columns, breakdown::AttributionFacts& facts) {
  List(columns, "part.category", facts.parts,
       [&](breakdown::RankPart& part) { Exchange(columns, part); });
  List(columns, "launching.per_iteration", facts.launching, [&](breakdown::LaunchingOp& op) {
    columns.Text("launching.op", op.op);
    columns.Text("launching.shapes", op.shapes);
    columns.Number("launching.per_iteration", op.per_iteration);
  });
  columns.Number("launching.has_shapes", facts.has_shapes);
  List(columns, "iteration.shapes", facts.iteration_shapes,
       [&](std::int64_t& shapes) { columns.Number("iteration.shapes", shapes); });
  columns.Number("work.has_gpu", facts.work.has_gpu);
  Exchange(columns, "work.kernel", facts.work.kernels);
  Exchange(columns, "work.op", facts.work.ops);
  Exchange(columns, "work.collective", facts.work.collectives);
  Exchange(columns, "work.module", facts.work.modules);
  Exchange(columns, "work.sum", facts.work.sums);
  List(columns, "gpu_models", facts.gpu_models, [&](std::string& model) {
    std::int64_t one = 1;
    columns.Number("gpu_models", one);
    columns.Text("gpu_model", model);
  });
}

std::optional<breakdown::AttributionFacts> ReadAttribution(const Summary& summary,
                                                           std::size_t iterations) {
  breakdown::AttributionFacts facts;
  StringPool strings;  // Unused: no text of these is a view.
  Columns columns = Columns::Reading(summary, strings);
  ExchangeTime(columns, facts);
  if (!columns.ok() || !Agrees(facts, iterations)) return std::nullopt;
  return facts;
}

namespace {

// The number of values of an enumeration whose last one is `last`.
constexpr auto UpTo(auto last) { return static_cast<std::int64_t>(last) + 1; }
// A row of copies has kinds of copies and, after them, memsets.
constexpr auto kCopyRowKinds = UpTo(CopyKind::kUnknown) + 1;

void Exchange(Columns& columns, ops::CountFacts& facts) {
  columns.Number("count.iterations", facts.iterations);
  columns.Number("count.launches", facts.launches);
  columns.Number("count.tensor_core_kernels", facts.tensor_core_kernels);
  for (std::int64_t& bytes : facts.bytes) columns.Number("count.bytes", bytes);
  for (bool& complete : facts.is_complete) columns.Number("count.is_complete", complete);
  columns.Number("count.has_device", facts.has_device);
  columns.Number("count.has_launches", facts.has_launches);
  columns.Number("count.has_kernels", facts.has_kernels);
}

void Exchange(Columns& columns, trust::CoverageFacts& facts) {
  columns.Number("coverage.has_ranges", facts.has_ops);
  columns.Number("coverage.has_calls", facts.has_calls);
  columns.Number("coverage.total", facts.total);
  columns.Number("coverage.with_op", facts.with_op);
  columns.Number("coverage.with_launch", facts.with_launch);
  columns.Number("coverage.in_any", facts.in_any);
  columns.Number("coverage.in_window", facts.in_window);
  columns.Number("coverage.kernels", facts.kernels);
  columns.Number("coverage.whole_graphs", facts.whole_graphs);
  columns.Number("coverage.kernels_seen", facts.kernels_seen);
  columns.Number("coverage.copies_seen", facts.copies_seen);
  columns.Number("coverage.memsets_seen", facts.memsets_seen);
  columns.Number("coverage.collectives_only", facts.collectives_only);
}

void Exchange(Columns& columns, trust::EdgeFacts& facts) {
  columns.Number("edge.has_device", facts.has_device);
  columns.Number("edge.backlog", facts.backlog);
  columns.Number("edge.start_up", facts.start_up);
  columns.Number("edge.capture", facts.capture);
  columns.Number("edge.captures", facts.counts.captures);
  columns.Number("edge.captured", facts.counts.captured);
  columns.Number("edge.ran", facts.counts.ran);
}

void Exchange(Columns& columns, host::CallFacts& facts) {
  List(columns, "api.calls", facts.calls, [&](host::CallSum& sum) {
    columns.Text("api.name", sum.name);
    columns.Enum("api.kind", sum.kind, UpTo(ApiKind::kOther));
    columns.Positive("api.calls", sum.calls);
    columns.Number("api.nested", sum.nested);
    columns.Number("api.time", sum.time);
    columns.Number("api.min", sum.min);
    columns.Number("api.max", sum.max);
    columns.Number("api.covered", sum.covered);
  });
  columns.Number("api.in_calls", facts.in_calls);
  columns.Number("api.blocked", facts.blocked);
  columns.Number("api.iterations", facts.iterations);
  columns.Number("api.any", facts.any_call);
}

void Exchange(Columns& columns, device::CopyFacts& facts) {
  columns.Enum("copy.known", facts.known, device::kCopyKnowledges);
  columns.Text("copy.why", facts.why);
  List(columns, "copy.calls", facts.rows, [&](device::CopyRow& row) {
    columns.Enum("copy.kind", row.kind, kCopyRowKinds);
    columns.Enum("copy.host_memory", row.host_memory, UpTo(HostMemory::kManaged));
    columns.Number("copy.gpu", row.gpu);
    columns.Positive("copy.calls", row.sums.calls);
    columns.Number("copy.time", row.sums.time);
    columns.Number("copy.exposed", row.sums.exposed);
    columns.Number("copy.exposed_once", row.sums.exposed_once);
    columns.Number("copy.bytes", row.sums.bytes);
    columns.Number("copy.sized_time", row.sums.sized_time);
    columns.Number("copy.sized", row.sums.sized);
  });
}

void Exchange(Columns& columns, device::LaunchFacts& facts) {
  columns.Number("launch.any", facts.any);
  columns.Number("launch.calls", facts.launches);
  columns.Number("launch.into_empty_queue", facts.into_empty_queue);
  List(columns, "launch.delay", facts.delays,
       [&](Ns& delay) { columns.Number("launch.delay", delay); });
  List(columns, "launch.delay.count", facts.delay_counts,
       [&](std::int64_t& count) { columns.Positive("launch.delay.count", count); });
  columns.Number("launch.delay.error", facts.delay_error);
  if (facts.delays.size() != facts.delay_counts.size()) columns.Refuse();
}

void Exchange(Columns& columns, const std::string& column, device::WeightedMean& mean) {
  columns.Real(column + ".weighted", mean.weighted);
  columns.Real(column + ".weight", mean.weight);
  columns.Real(column + ".plain", mean.plain);
  columns.Number(column + ".count", mean.count);
}

void Exchange(Columns& columns, device::KernelFacts& facts) {
  List(columns, "kernels.calls", facts.names, [&](device::KernelNameSum& name) {
    device::KernelSums& sums = name.sums;
    columns.Text("kernels.name", name.name);
    columns.Text("kernels.rule", name.rule);
    columns.Number("kernels.rule_number", sums.rule);
    columns.Positive("kernels.calls", sums.calls);
    columns.Number("kernels.time", sums.time);
    columns.Number("kernels.min", sums.min);
    columns.Number("kernels.max", sums.max);
    columns.Number("kernels.exposed", sums.exposed);
    columns.Number("kernels.outside", sums.outside);
    columns.Number("kernels.outside_calls", sums.outside_calls);
    columns.Number("kernels.bytes", sums.bytes);
    Exchange(columns, "kernels.blocks_per_sm", sums.blocks_per_sm);
    Exchange(columns, "kernels.occupancy", sums.occupancy);
    columns.Enum("kernels.tensor_core", sums.tensor_core, UpTo(classify::Tri::kUnknown));
    columns.Number("kernels.collective", sums.collective);
  });
  columns.Number("kernels.kernel_time", facts.kernel_time);
  columns.Number("kernels.short_time", facts.short_time);
  columns.Number("kernels.in_iterations", facts.kernels_in_iterations);
  columns.Number("kernels.iterations", facts.iterations);
  columns.Number("kernels.is_launched", facts.is_launched);
  columns.Later("kernels.has_device", facts.has_device);
}

void Exchange(Columns& columns, device::TensorCoreFacts& facts) {
  device::TensorCoreTimes& times = facts.times;
  columns.Number("tensor_core.kernels", times.kernels);
  columns.Number("tensor_core.used", times.tensor_core);
  columns.Number("tensor_core.undecided", times.undecided);
  columns.Number("tensor_core.eligible", times.eligible);
  columns.Number("tensor_core.eligible_used", times.eligible_tensor_core);
  columns.Number("tensor_core.eligible_undecided", times.eligible_undecided);
  columns.Number("tensor_core.unknown", times.unknown);
  columns.Number("tensor_core.whole_graphs", times.whole_graphs);
  columns.Number("tensor_core.any", facts.any_tensor_cores);
  columns.Number("tensor_core.has_device", facts.has_device);
  List(columns, "eligible_op.calls", facts.ops, [&](device::EligibleOp& op) {
    columns.Text("eligible_op.name", op.name);
    columns.Text("eligible_op.shapes", op.shapes);
    columns.Text("eligible_op.dtypes", op.dtypes);
    columns.Number("eligible_op.gpu", op.gpu);
    columns.Number("eligible_op.calls", op.calls);
    columns.Number("eligible_op.time", op.time);
    columns.Number("eligible_op.tensor_core_time", op.tensor_core_time);
    columns.Enum("eligible_op.uses", op.uses, UpTo(classify::Tri::kUnknown));
    columns.Later("eligible_op.read_at_once", op.read_at_once);
  });
}

void Exchange(Columns& columns, breakdown::IdleFacts& facts) {
  columns.Number("idle.observed", facts.observed);
  columns.Number("idle.has_launches", facts.has_launches);
  columns.Number("idle.has_host", facts.has_host);
  columns.Number("idle.has_api", facts.has_api);
  columns.Number("idle.between_launches", facts.between_launches);
  columns.Number("idle.delayed", facts.delayed);
  columns.Positive("idle.iterations", facts.iterations);
  columns.Number("idle.knows_delay", facts.knows_delay);
  List(columns, "idle.other", facts.gpus, [&](std::array<Ns, kIdleCauses>& sums) {
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
      columns.Number("idle." + std::string(IdleCauseId(static_cast<IdleCause>(cause))),
                     sums[cause]);
    }
  });
}

void Exchange(Columns& columns, device::MemoryFacts& facts) {
  columns.Number("memory.any", facts.any);
  List(columns, "memory.device", facts.peaks, [&](device::MemoryPeak& peak) {
    columns.Number("memory.device_type", peak.device_type);
    columns.Number("memory.device", peak.device);
    columns.Number("memory.allocated", peak.allocated);
    columns.Number("memory.reserved", peak.reserved);
    columns.Number("memory.allocated_at_most_reserved", peak.allocated_at_most_reserved);
    columns.Number("memory.growth", peak.growth);
  });
}

// The map of uncounted times is stored as a list.
void Exchange(Columns& columns, device::RooflineFacts& facts) {
  List(columns, "point.calls", facts.points, [&](device::WorkPoint& point) {
    columns.Text("point.name", point.name);
    columns.Text("point.shapes", point.shapes);
    columns.Text("point.dtypes", point.dtypes);
    columns.Text("point.values", point.values);
    columns.Text("point.gpu", point.gpu);
    columns.Number("point.calls", point.calls);
    columns.Positive("point.time", point.time);
    columns.Number("point.tensor_core_time", point.tensor_core_time);
    columns.Real("point.flops", point.flops);
    columns.Real("point.bytes", point.bytes);
    columns.Real("point.recomputed", point.recomputed);
    columns.Text("point.dtype", point.dtype);
    columns.Number("point.is_matrix", point.is_matrix);
    columns.Number("point.multiprocessors", point.multiprocessors);
    columns.Number("point.kernels", point.kernels);
    columns.Text("point.kernel", point.kernel);
    columns.Number("point.kernel_time", point.kernel_time);
    columns.Number("point.blocks", point.blocks);
    columns.Number("point.parts", point.parts);
    columns.Number("point.unknown_parts", point.unknown_parts);
    columns.Number("point.single_experts", point.single_experts);
    columns.Number("point.read_at_once", point.read_at_once);
  });
  columns.Number("points.kernel_time", facts.kernel_time);
  columns.Number("points.counted_time", facts.counted_time);
  columns.Number("points.has_timeline", facts.has_timeline);
  columns.Number("points.knows_threads", facts.knows_threads);
  columns.Number("points.has_shapes", facts.has_shapes);
  std::vector<std::pair<std::string, Ns>> rest(facts.not_counted.begin(), facts.not_counted.end());
  List(columns, "not_counted.time", rest, [&](auto& op) {
    columns.Text("not_counted.op", op.first);
    columns.Number("not_counted.time", op.second);
  });
  facts.not_counted = {rest.begin(), rest.end()};
}

// A collective refers to its part by position, so parts are read first. Its event's row is not
// stored.
void Exchange(Columns& columns, simulation::PathFacts& facts) {
  columns.Text("path.why_not", facts.why_not);
  List(columns, "path.segments", facts.parts, [&](simulation::PathPart& part) {
    columns.Enum("path.kind", part.kind, kPathKinds);
    columns.Text("path.name", part.name);
    columns.Text("path.op", part.op);
    columns.Text("path.module", part.module);
    columns.Text("path.tensor_core", part.tensor_core);
    columns.Number("path.segments", part.segments);
    columns.Number("path.time", part.time);
  });
  List(columns, "path.collective", facts.collectives, [&](simulation::PathCollective& collective) {
    columns.Enum("path.collective", collective.part, static_cast<std::int64_t>(facts.parts.size()));
    columns.Time("path.collective", collective.time);
    columns.Number("path.collective.until", collective.end);
    columns.Number("path.collective.call", collective.call);
  });
  List(columns, "path.device_call", facts.device_calls,
       [&](std::int64_t& call) { columns.Number("path.device_call", call); });
  List(columns, "slack.calls", facts.slacks, [&](simulation::SlackRow& row) {
    columns.Number("slack.gpu", row.gpu);
    columns.Number("slack.stream", row.stream);
    columns.Text("slack.name", row.name);
    columns.Number("slack.calls", row.calls);
    columns.Number("slack.time", row.time);
    columns.Number("slack.on_path", row.on_path);
    columns.Number("slack.least", row.least);
  });
}

void Exchange(Columns& columns, const std::string& column, ops::OpRange& range) {
  columns.Number(column + ".least", range.least);
  columns.Number(column + ".most", range.most);
}

/// Columns of operator tables; those of types have more.
void Exchange(Columns& columns, const std::string& prefix, ops::OpSums& sums) {
  columns.Positive(prefix + "calls", sums.calls);
  columns.Number(prefix + "kernels", sums.kernels);
  columns.Number(prefix + "host_self", sums.host_self);
  columns.Number(prefix + "host_total", sums.host_total);
  columns.Number(prefix + "device_self", sums.device_self);
  columns.Number(prefix + "device_total", sums.device_total);
  columns.Number(prefix + "kernel_self", sums.kernel_self);
  columns.Number(prefix + "kernel_total", sums.kernel_total);
  columns.Number(prefix + "tensor_core_self", sums.tensor_core_self);
  columns.Number(prefix + "tensor_core_total", sums.tensor_core_total);
  columns.Number(prefix + "eligible", sums.eligible);
  columns.Number(prefix + "undecided", sums.undecided);
  columns.Real(prefix + "flops", sums.flops);
  columns.Real(prefix + "bytes", sums.bytes);
  columns.Number(prefix + "known_time", sums.known_time);
  columns.Number(prefix + "outside", sums.outside);
  columns.Number(prefix + "outside_host", sums.outside_host);
  columns.Number(prefix + "outside_calls", sums.outside_calls);
  columns.Later(prefix + "calls_inside", sums.calls_inside);
  columns.Later(prefix + "outside_host_self", sums.outside_host_self);
}

void Exchange(Columns& columns, const std::string& prefix, ops::OpNameSum& name) {
  columns.Text(prefix + "name", name.name);
  Exchange(columns, prefix, name.sums);
  columns.Text(prefix + "dtypes", name.dtypes);
  columns.Number(prefix + "dtypes_differ", name.dtypes_differ);
  columns.Text(prefix + "call_stack", name.call_stack);
  columns.Number(prefix + "call_stacks_differ", name.call_stacks_differ);
  columns.Number(prefix + "directions", name.directions);
}

void Exchange(Columns& columns, ops::OpFacts& facts) {
  List(columns, "op.calls", facts.names, [&](ops::OpNameSum& name) {
    Exchange(columns, "op.", name);
    columns.Later("op.recomputed_calls", name.sums.recomputed_calls);
    columns.Later("op.recomputed_time", name.sums.recomputed_time);
    columns.Number("op.gpu_busy", name.sums.gpu_busy);
    columns.Number("op.gpu_idle", name.sums.gpu_idle);
    Exchange(columns, "op.host", name.sums.host_range);
    Exchange(columns, "op.host_self", name.sums.host_self_range);
    Exchange(columns, "op.device", name.sums.device_range);
    Exchange(columns, "op.gpu_idle", name.sums.gpu_idle_range);
  });
  List(columns, "shaped.calls", facts.by_shape, [&](ops::OpNameSum& name) {
    Exchange(columns, "shaped.", name);
    bool has_shapes = name.shapes.has_value();
    std::string shapes = name.shapes.value_or("");
    columns.Number("shaped.has_shapes", has_shapes);
    columns.Text("shaped.shapes", shapes);
    name.shapes = has_shapes ? std::optional(shapes) : std::nullopt;
  });
  columns.Number("shaped.has_all", facts.has_all_shapes);
  columns.Number("ops.has_device", facts.has_device);
  columns.Number("ops.has_timeline", facts.has_timeline);
  columns.Later("ops.knows_recomputed", facts.knows_recomputed);
}

/// The parent in a tree, which must come first. A number that is not below the row's own position
/// is rejected, because it could form a cycle.
void Parent(Columns& columns, std::string_view column, std::size_t position,
            std::uint32_t& parent) {
  std::int64_t number = parent == catalog::kNoNode ? -1 : std::int64_t{parent};
  columns.Number(column, number);
  if (number < -1 || number >= static_cast<std::int64_t>(position)) return columns.Refuse();
  parent = number < 0 ? catalog::kNoNode : static_cast<std::uint32_t>(number);
}

void Exchange(Columns& columns, ops::ModuleFacts& facts) {
  std::size_t position = 0;
  List(columns, "module.calls", facts.modules, [&](ops::ModuleSum& module) {
    Parent(columns, "module.parent", position++, module.parent);
    columns.Text("module.name", module.name);
    columns.Number("module.id", module.id);
    columns.Positive("module.calls", module.calls);
    columns.Number("module.operators", module.operators);
    columns.Number("module.host_total", module.host_total);
    columns.Number("module.host_self", module.host_self);
    columns.Number("module.device_total", module.device_total);
    columns.Number("module.device_self", module.device_self);
    columns.Number("module.backward_device", module.backward_device);
  });
  columns.Number("modules.has_device", facts.has_device);
  columns.Number("modules.has_all", facts.has_all);
}

void Exchange(Columns& columns, ops::RangeFacts& facts) {
  std::size_t position = 0;
  List(columns, "range.calls", facts.ranges, [&](ops::RangeSum& range) {
    Parent(columns, "range.parent", position++, range.parent);
    columns.Text("range.name", range.name);
    columns.Text("range.domain", range.domain);
    columns.Positive("range.calls", range.calls);
    columns.Number("range.kernels", range.kernels);
    columns.Number("range.host_total", range.host_total);
    columns.Number("range.shortest", range.shortest);
    columns.Number("range.longest", range.longest);
    columns.Number("range.host_self", range.host_self);
    columns.Number("range.device_self", range.device_self);
  });
  columns.Number("ranges.has_device", facts.has_device);
  columns.Number("ranges.has_all", facts.has_all);
}

}  // namespace

void ExchangeWork(Columns& columns, RankSummary& rank) {
  Exchange(columns, rank.counts);
  Exchange(columns, rank.coverage);
  Exchange(columns, rank.edges);
  Exchange(columns, rank.calls);
  Exchange(columns, rank.copies);
  Exchange(columns, rank.launches);
  Exchange(columns, rank.kernels);
  Exchange(columns, rank.tensor_cores);
  Exchange(columns, rank.idle);
  Exchange(columns, rank.memory);
  Exchange(columns, rank.roofline);
  Exchange(columns, rank.path);
  Exchange(columns, rank.ops);
  Exchange(columns, rank.modules);
  Exchange(columns, rank.ranges);
}

}  // namespace profgauge::analysis::ranks
