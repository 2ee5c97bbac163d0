// The baseline of a run, in words: which runs, which were skipped and why, and from where on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/select.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// Whether a run has the baseline that its policy or its user asked for.
enum class BaselineState : std::uint8_t {
  kNone,            ///< None was asked for.
  kUsed,            ///< Runs enough for a final answer.
  kLearning,        ///< Under four of a history.
  kFirst,           ///< No run of this branch and model yet, in the days of learning.
  kLost,            ///< The same, later: there should be some.
  kNoneComparable,  ///< The branch has runs, and none counts, or fewer than `min_runs`.
  kUnknownBranch,   ///< Other branches have runs, and nothing says that this one exists.
};
/// "none", "used", "learning", "first", "lost", "none_comparable", "unknown_branch"
std::string_view BaselineStateName(BaselineState state);

/// Whether nothing can be compared.
constexpr bool IsMissing(BaselineState state) {
  return state >= BaselineState::kFirst && state <= BaselineState::kUnknownBranch;
}

/// One run of the baseline, as reports name it.
struct BaselineRun {
  std::int64_t id = 0;  ///< In the history; 0: of a file.
  std::string commit, name;
};

/// The baseline of one comparison.
struct BaselineInfo {
  BaselineState state = BaselineState::kNone;
  std::string source;  ///< "history:main~5"; empty: files.
  std::int64_t wanted = 0;
  std::vector<BaselineRun> runs;  ///< Oldest first.
  std::vector<SkippedRun> skipped;
  std::optional<HistoryLevel> level, ended;
  std::string anchor;             ///< The origin of creep: "run 7"; empty: none.
  std::int64_t since_anchor = 0;  ///< Runs since then.
  std::string branch;             ///< Of the history; empty: files.
  std::string learning_until;     ///< "2026-12-12"; empty: nothing is learning.
  bool is_by_insertion = false;   ///< Ancestry is unknown: the last runs were taken.
  std::string why_missing;        ///< "profgauge-history.db does not exist"
  bool warns = false;             ///< Its absence is counted as a warning.
};

/// What tells the states of a history without runs apart.
struct HistoryFacts {
  std::int64_t min_runs = 1;   ///< Fewer are not compared, unless they begin at a level.
  std::string today;           ///< "2026-11-26"
  std::string learning_until;  ///< The last day on which a history may be empty; empty: none is.
  bool is_judged = false;      ///< Git or the CI names the branch: it exists.
};

/// The chosen runs of a history.
BaselineInfo DescribeChoice(const HistoryChoice& choice, const HistoryReference& reference,
                            const HistoryFacts& facts);

/// The same of a history that is not there, for the reason `why`.
BaselineInfo DescribeAbsence(const HistoryReference& reference, const HistoryFacts& facts,
                             std::string why);

/// "runs 43, 47 (H100), run 45 (failed)"; empty of none.
std::string SkippedText(const std::vector<SkippedRun>& skipped);

/// One line: "baseline: 5 runs of main (41 … 52); skipped runs 43, 47 (H100)".
std::string BaselineLine(const BaselineInfo& info);

/// "baseline lost", "learning: 2 of 4 runs of main"; empty where all is there.
std::string BaselineMark(const BaselineInfo& info);

}  // namespace profgauge::gate
