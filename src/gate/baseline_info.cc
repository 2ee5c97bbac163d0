#include "gate/baseline_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// With fewer baseline runs, an answer is not final.
constexpr std::int64_t kLearningRuns = knowledge::kGateLearningRuns.as<std::int64_t>();
// The limit of ids that are named per reason; further ones are only counted.
constexpr std::size_t kNamed = 4;

std::string Runs(std::int64_t count) {
  return fmt::format("{} run{}", count, count == 1 ? "" : "s");
}

// The level: "; level of run 43, accepted by anna: wider model (until 2026-12-31)".
std::string LevelText(const BaselineInfo& info) {
  std::string text;
  if (info.level) {
    text += fmt::format("; level of run {}, accepted by {}: {}", info.level->run,
                        PrintableShort(info.level->owner, 40), PrintableShort(info.level->reason));
    if (!info.level->until.empty()) text += fmt::format(" (until {})", info.level->until);
  }
  if (info.ended) {
    text += fmt::format("; the level accepted by {} ended on {}",
                        PrintableShort(info.ended->owner, 40), info.ended->until);
  }
  return text;
}

}  // namespace

std::string_view BaselineStateName(BaselineState state) {
  constexpr std::array<std::string_view, 7> kNames = {
      "none", "used", "learning", "first", "lost", "none_comparable", "unknown_branch"};
  return kNames[static_cast<std::size_t>(state)];
}

// Groups runs by reason, in the order in which the reasons first occur. Ids ascend in each group.
std::string SkippedText(const std::vector<SkippedRun>& skipped) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> kinds;
  for (const SkippedRun& run : skipped) {
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const auto& other) { return other.first == run.why; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {run.why, {}});
    kind->second.push_back(run.id);
  }
  std::string text;
  for (auto& [why, ids] : kinds) {
    std::sort(ids.begin(), ids.end());
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", ids.size() == 1 ? "run" : "runs");
    for (std::size_t i = 0; i < std::min(ids.size(), kNamed); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ", ", ids[i]);
    }
    if (ids.size() > kNamed) text += fmt::format(" and {} more", ids.size() - kNamed);
    text += fmt::format(" ({})", Printable(why));
  }
  return text;
}

namespace {

BaselineState StateWithoutRuns(const HistoryFacts& facts) {
  // Days like "2026-11-26" are ordered as texts.
  const bool is_learning = !facts.learning_until.empty() && facts.today <= facts.learning_until;
  return is_learning ? BaselineState::kFirst : BaselineState::kLost;
}

BaselineState StateOf(const HistoryChoice& choice, const HistoryFacts& facts) {
  const auto found = static_cast<std::int64_t>(choice.window.size());
  if (found > 0) {
    if (found < facts.min_runs && !choice.level) return BaselineState::kNoneComparable;
    return found < kLearningRuns ? BaselineState::kLearning : BaselineState::kUsed;
  }
  if (choice.of_model > 0) return BaselineState::kNoneComparable;
  const bool is_unknown = choice.on_branch == 0 && !choice.branches.empty() && !facts.is_judged;
  return is_unknown ? BaselineState::kUnknownBranch : StateWithoutRuns(facts);
}

// Text about an unknown branch: "The history has no branch mian. Did you mean main (30 runs)?".
std::string UnknownText(const HistoryChoice& choice, const std::string& branch) {
  std::vector<std::string_view> names;
  for (const auto& [name, runs] : choice.branches) names.push_back(name);
  std::string_view likely = DidYouMean(branch, names);
  if (likely.empty() && names.size() == 1) likely = names.front();
  std::string text = fmt::format("the history has no branch {}", Printable(branch));
  for (const auto& [name, runs] : choice.branches) {
    if (name == likely) text += fmt::format(": did you mean {} ({})?", Printable(name), Runs(runs));
  }
  return text;
}

std::string NoneText(const HistoryChoice& choice, const HistoryReference& reference,
                     const HistoryFacts& facts) {
  const auto found = static_cast<std::int64_t>(choice.window.size());
  if (found > 0) {
    return fmt::format("{} of {} {} comparable, the policy asks for {}", found, reference.branch,
                       found == 1 ? "is" : "are", facts.min_runs);
  }
  std::string text =
      fmt::format("no comparable run among the {} of {}", Runs(choice.on_branch), reference.branch);
  const std::string skipped = SkippedText(choice.skipped);
  if (!skipped.empty()) text += ": " + skipped;
  if (!choice.here.empty()) text += fmt::format("; here {}", fmt::join(choice.here, ", "));
  const auto older = choice.on_branch - static_cast<std::int64_t>(choice.skipped.size());
  if (choice.level && older > 0) {
    text +=
        fmt::format("; {} before the level accepted with run {}", Runs(older), choice.level->run);
  }
  return text;
}

BaselineInfo Begin(const HistoryReference& reference, const HistoryFacts& facts) {
  BaselineInfo info;
  info.source = fmt::format("history:{}~{}", reference.branch, reference.count);
  info.branch = reference.branch;
  info.wanted = reference.count;
  info.learning_until = facts.learning_until;
  return info;
}

}  // namespace

BaselineInfo DescribeAbsence(const HistoryReference& reference, const HistoryFacts& facts,
                             std::string why) {
  BaselineInfo info = Begin(reference, facts);
  info.state = StateWithoutRuns(facts);
  info.why_missing = std::move(why);
  return info;
}

BaselineInfo DescribeChoice(const HistoryChoice& choice, const HistoryReference& reference,
                            const HistoryFacts& facts) {
  BaselineInfo info = Begin(reference, facts);
  info.wanted = choice.wanted;
  info.skipped = choice.skipped;
  info.level = choice.level;
  info.ended = choice.ended;
  info.since_anchor = choice.since_anchor;
  info.is_by_insertion = choice.is_by_insertion;
  for (const ChosenRun& run : choice.window) {
    info.runs.push_back({run.row.id, run.row.commit, run.snapshot.name});
  }
  if (!choice.anchor.empty()) {
    info.anchor = choice.level && !choice.has_fallen
                      ? fmt::format("the level of run {}", choice.level->run)
                      : fmt::format("run {}", choice.anchor.front().row.id);
  }
  info.state = StateOf(choice, facts);
  if (info.state == BaselineState::kUnknownBranch) {
    info.why_missing = UnknownText(choice, reference.branch);
  } else if (info.state == BaselineState::kNoneComparable) {
    info.why_missing = NoneText(choice, reference, facts);
  } else if (IsMissing(info.state)) {
    info.why_missing =
        choice.on_branch == 0
            ? fmt::format("the history has no run of {}", reference.branch)
            : fmt::format("the history has {}{} of {}, each of another model",
                          choice.is_cut ? "over " : "", Runs(choice.on_branch), reference.branch);
    if (choice.is_cut) info.why_missing += "; skipped " + SkippedText(choice.skipped);
  }
  return info;
}

namespace {

/// The first and the last run: "41 … 52". Runs from files have no id, so they are only counted.
std::string IdsText(const std::vector<BaselineRun>& runs) {
  std::vector<std::int64_t> ids;
  for (const BaselineRun& run : runs) {
    if (run.id != 0) ids.push_back(run.id);
  }
  std::string text;
  if (!ids.empty()) text = fmt::format("{}", ids.front());
  if (ids.size() > 1) text += fmt::format(" … {}", ids.back());
  const std::size_t of_files = runs.size() - ids.size();
  if (of_files > 0) text += fmt::format("{}{} of files", text.empty() ? "" : ", ", of_files);
  return text;
}

}  // namespace

std::string BaselineLine(const BaselineInfo& info) {
  const std::string of = "baseline " + Printable(info.source);
  switch (info.state) {
    case BaselineState::kNone:
      return "baseline: none";
    case BaselineState::kFirst:
      return fmt::format("{}: learning, 0 of {} runs of {}, until {}: nothing was compared", of,
                         kLearningRuns, Printable(info.branch), info.learning_until);
    case BaselineState::kLost:
      return fmt::format(
          "{}: the history is empty or gone, and should not be ({}). Restore it, or let {} run "
          "once; to start over, set `learning_until` in profgauge.yaml",
          of, Printable(info.why_missing), Printable(info.branch));
    case BaselineState::kNoneComparable:
    case BaselineState::kUnknownBranch:
      return fmt::format("{}: {}", of, info.why_missing);
    case BaselineState::kUsed:
    case BaselineState::kLearning:
      break;
  }
  const auto runs = static_cast<std::int64_t>(info.runs.size());
  if (info.source.empty()) return fmt::format("baseline: {}", Runs(runs));
  std::string text = fmt::format("{}: {}", of, Runs(runs));
  if (runs < info.wanted) text += fmt::format(" of {}", info.wanted);
  text += fmt::format(" ({})", IdsText(info.runs));
  if (info.state == BaselineState::kLearning) {
    text +=
        fmt::format("; learning: {} of {} runs of {}", runs, kLearningRuns, Printable(info.branch));
  }
  if (!info.skipped.empty()) text += "; skipped " + SkippedText(info.skipped);
  if (info.is_by_insertion) {
    text += "; git does not know these commits (shallow clone?): the last runs were taken";
  }
  return text + LevelText(info);
}

std::string BaselineMark(const BaselineInfo& info) {
  switch (info.state) {
    case BaselineState::kNone:
      return "no baseline was asked for: only fixed limits were judged";
    case BaselineState::kUsed:
      return {};
    case BaselineState::kLearning:
      return fmt::format("learning: {} of {} runs of {}", info.runs.size(), kLearningRuns,
                         Printable(info.branch));
    case BaselineState::kFirst:
      return fmt::format("learning: 0 of {} runs of {}, nothing was compared", kLearningRuns,
                         Printable(info.branch));
    case BaselineState::kLost:
      return "baseline lost";
    case BaselineState::kNoneComparable:
      return "baseline not comparable";
    case BaselineState::kUnknownBranch:
      return "unknown branch";
  }
  return {};
}

}  // namespace profgauge::gate
