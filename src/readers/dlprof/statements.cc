#include "readers/dlprof/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "readers/dlprof/stating.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

/// A summary's lines by key, of one block.
class Block {
 public:
  Block(const std::vector<SummaryLine>& lines, std::string_view block) {
    for (const SummaryLine& line : lines) {
      if (line.block == block) rows_.emplace(line.key, &line.cells);
    }
  }
  std::string Text(std::string_view key) const {
    const auto at = rows_.find(key);
    return at == rows_.end() ? std::string{} : fmt::format("{}", fmt::join(*at->second, ","));
  }
  /// The value of a line with one value: if a decimal comma makes two of it, it is unknown.
  std::optional<double> Number(std::string_view key) const {
    const auto at = rows_.find(key);
    if (at == rows_.end()) return std::nullopt;
    const auto is_given = [](const std::string& cell) { return !Trim(cell).empty(); };
    return std::ranges::count_if(*at->second, is_given) == 1 ? Cell(key, 0) : std::nullopt;
  }
  /// The values of a line with several.
  std::optional<double> Cell(std::string_view key, std::size_t cell) const {
    const auto at = rows_.find(key);
    if (at == rows_.end() || cell >= at->second->size()) return std::nullopt;
    return RealOf((*at->second)[cell]);
  }

 private:
  std::map<std::string_view, const Row*> rows_;
};

void StateSystem(const Block& system, ProfileBuilder& builder) {
  const std::pair<const char*, const char*> facts[] = {
      {"CPU Model", "cpu_model"},          {"GPU Driver Version", "nvidia_driver_version"},
      {"Framework", "framework"},          {"CUDA Version", "cuda_version"},
      {"cuDNN Version", "cudnn_version"},  {"NSys Version", "nsight_systems_version"},
      {"DLProf Version", "dlprof_version"}};
  for (const auto& [key, fact] : facts) {
    if (std::string value = system.Text(key); !value.empty()) builder.AddFact(fact, value);
  }
  // "A100, A100": one cell in JSON, one for each in CSV. Where there are more GPUs than names, the
  // others are of the last name if all are of one.
  constexpr double kMostGpus = 1024;
  const std::string text = system.Text("GPU Name(s)");
  std::vector<std::string_view> names;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    names.push_back(Trim(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  const auto is_first = [&names](std::string_view name) { return name == names.front(); };
  const double count = std::min(system.Number("GPU Count").value_or(0), kMostGpus);
  if (!names.empty() && std::all_of(names.begin(), names.end(), is_first)) {
    while (static_cast<double>(names.size()) < count) names.push_back(names.front());
  }
  for (std::size_t id = 0; id < names.size(); ++id) {
    Gpu gpu;
    gpu.id = static_cast<std::int32_t>(id);
    gpu.name = names[id];
    builder.AddGpu(std::move(gpu));
  }
}

/// Whether the file counts kernels and has none.
bool HasNoKernels(const Block& kernels) {
  const auto count = kernels.Cell("All kernels", 2);
  const auto time = kernels.Cell("All kernels", 0);
  return count && time && *count == 0 && *time == 0;
}

/// Whether DLProf recognized operators: without markers all kernels are of one operator, and its
/// "efficiency" has all kernels in the denominator.
bool TellsOperators(const Block& system, const Block& ops) {
  const std::string framework = system.Text("Framework");
  const auto count = ops.Cell("All ops", 2);
  return !(count && *count <= 1 && (framework.empty() || framework == "UNKNOWN"));
}

void StateIdle(double utilization, double memory, Stating& state) {
  const std::optional<double> busy[] = {utilization, memory};
  std::string why = WhyTooMuch(busy);
  if (utilization < 0 || memory < 0) why = "DLProf states a time below 0 of kernels or copies";
  if (!why.empty()) return state.None(metric::kGpuIdleMean, std::move(why));
  state.Percent(metric::kGpuIdleMean, std::max(0.0, 100 - utilization - memory),
                ": the rest of kernels and memory operations");
}

// Its shares cover the time without gaps and overlaps: time of neither kernels nor memory
// operations is idle time.
void StateBusy(const Block& summary, Stating& state) {
  const auto utilization = summary.Number("GPU Utilization %");
  const auto memory = summary.Number("Memory Duration %");
  // Up to 0.16 idle time itself was printed.
  if (const auto idle = summary.Number("GPU Idle %")) {
    state.Percent(metric::kGpuUtilizationMean, 100 - *idle);
    state.Percent(metric::kGpuIdleMean, *idle);
  } else {
    state.Percent(metric::kGpuUtilizationMean, utilization);
    if (utilization && memory) StateIdle(*utilization, *memory, state);
  }
  state.Percent(metric::kBreakdownTensorCoreKernel,
                summary.Number("Tensor Core Kernel Duration %"));
  state.Percent(metric::kBreakdownOtherKernel, summary.Number("Non-Tensor Core Kernel Duration %"));
  state.Percent(metric::kBreakdownMemcpy, memory, "; with memsets");
}

void StateEfficiency(const Block& summary, bool tells_operators, Stating& state) {
  const auto efficiency = summary.Number("Tensor Core Kernel Utilization %");
  if (tells_operators) {
    state.Percent(metric::kTensorCoreEfficiency, efficiency);
  } else if (efficiency) {
    state.None(metric::kTensorCoreEfficiency,
               "DLProf did not separate operators, so its efficiency covers all "
               "kernels; see the share of Tensor Core time");
  }
}

/// Why the summary's shares of the time cannot all be right; empty where they can.
std::string WhyNoShares(const Block& summary) {
  std::vector<std::optional<double>> shares;
  for (const char* part : {"Tensor Core Kernel", "Non-Tensor Core Kernel", "Memory", "Dataloader",
                           "IO", "CPU", "Other"}) {
    shares.push_back(summary.Number(fmt::format("{} Duration %", part)));
  }
  return WhyTooMuch(shares);
}

void StateShares(const Block& summary, bool has_kernels, Stating& state) {
  // Which of them is wrong nothing says.
  if (const std::string why = WhyNoShares(summary); !why.empty()) {
    return state.None(kSharesOfTime, why);
  }
  if (has_kernels) StateBusy(summary, state);
  state.Percent(metric::kBreakdownDataloader, summary.Number("Dataloader Duration %"));
  state.Percent(metric::kDataloaderExposedShare, summary.Number("Dataloader Duration %"));
  state.Percent(metric::kBreakdownCpu, summary.Number("CPU Duration %"), "; with runtime calls");
  state.Percent(metric::kBreakdownIo, summary.Number("IO Duration %"));
  state.Percent(metric::kBreakdownOther, summary.Number("Other Duration %"));
}

void StateTimes(const Block& summary, bool has_kernels, bool tells_operators, Stating& state) {
  state.Whole(metric::kProfileWallTime, summary.Number("Wall Clock Time (ns)"));
  if (has_kernels) {
    StateEfficiency(summary, tells_operators, state);
  } else {
    state.None(kSharesOfDevice, kNoDeviceWork);
  }
  StateShares(summary, has_kernels, state);
}

void StateIterations(const Block& iterations, Stating& state) {
  const auto aggregated = iterations.Number("Aggregated Iterations");
  if (!aggregated || *aggregated <= 0) return;  // Simple mode has none.
  // The recorded iterations; the metrics are only of the aggregated ones.
  state.Iterations(iterations.Number("Total Iterations"), iterations.Number("Start Iteration"),
                   iterations.Number("Stop Iteration"));
  state.Fact("iteration_start", iterations.Number("Start Iteration"));
  state.Fact("iteration_stop", iterations.Number("Stop Iteration"));
  state.Whole(metric::kProfileIterations, aggregated);
  state.Time(metric::kIterationTimeMean, iterations.Number("Average Iteration Time (ns)"));
  state.Time(metric::kIterationTimeStddev, iterations.Number("Iteration Time Standard Deviation"));
}

void StateOperators(const Block& ops, Stating& state) {
  const auto all = ops.Cell("All ops", 0);
  const auto used = ops.Cell("Ops using TC", 0);
  const auto not_used = ops.Cell("Ops eligible for TC but not using", 0);
  if (!all || !used || !not_used || !(*all > 0)) return;
  state.Share(metric::kTensorCoreEligibleShare, (*used + *not_used) / *all);
}

void StateKernels(const Block& kernels, Stating& state) {
  const auto using_time = kernels.Cell("Kernels using TC", 0);
  const auto other_time = kernels.Cell("All other kernels", 0);
  if (!using_time || !other_time || *using_time < 0 || *other_time < 0) return;
  state.Whole(metric::kProfileKernelTime, *using_time + *other_time);
  if (*using_time + *other_time > 0) {
    state.Share(metric::kTensorCoreShare, *using_time / (*using_time + *other_time));
  }
}

}  // namespace

std::string Note(const std::string& version) {
  return version.empty() ? "as DLProf reported it"
                         : fmt::format("as DLProf {} reported it", version);
}

void StateSummary(const std::vector<SummaryLine>& lines, ProfileBuilder& builder) {
  const Block system(lines, "System Config");
  StateSystem(system, builder);
  Stating state(builder, Note(system.Text("DLProf Version")));
  state.Whole(metric::kProfileGpus, system.Number("GPU Count"));
  state.Whole(metric::kProfileGpusListed, system.Number("GPU Count"));
  const Block ops(lines, "All Ops"), kernels(lines, "All Kernels");
  const bool has_kernels = !HasNoKernels(kernels);
  const bool tells_operators = TellsOperators(system, ops);
  StateTimes(Block(lines, "Summary Report"), has_kernels, tells_operators, state);
  StateIterations(Block(lines, "Iterations"), state);
  if (has_kernels && tells_operators) StateOperators(ops, state);
  if (has_kernels) StateKernels(kernels, state);
  builder.log().Add(Counter::events_read, lines.size());
}

}  // namespace profgauge::readers::dlprof
