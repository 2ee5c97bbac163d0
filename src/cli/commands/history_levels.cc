// `profgauge history accept|check`: accepts a level of a branch, or checks that it is kept.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/snapshots.h"
#include "gate/history.h"
#include "gate/history_check.h"
#include "gate/select.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

constexpr std::chrono::days kLongestLevel{365};
// Most comparable runs of a model that are searched for a step, which takes quadratic time.
constexpr std::int64_t kMostChecked = 1000;
constexpr std::int64_t kAllRuns = std::numeric_limits<std::int64_t>::max();

Result<std::chrono::sys_days> Today() { return rules::Today("", std::getenv("SOURCE_DATE_EPOCH")); }

std::int64_t SecondsOf(std::chrono::sys_days day) {
  return std::chrono::duration_cast<std::chrono::seconds>(day.time_since_epoch()).count();
}

// Checks that the day is from today to kLongestLevel ahead. A level may also have no end.
Status CheckUntil(const Options& options, std::chrono::sys_days today) {
  if (options.until.empty()) return {};
  const auto day = rules::ParseDay(options.until);
  const bool is_near = day && *day >= today && *day <= today + kLongestLevel;
  if (is_near) return {};
  return Fail(UsageError(
      "usage/bad-value",
      fmt::format("`--until`: expected a day from {} to {}, found `{}`", rules::FormatDay(today),
                  rules::FormatDay(today + kLongestLevel), PrintableShort(options.until, 40)),
      "a level that is meant to stay needs no end"));
}

// Rejects a level that would begin with a run that is comparable with no other run of its branch.
Status RefuseStranger(gate::History& history, const gate::HistoryRow& run) {
  PROFGAUGE_TRY(const gate::Snapshot snapshot, history.Load(run.id));
  gate::HistoryQuestion question;
  question.reference = {run.branch, 1};
  question.model = run.model;
  question.with_failed = true;
  PROFGAUGE_TRY(const gate::HistoryChoice choice,
                gate::ChooseRuns(history, question, std::span(&snapshot, 1)));
  if (!choice.window.empty() || choice.on_branch < 2) return {};
  return Fail(UsageError(
      "history/not-comparable",
      fmt::format("run {} is comparable with no other run of {}", run.id, Printable(run.branch)),
      "`profgauge history list` shows devices, ranks and models"));
}

// For a commit, all its failed runs, because it may slow several models; else the named run.
Result<std::vector<gate::HistoryRow>> RunsToAccept(gate::History& history,
                                                   const std::string& named) {
  PROFGAUGE_TRY(const gate::HistoryRow found, history.Find(named));
  const bool is_id = named == std::to_string(found.id);
  if (is_id || found.commit.empty()) return std::vector{found};
  PROFGAUGE_TRY(std::vector<gate::HistoryRow> runs, history.Rows(found.branch, kAllRuns));
  std::erase_if(runs, [&found](const gate::HistoryRow& run) {
    return run.commit != found.commit || (run.verdict != "fail" && run.verdict != "over");
  });
  if (runs.empty()) runs.push_back(found);
  return runs;
}

// The last run of each model of the branch, by the model's name.
Result<std::vector<gate::HistoryRow>> LastOfEachModel(gate::History& history,
                                                      const std::string& branch) {
  PROFGAUGE_TRY(const std::vector<gate::HistoryRow> rows, history.Rows(branch, kAllRuns));
  std::map<std::string, gate::HistoryRow> last;
  for (const gate::HistoryRow& row : rows) last[row.model] = row;
  std::vector<gate::HistoryRow> runs;
  for (auto& [model, row] : last) runs.push_back(std::move(row));
  return runs;
}

// All runs of the branch that are comparable with `run`, including `run` itself and failed runs,
// because a step can only be detected with the runs after it.
Result<gate::HistoryChoice> ComparableWith(gate::History& history, const gate::HistoryRow& run,
                                           std::string today) {
  PROFGAUGE_TRY(const gate::Snapshot snapshot, history.Load(run.id));
  gate::HistoryQuestion question;
  question.reference = {run.branch, kMostChecked};
  question.model = run.model;
  question.today = std::move(today);
  question.with_failed = true;
  question.with_itself = true;
  question.with_anchor = false;
  question.compared = kMostChecked;
  TakeCommit("", question);
  question.commit.clear();  // The commit's runs are runs of the branch, too.
  return gate::ChooseRuns(history, question, std::span(&snapshot, 1));
}

std::string ModelOf(const gate::HistoryRow& run) {
  return run.model.empty() ? "no model" : "model " + Printable(run.model);
}

// The metrics that the policy limits against a baseline, each once; if it limits none, the median
// iteration time.
std::vector<std::string> LimitedMetrics(const rules::PolicyBaseline& policy) {
  std::vector<std::string> metrics;
  for (const rules::BaselineLimit& limit : policy.limits) {
    if (std::ranges::find(metrics, limit.metric) == metrics.end()) metrics.push_back(limit.metric);
  }
  if (metrics.empty()) metrics.emplace_back(metric::kIterationTimeMedian.text());
  return metrics;
}

// Notes fixed limits that the new level misses or nearly reaches. They do not follow a level, so
// they would fail later runs although the change is accepted.
Status NameFixedLimits(gate::History& history, const gate::HistoryRow& run,
                       const rules::Policy& policy, Console& console) {
  constexpr double kNear = 0.1;
  PROFGAUGE_TRY(const gate::Snapshot snapshot, history.Load(run.id));
  for (const rules::Threshold& limit : policy.thresholds) {
    const auto spec = analysis::DescribeMetric(limit.metric);
    const auto found = snapshot.metrics.find(limit.metric);
    std::optional<double> value;
    if (found != snapshot.metrics.end()) value = found->second;
    if (limit.metric == metric::kIterationTimeMedian) value = gate::MedianIteration(snapshot);
    if (!spec || !value) continue;
    const bool is_near_max = limit.max && *value >= *limit.max * (1 - kNear);
    const bool is_near_min = limit.min && *value <= *limit.min * (1 + kNear);
    if (!is_near_max && !is_near_min) continue;
    console.Say(fmt::format(
        "note: {}:{}: the fixed limit {} {} of {} does not follow the level, which is {}: change "
        "it by hand",
        Printable(limit.where.file), limit.where.line, is_near_max ? "max" : "min",
        FormatLimit(is_near_max ? *limit.max : *limit.min, spec->unit), limit.metric,
        FormatValue(Value{*value}, spec->unit)));
  }
  return {};
}

// The exit code for a result. A step and a slow drift both fail, because they were not accepted.
int ExitOf(gate::HistoryState state) {
  switch (state) {
    case gate::HistoryState::kTooFew:
      return kExitNoVerdict;
    case gate::HistoryState::kSteady:
      return kExitPass;
    case gate::HistoryState::kStep:
    case gate::HistoryState::kCreep:
      return kExitFail;
  }
  return kExitPass;
}

}  // namespace

Result<int> RunHistoryAccept(const Options& options, Console& console) {
  // Checks that the file exists, because OpenToAdd() would create it.
  PROFGAUGE_CHECK(gate::History::OpenToRead(options.db));
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToAdd(options.db));
  SayUnused(options.db, console);
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  if (options.reason.empty()) {
    return Fail(UsageError("usage/no-reason", "`history accept` needs a reason",
                           "--reason \"wider model\": later checks show it"));
  }
  gate::HistoryLevel level;
  level.reason = options.reason;
  level.until = options.until;
  PROFGAUGE_TRY(level.owner, OwnerOf(options));
  PROFGAUGE_TRY(const auto today, Today());
  PROFGAUGE_CHECK(CheckUntil(options, today));
  level.time = SecondsOf(today);
  PROFGAUGE_TRY(const auto runs, RunsToAccept(history, options.arguments.front()));
  for (const gate::HistoryRow& run : runs) PROFGAUGE_CHECK(RefuseStranger(history, run));
  std::vector<std::string> accepted;
  for (const gate::HistoryRow& run : runs) {
    level.run = run.id;
    PROFGAUGE_CHECK(NameFixedLimits(history, run, *policy, console));
    PROFGAUGE_TRY(const std::int64_t id, history.Mark(level));
    accepted.push_back(fmt::format(
        "accepted the level of run {} ({}) as level {}: later runs of {}{} are "
        "compared with it and the runs after it",
        run.id, run.commit.empty() ? "no commit" : Printable(run.commit), id, Printable(run.branch),
        run.model.empty() ? "" : " of model " + Printable(run.model)));
  }
  PROFGAUGE_CHECK(history.Save());
  for (const std::string& line : accepted) console.Say(line);
  return kExitPass;
}

// Checks each metric of the last run of each model separately. The exit code is that of the worst
// result: first a failure, then a run that cannot be judged.
Result<int> RunHistoryCheck(const Options& options, Console& console) {
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  SayUnused(options.db, console);
  PROFGAUGE_TRY(const auto today, Today());
  const std::string branch = options.branch.empty() ? "main" : options.branch;
  const rules::PolicyBaseline limits = policy->baseline.value_or(rules::PolicyBaseline{});
  PROFGAUGE_TRY(const std::vector<gate::HistoryRow> last, LastOfEachModel(history, branch));
  std::vector<int> exits;
  for (const gate::HistoryRow& run : last) {
    PROFGAUGE_TRY(const gate::HistoryChoice choice,
                  ComparableWith(history, run, rules::FormatDay(today)));
    const bool is_full = std::ssize(choice.window) == kMostChecked;
    if (!choice.window.empty() && (choice.is_cut || (is_full && choice.of_model > kMostChecked))) {
      console.Say(fmt::format("note: {}, {}: runs before run {} are not checked, only the last {}",
                              Printable(branch), ModelOf(run), choice.window.front().row.id,
                              choice.window.size()));
    }
    const std::string model = last.size() > 1 ? fmt::format(", {}", ModelOf(run)) : "";
    for (const std::string& metric : LimitedMetrics(limits)) {
      const gate::HistoryFindings findings = gate::CheckHistory(choice.window, metric, limits);
      console.Print(fmt::format("{} of {}{}: {}\n", metric, Printable(branch), model,
                                gate::FindingsText(findings)));
      exits.push_back(ExitOf(findings.state));
    }
  }
  if (last.empty()) {
    console.Print(fmt::format("{}: the history has no run of this branch\n", Printable(branch)));
    return kExitNoVerdict;
  }
  const auto has = [&exits](int exit) { return std::ranges::find(exits, exit) != exits.end(); };
  return has(kExitFail) ? kExitFail : has(kExitNoVerdict) ? kExitNoVerdict : kExitPass;
}

}  // namespace profgauge::cli
