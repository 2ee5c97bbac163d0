// `profgauge report --run NAME=PATH --run NAME=PATH …`: several runs in one report, with a
// comparison of every two.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/candidates.h"
#include "api/comparison.h"
#include "api/default_policy.h"
#include "api/session.h"
#include "api/snapshots.h"
#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/policies.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "cli/stats.h"
#include "readers/one_run.h"
#include "report/redact.h"
#include "report/runs.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kFewestRuns = 2, kMostRuns = 8;

/// The options given for outputs that can show only one run.
std::vector<std::string_view> OutputsOfOneRun(const Options& options) {
  std::vector<std::string_view> given;
  for (const OutputSpec& output : AllOutputs()) {
    if (output.scope != OutputScope::kRuns && options.outputs.Has(output.kind)) {
      given.push_back(output.name);
    }
  }
  return given;
}

// Checks the options. An output that shows only one run is rejected, because choosing one of
// several runs would be arbitrary. Every error names an alternative.
Status CheckUse(const Options& options) {
  if (!options.arguments.empty()) {
    return Fail(UsageError(
        "usage/conflict",
        fmt::format("`--run` and the profile `{}` exclude each other", options.arguments.front()),
        "give it a name, too: --run NAME=PATH"));
  }
  if (!options.baselines.empty()) {
    return Fail(UsageError("usage/conflict", "`--run` and `--baseline` exclude each other",
                           "the baseline may be one of the runs, too: --run NAME=PATH"));
  }
  if (options.runs.size() < kFewestRuns || options.runs.size() > kMostRuns) {
    return Fail(UsageError("usage/run-count",
                           fmt::format("`--run` needs {} to {} runs, found {}", kFewestRuns,
                                       kMostRuns, options.runs.size()),
                           options.runs.size() < kFewestRuns
                               ? "for one run, `profgauge report PATH`"
                               : "`profgauge history list` shows many runs, by their numbers"));
  }
  const std::vector<std::string_view> given = OutputsOfOneRun(options);
  if (!given.empty()) {
    return Fail(
        UsageError("usage/one-run-only",
                   fmt::format("`{}` shows one run, found {}", given.front(), options.runs.size()),
                   "`--out`, `--html`, `--md`, `--xlsx`, `--json`, and `--write` of summary and "
                   "html-dir take several"));
  }
  return {};
}

/// A run of the page, and its snapshot, with which it is compared.
struct JudgedRun {
  report::Report report;
  gate::Snapshot snapshot;
};

/// Reads and judges one run, and keeps only its report and snapshot in memory. nullopt after errors
/// of the policy were reported. REQUIRES: policies.For(false) has succeeded.
Result<std::optional<JudgedRun>> JudgeOne(const std::string& name, const std::string& path,
                                          const Options& options, std::chrono::sys_days today,
                                          Policies& policies, Stats& stats, Console& console) {
  const Judging& usual = *policies.For(false);
  Options one = options;
  one.arguments = {path};
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadRanks(one, usual.policy, console));
  PROFGAUGE_CHECK(readers::CheckOneRun(ranks, ""));
  stats.EndPhase("read");
  const Judging* judging = policies.For(IsCpuOnly(ranks));
  if (judging == nullptr) return std::nullopt;
  JudgeRunsOptions how;
  how.choices = Choices(options);
  how.choices.events = EventsOf(options);
  how.today = today;
  const RunToJudge run{name, ranks};
  how.remark = policies.RemarkOn(run);
  how.phase_ended = [&stats](std::string_view phase) { stats.EndPhase(phase); };
  PROFGAUGE_TRY(Judgement::Data judged,
                JudgeRuns(std::span(&run, 1), judging->policy, judging->book, {}, how));
  judged.report.profile.name = name;
  PROFGAUGE_TRY(gate::Snapshot snapshot, SnapshotOf(name, ranks, judged.analysis,
                                                    SelectionOf(judging->policy, how.choices)));
  stats.EndPhase("attribute");
  return JudgedRun{std::move(judged.report), std::move(snapshot)};
}

/// Compares each pair of runs, with the earlier one as base: n (n - 1) / 2 pairs, at most 28.
std::vector<report::Runs::Pair> ExplainPairs(const std::vector<report::Report>& runs,
                                             const std::vector<gate::Snapshot>& snapshots) {
  std::vector<report::Runs::Pair> pairs;
  for (std::size_t base = 0; base < runs.size(); ++base) {
    for (std::size_t current = base + 1; current < runs.size(); ++current) {
      pairs.push_back(
          {base, current,
           ExplainTwoRuns(snapshots[base], runs[base], snapshots[current], runs[current])});
    }
  }
  return pairs;
}

/// Redacts all parts with one key, so that equal names stay equal.
void RedactAll(const report::Redaction& redaction, const std::vector<gate::Snapshot>& snapshots,
               report::Runs& runs) {
  if (!redaction) return;
  std::vector<std::string> sources;
  for (const gate::Snapshot& run : snapshots) sources.push_back(run.source);
  const report::Redaction keyed(redaction.level, report::KeyOf(redaction, sources));
  for (report::Report& run : runs.runs) {
    const std::string name = run.profile.name;
    report::Redact(run, keyed);
    run.profile.name = name;  // The name, "run 1", stays.
  }
  for (report::Runs::Pair& pair : runs.pairs) report::Redact(pair.report, keyed);
}

}  // namespace

// Reads one run after the other, and keeps only reports and snapshots. With redaction, a run is
// named by its number, because its name is the user's.
Result<int> RunReportOfRuns(const Options& options, Console& console) {
  PROFGAUGE_CHECK(CheckUse(options));
  Stats stats;
  rules::SelectOptions select;
  PROFGAUGE_TRY(select.today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  Policies policies(options, select, console);
  const Judging* usual = policies.For(false);
  if (usual == nullptr) return Fail(AlreadyReported());
  Options kept = options;
  for (const auto& [name, path] : options.runs) kept.arguments.push_back(path);
  Drawing drawing(KeptBy(kept, &usual->policy));
  PROFGAUGE_CHECK(drawing.Open(kept));
  stats.EndPhase("policy");
  report::Runs runs;
  std::vector<gate::Snapshot> snapshots;
  for (const auto& [given, path] : options.runs) {
    const std::string name = options.redact ? fmt::format("run {}", runs.runs.size() + 1) : given;
    PROFGAUGE_TRY(std::optional<JudgedRun> run,
                  JudgeOne(name, path, options, select.today, policies, stats, console));
    if (!run) return Fail(AlreadyReported());
    runs.runs.push_back(std::move(run->report));
    snapshots.push_back(std::move(run->snapshot));
  }
  runs.pairs = ExplainPairs(runs.runs, snapshots);
  RedactAll(options.redact, snapshots, runs);
  stats.EndPhase("compare");
  const Status drawn = drawing.Draw(runs, stats);
  if (options.verbosity > 0) console.Warn(stats.Table());
  Conclude(runs, drawing, console);
  return ExitAfterDrawing(drawn, kExitPass, console);
}

}  // namespace profgauge::cli
