#include "analysis/ranks/analyze_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/breakdown/category_times.h"
#include "analysis/breakdown/rank_attribution.h"
#include "analysis/breakdown/run_attribution.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/rank_parts.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/utilization.h"
#include "analysis/ops/modules.h"
#include "analysis/ranks/rank_summary.h"
#include "analysis/ranks/read_ranks.h"
#include "analysis/ranks/registry.h"
#include "analysis/simulation/critical_path.h"
#include "analysis/simulation/graph.h"
#include "analysis/trust/certify.h"
#include "analysis/trust/coverage.h"
#include "analysis/trust/unrecorded.h"
#include "base/hashes.h"
#include "knowledge/thresholds.h"
#include "model/devices.h"

namespace profgauge::analysis::ranks {
namespace {

constexpr std::string_view kNotKept =
    "summaries do not contain it; pass the profiles of the ranks instead";

/// The hints point into `summary`.
std::vector<RecordingHint> HintsOf(const Summary& summary) {
  const auto& capabilities = summary.Numbers("hint.capability");
  const auto& words = summary.Texts("hint.how");
  std::vector<RecordingHint> hints;
  for (std::size_t i = 0; i < std::min(capabilities.size(), words.size()); ++i) {
    hints.push_back({static_cast<Capability>(capabilities[i]), words[i]});
  }
  return hints;
}

/// Marks metrics that summaries do not contain as absent; if not `is_told`, all of them.
void SetNotKept(bool is_told, catalog::Output& out) {
  for (const MetricId id : metric::kAll) {
    if (SpecOf(id).basis.events || !is_told) out.SetAbsent(id, std::string(kNotKept));
  }
  for (const TableSpec& spec : TableCatalogue()) {
    out.SetTableAbsent(spec.id, std::string(kNotKept));
  }
}

/// Marks values that files report themselves as absent: summaries do not contain them.
void SetStatedNotKept(std::span<const RankSummary> ranks, catalog::Output& out) {
  for (const RankSummary& rank : ranks) {
    for (const std::string& id : rank.stated) {
      const std::optional<MetricId> metric = FindMetricId(id);
      if (metric && !out.IsSet(*metric)) out.SetAbsent(*metric, std::string(kNotKept));
      if (FindTable(id) == nullptr || (out.HasRows(id) && !trust::IsOfRecorder(id))) continue;
      out.RemoveTable(id, std::string(kNotKept));
    }
  }
}

/// Runs all analyses on the facts in `run`, which are moved out. Returns the judged iterations.
std::shared_ptr<const trust::JudgedSteps> AddKept(SummarizedRun run, catalog::Output& out) {
  for (const AnalysisRow& row : Analyses()) {
    if (row.of_summaries != nullptr) row.of_summaries(run, out);
  }
  std::move(run.tables).AddTables(out);
  std::vector<trust::EdgeFacts> edges;
  for (const RankSummary& rank : run.ranks) edges.push_back(rank.edges);
  auto steps = MarkRun(run.contexts, edges, out);
  trust::MarkLostNames(run.contexts, out);
  return steps;
}

}  // namespace

Result<std::vector<Summary>> SummarizeRanks(std::span<const Profile> ranks,
                                            const Selection& selection,
                                            const iterations::IterationsOfRun& run) {
  PROFGAUGE_TRY(const std::vector<iterations::RankContext> contexts,
                iterations::BuildRankContexts(ranks, selection, run));
  std::vector<Summary> summaries;
  for (const iterations::RankContext& context : contexts) {
    summaries.push_back(Summarize(context, selection));
  }
  return summaries;
}

// Reads one rank after another. Tables and operators, the largest parts, are added to the pools and
// freed before the next rank is read.
Result<Analysis> AnalyzeRun(std::span<const Profile> profiles, const Selection& selection) {
  PROFGAUGE_TRY(const Summary first, SummaryFor(profiles.front(), selection));
  const std::vector<RecordingHint> hints = HintsOf(first);
  catalog::Output out(hints, AcceleratorOf(profiles));
  std::vector<RankSummary> all;
  ops::OpPool ops;
  const auto strings = std::make_shared<StringPool>();
  TablePool tables(strings);
  std::vector<std::int64_t> numbers;   // Numbers of the chosen ranks in tables,
                                       // and their positions in `profiles`.
  std::vector<std::size_t> positions;  // their places in `profiles`.
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    Summary other;  // Freed after reading.
    if (i > 0) {
      PROFGAUGE_TRY(other, SummaryFor(profiles[i], selection));
    }
    PROFGAUGE_TRY(RankSummary rank,
                  ReadRank(i == 0 ? first : other, profiles[i].source.path, i, selection, strings));
    // The largest parts of a rank are pooled immediately.
    if (IsChosen(rank, selection.rank)) {
      ops.Add(rank.ops, out.strings());
      tables.Add(rank.communication.rank, rank.tables);
      numbers.push_back(rank.communication.rank);
      positions.push_back(i);
    }
    rank.ops = {};
    rank.tables = {};
    all.push_back(std::move(rank));
  }
  PROFGAUGE_TRY(std::vector<RankSummary> ranks, Chosen(std::move(all), selection.rank));

  const std::vector<iterations::RankContext> contexts = ContextsOf(ranks, selection.knowledge);
  const bool is_told =
      std::all_of(ranks.begin(), ranks.end(), [](const RankSummary& rank) { return rank.is_told; });
  SetNotKept(is_told, out);
  std::shared_ptr<const trust::JudgedSteps> steps;
  if (is_told) {
    steps = AddKept({contexts, ranks, std::move(ops), std::move(tables)}, out);
    const auto kept_of = [&](std::size_t i) -> Result<KeptExposures> {
      PROFGAUGE_TRY(const Summary summary, SummaryFor(profiles[positions[i]], selection));
      return ReadExposures(summary).value_or(KeptExposures{});  // ReadRank() rejected bad ones.
    };
    PROFGAUGE_CHECK(AddKeptExposures(numbers, kept_of, out));
  }
  SetStatedNotKept(ranks, out);

  Analysis analysis;
  out.MoveTo(analysis);
  analysis.steps = std::move(steps);
  analysis.not_kept = kNotKept;
  for (const Table& table : analysis.tables) {
    if (!table.columns().empty()) analysis.absent_tables.erase(std::string(table.id()));
  }
  breakdown::SetExtent(contexts, analysis);
  analysis.certificate = trust::CertifyRun(contexts, analysis);
  return analysis;
}

namespace {

Error NothingKept(const std::string& path) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "summary/no-events";
  error.message =
      "the summary has no numbers to compare: its profile has no times of events, or is of a "
      "NeuronCore";
  error.where.file = path;
  error.notes.emplace_back("help: pass the profile from which the summary was made");
  return error;
}

/// The rank's iterations and identity: the only data of many ranks in memory at the same time.
RankSummary Kept(RankSummary rank) {
  RankSummary kept;
  kept.profile = std::move(rank.profile);
  kept.iterations = std::move(rank.iterations);
  kept.communication.rank = rank.communication.rank;
  kept.communication.steps = std::move(rank.communication.steps);
  kept.times.has_device = rank.times.has_device;
  kept.times.parts = std::move(rank.times.parts);
  return kept;
}

void AddSum(MetricId id, std::span<const Ns> times, std::vector<breakdown::NameWork>& sums) {
  breakdown::NameWork sum;
  sum.name = id.text();
  for (std::size_t i = 0; i < times.size(); ++i) {
    sum.gpu_time += times[i];
    if (times[i] > 0) sum.series.emplace_back(static_cast<std::int64_t>(i), times[i]);
  }
  if (sum.gpu_time > 0) sums.push_back(std::move(sum));
}

// Omits transfer and waiting, which need several ranks.
void AddPathSums(const iterations::RankContext& rank, std::vector<breakdown::NameWork>& sums) {
  const auto graph = simulation::PathGraph::Build(rank);
  if (!graph) return;
  const std::vector<simulation::PathSums> path = simulation::PathSumsByIteration(*graph);
  std::vector<Ns> times(path.size());
  for (const PathKind kind :
       {PathKind::kHost, PathKind::kLaunch, PathKind::kKernel, PathKind::kCopy,
        PathKind::kDataLoader, PathKind::kSync, PathKind::kUnknown}) {
    for (std::size_t i = 0; i < path.size(); ++i)
      times[i] = path[i][static_cast<std::size_t>(kind)];
    AddSum(InfoOf(kind).metrics.time, times, sums);
  }
}

}  // namespace

breakdown::AttributionFacts WholeAttributionOf(const iterations::RankContext& rank,
                                               const std::vector<bool>& is_wanted) {
  breakdown::AttributionFacts facts = breakdown::AttributionFactsOf(rank, is_wanted);
  facts.work.collectives = communication::CollectiveWorkOf(rank);
  facts.work.modules = ops::ModuleWorkOf(rank);
  if (rank.iterations.is_whole) return facts;
  std::vector<breakdown::NameWork>& sums = facts.work.sums;
  AddSum(metric::kCommunicationTime, communication::CommunicationByIteration(rank), sums);
  AddSum(metric::kDataloaderExposedTime, breakdown::LoadingByIteration(rank), sums);
  AddPathSums(rank, sums);
  return facts;
}

// Two passes: the first reads the iterations of all ranks, which determine the run's. The second
// reads the attribution of one rank after another, because each is as large as all other data of
// the rank.
Result<breakdown::Attribution> AttributeRun(std::span<const Profile> profiles,
                                            const Selection& selection) {
  // Profiles among them are summarized only once.
  std::vector<Profile> made(profiles.size());
  std::vector<RankSummary> all;
  const auto strings = std::make_shared<StringPool>();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const std::string& path = profiles[i].source.path;
    PROFGAUGE_TRY(const Summary summary, SummaryFor(profiles[i], selection));
    if (!IsSummary(profiles[i])) made[i] = ProfileOfSummary(summary, path);
    PROFGAUGE_TRY(RankSummary rank, ReadRank(summary, path, i, selection, strings));
    if (!rank.is_told) return Fail(NothingKept(path));
    all.push_back(Kept(std::move(rank)));
    all.back().position = i;
  }
  PROFGAUGE_TRY(const std::vector<RankSummary> ranks, Chosen(std::move(all), selection.rank));
  const std::vector<iterations::RankContext> contexts = ContextsOf(ranks, selection.knowledge);
  std::vector<breakdown::IterationFacts> facts;
  for (const RankSummary& rank : ranks) facts.push_back(rank.times);
  breakdown::RunAttribution run(
      breakdown::PoolIterations(contexts, facts),
      std::any_of(ranks.begin(), ranks.end(),
                  [](const RankSummary& rank) { return rank.times.has_device; }));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t at = ranks[i].position;
    const Profile& profile = IsSummary(profiles[at]) ? profiles[at] : made[at];
    const auto summary = SummaryOf(profile);
    const auto facts =
        summary ? ReadAttribution(*summary, ranks[i].iterations.selected().size()) : std::nullopt;
    if (!facts) return Fail(UnreadableSummary(profile.source.path));
    run.AddRank(i, ranks[i].iterations, *facts);
  }
  return run.Take();
}

namespace {

/// A hash of the names and devices that a project added: they change metrics.
std::string KnowledgeText(const classify::Knowledge& knowledge) {
  if (knowledge.kernel_names.empty() && knowledge.devices.empty() &&
      !knowledge.undecided_use_tensor_cores &&
      knowledge.thresholds == knowledge::TunableThresholds{}) {
    return {};
  }
  std::string all;
  for (const classify::KernelNameRule& rule : knowledge.kernel_names) {
    all += fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\n", rule.id, rule.matches, rule.except,
                       static_cast<int>(rule.tensor_core), static_cast<int>(rule.communication),
                       static_cast<int>(rule.kind));
  }
  for (const KnownDevice& device : knowledge.devices) {
    const Gpu& gpu = device.properties;
    all += fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\n", device.match, gpu.name, gpu.sms,
                       gpu.memory, gpu.compute_major, gpu.compute_minor,
                       device.peaks.memory_bandwidth);
    for (const auto& [type, rate] : device.peaks.flop_rate) {
      all += fmt::format("{}\x1f{}\n", type, rate);
    }
  }
  if (knowledge.undecided_use_tensor_cores) all += "upper_bound\n";
  for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) {
    if (row.IsChanged(knowledge.thresholds)) {
      all += fmt::format("{}\x1f{}\n", row.id, row.get(knowledge.thresholds));
    }
  }
  ContentHash hash;
  hash.Add(all);
  return " knowledge=" + hash.Hex();
}

// The text of the selected iterations, plus the project's knowledge.
std::string ChosenText(const Selection& selection, std::string text) {
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  if (selection.start_number) {
    add("start", fmt::format("#{}", *selection.start_number));
  } else if (selection.start >= 0) {
    add("start", std::to_string(selection.start));
  }
  if (selection.stop_number) {
    add("stop", fmt::format("#{}", *selection.stop_number));
  } else if (selection.stop >= 0) {
    add("stop", std::to_string(selection.stop));
  }
  if (selection.warmup > 0) add("warmup", std::to_string(selection.warmup));
  return text;
}

std::string OrAll(const std::string& text) {
  return text.empty() ? std::string(kAllIterations) : text;
}

}  // namespace

std::string SelectionText(const Selection& selection) {
  std::string text;
  if (!selection.iteration_marker.empty()) text += "marker=" + selection.iteration_marker;
  if (!selection.key_op.empty()) {
    text += fmt::format("{}key_op={}", text.empty() ? "" : " ", selection.key_op);
  }
  text = ChosenText(selection, std::move(text));
  if (selection.range) {
    text += fmt::format("{}range={}:{}", text.empty() ? "" : " ", selection.range->start,
                        selection.range->end);
  }
  return OrAll(text + KnowledgeText(selection.knowledge));
}

std::string ComparedSelection(const Selection& selection) {
  const std::string knowledge = KnowledgeText(selection.knowledge);
  const std::string chosen = OrAll(ChosenText(selection, {}));
  return chosen + knowledge;
}

}  // namespace profgauge::analysis::ranks
