#include "gate/make_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/trust/judged_steps.h"
#include "base/hashes.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/whole.h"
#include "knowledge/gate.h"
#include "model/certificate.h"
#include "model/run_side.h"

namespace profgauge::gate {
namespace {

// Facts of the profile by property. They make two runs comparable, or explain why they are not.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kComparable = {{
    {"driver", "cuda_driver_version"},
    {"driver", "hip_driver_version"},
    {"runtime", "cuda_runtime_version"},
    {"runtime", "hip_runtime_version"},
    {"nccl", "nccl_version"},
    {"framework", "Framework"},
    {"record_shapes", "record_shapes"},
    {"profile_memory", "profile_memory"},
    {"with_stack", "with_stack"},
    {"with_flops", "with_flops"},
    {"with_modules", "with_modules"},
    // How graphs were recorded, as a whole or by kernel, which changes counts and costs.
    {"cuda_graphs", "cuda_graphs"},
}};

// The limit of values of one benchmark, because more hardly show more of its spread. If there are
// more, values at equal distances are used, because a benchmark may settle.
constexpr std::size_t kMostBenchmarkValues = 256;

void AddEnvironment(Snapshot& snapshot, std::string_view key, std::string value) {
  if (!value.empty() && snapshot.Environment(key).empty()) {
    snapshot.environment.emplace_back(key, std::move(value));
  }
}

/// True if unobserved time or rounding may change the number. The sampling error of steps does not
/// count, because the comparison gets it from the steps themselves.
bool IsUncertain(const analysis::Metric& metric, const analysis::Analysis& analysis) {
  if (metric.low_confidence) return true;
  if (!metric.may_be || metric.is_slowed) return false;
  if (metric.spec->id == metric::kStepTimeMedian) {
    const auto* steps = analysis.steps.get();
    return steps != nullptr &&
           steps->resolution / 2 > knowledge::kGateUncertainValue.value() * steps->level.median;
  }
  const double value = AsNumber(metric.value, 0);
  const double scale = metric.spec->unit == Unit::kShare ? 1 : std::abs(value);
  return std::abs(*metric.may_be - value) > knowledge::kGateUncertainValue.value() * scale;
}

/// Adds the other data in files of times: the server's load, and benchmarks.
void AddTimes(std::span<const Profile> ranks, Snapshot& snapshot) {
  for (const Profile& rank : ranks) {
    const RunSide* side = rank.run_side.get();
    if (side == nullptr || !side->load_test) continue;
    for (const auto& [name, value] : side->load_test->load) {
      AddEnvironment(snapshot, std::string(kLoadProperty) + name, value);
    }
    snapshot.answered += side->load_test->completed;
    snapshot.answered_tokens += side->load_test->output_tokens;
  }
}

void AddBenchmarks(std::span<const Profile> ranks, analysis::breakdown::WorkSums& work) {
  constexpr double kPicoseconds = 1000;
  for (const Profile& rank : ranks) {
    if (rank.run_side == nullptr) continue;
    for (const NamedTimes& benchmark : rank.run_side->benchmarks) {
      analysis::breakdown::WorkSum& sum = work.benchmarks.emplace_back();
      sum.name = benchmark.name;
      sum.count = static_cast<std::int64_t>(benchmark.lengths.size());
      const std::size_t kept = std::min(benchmark.lengths.size(), kMostBenchmarkValues);
      double all = 0;
      for (const double length : benchmark.lengths) all += length * kPicoseconds;
      sum.gpu_time = std::llround(std::min(all, 9e18));
      for (std::size_t i = 0; i < kept; ++i) {
        const double length = benchmark.lengths[i * benchmark.lengths.size() / kept];
        sum.series.push_back(std::llround(length * kPicoseconds));
      }
    }
  }
  if (!work.benchmarks.empty()) work.iterations = std::max<std::int64_t>(1, work.iterations);
}

/// Makes names valid for JSON, as they may have any bytes. The result is the same for all runs.
void MakeValid(Snapshot& snapshot) {
  const auto mend = [](std::string& text) { text = ValidUtf8(text); };
  mend(snapshot.name);
  for (auto& [key, value] : snapshot.environment) mend(value);
  for (analysis::breakdown::TimePart& part : snapshot.parts) {
    for (std::string* name :
         {&part.category, &part.op_type, &part.op, &part.shapes, &part.kernel}) {
      mend(*name);
    }
  }
  for (auto* sums : {&snapshot.work.kernels, &snapshot.work.ops, &snapshot.work.collectives,
                     &snapshot.work.modules, &snapshot.work.benchmarks}) {
    for (analysis::breakdown::WorkSum& sum : *sums) mend(sum.name);
  }
}

std::vector<RankWork> RanksOf(const analysis::Analysis& analysis) {
  const Table* steps = analysis.FindTable("rank_steps");
  if (steps == nullptr) return {};
  struct Sum {
    double own = 0, computing = 0, steps = 0;
  };
  std::map<std::int64_t, Sum> sums;
  for (std::size_t row = 0; row < steps->rows(); ++row) {
    const auto time = [&](std::string_view column) { return AsNumber(steps->At(row, column), 0); };
    Sum& sum = sums[AsWhole(steps->At(row, "rank"), 0)];
    sum.own += time("duration") - time("waiting_exposed") - time("transfer_exposed");
    sum.computing += time("compute_only") + time("overlapped");
    ++sum.steps;
  }
  std::vector<RankWork> ranks;
  for (const auto& [rank, sum] : sums) {
    ranks.push_back(
        {rank, std::llround(sum.own / sum.steps), std::llround(sum.computing / sum.steps)});
  }
  return ranks;
}

std::map<std::string, double, std::less<>> IdleByHost(const analysis::Analysis& analysis,
                                                      double iterations) {
  std::map<std::string, double, std::less<>> idle;
  const Table* gaps = analysis.FindTable("gaps");
  if (gaps == nullptr || iterations <= 0) return idle;
  for (std::size_t row = 0; row < gaps->rows(); ++row) {
    const Value name = gaps->At(row, "doing");
    const auto* text = std::get_if<std::string>(&name);
    if (text == nullptr || text->empty()) continue;
    idle[ValidUtf8(*text)] += AsNumber(gaps->At(row, "duration"), 0) / iterations;
  }
  return idle;
}

}  // namespace

Snapshot MakeSnapshot(const std::string& name, std::span<const Profile> ranks,
                      const analysis::Analysis& analysis,
                      analysis::breakdown::Attribution attribution) {
  Snapshot snapshot;
  snapshot.name = name;
  snapshot.format = ranks.front().source.format;
  ContentHash sources;
  std::int64_t world_size = static_cast<std::int64_t>(ranks.size());
  for (const Profile& rank : ranks) {
    sources.Add(rank.source.hash);
    world_size = std::max(world_size, rank.distributed.world_size);
  }
  snapshot.source = ranks.size() == 1 ? ranks.front().source.hash : sources.Hex();
  AddEnvironment(snapshot, "gpu", attribution.gpu_models);
  const bool is_of_times = IsOfTimes(snapshot);
  if (is_of_times) AddEnvironment(snapshot, "times", ranks.front().source.dialect);
  AddTimes(ranks, snapshot);
  if (const analysis::Metric* gpus = analysis.Find(metric::kProfileGpus);
      gpus != nullptr && !is_of_times) {
    const double count = AsNumber(gpus->value, 0);
    AddEnvironment(snapshot, "gpus", fmt::format("{:.0f}", count));
    // Without a device, no other property shows how many ranks were recorded.
    if (count == 0) AddEnvironment(snapshot, "ranks", fmt::format("{}", ranks.size()));
  }
  const bool states_world =
      !is_of_times || ranks.size() > 1 || ranks.front().distributed.world_size > 0;
  if (states_world) AddEnvironment(snapshot, "world_size", fmt::format("{}", world_size));
  if (!is_of_times) AddEnvironment(snapshot, "iterations", analysis.iteration_source.Text());
  for (const auto& [key, fact] : kComparable)
    AddEnvironment(snapshot, key, std::string(FactOf(ranks.front(), fact)));
  AddEnvironment(snapshot, "shape_signature", attribution.shape_signature);
  for (const analysis::Metric& metric : analysis.metrics) {
    const double value = AsNumber(metric.value, std::nan(""));
    if (!std::isfinite(value)) continue;
    const std::string id(metric.spec->id);
    snapshot.metrics[id] = value;
    if (IsUncertain(metric, analysis)) snapshot.uncertain.insert(id);
    if (metric.spec->definition_number != 1) {
      snapshot.definitions[id] = metric.spec->definition_number;
    }
  }
  // If events have no times, the lengths of iterations would be invented, so they are left out.
  if (std::all_of(ranks.begin(), ranks.end(), [](const Profile& r) { return r.has_timeline; })) {
    snapshot.iteration_times = std::move(attribution.iteration_times);
    snapshot.iteration_unobserved = std::move(attribution.iteration_unobserved);
    snapshot.iteration_periods = std::move(attribution.iteration_periods);
    snapshot.iteration_shapes = std::move(attribution.iteration_shapes);
    snapshot.iteration_shares = std::move(attribution.iteration_shares);
    snapshot.iteration_values = std::move(attribution.iteration_values);
    snapshot.parts = std::move(attribution.parts);
  } else {
    snapshot.iteration_times = {0};
  }
  if (analysis.steps != nullptr) {
    snapshot.step_times = analysis.steps->lengths;
    snapshot.steps_unusual = analysis.steps->unusual;
    snapshot.steps_a_value = analysis.steps->a_value;
    const auto change = analysis::trust::FindChangeAfter(*analysis.steps);
    if (change) snapshot.steps_after = change->ratio;
    if (analysis.steps->work_name == "samples") snapshot.samples = analysis.steps->work;
  }
  snapshot.work = std::move(attribution.work);
  AddBenchmarks(ranks, snapshot.work);
  snapshot.ranks = RanksOf(analysis);
  snapshot.idle_in =
      IdleByHost(analysis, static_cast<double>(snapshot.iteration_times.size() *
                                               std::max<std::size_t>(1, ranks.size())));
  MakeValid(snapshot);
  return snapshot;
}

}  // namespace profgauge::gate
