// `profgauge baseline power`: the changes that a baseline can detect.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/earlier_results.h"
#include "cli/exit_code.h"
#include "cli/snapshots.h"
#include "gate/duet.h"
#include "gate/history.h"
#include "gate/power.h"
#include "gate/select.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kLeastForPower = 3;
constexpr double kUsualLimit = 0.05;

// The increase of the median iteration time that the policy allows, as a share; kUsualLimit if
// there is no limit or one in milliseconds.
double LimitOf(const rules::PolicyBaseline& policy) {
  for (const rules::BaselineLimit& limit : policy.limits) {
    const bool is_time = limit.metric == metric::kIterationTimeMedian;
    if (is_time && limit.max_increase && limit.max_increase->relative) {
      return limit.max_increase->value;
    }
  }
  return kUsualLimit;
}

// Selects from a history the runs that a check of its last run would use. A failed run, or one of
// another device, would count as noise.
Result<std::vector<gate::Snapshot>> RunsOf(const std::string& what, const Options& options,
                                           const rules::Policy& policy, Console& console) {
  if (!what.starts_with("history:")) return LoadSnapshots(what, options, policy, console);
  gate::HistoryQuestion question;
  PROFGAUGE_TRY(question.reference, gate::ParseHistoryReference(what));
  PROFGAUGE_TRY(const auto today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  question.today = rules::FormatDay(today);
  question.with_itself = true;
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  PROFGAUGE_TRY(const auto last, history.Last(question.reference.branch, 1));
  std::vector<gate::Snapshot> runs;
  if (last.empty()) return runs;
  question.model = last.front().model;
  PROFGAUGE_TRY(gate::HistoryChoice choice,
                gate::ChooseRuns(history, question, std::span(&last.front().snapshot, 1)));
  for (gate::ChosenRun& run : choice.window) runs.push_back(std::move(run.snapshot));
  return runs;
}

}  // namespace

// Runs without iteration times have no information about noise; they are not counted.
Result<int> RunBaselinePower(const Options& options, Console& console) {
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  if (const std::string file = DuetIn(options); !file.empty()) {
    PROFGAUGE_TRY(const Duet duet, LoadDuet(file));
    PROFGAUGE_TRY(const gate::DuetPairs pairs, gate::PairsOf(duet));
    const gate::DuetPower power = gate::MeasureDuet(pairs);
    console.Print(fmt::format("{}\nnoise_floor: {:.1f}%\n", gate::DuetPowerText(power),
                              std::max(0.1, std::ceil(power.starts * 1000) / 10)));
    return kExitPass;
  }
  std::vector<gate::Snapshot> runs;
  for (const std::string& what : options.arguments) {
    PROFGAUGE_TRY(std::vector<gate::Snapshot> more, RunsOf(what, options, *policy, console));
    std::move(more.begin(), more.end(), std::back_inserter(runs));
  }
  std::erase_if(runs, [](const gate::Snapshot& run) { return !gate::IsTimed(run); });
  if (runs.size() < kLeastForPower) {
    console.Print(fmt::format("{} run{} with iteration times: at least {} are needed\n",
                              runs.size(), runs.size() == 1 ? "" : "s", kLeastForPower));
    return kExitNoVerdict;
  }
  const rules::PolicyBaseline limits = policy->baseline.value_or(rules::PolicyBaseline{});
  console.Print(gate::PowerText(gate::MeasurePower(runs, limits), LimitOf(limits)));
  return kExitPass;
}

}  // namespace profgauge::cli
