#include "cli/snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "api/session.h"
#include "api/snapshots.h"
#include "base/errors.h"
#include "base/git.h"
#include "base/text.h"
#include "cli/ci_system.h"
#include "cli/console.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "gate/compare.h"
#include "gate/compare_series.h"
#include "gate/constants.h"
#include "gate/doubts.h"
#include "gate/history.h"
#include "gate/history_check.h"
#include "gate/select.h"
#include "gate/verdict.h"
#include "knowledge/gate.h"
#include "readers/one_run.h"
#include "report/diagnosis.h"
#include "rules/waiver.h"

namespace profgauge::cli {

std::string JudgedFolderOf(const Options& options) {
  const bool is_file = !options.policy.empty() && !options.policy.starts_with("builtin:");
  return is_file ? std::filesystem::path(options.policy).parent_path().string() : std::string();
}

namespace {

// The last runs of a history that are comparable with the runs beside it; if none is, the last, so
// that `compare` can show the differences. Errors: kConfig "history/no-runs" for an empty branch.
Result<std::vector<gate::Snapshot>> FromHistory(const std::string& what, const Options& options,
                                                std::span<const gate::Snapshot> beside) {
  PROFGAUGE_TRY(const gate::HistoryReference reference, gate::ParseHistoryReference(what));
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  if (!beside.empty()) {
    gate::HistoryQuestion question;
    question.reference = reference;
    PROFGAUGE_TRY(const auto today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
    question.today = rules::FormatDay(today);
    TakeCommit(JudgedFolderOf(options), question);
    PROFGAUGE_TRY(gate::HistoryChoice choice, gate::ChooseRuns(history, question, beside));
    std::vector<gate::Snapshot> runs;
    for (gate::ChosenRun& run : choice.window) runs.push_back(std::move(run.snapshot));
    if (!runs.empty()) return runs;
  }
  PROFGAUGE_TRY(auto entries, history.Last(reference.branch, reference.count));
  if (entries.empty()) {
    Error error;
    error.kind = ErrorKind::kConfig;
    error.code = "history/no-runs";
    error.message = "the history has no run of branch `" + reference.branch + "`";
    error.notes = {"help: `profgauge history list` shows its runs"};
    error.where.file = options.db;
    return Fail(std::move(error));
  }
  std::vector<gate::Snapshot> runs;
  for (gate::HistoryEntry& entry : entries) runs.push_back(std::move(entry.snapshot));
  return runs;
}

bool IsMissing(const std::string& what) {
  std::error_code error;
  return what != "-" && !std::filesystem::exists(what, error);
}

// Rejects a missing baseline as an error of the configuration, not as a fault of the judged run.
Status RefuseMissing(const std::string& what) {
  if (what.starts_with("history:") || !IsMissing(what)) return {};
  Error missing;
  missing.kind = ErrorKind::kConfig;
  missing.code = "baseline/missing";
  missing.message = "there is no baseline at this place";
  missing.where.file = what;
  missing.notes = {
      "help: `profgauge baseline save PROFILE -o FILE` makes one; --baseline also takes "
      "`history:BRANCH~N` or a profile"};
  return Fail(std::move(missing));
}

// Makes one run of a profile, analyzed under `policy` as it would be judged, because otherwise a
// baseline could differ by other iterations or kernel names. Does not check the number of
// iterations, because such a limit is for the judged run.
Result<std::vector<gate::Snapshot>> FromProfile(const std::string& path, const Options& options,
                                                const rules::Policy& policy, Console& console,
                                                const SeenBesides& seen) {
  Options one = options;
  one.arguments = {path};
  one.is_found = true;
  if (one.ranks == "separate") one.ranks = "recorded";  // "separate" is meant for the judged runs.
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadRanks(one, policy, console));
  PROFGAUGE_CHECK(readers::CheckOneRun(ranks, ""));
  const ImportLog log = MergedLog(ranks);
  if (seen.log != nullptr) {
    seen.log->Merge(log);
  } else {
    constexpr std::int64_t kAnyCountOfIterations = std::numeric_limits<std::int64_t>::max();
    const auto reasons =
        gate::WhyIncomplete(policy, log, kAnyCountOfIterations, options.allow_incomplete);
    if (!reasons.empty()) {
      return Fail(InputError(path, "baseline/incomplete",
                             std::string(report::WithoutId(reasons.front())) +
                                 ": an incomplete baseline would hide regressions",
                             "record again, or --allow-incomplete"));
    }
  }
  const analysis::Selection selection = SelectionOf(policy, Choices(options));
  PROFGAUGE_TRY(const analysis::Analysis analysis, analysis::Analyze(ranks, selection));
  PROFGAUGE_TRY(gate::Snapshot snapshot, SnapshotOf(RunName({path}), ranks, analysis, selection));
  for (std::string& doubt : gate::DoubtsOf(policy, analysis, options.allow_incomplete)) {
    if (seen.doubts == nullptr) {
      console.Warn(fmt::format("note: {}: {}", Printable(snapshot.name), Printable(doubt)));
    } else {
      seen.doubts->push_back(std::move(doubt));
    }
  }
  if (seen.picture != nullptr) {
    AddPartsByRank(ranks, selection, snapshot);
    *seen.picture = PictureOf(ranks, analysis, selection, EventsOf(options));
  }
  return std::vector<gate::Snapshot>{std::move(snapshot)};
}

using Choose = std::function<Result<ChosenBaseline>(std::span<const gate::Snapshot>)>;

// Makes a function that finds which of the earlier failed runs may have caused the step; empty if
// none failed. Copies the runs that it needs, because it outlives `choice`.
std::function<std::string(const gate::Snapshot&)> BlameOf(const gate::HistoryChoice& choice,
                                                          const rules::PolicyBaseline& policy) {
  if (choice.failed.empty()) return {};
  return [window = choice.window, failed = choice.failed,
          floor = policy.noise_floor.value_or(gate::stats::kUsualNoiseFloor)](
             const gate::Snapshot& candidate) {
    return gate::BlameText(window, failed, candidate, floor);
  };
}

// True if git or the CI shows that this branch is judged or is the target of a pull request. Then
// the branch exists, even if it has no runs yet.
bool IsJudgedBranch(const std::string& branch, const std::string& folder) {
  for (const char* name : {"GITHUB_REF_NAME", "GITHUB_BASE_REF", "CI_COMMIT_BRANCH",
                           "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "BRANCH_NAME", "CHANGE_TARGET",
                           "BUILDKITE_BRANCH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && branch == value) return true;
  }
  const auto head = git::HeadOf(folder);
  return head && head->branch == branch;
}

}  // namespace

void TakeCommit(const std::string& folder, gate::HistoryQuestion& question) {
  std::string commit = question.commit;
  if (commit.empty()) commit = CommitOfCi(Variable);
  if (commit.empty()) {
    const auto head = git::HeadOf(folder);
    if (!head) return;
    commit = head->commit;
    if (!head->is_clean) {
      question.ancestors = git::AncestorsOf(folder, commit);
      return;
    }
  }
  question.commit = commit;
  question.ancestors = git::AncestorsOf(folder, commit);
  // A shallow clone has only few ancestors.
  if (question.ancestors.size() > 1) return;
  if (const auto found = git::FindCommit(folder, commit)) question.commit_time = found->time;
}

namespace {

// The smallest limit of the policy on the typical iteration time.
double LimitOfTime(const rules::PolicyBaseline& policy) {
  double least = knowledge::kGateHistoryStep.value();
  bool is_set = false;
  for (const rules::BaselineLimit& limit : policy.limits) {
    if (!limit.max_increase || !limit.max_increase->relative || !gate::IsTypicalTime(limit.metric))
      continue;
    least = is_set ? std::min(least, limit.max_increase->value) : limit.max_increase->value;
    is_set = true;
  }
  return least;
}

// Makes a function that chooses comparable runs of a history when the candidates are known. Opens
// the history now, so that a wrong file fails before a profile is read. `probe` receives the last
// run.
Result<Choose> FromHistoryLater(const std::string& what, const Options& options,
                                const rules::Policy& policy, std::vector<gate::Snapshot>& probe) {
  gate::HistoryQuestion question;
  PROFGAUGE_TRY(question.reference, gate::ParseHistoryReference(what));
  question.model = options.model;
  question.commit = options.commit;
  PROFGAUGE_TRY(const auto today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  question.today = rules::FormatDay(today);
  const rules::PolicyBaseline asked = policy.baseline.value_or(rules::PolicyBaseline{});
  question.limit = LimitOfTime(asked);
  constexpr std::int64_t kPartRuns = 20;  // A kernel of 2 % by +5 % is found in 96 of 100 then.
  if (asked.kernels || asked.operators || asked.collectives || asked.modules)
    question.parts = kPartRuns;
  gate::HistoryFacts facts;
  facts.min_runs = asked.min_runs;
  facts.today = question.today;
  facts.learning_until = options.learning_until;
  if (IsMissing(options.db)) {
    return Choose(
        [reference = question.reference, facts, db = options.db](std::span<const gate::Snapshot>) {
          ChosenBaseline none;
          none.info = gate::DescribeAbsence(reference, facts, db + " does not exist");
          return Result<ChosenBaseline>(std::move(none));
        });
  }
  PROFGAUGE_TRY(gate::History opened, gate::History::OpenToRead(options.db));
  auto history = std::make_shared<gate::History>(std::move(opened));
  PROFGAUGE_TRY(auto last, history->Last(question.reference.branch, 1));
  if (!last.empty()) probe.push_back(std::move(last.front().snapshot));
  const std::string folder = JudgedFolderOf(options);
  TakeCommit(folder, question);
  return Choose([history, question, asked, facts,
                 folder](std::span<const gate::Snapshot> candidates) -> Result<ChosenBaseline> {
    PROFGAUGE_TRY(gate::HistoryChoice choice, gate::ChooseRuns(*history, question, candidates));
    ChosenBaseline chosen;
    gate::HistoryFacts known = facts;
    known.is_judged = !choice.branches.empty() && IsJudgedBranch(question.reference.branch, folder);
    chosen.info = gate::DescribeChoice(choice, question.reference, known);
    if (gate::IsMissing(chosen.info.state)) return chosen;
    const auto ids = [](const std::vector<gate::ChosenRun>& runs) {
      std::vector<std::int64_t> out;
      for (const gate::ChosenRun& run : runs) out.push_back(run.row.id);
      return out;
    };
    const bool is_apart = ids(choice.anchor) != ids(choice.window);
    if (!asked.anchor.judges || !is_apart) chosen.info.anchor.clear();
    chosen.is_of_history = true;
    chosen.same_commit = choice.same_commit;
    chosen.blame = BlameOf(choice, asked);
    for (gate::ChosenRun& run : choice.parts) chosen.parts.push_back(std::move(run.snapshot));
    for (gate::ChosenRun& run : choice.window) chosen.runs.push_back(std::move(run.snapshot));
    for (gate::ChosenRun& run : choice.failed) chosen.failed.push_back(std::move(run.snapshot));
    if (chosen.info.anchor.empty()) return chosen;
    for (gate::ChosenRun& run : choice.anchor) chosen.anchor.push_back(std::move(run.snapshot));
    return chosen;
  });
}

}  // namespace

// Rejects another device or size: that is another program, and its median would mean nothing.
// Different work only causes a warning, because a program changes from commit to commit.
Status RefuseOther(const gate::Snapshot& run, std::span<const gate::Snapshot> others,
                   const Options& options, Console& console) {
  const gate::Misfit misfit = gate::FindMisfit(run, others);
  if (!misfit.differences.empty() && !options.force) {
    const gate::Difference& difference = misfit.differences.front();
    return Fail(UsageError(
        "baseline/other-program",
        fmt::format("run {} is not comparable with the others: {} is `{}` there and "
                    "`{}` here",
                    Printable(run.name), difference.property, Printable(difference.base),
                    Printable(difference.current)),
        "keep runs of each device and size in a separate file or branch, or use --force"));
  }
  if (misfit.has_other_shapes) {
    console.Warn(
        fmt::format("note: run {} launches other work than the others: its operators, input "
                    "shapes or launches differ",
                    Printable(run.name)));
  }
  return {};
}

Result<std::vector<gate::Snapshot>> LoadSnapshots(const std::string& what, const Options& options,
                                                  const rules::Policy& policy, Console& console,
                                                  const SeenBesides& seen) {
  if (what.starts_with("history:")) {
    SayUnused(options.db, console);
    return FromHistory(what, options, seen.beside);
  }
  if (what != "-" && IsBaselineFile(what)) return LoadBaselineFile(what);
  return FromProfile(what, options, policy, console, seen);
}

void SayUnused(const std::string& path, Console& console) {
  for (const std::string& unused : gate::UnusedBesideHistory(path)) {
    console.Say(fmt::format("note: {} is beside the history and is not used; delete it",
                            Printable(unused)));
  }
}

std::optional<rules::Policy> KeepingPolicy(const Options& options, Console& console) {
  if (options.policy.empty()) return rules::Policy{};
  return ReadPolicy(options, console);
}

rules::OnBaselineMissing OnMissingOf(const Options& options, const rules::Policy& policy) {
  const bool has_history =
      std::any_of(options.baselines.begin(), options.baselines.end(),
                  [](const std::string& what) { return what.starts_with("history:"); });
  if (!has_history) return rules::OnBaselineMissing::kFail;
  if (options.baseline_missing == "pass") return rules::OnBaselineMissing::kPass;
  if (options.baseline_missing == "warn") return rules::OnBaselineMissing::kWarn;
  if (options.baseline_missing == "no_verdict") return rules::OnBaselineMissing::kNoVerdict;
  if (options.baseline_missing == "fail") return rules::OnBaselineMissing::kFail;
  constexpr auto kOtherwise = rules::OnBaselineMissing::kNoVerdict;
  return policy.baseline ? policy.baseline->missing.value_or(kOtherwise) : kOtherwise;
}

Result<std::string> OwnerOf(const Options& options) {
  if (!options.owner.empty()) return options.owner;
  for (const char* name : {"PROFGAUGE_OWNER", "GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILD_USER_ID",
                           "CHANGE_AUTHOR", "BUILDKITE_BUILD_CREATOR"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  if (std::string name = git::UserName(""); !name.empty()) return name;
  return Fail(UsageError("usage/no-owner", "an acceptance needs an owner",
                         "pass --owner WHO, or set PROFGAUGE_OWNER"));
}

Result<BaselineSource> LoadBaselines(const Options& options, const rules::Policy& policy,
                                     Console& console, std::vector<gate::Snapshot>& probe) {
  BaselineSource source;
  std::vector<std::string> files;
  for (const std::string& what : options.baselines) {
    if (!what.starts_with("history:")) {
      PROFGAUGE_CHECK(RefuseMissing(what));
      files.push_back(what);
      continue;
    }
    if (source.choose) {
      return Fail(UsageError("usage/bad-value",
                             fmt::format("`--baseline`: expected one history, found `{}` besides",
                                         PrintableShort(what, 60)),
                             "one reference names all its runs: history:main~10"));
    }
    SayUnused(options.db, console);
    PROFGAUGE_TRY(source.choose, FromHistoryLater(what, options, policy, probe));
  }
  auto runs = LoadAllSnapshots(files, options, policy, console);
  if (runs) {
    source.runs = std::move(*runs);
    probe.insert(probe.end(), source.runs.begin(), source.runs.end());
    return source;
  }
  if (runs.error().kind != ErrorKind::kInput) return Fail(std::move(runs).error());
  Error error = std::move(runs).error();
  // Another kind of file is a mistake in the command, not an input that gives no verdict.
  const bool is_other_kind = error.code == "input/policy" || error.code == "input/history" ||
                             error.code == "input/no-profiles";
  if (is_other_kind) error.kind = ErrorKind::kUsage;
  error.notes.emplace_back(
      "note: --baseline takes a baseline of `baseline save`, `history:BRANCH~N` or a profile");
  return Fail(std::move(error));
}

Result<std::vector<gate::Snapshot>> LoadAllSnapshots(const std::vector<std::string>& whats,
                                                     const Options& options,
                                                     const rules::Policy& policy,
                                                     Console& console) {
  std::vector<gate::Snapshot> all;
  for (const std::string& what : whats) {
    PROFGAUGE_TRY(std::vector<gate::Snapshot> runs, LoadSnapshots(what, options, policy, console));
    std::move(runs.begin(), runs.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace profgauge::cli
