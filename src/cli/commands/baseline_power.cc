// `profgauge baseline power`: what a baseline can find.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/metric_id.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/snapshots.h"
#include "gate/power.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kLeastForPower = 3;
constexpr double kUsualLimit = 0.05;

double LimitOf(const PolicyBaseline& policy) {
  for (const BaselineLimit& limit : policy.limits) {
    const bool is_time = limit.metric == metric::kIterationTimeMedian;
    if (is_time && limit.max_increase && limit.max_increase->relative) {
      return limit.max_increase->value;
    }
  }
  return kUsualLimit;
}

}  // namespace

Result<int> RunBaselinePower(const Options& options, Console& console) {
  const std::optional<Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  PROFGAUGE_TRY(std::vector<Snapshot> runs,
                LoadAllSnapshots(options.arguments, options, *policy, console));
  std::erase_if(runs, [](const Snapshot& run) { return !IsTimed(run); });
  if (runs.size() < kLeastForPower) {
    console.Print(fmt::format("{} run{} with iteration times: at least {} are needed\n",
                              runs.size(), runs.size() == 1 ? "" : "s", kLeastForPower));
    return kExitNoVerdict;
  }
  const PolicyBaseline limits = policy->baseline.value_or(PolicyBaseline{});
  console.Print(PowerText(MeasurePower(runs, limits), LimitOf(limits)));
  return kExitPass;
}

}  // namespace profgauge::cli
