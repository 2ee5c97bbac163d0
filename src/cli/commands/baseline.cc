// `profgauge baseline save|show`: small files that a run is compared with.
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

#include "api/snapshots.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/earlier_results.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/outputs.h"
#include "cli/snapshots.h"
#include "gate/compare.h"
#include "gate/duet.h"
#include "gate/history.h"
#include "gate/power.h"
#include "gate/select.h"
#include "gate/snapshot.h"
#include "gate/work.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

// Rejects repeated profiles, which would look like two equal runs without any noise. Each run is
// compared with those before it.
Status RefuseMixed(const std::vector<gate::Snapshot>& runs, const Options& options,
                   Console& console) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::span<const gate::Snapshot> before = std::span(runs).first(i);
    if (const gate::Snapshot* same = gate::FindMisfit(runs[i], before).same; same != nullptr) {
      return Fail(
          UsageError("baseline/same-run",
                     fmt::format("{} and {} are the same profile", Printable(same->name),
                                 Printable(runs[i].name)),
                     "record the program again; each run of a baseline needs a separate profile"));
    }
    PROFGAUGE_CHECK(RefuseOther(runs[i], before, options, console));
  }
  return {};
}

// Why the runs must not replace those of the file: they did less work, so the next correct run
// would be slower. nullopt if there is no such file, or if replacing is accepted.
std::optional<std::string> WhyNotReplaced(const std::vector<gate::Snapshot>& runs,
                                          const Options& options) {
  if (!options.accept.empty() || !IsBaselineFile(options.out_dir)) return std::nullopt;
  const auto before = LoadBaselineFile(options.out_dir);
  if (!before) return std::nullopt;
  const gate::WorkChange work = gate::CompareWork(*before, runs);
  const bool is_less =
      work.kind == gate::WorkKind::kLess || work.kind == gate::WorkKind::kCollapsed;
  return is_less ? gate::WhyNoTimes(work, false, true) : std::nullopt;
}

std::string MedianText(const gate::Snapshot& run) {
  const std::optional<double> median = gate::MedianIteration(run);
  return median ? FormatDuration(*median) : "not recorded";
}

}  // namespace

Result<int> RunBaselineSave(const Options& options, Console& console) {
  if (options.out_dir.empty()) {
    return Fail(UsageError("usage/no-output", "`baseline save` needs a file to write to",
                           "`profgauge baseline save PROFILE -o baseline.json`"));
  }
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  Outputs outputs(KeptBy(options, &*policy));
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(options.out_dir, FileKind::kBaseline));
  PROFGAUGE_TRY(const std::vector<gate::Snapshot> runs,
                LoadAllSnapshots(options.arguments, options, *policy, console));
  PROFGAUGE_CHECK(RefuseMixed(runs, options, console));
  if (const auto why = WhyNotReplaced(runs, options)) {
    Error error = InputError(
        options.out_dir, "baseline/replaced", *why,
        "repair the iteration markers, or pass --accept REASON; the file was not changed");
    return Fail(std::move(error));
  }
  const std::string bytes = gate::WriteBaseline(runs);
  PROFGAUGE_CHECK(outputs.Commit(output, bytes));
  if (options.out_dir != "-") {
    console.Say(fmt::format("wrote {} ({}, {})", options.out_dir,
                            FormatBytes(static_cast<double>(bytes.size())),
                            runs.size() == 1 ? "1 run" : fmt::format("{} runs", runs.size())));
  }
  return kExitPass;
}

// Also accepts profiles and histories, like `compare`, and shows the baseline they would make.
Result<int> RunBaselineShow(const Options& options, Console& console) {
  PROFGAUGE_TRY(const std::vector<gate::Snapshot> runs,
                LoadAllSnapshots(options.arguments, options, {}, console));
  std::string text;
  JsonList list("baseline-show");
  for (const gate::Snapshot& run : runs) {
    text += fmt::format("{}\n  format      {}\n  source      {}\n", Printable(run.name),
                        Printable(run.format), Printable(run.source));
    text +=
        fmt::format("  iterations  {}, median {}\n", run.iteration_times.size(), MedianText(run));
    for (const auto& [property, value] : run.environment) {
      text += fmt::format("  {:<10}  {}\n", Printable(property), Printable(value));
    }
    text += fmt::format("  metrics     {}, parts {}\n", run.metrics.size(), run.parts.size());
    JsonWriter& row = list.Row();
    row.Field("name", run.name);
    row.Field("format", run.format);
    row.Field("source", run.source);
    row.Field("iterations", static_cast<std::int64_t>(run.iteration_times.size()));
    const std::optional<double> median = gate::MedianIteration(run);
    RealOrNull(row, "median", median ? &*median : nullptr);
    row.Field("median_text", MedianText(run));
    row.Key("environment");
    row.BeginObject();
    for (const auto& [property, value] : run.environment) row.Field(property, value);
    row.EndObject();
    row.Key("metrics");
    row.BeginObject();
    for (const auto& [id, value] : run.metrics) row.Key(id), row.Real(value);
    row.EndObject();
  }
  return PrintList(options, text, std::move(list), console);
}

// `profgauge baseline power`: the changes that a baseline can detect.

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
