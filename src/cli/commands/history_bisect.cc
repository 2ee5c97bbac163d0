// `profgauge history bisect`: finds the commit that caused a step, or the next one to measure.
//
//   git rev-list --reverse --first-parent GOOD..BAD | profgauge history bisect --good GOOD --bad
//   BAD
//
// Reads commits from standard input and their runs from the history; runs neither git nor a
// measurement. It prints one commit; the exit code shows the next step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/snapshots.h"
#include "gate/baseline_info.h"
#include "gate/bisect.h"
#include "gate/constants.h"
#include "gate/history.h"
#include "gate/history_check.h"
#include "gate/select.h"

namespace profgauge::cli {
namespace {

// True if one hash is a prefix of the other, because a history may have abbreviated hashes.
bool IsSameCommit(std::string_view a, std::string_view b) {
  constexpr std::size_t kLeastOfHash = 7;
  if (a == b) return true;
  if (std::min(a.size(), b.size()) < kLeastOfHash) return false;
  return a.starts_with(b) || b.starts_with(a);
}

// The good commit, then the commits from standard input without those of --skip.
struct Searched {
  std::vector<std::string> commits;
  std::vector<std::string> skipped;  ///< For each commit, the ones skipped just before it.
};
Result<Searched> CommitsToSearch(const Options& options) {
  std::vector<std::string> commits = {options.good}, before = {""};
  std::string skips;
  std::vector<bool> is_used(options.skip.size());
  for (std::string line; std::getline(std::cin, line);) {
    const std::string commit(Trim(line));
    if (commit.empty()) continue;
    const auto skipped = std::ranges::find_if(
        options.skip, [&](const std::string& one) { return IsSameCommit(one, commit); });
    if (skipped != options.skip.end()) {
      is_used[static_cast<std::size_t>(skipped - options.skip.begin())] = true;
      skips += (skips.empty() ? "" : ", ") + PrintableShort(commit, 12);
      continue;
    }
    if (IsSameCommit(commit, options.good)) {
      return Fail(
          UsageError("bisect/good-in-list",
                     fmt::format("the good commit {} is in the list", Printable(options.good)),
                     "list the commits after it: git rev-list --reverse --first-parent GOOD..BAD"));
    }
    commits.push_back(commit);
    before.push_back(std::exchange(skips, ""));
  }
  for (std::size_t i = 0; i < options.skip.size(); ++i) {
    if (is_used[i]) continue;
    return Fail(UsageError(
        "bisect/unknown-commit",
        fmt::format("`--skip {}` is not in the list of standard input", Printable(options.skip[i])),
        "name a commit of the list"));
  }
  if (commits.size() > 1 && IsSameCommit(commits.back(), options.bad)) {
    return Searched{std::move(commits), std::move(before)};
  }
  return Fail(UsageError(
      "bisect/unknown-commit",
      fmt::format("the list of standard input does not end with the bad commit {}",
                  Printable(options.bad)),
      "list the commits up to it, oldest first: git rev-list --reverse --first-parent GOOD..BAD"));
}

// The runs of these commits that are comparable with the last run of the bad commit.
struct RunsOfCommits {
  std::vector<gate::BisectedRun> runs;
  std::vector<gate::SkippedRun> left_out;
};
Result<RunsOfCommits> FindRunsOf(gate::History& history, const std::vector<std::string>& commits,
                                 const std::string& metric, const Options& options) {
  PROFGAUGE_TRY(std::vector<gate::HistoryRow> rows,
                history.Rows(options.branch == "*" ? "" : options.branch,
                             std::numeric_limits<std::int64_t>::max()));
  RunsOfCommits found;
  gate::Snapshot last;
  std::string model;
  // Newest first, so that the first match is the last run of the bad commit.
  std::ranges::reverse(rows);
  const auto is_bad = [&](const gate::HistoryRow& row) {
    return IsSameCommit(row.commit, options.bad);
  };
  const auto newest = std::ranges::find_if(rows, is_bad);
  if (newest != rows.end()) {
    PROFGAUGE_TRY(last, history.Load(newest->id));
    model = newest->model;
  }
  for (const gate::HistoryRow& row : rows) {
    const auto place = std::ranges::find_if(
        commits, [&](const std::string& commit) { return IsSameCommit(commit, row.commit); });
    if (place == commits.end() || row.commit.empty() || newest == rows.end()) continue;
    PROFGAUGE_TRY(const gate::Snapshot run, history.Load(row.id));
    std::string why = gate::WhyNotComparable(run, row.model, last, model);
    const auto value = gate::WorseIsHigher(run, metric);
    if (why.empty() && !value) why = "without " + metric;
    if (!why.empty()) {
      found.left_out.push_back({row.id, std::move(why)});
      continue;
    }
    found.runs.push_back({static_cast<std::size_t>(place - commits.begin()), std::log(*value)});
  }
  std::ranges::reverse(found.runs);
  return found;
}

Status RequireEnds(const std::vector<gate::BisectedRun>& runs, std::size_t places,
                   const std::string& metric, const Options& options) {
  const auto has = [&](std::size_t place) {
    return std::ranges::count(runs, place, &gate::BisectedRun::place) > 0;
  };
  if (has(0) && has(places)) return {};
  const bool is_good = has(places);
  return Fail(UsageError(
      "bisect/no-run",
      fmt::format("the history has no run of the {} commit {} with {}{}", is_good ? "good" : "bad",
                  Printable(is_good ? options.good : options.bad), metric,
                  options.branch.empty() ? "" : " on branch " + Printable(options.branch)),
      "measure it three times: profgauge history add RUN --commit ID"));
}

// The candidates as text: "one of 8 commits c5 … c12".
std::string PlacesText(const gate::Bisection& found, const std::vector<std::string>& commits) {
  const auto name = [&](std::size_t place) { return PrintableShort(commits[place], 12); };
  const std::vector<std::size_t>& likely = found.candidates;
  if (likely.size() == 1) return fmt::format("commit {}", name(likely.front()));
  return fmt::format("one of {} commits {}{}{}", likely.size(), name(likely.front()),
                     likely.size() == 2 ? ", " : " … ", name(likely.back()));
}

constexpr const char* kNoStepText = ": no step that the noise would not make";

std::string RunsText(const std::vector<gate::BisectedRun>& runs, std::size_t place) {
  const auto count = std::ranges::count(runs, place, &gate::BisectedRun::place);
  return count == 1 ? "" : fmt::format(" ({} runs)", count);
}

}  // namespace

Result<int> RunHistoryBisect(const Options& options, Console& console) {
  if (options.good.empty() || options.bad.empty()) {
    return Fail(UsageError("usage/arguments", "`history bisect` needs --good and --bad",
                           "--good GOOD --bad BAD: commits before and after the step"));
  }
  std::string metric =
      options.metric.empty() ? std::string(metric::kIterationTimeMedian) : options.metric;
  if (analysis::DescribeMetric(metric) == nullptr) {
    return Fail(UsageError("usage/unknown-metric",
                           fmt::format("there is no metric `{}`", PrintableShort(metric)),
                           "`profgauge metrics list` has the ids"));
  }
  PROFGAUGE_TRY(const Searched searched, CommitsToSearch(options));
  const std::vector<std::string>& commits = searched.commits;
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  SayUnused(options.db, console);
  PROFGAUGE_TRY(RunsOfCommits of, FindRunsOf(history, commits, metric, options));
  if (of.runs.empty() && options.metric.empty()) {  // The values are times without a profile.
    metric = metric::kStepTimeMedian.text();
    PROFGAUGE_TRY(of, FindRunsOf(history, commits, metric, options));
  }
  const std::size_t places = commits.size() - 1;
  if (!of.left_out.empty()) {
    console.Warn(fmt::format("note: left out {}", gate::SkippedText(of.left_out)));
  }
  PROFGAUGE_CHECK(RequireEnds(of.runs, places, metric, options));
  const gate::Bisection found = gate::Bisect(of.runs, places, gate::stats::kUsualNoiseFloor);
  const auto percent = [](double log) { return std::expm1(log) * 100; };
  const std::string text = fmt::format(
      "{:+.1f} % [{:+.1f}, {:+.1f}] between {}{} and {}{}", percent(found.change),
      percent(found.low), percent(found.high), PrintableShort(commits.front(), 12),
      RunsText(of.runs, 0), PrintableShort(commits.back(), 12), RunsText(of.runs, places));
  const std::string where = fmt::format("{}; at {} (95 %)", text, PlacesText(found, commits));
  switch (found.state) {
    case gate::Bisection::State::kFound:
      console.Warn(fmt::format("{}; at {} ({:.0f} %)", text,
                               PrintableShort(commits[found.best], 12), found.probability * 100));
      if (const std::string& skipped = searched.skipped[found.best]; !skipped.empty()) {
        console.Warn(fmt::format("note: or at {}, skipped right before it", skipped));
      }
      console.Print(commits[found.best] + "\n");
      return kExitPass;
    case gate::Bisection::State::kMeasure:
      console.Warn(fmt::format("{}; measure {}{}", found.has_step ? where : text + kNoStepText,
                               PrintableShort(commits[found.next], 12),
                               found.has_step ? "" : " again"));
      console.Print(commits[found.next] + "\n");
      return kExitNoVerdict;
    case gate::Bisection::State::kNoStep:
      if (found.is_reversed) {
        return Fail(UsageError("bisect/no-step", text + ": the good commit is the worse one",
                               "exchange --good and --bad, and list the commits between them"));
      }
      return Fail(UsageError(
          "bisect/no-step", text + kNoStepText,
          fmt::format("name ends that differ by more, or record longer runs: the noise of one is "
                      "{:.1f} %",
                      found.noise * 100)));
    case gate::Bisection::State::kUndecided:
      break;
  }
  return Fail(UsageError("bisect/undecided", fmt::format("{} after {} runs", where, of.runs.size()),
                         "the noise is too large for this step: read these commits"));
}

}  // namespace profgauge::cli
