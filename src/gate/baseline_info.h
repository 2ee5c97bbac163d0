// The baseline of a run, for texts: its runs, the skipped runs with reasons, and its first run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/select.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// Whether a run has the baseline that its policy or its user requested.
enum class BaselineState : std::uint8_t {
  kNone,            ///< No baseline was requested.
  kUsed,            ///< The baseline has enough runs for a final answer.
  kLearning,        ///< The history has fewer than four runs.
  kFirst,           ///< No run of this branch and model yet; the learning period has not ended.
  kLost,            ///< No run although the learning period has ended.
  kNoneComparable,  ///< The branch has runs, but none or fewer than `min_runs` are comparable.
  kUnknownBranch,   ///< Other branches have runs, and nothing confirms that this one exists.
};
/// "none", "used", "learning", "first", "lost", "none_comparable", "unknown_branch".
std::string_view BaselineStateName(BaselineState state);

/// True if a baseline was requested, but no run can be compared with it.
constexpr bool IsMissing(BaselineState state) {
  return state >= BaselineState::kFirst && state <= BaselineState::kUnknownBranch;
}

/// One run of the baseline, as reports name it.
struct BaselineRun {
  std::int64_t id = 0;  ///< Its id in the history; 0: it comes from a file.
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
  std::string anchor;             ///< The first run of the level, for creep: "run 7"; else empty.
  std::int64_t since_anchor = 0;  ///< Number of runs since then.
  std::string branch;             ///< Branch of the history; empty: the baseline comes from files.
  std::string learning_until;     ///< Last day of learning, "2026-12-12"; empty: there is none.
  bool is_by_insertion = false;   ///< Ancestry is unknown: the last runs were chosen.
  std::string why_missing;        ///< "profgauge-history.db does not exist"
  bool warns = false;             ///< A missing baseline counts as a warning.
};

/// Facts that decide the state of a history without runs.
struct HistoryFacts {
  std::int64_t min_runs = 1;   ///< Fewer runs are not compared, unless they start at a level.
  std::string today;           ///< "2026-11-26"
  std::string learning_until;  ///< Last day on which a history may be empty; empty: no learning.
  bool is_judged = false;      ///< Git or the CI names the branch, so it exists.
};

/// Describes the runs that were chosen from a history.
BaselineInfo DescribeChoice(const HistoryChoice& choice, const HistoryReference& reference,
                            const HistoryFacts& facts);

/// Describes a missing history; `why` is the reason.
BaselineInfo DescribeAbsence(const HistoryReference& reference, const HistoryFacts& facts,
                             std::string why);

/// The skipped runs as text: "runs 43, 47 (H100), run 45 (failed)"; empty if no run was skipped.
std::string SkippedText(const std::vector<SkippedRun>& skipped);

/// The baseline in one line: "baseline: 5 runs of main (41 … 52); skipped runs 43, 47 (H100)".
std::string BaselineLine(const BaselineInfo& info);

/// Marks an incomplete baseline: "baseline lost", "learning: 2 of 4 runs of main"; else empty.
std::string BaselineMark(const BaselineInfo& info);

}  // namespace profgauge::gate
