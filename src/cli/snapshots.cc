#include "cli/snapshots.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "api/session.h"
#include "api/snapshots.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "gate/compare.h"
#include "gate/doubts.h"
#include "gate/history.h"
#include "gate/verdict.h"
#include "readers/one_run.h"

namespace profgauge::cli {
namespace {

Result<std::vector<Snapshot>> FromHistory(const std::string& what, const Options& options) {
  PROFGAUGE_TRY(const HistoryReference reference, ParseHistoryReference(what));
  PROFGAUGE_TRY(History history, History::OpenToRead(options.db));
  PROFGAUGE_TRY(auto entries, history.Last(reference.branch, reference.count));
  if (entries.empty()) {
    Error error;
    error.kind = ErrorKind::kConfig;
    error.code = "history/no-runs";
    error.message = "the history has no run of branch `" + reference.branch + "`";
    error.notes = {"help: `profgauge history list` shows what it has"};
    error.where.file = options.db;
    return Fail(std::move(error));
  }
  std::vector<Snapshot> runs;
  for (HistoryEntry& entry : entries) runs.push_back(std::move(entry.snapshot));
  return runs;
}

// A gate whose baseline is gone is misconfigured; the run that it would judge is not to blame.
Status RefuseMissing(const std::string& what) {
  std::error_code error;
  if (what == "-" || what.starts_with("history:") || std::filesystem::exists(what, error)) {
    return {};
  }
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

Result<std::vector<Snapshot>> FromProfile(const std::string& path, const Options& options,
                                          const Policy& policy, Console& console,
                                          const SeenBesides& seen) {
  Options one = options;
  one.arguments = {path};
  if (one.ranks == "separate") one.ranks = "recorded";  // It is of the runs to judge.
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadRanks(one, policy, console));
  PROFGAUGE_CHECK(CheckOneRun(ranks, ""));
  const ImportLog log = MergedLog(ranks);
  if (seen.log != nullptr) {
    seen.log->Merge(log);
  } else {
    constexpr std::int64_t kEnough = std::numeric_limits<std::int64_t>::max();
    const auto reasons = WhyIncomplete(policy, log, kEnough, options.allow_incomplete);
    if (!reasons.empty()) {
      return Fail(
          InputError(path, "baseline/incomplete",
                     reasons.front() + ": a baseline that lacks work excuses runs that are worse",
                     "record again, or --allow-incomplete"));
    }
  }
  const Selection selection = SelectionOf(policy, Choices(options));
  PROFGAUGE_TRY(const Analysis analysis, Analyze(ranks, selection));
  PROFGAUGE_TRY(Snapshot snapshot, SnapshotOf(RunName({path}), ranks, analysis, selection));
  for (std::string& doubt : DoubtsOf(policy, analysis, options.allow_incomplete)) {
    if (seen.doubts == nullptr) {
      console.Warn(fmt::format("note: {}: {}", Printable(snapshot.name), Printable(doubt)));
    } else {
      seen.doubts->push_back(std::move(doubt));
    }
  }
  if (seen.picture != nullptr) {
    *seen.picture = PictureOf(ranks, analysis, selection, EventsOf(options));
  }
  return std::vector<Snapshot>{std::move(snapshot)};
}

}  // namespace

Status RefuseOther(const Snapshot& run, std::span<const Snapshot> others, const Options& options,
                   Console& console) {
  const Misfit misfit = FindMisfit(run, others);
  if (!misfit.differences.empty() && !options.force) {
    const Difference& difference = misfit.differences.front();
    return Fail(
        UsageError("baseline/other-program",
                   fmt::format("run {} is not comparable with the others: {} is `{}` there and "
                               "`{}` here",
                               Printable(run.name), difference.property, Printable(difference.base),
                               Printable(difference.current)),
                   "keep runs of each device and size in a file or branch of their own, "
                   "or --force"));
  }
  if (misfit.has_other_shapes) {
    console.Warn(
        fmt::format("note: run {} launches other work than the others: its ops, input "
                    "shapes or launches differ",
                    Printable(run.name)));
  }
  return {};
}

Result<std::vector<Snapshot>> LoadSnapshots(const std::string& what, const Options& options,
                                            const Policy& policy, Console& console,
                                            const SeenBesides& seen) {
  if (what.starts_with("history:")) return FromHistory(what, options);
  if (what != "-" && IsBaselineFile(what)) return LoadBaselineFile(what);
  return FromProfile(what, options, policy, console, seen);
}

std::optional<Policy> KeepingPolicy(const Options& options, Console& console) {
  if (options.policy.empty()) return Policy{};
  return ReadPolicy(options, console);
}

Result<std::vector<Snapshot>> LoadBaselines(const Options& options, const Policy& policy,
                                            Console& console) {
  for (const std::string& what : options.baselines) PROFGAUGE_CHECK(RefuseMissing(what));
  auto runs = LoadAllSnapshots(options.baselines, options, policy, console);
  if (runs || runs.error().kind != ErrorKind::kInput) return runs;
  Error error = std::move(runs).error();
  error.notes.emplace_back(
      "note: --baseline takes a baseline of `baseline save`, `history:BRANCH~N` or a profile");
  return Fail(std::move(error));
}

Result<std::vector<Snapshot>> LoadAllSnapshots(const std::vector<std::string>& whats,
                                               const Options& options, const Policy& policy,
                                               Console& console) {
  std::vector<Snapshot> all;
  for (const std::string& what : whats) {
    PROFGAUGE_TRY(std::vector<Snapshot> runs, LoadSnapshots(what, options, policy, console));
    std::move(runs.begin(), runs.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace profgauge::cli
