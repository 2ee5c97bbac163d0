#include "gate/baseline_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace profgauge::gate {
namespace {

// This many ids of a kind are named, the others counted.
constexpr std::size_t kNamed = 4;

std::string Runs(std::int64_t count) {
  return fmt::format("{} run{}", count, count == 1 ? "" : "s");
}

// "43, 47 (H100), 45 (failed)"
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
  switch (state) {
    case BaselineState::kNone:
      return "none";
    case BaselineState::kUsed:
      return "used";
    case BaselineState::kPartial:
      return "partial";
    case BaselineState::kMissing:
      return "missing";
  }
  return "none";
}

// By reason, in the order in which reasons first occur; ids ascending.
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

BaselineInfo DescribeChoice(const HistoryChoice& choice, const HistoryReference& reference,
                            std::int64_t min_runs) {
  BaselineInfo info;
  info.source = fmt::format("history:{}~{}", reference.branch, reference.count);
  info.wanted = choice.wanted;
  info.skipped = choice.skipped;
  info.level = choice.level;
  info.ended = choice.ended;
  info.since_anchor = choice.since_anchor;
  for (const ChosenRun& run : choice.window) {
    info.runs.push_back({run.row.id, run.row.commit, run.snapshot.name});
  }
  if (!choice.anchor.empty()) {
    info.anchor = choice.level ? fmt::format("the level of run {}", choice.level->run)
                               : fmt::format("run {}", choice.anchor.front().row.id);
  }
  const auto found = static_cast<std::int64_t>(choice.window.size());
  const bool is_missing = found == 0 || (found < min_runs && !choice.level);
  info.state = is_missing              ? BaselineState::kMissing
               : found < choice.wanted ? BaselineState::kPartial
                                       : BaselineState::kUsed;
  if (!is_missing) return info;
  if (choice.on_branch == 0) {
    info.why_missing = fmt::format("the history has no run of {}", reference.branch);
  } else if (found == 0) {
    info.why_missing = fmt::format("no comparable run among the {} of {}", Runs(choice.on_branch),
                                   reference.branch);
    const std::string skipped = SkippedText(choice.skipped);
    if (!skipped.empty()) info.why_missing += ": " + skipped;
    const auto older = choice.on_branch - static_cast<std::int64_t>(choice.skipped.size());
    if (choice.level && older > 0) {
      info.why_missing +=
          fmt::format("; {} before the level accepted with run {}", Runs(older), choice.level->run);
    }
  } else {
    info.why_missing = fmt::format("{} of {} {} comparable, the policy asks for {}", found,
                                   reference.branch, found == 1 ? "is" : "are", min_runs);
  }
  return info;
}

namespace {

/// "41 … 52": the first and the last of the history. Runs of files have no id and are counted.
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
  switch (info.state) {
    case BaselineState::kNone:
      return "baseline: none";
    case BaselineState::kMissing:
      return fmt::format("baseline {}: none ({}); judged by limits alone{}", Printable(info.source),
                         info.why_missing, info.warns ? " (warning)" : "");
    case BaselineState::kUsed:
    case BaselineState::kPartial:
      break;
  }
  if (info.source.empty()) {
    return fmt::format("baseline: {}", Runs(static_cast<std::int64_t>(info.runs.size())));
  }
  std::string text = fmt::format("baseline {}: {}", Printable(info.source),
                                 Runs(static_cast<std::int64_t>(info.runs.size())));
  if (info.state == BaselineState::kPartial) text += fmt::format(" of {}", info.wanted);
  text += fmt::format(" ({})", IdsText(info.runs));
  if (!info.skipped.empty()) text += "; skipped " + SkippedText(info.skipped);
  return text + LevelText(info);
}

std::string BaselineMark(const BaselineInfo& info) {
  switch (info.state) {
    case BaselineState::kNone:
      return "baseline none";
    case BaselineState::kMissing:
      return "baseline missing";
    case BaselineState::kPartial:
      return fmt::format("baseline partial ({} of {})", info.runs.size(), info.wanted);
    case BaselineState::kUsed:
      return {};
  }
  return {};
}

}  // namespace profgauge::gate
