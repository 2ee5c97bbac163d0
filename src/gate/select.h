// Chooses the runs of a history that a candidate is compared with.
//
//     history of main     41 42 43 44 45 46 47 48 49 50 51 52       wanted: 3
//     model                A  A  B  A  A  A  A  A  A  A  A  A        candidate: model A
//     verdict              p  p  p  p  f  p  p  p  p  p  f  f
//     level accepted          ^
//     anchor                  ^     ^     ^                         42 44 46: from the level on
//     window                                    ^  ^  ^             48 49 50: the last that passed
//     failed                                             ^  ^       51 52: after the window
//
// The nearest runs are those of the nearest ancestors of the candidate's commit, so a branch from
// before an improvement is compared with its own past. If git does not know the commits, ancestry
// comes from the parents stored with the runs, else from commit times, else from the history's
// order.
//
// Three consecutive faster runs are a new origin: anchor and window then start there.
//
// A failed run is no baseline: otherwise one regression that slips in becomes the level. A run that
// needed another profile is no baseline until a later run passes, which shows that the machine was
// slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/history.h"

namespace profgauge::gate {

/// How many runs of a branch are read. If it has more, HistoryChoice says so.
inline constexpr std::int64_t kMostLookedAt = 20'000;
/// How many runs are compared with the candidates for the anchor, and as many for the window.
/// Further runs of the branch count as not compared, because each takes a millisecond.
inline constexpr std::int64_t kMostCompared = 500;

/// The request `history:BRANCH~N`, with data of its candidates.
struct HistoryQuestion {
  HistoryReference reference;
  std::string model;   ///< Model of the candidates; empty: not given.
  std::string commit;  ///< Commit of the candidates; empty: unknown.
  /// The judged commit (or the one that represents it) and its ancestors, nearest first. Empty if
  /// git does not know them.
  std::vector<std::string> ancestors;
  std::int64_t commit_time = 0;  ///< Time of the candidates' commit; used without known ancestors.
  double limit = 0;        ///< Limit on time; half of it faster is an improvement. 0: not searched.
  std::string today;       ///< "2026-11-26"; decides which levels have ended.
  std::int64_t parts = 0;  ///< Number of runs for parts, more than for other limits; 0: none.
  bool with_failed = false;                ///< Failed runs count, too.
  bool with_itself = false;                ///< The candidates' own profile counts, too.
  bool with_anchor = true;                 ///< The anchor is wanted.
  std::int64_t looked_at = kMostLookedAt;  ///< The last runs of the branch; others are not read.
  std::int64_t compared = kMostCompared;
};

/// A run of the history that is not compared, with a short reason.
struct SkippedRun {
  std::int64_t id = 0;
  std::string why;  ///< "H100", "failed", "same commit as 49", "model bert"
};

/// A run of the history that is compared.
struct ChosenRun {
  HistoryRow row;
  Snapshot snapshot;
};

/// The chosen runs of a history for one candidate.
struct HistoryChoice {
  std::vector<ChosenRun> window;  ///< The last comparable runs, oldest first; at most `wanted`.
  std::vector<ChosenRun> parts;   ///< The last runs for parts, which need more runs.
  /// The first comparable runs since the level was last accepted, or since runs became faster;
  /// oldest first. Creep (a slowdown in small steps) is measured from them. Empty if none.
  std::vector<ChosenRun> anchor;
  /// Comparable runs after the window that failed or needed another profile and were not accepted,
  /// oldest first. The candidate did not cause their step, and they confirm its slowdown.
  std::vector<ChosenRun> failed;
  std::int64_t wanted = 0;
  std::int64_t on_branch = 0;  ///< Number of runs of the branch.
  std::int64_t of_model = 0;   ///< Number of those that may be of the candidates' model.
  /// The branches with runs, and their number; filled only if the requested branch has none.
  std::vector<std::pair<std::string, std::int64_t>> branches;
  /// Comparable runs of the candidates' commit that passed, oldest first; not in the baseline.
  std::vector<std::int64_t> same_commit;
  /// The skipped runs, newest first: only those found before `wanted` runs were chosen.
  std::vector<SkippedRun> skipped;
  /// What the candidate has where runs of other machines were skipped: "A100", "4 ranks".
  std::set<std::string> here;
  std::optional<HistoryLevel> level;  ///< The accepted level in force: both begin at it.
  std::optional<HistoryLevel> ended;  ///< The last level, if its last day has passed.
  bool has_fallen = false;            ///< The anchor became faster with later runs that stayed so.
  std::int64_t since_anchor = 0;      ///< Runs of the model since the anchor's first run.
  bool is_by_insertion = false;       ///< No commit of the branch is known to be an ancestor.
  bool is_cut = false;                ///< Some runs were not read, or not compared.
};

/// Returns the last N runs that are comparable with `candidates`: of the same device, model and
/// work, that did not fail unless they were accepted, and without the candidates' own profile or
/// commit. Several runs of one commit count once, by the one with the median time. If there are
/// fewer than N or none, `skipped` says why. Reads at most the last 20 000 runs of the branch; if
/// there are more, `skipped` says so. Loads only the snapshots that are needed. Errors: as History.
/// REQUIRES: `candidates` is not empty; the first one is compared for all of them.
Result<HistoryChoice> ChooseRuns(History& history, const HistoryQuestion& question,
                                 std::span<const Snapshot> candidates);

/// Rows ordered by ancestry of the question's commit, farthest first. If no ancestor is known, they
/// are ordered by commit times, or as they were inserted.
struct OrderedRows {
  std::vector<HistoryRow> rows;
  std::vector<HistoryRow> others;  ///< Rows of commits that are no ancestors.
  bool is_by_insertion = false;    ///< No commit is known to be an ancestor.
};
OrderedRows OrderByAncestry(const HistoryQuestion& question, std::vector<HistoryRow> rows);

/// Explains why a run is of another program or machine than `other`: "H100", "2 ranks", "model
/// bert", "other work". Empty if their times can be compared. If a model name is missing, at least
/// half of the launches must be the same.
std::string WhyNotComparable(const Snapshot& run, std::string_view model, const Snapshot& other,
                             std::string_view other_model);

/// The places of the runs that count if several runs of one commit count once, by the one with the
/// median time; ascending.
std::vector<std::size_t> OneOfEachCommit(std::span<const HistoryEntry* const> runs);

/// The level in force today: the last accepted one whose last day has not passed.
std::optional<HistoryLevel> LevelInForce(std::span<const HistoryLevel> levels,
                                         std::span<const HistoryRow> rows, std::string_view today);

}  // namespace profgauge::gate
