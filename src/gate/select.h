// Which runs of a history a candidate is compared with.
//
//     history of main     41 42 43 44 45 46 47 48 49 50 51 52       wanted: 3
//     model                A  A  B  A  A  A  A  A  A  A  A  A        candidate: model A
//     verdict              p  p  p  p  f  p  p  p  p  p  f  f
//     level accepted          ^
//     anchor                  ^     ^     ^                         42 44 46: from the level on
//     window                                    ^  ^  ^             48 49 50: the last that passed
//     failed                                             ^  ^       51 52: after the window
//
// Nearest are the runs of the nearest ancestors of the candidate's commit, so that a branch from
// before an improvement is held against its own past. Where git does not know the commits the
// parents that were kept with the runs say who is an ancestor, else the times of the commits, else
// the order of the history.
//
// Three faster runs in a row are a new origin: the anchor falls there, and the window begins there.
//
// A run that failed is no baseline: else one regression that slips in becomes the level. One that
// asked for another recording is none while no later one passed; then it shows a state of the
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/history.h"

namespace profgauge::gate {

/// Runs of a branch that are read; where it has more, the choice says so.
inline constexpr std::int64_t kMostLookedAt = 20'000;
/// Runs that are compared with the candidates for the anchor, and for the window, before others of
/// the branch count as not compared: each takes a millisecond.
inline constexpr std::int64_t kMostCompared = 500;

/// The request `history:BRANCH~N`, and its candidates.
struct HistoryQuestion {
  HistoryReference reference;
  std::string model;   ///< The candidates'; empty: not given.
  std::string commit;  ///< The candidates'; empty: unknown.
  /// The commit that is judged, or stands for it, and its ancestors, nearest first; empty: git does
  /// not know them.
  std::vector<std::string> ancestors;
  std::int64_t commit_time = 0;  ///< Of the candidates' commit, where git knows no ancestors.
  double limit = 0;   ///< Of the time: half of it less is an improvement. 0: none is looked for.
  std::string today;  ///< "2026-11-26": levels may have ended.
  std::int64_t parts = 0;    ///< Number of runs for parts, more than for the rest; 0: none.
  bool with_failed = false;  ///< Runs that failed count, too.
  bool with_itself = false;  ///< So does the candidates' own recording.
  bool with_anchor = true;   ///< The anchor is wanted.
  std::int64_t looked_at = kMostLookedAt;  ///< The last runs of the branch; others are not read.
  std::int64_t compared = kMostCompared;
};

/// A run of the history that is not compared, with the reason in a few words.
struct SkippedRun {
  std::int64_t id = 0;
  std::string why;  ///< "H100", "failed", "same commit as 49", "model bert"
};

/// A run of the history that is compared.
struct ChosenRun {
  HistoryRow row;
  Snapshot snapshot;
};

/// The runs of a history that one candidate is compared with.
struct HistoryChoice {
  std::vector<ChosenRun> window;  ///< The last comparable runs, oldest first; at most `wanted`.
  std::vector<ChosenRun> parts;   ///< The same, as many as parts need.
  /// The first comparable runs at or after the last level, oldest first: the origin of creep.
  /// Empty without one.
  std::vector<ChosenRun> anchor;
  /// Comparable runs after the window that failed, or asked for another recording, and were not
  /// accepted, oldest first: their step is not the candidates', and they repeat its slowdown.
  std::vector<ChosenRun> failed;
  std::int64_t wanted = 0;
  std::int64_t on_branch = 0;  ///< Runs that the branch has.
  std::int64_t of_model = 0;   ///< Those that may be of the candidates' model.
  /// Branches with runs, with how many; filled where the branch asked for has none.
  std::vector<std::pair<std::string, std::int64_t>> branches;
  /// Comparable runs of the candidates' commit that passed, oldest first: none of them is compared.
  std::vector<std::int64_t> same_commit;
  /// Newest first; those found before `wanted` were.
  std::vector<SkippedRun> skipped;
  std::optional<HistoryLevel> level;  ///< Accepted, and in force: where both begin.
  std::optional<HistoryLevel> ended;  ///< The last one, where its day has passed.
  bool has_fallen = false;            ///< The anchor is of runs that were faster, and stayed so.
  std::int64_t since_anchor = 0;      ///< Runs of the model from its first run on.
  bool is_by_insertion = false;       ///< No commit of the branch is known to be an ancestor.
  bool is_cut = false;                ///< Some runs were not looked at, or not compared.
};

/// The last N runs that are comparable with `candidates`: of the same device, model and work, that
/// did not fail unless they were accepted, and without the candidate's own profile or commit.
/// Several runs of one commit count once, by the one in the middle of their times. Fewer than N, or
/// none, where there are no more: `skipped` says why. At most the last 20 000 runs of the branch
/// are looked at, where it has more, `skipped` says so; only as many snapshots are read as are
/// needed. Errors: as History. REQUIRES: `candidates` is not empty; the first one is compared for
/// all of them.
Result<HistoryChoice> ChooseRuns(History& history, const HistoryQuestion& question,
                                 std::span<const Snapshot> candidates);

/// Rows by the ancestors of the question's commit, farthest first; by the times of the commits, or
/// as they were added, where none is known to be one.
struct OrderedRows {
  std::vector<HistoryRow> rows;
  std::vector<HistoryRow> others;  ///< Of no ancestor.
  bool is_by_insertion = false;    ///< No commit is known to be an ancestor.
};
OrderedRows OrderByAncestry(const HistoryQuestion& question, std::vector<HistoryRow> rows);

/// Why a run is of another program or machine than `other`: "H100", "2 ranks", "model bert", "other
/// work"; empty: their times can be compared. Without a name of the model for both, at least half
/// of the launches must be the same.
std::string WhyNotComparable(const Snapshot& run, std::string_view model, const Snapshot& other,
                             std::string_view other_model);

/// The level that holds today, the last of those that are accepted and have not ended.
std::optional<HistoryLevel> LevelInForce(std::span<const HistoryLevel> levels,
                                         std::span<const HistoryRow> rows, std::string_view today);

}  // namespace profgauge::gate
