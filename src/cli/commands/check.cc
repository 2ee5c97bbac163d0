// `profgauge check` and `profgauge report`: the same run; only the exit code differs.
//
// The order is chosen for speed, and for users who made a mistake:
//
//   policy -> [rules, while profiles are read, if that is quick] -> outputs are opened -> baselines
//   -> profiles -> runs -> (builtin:cpu if no policy was named) -> JudgeRuns -> outputs
//
// Errors of the configuration are shown before a large profile is read. A path that cannot be
// written is reported before baselines and profiles are read.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/candidates.h"
#include "api/default_policy.h"
#include "api/session.h"
#include "base/errors.h"
#include "base/files.h"
#include "cli/base_policy.h"
#include "cli/ci_system.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/earlier_results.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "gate/verdict.h"
#include "model/run_side.h"
#include "model/summary/summary_file.h"
#include "readers/load.h"
#include "readers/run_side/step_log.h"
#include "report/redact.h"
#include "rules/policy.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

/// Returns the rules, or nullopt after their errors were reported.
std::optional<rules::Rulebook> ToldOrKept(tl::expected<rules::Rulebook, rules::Errors> book,
                                          Console& console) {
  if (book) return *std::move(book);
  console.Report(book.error());
  return std::nullopt;
}

/// The rules that the policy runs; nullopt after their errors were reported.
std::optional<rules::Rulebook> ReadRules(const rules::Policy& policy,
                                         const rules::SelectOptions& select, Console& console) {
  return ToldOrKept(rules::LoadRulebook(policy, select), console);
}

/// `report` never exits with the verdict's code.
int ExitOf(const gate::Verdict& verdict, const Options& options) {
  const int exit_code = gate::ExitCodeOf(verdict, options.exit_zero);
  const bool verdict_only = exit_code == kExitFail || exit_code == kExitNoVerdict;
  return verdict_only && options.command->bit == kOnReport ? int{kExitPass} : exit_code;
}

/// Adds to the report who named the policy, and the run's labels.
void NamePolicy(const Options& options, report::Report& report) {
  report::VerdictInfo& verdict = report.verdict;
  verdict.policy_from = options.policy.empty() ? std::string(kNoPolicyGiven) : options.policy_from;
  verdict.config = options.config_file;
  for (const auto& [name, text] : options.labels) {
    report.environment.emplace_back("label " + name, text);
  }
  if (!options.redact) return;
  for (std::string* text : {&verdict.policy_from, &verdict.config}) {
    *text = report::WithoutFolders(*text);
  }
}

/// Makes the file of `--write pgsum`. A file of times is its own summary, provided its bytes are
/// enough to interpret it.
Result<std::string> SummaryOf(const Candidate& run, const rules::Policy& policy,
                              const Options& options) {
  if (run.ranks.size() == 1 && IsOfTimes(run.ranks[0]) && options.step_times.empty()) {
    const std::string& path = run.ranks[0].source.path;
    if (auto text = ReadSmallFile(path, readers::kMostLogBytes)) return *std::move(text);
  }
  PROFGAUGE_TRY(SummarizedRanks ranks,
                SummarizeRead(run.ranks, SelectionOf(policy, Choices(options))));
  if (options.redact) RedactSummaries(ranks.stand_ins, options.redact);
  return WriteSummaries(std::span<const Profile>(ranks.stand_ins));
}

/// Writes the outputs and prints the verdict; returns its exit code.
int Finish(int exit_code, Judgement::Data& judged, const Options& options, Drawing& drawing,
           Stats& stats, Console& console) {
  const Status drawn = drawing.Draw(judged.report, judged.add_timeline, stats);
  Conclude(judged.report, drawing, console);
  if (options.verbosity > 0) console.Warn(stats.Table());
  return ExitAfterDrawing(drawn, exit_code, console);
}

/// True if the profiles can be read in an unnoticeable time. Then rules are compiled meanwhile, and
/// an error in them is still reported immediately.
bool IsReadQuickly(const std::vector<std::string>& paths) {
  constexpr std::uintmax_t kQuick = 8'000'000;  // Bytes.
  std::uintmax_t sum = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    sum += std::filesystem::file_size(path, error);
    if (error || sum > kQuick) return false;
  }
  return true;
}

/// Judges the run; returns the exit code of the verdict. Errors of the configuration are reported
/// before errors of the profile and before a large one is read, so a typo costs milliseconds.
Result<int> Judged(const Options& options, Console& console) {
  if (options.outputs.Has(OutputKind::kTrace) && options.timeline == "off") {
    return Fail(
        UsageError("usage/conflict", "`--write trace` and `--timeline off` exclude each other"));
  }
  Stats stats;
  auto policy = ReadPolicy(options, console);
  if (!policy) return Fail(AlreadyReported());
  gate::Acceptance acceptance;
  if (!options.accept.empty()) {
    PROFGAUGE_TRY(acceptance.lines, gate::ParseAcceptance(options.accept));
    PROFGAUGE_TRY(acceptance.owner, OwnerOf(options));
  }
  PolicyChange change = HoldPolicy(options, acceptance, *policy);
  rules::SelectOptions select;
  PROFGAUGE_TRY(select.today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  const bool is_quick = IsReadQuickly(options.arguments);
  // The future's destructor waits for the rules; the objects that it uses outlive it.
  auto rules =
      std::async(is_quick ? std::launch::async | std::launch::deferred : std::launch::deferred,
                 [&policy, &select] { return rules::LoadRulebook(*policy, select); });
  // These objects are never destroyed, because destroying the rules would take a twentieth of the
  // check of a small profile, and the rest a hundredth of the report of a large one.
  static auto& book = *new std::optional<rules::Rulebook>();
  static auto& candidates = *new std::vector<Candidate>();
  static auto& judged = *new Judgement::Data();
  if (!is_quick) book = ToldOrKept(rules.get(), console);
  if (!is_quick && !book) return Fail(AlreadyReported());
  Drawing drawing(KeptBy(options, &*policy));
  BaselineSource baselines;
  std::vector<gate::Snapshot> probe;
  const auto read = [&]() -> Result<std::vector<Profile>> {
    PROFGAUGE_CHECK(drawing.Open(options));
    PROFGAUGE_TRY(baselines, LoadBaselines(options, *policy, console, probe));
    stats.EndPhase("policy");
    return ReadRanks(options, *policy, console);
  };
  Result<std::vector<Profile>> found = read();
  if (is_quick) book = ToldOrKept(rules.get(), console);
  if (!book) return Fail(AlreadyReported());
  PROFGAUGE_TRY(std::vector<Profile> profiles, std::move(found));
  PROFGAUGE_TRY(candidates, SplitCandidates(std::move(profiles), options.arguments,
                                            baselines.IsAsked(), probe, RanksOf(options)));
  stats.EndPhase("read");
  JudgeRunsOptions how;
  std::vector<RunToJudge> runs;
  for (const Candidate& candidate : candidates) {
    const bool is_named = candidates.size() == 1 && !options.run_name.empty();
    runs.push_back({is_named ? options.run_name : candidate.name, candidate.ranks});
  }
  if (options.policy.empty()) {
    DefaultPolicy chosen = DefaultPolicyOf(runs);
    how.remark = std::move(chosen.remark);
    if (chosen.name != kDefaultPolicy) {
      Options by_name = options;
      by_name.policy = chosen.name;
      policy = ReadPolicy(by_name, console);
      if (policy) book = ReadRules(*policy, select, console);
      if (!policy || !book) return Fail(AlreadyReported());
    }
  }
  how.choices = Choices(options);
  how.choices.events = EventsOf(options);
  how.today = select.today;
  how.redact = options.redact;
  how.is_paired = options.paired;
  how.on_missing_baseline = OnMissingOf(options, *policy);
  how.acceptance = std::move(acceptance);
  how.loosened = std::move(change.loosened);
  how.policy_note = std::move(change.note);
  how.timeline_later = true;
  how.verdict_only = drawing.empty();
  how.without_savings = drawing.empty() && options.verbosity < 0;
  how.phase_ended = [&stats](std::string_view phase) { stats.EndPhase(phase); };
  PROFGAUGE_TRY(judged, JudgeRuns(runs, *policy, *book, baselines, how));
  NamePolicy(options, judged.report);
  // Of several profiles of a job, too: a comment finds its predecessor by the name.
  if (!options.run_name.empty()) judged.report.profile.name = options.run_name;
  drawing.ShowAlertsAt(PlacesOf(options, *policy));
  const int exit_code = ExitOf(judged.verdict, options);
  drawing.ExitsWith(exit_code);
  // Of several profiles, summarizes the described one, which represents all in the history.
  drawing.SummarizeBy([&] { return SummaryOf(candidates[judged.middle], *policy, options); });
  return Finish(exit_code, judged, options, drawing, stats, console);
}

}  // namespace

Result<int> RunCheck(const Options& options, Console& console) {
  return RunJobs(options, console, [&](const Options& one) {
    return RunLeavingOutputs(one, console, [&]() -> Result<int> {
      if (const std::string duet = DuetIn(one); !duet.empty()) {
        return CheckDuet(duet, one, console);
      }
      return Judged(one, console);
    });
  });
}

Result<int> RunReport(const Options& options, Console& console) {
  return RunJobs(options, console, [&](const Options& one) {
    return RunLeavingOutputs(one, console, [&]() -> Result<int> {
      if (!one.runs.empty()) return RunReportOfRuns(one, console);
      return Judged(one, console);
    });
  });
}

}  // namespace profgauge::cli
