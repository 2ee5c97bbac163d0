// Chooses the runs of a history for a candidate, by ancestry, level and verdict.

#include "gate/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "gate/comparable.h"
#include "gate/statistics.h"
#include "gate/work.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

using Places = std::map<std::string, std::size_t, std::less<>>;

// The places of commits among the ancestors; 0 is the judged commit. Runs may abbreviate commits.
//
//     known to git         m5 m4 m3           a shallow clone ends here
//     parents of the runs  m3 → m2 → m1       so m2 and m1 are ancestors, too
//     places               m5 0, m4 1, m3 2, m2 3, m1 4
Places PlacesOfAncestors(const HistoryQuestion& question, std::span<const HistoryRow> rows) {
  Places places;
  for (const std::string& commit : question.ancestors) places.emplace(commit, places.size());
  if (places.empty() && !question.commit.empty()) places.emplace(question.commit, 0);
  std::multimap<std::string_view, const HistoryRow*> by_commit;
  for (const HistoryRow& row : rows) {
    if (!row.commit.empty() && !row.parents.empty()) by_commit.emplace(row.commit, &row);
  }
  std::vector<std::string> next = question.ancestors;
  if (next.empty() && !question.commit.empty()) next.push_back(question.commit);
  for (std::size_t i = 0; i < next.size() && !by_commit.empty(); ++i) {
    const auto [first, last] = by_commit.equal_range(next[i]);
    for (auto row = first; row != last; ++row) {
      std::string_view parents = row->second->parents;
      while (!parents.empty()) {
        const std::size_t end = std::min(parents.find(' '), parents.size());
        std::string parent(parents.substr(0, end));
        parents.remove_prefix(std::min(end + 1, parents.size()));
        if (!parent.empty() && places.emplace(parent, places.size()).second)
          next.push_back(std::move(parent));
      }
    }
  }
  return places;
}

std::optional<std::size_t> PlaceOf(const Places& places, const std::string& commit) {
  constexpr std::size_t kLeastOfCommit = 7;
  if (commit.empty()) return std::nullopt;
  const auto at = places.lower_bound(commit);
  const bool is_it =
      at != places.end() &&
      (at->first == commit || (commit.size() >= kLeastOfCommit && at->first.starts_with(commit)));
  return is_it ? std::optional(at->second) : std::nullopt;
}

// Orders rows by commit time. Commits later than the judged one are not its past.
void OrderByTime(std::int64_t until, OrderedRows& out) {
  const bool is_known =
      std::ranges::all_of(out.rows, [](const HistoryRow& row) { return row.commit_time > 0; });
  if (!is_known) return;
  std::ranges::stable_sort(out.rows, std::ranges::less(), &HistoryRow::commit_time);
  const auto later = std::ranges::find_if(
      out.rows, [until](const HistoryRow& row) { return until > 0 && row.commit_time > until; });
  if (later == out.rows.begin()) return;
  out.others.assign(later, out.rows.end());
  out.rows.erase(later, out.rows.end());
}

}  // namespace

OrderedRows OrderByAncestry(const HistoryQuestion& question, std::vector<HistoryRow> rows) {
  OrderedRows out;
  const Places places = PlacesOfAncestors(question, rows);
  std::vector<std::pair<std::size_t, HistoryRow>> found;
  bool has_ancestor = false, has_commits = false;
  for (const HistoryRow& row : rows) {
    has_commits |= !row.commit.empty();
    const auto place = PlaceOf(places, row.commit);
    // The judged commit itself is no baseline, but it is no non-ancestor either.
    if (place) found.emplace_back(*place, row);
    has_ancestor |= place && row.commit != question.commit;
  }
  if (!has_ancestor) {
    out.is_by_insertion = has_commits && !places.empty();
    out.rows = std::move(rows);
    OrderByTime(question.commit_time, out);
    return out;
  }
  for (HistoryRow& row : rows) {
    if (!PlaceOf(places, row.commit)) out.others.push_back(std::move(row));
  }
  std::ranges::stable_sort(found, std::ranges::greater(),
                           &std::pair<std::size_t, HistoryRow>::first);
  for (auto& [place, row] : found) out.rows.push_back(std::move(row));
  return out;
}

namespace {

// Runs of one program share at least this part of their launches: other models share up to 0.09,
// the same program with another precision 0.66, slow and healthy 0.69, eager and as graph 0.99.
constexpr double kSharedWork = knowledge::kGateSharedWork.value();
constexpr std::string_view kFail = "fail", kAgain = "again", kOver = "over";
constexpr std::string_view kNotCompared = "not compared, as too many others are";
constexpr std::size_t kFallRuns = knowledge::kGateFallRuns.as<std::size_t>();
constexpr std::size_t kAnchorRuns = knowledge::kGateFallAnchor.as<std::size_t>();

// The shortest distinctive word of a device: "H100" for "NVIDIA H100 80GB HBM3".
std::string ShortDevice(std::string_view device) {
  std::string_view word = device;
  std::size_t at = 0;
  while (at < device.size()) {
    const std::size_t end = std::min(device.find(' ', at), device.size());
    const std::string_view one = device.substr(at, end - at);
    const bool has_digit = one.find_first_of("0123456789") != std::string_view::npos;
    const bool is_size =
        one.find_first_not_of("0123456789") == one.find_last_of("0123456789") + 1 &&
        (one.ends_with("GB") || one.ends_with("GiB"));
    if (has_digit && !is_size) return std::string(one.substr(0, one.find('-')));
    at = end + 1;
  }
  return std::string(word);
}

// "A100" or "4 ranks"; otherwise empty.
std::string MachineOf(std::string_view property, const std::string& value) {
  if (property == "gpu") return ShortDevice(value);
  const bool is_number = property == "gpus" || property == "ranks";
  return is_number ? fmt::format("{} {}", value, property) : std::string();
}

std::string WhyNot(const Difference& difference) {
  std::string machine = MachineOf(difference.property, difference.base);
  if (!machine.empty()) return machine;
  if (difference.property == kSelectionProperty) return "other selection";
  if (difference.property == "iterations") {
    return fmt::format("iterations by {}, here by {}", PrintableShort(difference.base),
                       PrintableShort(difference.current));
  }
  return "other " + difference.property;
}

std::optional<Difference> HardDifference(const Snapshot& run, const Snapshot& other) {
  std::vector<Difference> all = FindDifferences(run, other, {});
  const auto hard = std::ranges::find_if(all, &Difference::is_hard);
  return hard == all.end() ? std::nullopt : std::optional(std::move(*hard));
}

bool AreOtherModels(std::string_view one, std::string_view other) {
  return !one.empty() && !other.empty() && one != other;
}

// The mean length of the run's iterations; 0 if it has none.
double TotalOf(const Snapshot& run) {
  if (run.iteration_times.empty()) return 0;
  double sum = 0;
  for (const double time : ObservedTimes(run)) sum += time;
  return sum / static_cast<double>(run.iteration_times.size());
}

// The id with the median of these times. REQUIRES: there is one.
std::int64_t MiddleId(std::vector<std::pair<double, std::int64_t>> runs) {
  std::ranges::sort(runs);
  return runs[(runs.size() - 1) / 2].second;
}

class Chooser {
 public:
  Chooser(History& history, const HistoryQuestion& question, std::span<const Snapshot> candidates)
      : history_(history), question_(question), candidates_(candidates) {}

  Result<HistoryChoice> Choose() {
    PROFGAUGE_CHECK(ReadRows());
    PROFGAUGE_TRY(levels_, history_.Levels());
    PROFGAUGE_CHECK(ForgetLevelsOfOthers());
    OrderedRows ordered = OrderByAncestry(question_, std::move(rows_));
    rows_ = std::move(ordered.rows);
    others_ = std::move(ordered.others);
    for (std::size_t i = 0; i < rows_.size(); ++i) places_.emplace(rows_[i].id, i);
    out_.is_by_insertion = ordered.is_by_insertion;
    out_.wanted = question_.reference.count;
    out_.on_branch = static_cast<std::int64_t>(rows_.size());
    out_.of_model =
        std::ranges::count_if(rows_, [this](const HistoryRow& row) { return !IsOtherModel(row); });
    if (rows_.empty()) {
      PROFGAUGE_TRY(out_.branches, history_.Branches());
    }
    out_.level = LevelInForce(levels_, rows_, question_.today);
    NoteEnded();
    if (out_.level) level_at_ = PlaceOf(out_.level->run);
    PROFGAUGE_CHECK(TakeAnchor());
    PROFGAUGE_CHECK(TakeWindow());
    PROFGAUGE_CHECK(NoteSameCommit());
    NoteOthers();
    if (unread_ > 0) {
      out_.skipped.push_back({unread_, fmt::format("and those before it: only the last {} runs of "
                                                   "a branch are looked at",
                                                   question_.looked_at)});
    }
    return std::move(out_);
  }

 private:
  Status ReadRows() {
    PROFGAUGE_TRY(rows_, history_.Rows(question_.reference.branch, question_.looked_at + 1));
    if (static_cast<std::int64_t>(rows_.size()) <= question_.looked_at) return {};
    out_.is_cut = true;
    unread_ = rows_.front().id;
    rows_.erase(rows_.begin());
    return {};
  }

  // Notes runs that are no ancestors, although they are as recent as those of the window.
  void NoteOthers() {
    std::int64_t first = out_.window.empty() ? 0 : out_.window.front().row.id;
    for (const ChosenRun& run : out_.window) first = std::min(first, run.row.id);
    for (auto row = others_.rbegin(); row != others_.rend(); ++row) {
      if (row->id > first) out_.skipped.push_back({row->id, "no ancestor"});
    }
  }

  std::size_t PlaceOf(std::int64_t id) const {
    const auto found = places_.find(id);
    return found != places_.end() ? found->second : rows_.size();
  }

  bool IsOtherModel(const HistoryRow& row) const {
    return AreOtherModels(row.model, question_.model);
  }

  // True for another program, whose accepted level does not apply to the candidates.
  Result<bool> IsOtherProgram(const HistoryRow& row) {
    if (!row.model.empty() && !question_.model.empty()) return IsOtherModel(row);
    PROFGAUGE_TRY(const Snapshot* run, SnapshotOf(row.id));
    return WorkOverlap(*run, candidates_.front()) < kSharedWork;
  }

  Status ForgetLevelsOfOthers() {
    std::vector<HistoryLevel> kept;
    for (HistoryLevel& level : levels_) {
      const auto row = std::ranges::find(rows_, level.run, &HistoryRow::id);
      bool is_other = false;
      if (row != rows_.end()) {
        PROFGAUGE_TRY(is_other, IsOtherProgram(*row));
      }
      if (!is_other) kept.push_back(std::move(level));
    }
    levels_ = std::move(kept);
    return {};
  }

  void NoteEnded() {
    for (const HistoryLevel& level : levels_) {
      const bool is_here = std::any_of(rows_.begin(), rows_.end(),
                                       [&](const HistoryRow& row) { return row.id == level.run; });
      const bool has_ended = !level.until.empty() && level.until < question_.today;
      if (is_here && has_ended && (!out_.level || level.run >= out_.level->run)) out_.ended = level;
    }
  }

  bool IsAccepted(std::int64_t run) const {
    return std::any_of(levels_.begin(), levels_.end(), [&](const HistoryLevel& level) {
      return level.run == run && (level.until.empty() || level.until >= question_.today);
    });
  }

  // Why the run is not compared; empty if it is. Checks conditions that need no snapshot first.
  Result<std::string> WhySkipped(const HistoryRow& row) {
    const bool may_fail = question_.with_failed || IsAccepted(row.id);
    if (row.verdict == kFail && !may_fail) return "failed";
    if (row.verdict == "no_verdict" && !may_fail) return "no verdict";
    // Otherwise two slow runs that few baseline runs leave undecided would become the level.
    if (row.verdict == kOver && !may_fail) return "over its limit";
    return WhyOther(row);
  }

  // Like WhySkipped(), but ignores the verdict. Cached, because comparing takes longest and each
  // run is asked for a few times. A run that is not compared need not stay in memory.
  Result<std::string> WhyOther(const HistoryRow& row) {
    const auto known = why_other_.find(row.id);
    if (known != why_other_.end()) return known->second;
    PROFGAUGE_TRY(std::string why, FindWhyOther(row));
    if (why == kNotCompared) return why;
    if (!why.empty()) loaded_.erase(row.id);
    return why_other_.emplace(row.id, std::move(why)).first->second;
  }

  Result<std::string> FindWhyOther(const HistoryRow& row) {
    if (!row.commit.empty() && row.commit == question_.commit) return "the same commit";
    if (IsOtherModel(row)) return fmt::format("model {}", row.model);
    // Rows of one kind differ in the same way, so a new machine needs only one comparison.
    const auto kind = why_other_kind_.find(row.kind);
    if (kind != why_other_kind_.end()) return kind->second;
    if (compared_ == question_.compared) {
      out_.is_cut = true;
      return std::string(kNotCompared);
    }
    ++compared_;
    PROFGAUGE_TRY(const Snapshot* run, SnapshotOf(row.id));
    for (const Snapshot& candidate : candidates_) {
      const bool is_same = !run->source.empty() && run->source == candidate.source;
      if (is_same && !question_.with_itself) return "the same profile";
    }
    const auto difference = HardDifference(*run, candidates_.front());
    if (difference && IsOfKind(difference->property)) {
      std::string machine = MachineOf(difference->property, difference->current);
      if (!machine.empty()) out_.here.insert(std::move(machine));
      if (!row.kind.empty()) why_other_kind_.emplace(row.kind, WhyNot(*difference));
    }
    return WhyNotComparable(*run, row.model, candidates_.front(), question_.model);
  }

  Result<const Snapshot*> SnapshotOf(std::int64_t id) {
    const auto found = loaded_.find(id);
    if (found != loaded_.end()) return &found->second;
    PROFGAUGE_TRY(Snapshot snapshot, history_.Load(id));
    return &loaded_.emplace(id, std::move(snapshot)).first->second;
  }

  // The run with the median time among the runs of one commit. The others are skipped.
  Result<HistoryRow> MiddleOf(const HistoryRow& row) {
    if (row.commit.empty()) return row;
    std::vector<std::pair<double, std::int64_t>> same;
    for (const HistoryRow& other : rows_) {
      if (other.commit != row.commit || PlaceOf(other.id) < level_at_) continue;
      PROFGAUGE_TRY(const std::string why, WhySkipped(other));
      if (!why.empty()) continue;
      PROFGAUGE_TRY(const Snapshot* run, SnapshotOf(other.id));
      same.emplace_back(TotalOf(*run), other.id);
    }
    return *std::ranges::find(rows_, MiddleId(std::move(same)), &HistoryRow::id);
  }

  Result<ChosenRun> Chosen(const HistoryRow& row) {
    PROFGAUGE_TRY(const Snapshot* run, SnapshotOf(row.id));
    return ChosenRun{row, *run};
  }

  // True for a run after the window that asked for another profile: only a later pass clears it.
  bool AsksAgainAtEnd(const HistoryRow& row) const {
    return row.verdict == kAgain && out_.window.empty() && !question_.with_failed &&
           !IsAccepted(row.id);
  }

  // Notes a failed run after the window. Works because the window is filled from its end.
  Status NoteFailed(const HistoryRow& row) {
    if (row.verdict != kFail && row.verdict != kAgain && row.verdict != kOver) return {};
    if (!out_.window.empty()) return {};
    PROFGAUGE_TRY(const std::string why, WhyOther(row));
    if (!why.empty()) return {};
    PROFGAUGE_TRY(ChosenRun run, Chosen(row));
    out_.failed.insert(out_.failed.begin(), std::move(run));
    return {};
  }

  Status TakeWindow() {
    compared_ = 0;
    std::set<std::string> commits;
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
      if (static_cast<std::int64_t>(out_.window.size()) == std::max(out_.wanted, question_.parts)) {
        break;
      }
      if (PlaceOf(row->id) < begin_at_) break;
      PROFGAUGE_TRY(std::string why, WhySkipped(*row));
      if (why.empty() && AsksAgainAtEnd(*row)) why = "not confirmed";
      if (!why.empty()) {
        out_.skipped.push_back({row->id, why});
        PROFGAUGE_CHECK(NoteFailed(*row));
        continue;
      }
      PROFGAUGE_TRY(const HistoryRow middle, MiddleOf(*row));
      if (middle.id != row->id) {
        out_.skipped.push_back({row->id, fmt::format("same commit as {}", middle.id)});
      }
      if (!row->commit.empty() && !commits.insert(row->commit).second) continue;
      PROFGAUGE_TRY(ChosenRun run, Chosen(middle));
      out_.window.push_back(std::move(run));
    }
    std::ranges::stable_sort(out_.window, std::ranges::less(),
                             [this](const ChosenRun& run) { return PlaceOf(run.row.id); });
    if (question_.parts > 0) out_.parts = out_.window;
    const auto found = static_cast<std::int64_t>(out_.window.size());
    if (found > out_.wanted) {
      out_.window.erase(out_.window.begin(), out_.window.end() - out_.wanted);
    }
    return {};
  }

  // Notes runs of the same commit that passed: if it is slower now, the code is not the cause.
  Status NoteSameCommit() {
    for (const HistoryRow& row : rows_) {
      if (question_.commit.empty() || row.commit != question_.commit) continue;
      if (row.verdict != "pass" || IsOtherModel(row)) continue;
      PROFGAUGE_TRY(const Snapshot* run, SnapshotOf(row.id));
      const std::string& source = run->source;
      const bool is_itself = !source.empty() && std::ranges::any_of(candidates_, [&](auto& one) {
        return one.source == source;
      });
      if (!is_itself &&
          WhyNotComparable(*run, row.model, candidates_.front(), question_.model).empty())
        out_.same_commit.push_back(row.id);
    }
    return {};
  }

  // The first comparable runs from `place` on, at most `most` of them.
  Result<std::vector<ChosenRun>> FirstFrom(std::size_t place, std::size_t most) {
    std::vector<ChosenRun> runs;
    std::set<std::string> commits;
    for (std::size_t at = place; at < rows_.size() && runs.size() < most; ++at) {
      PROFGAUGE_TRY(const std::string why, WhySkipped(rows_[at]));
      if (!why.empty()) continue;
      if (!rows_[at].commit.empty() && !commits.insert(rows_[at].commit).second) continue;
      PROFGAUGE_TRY(const HistoryRow middle, MiddleOf(rows_[at]));
      PROFGAUGE_TRY(ChosenRun run, Chosen(middle));
      runs.push_back(std::move(run));
    }
    return runs;
  }

  Status TakeAnchor() {
    begin_at_ = level_at_;
    if (!question_.with_anchor) return {};
    const auto wanted = static_cast<std::size_t>(out_.wanted);
    PROFGAUGE_TRY(out_.anchor, FirstFrom(level_at_, wanted));
    if (compared_ == question_.compared) {  // Too many other runs come first: searches the last
                                            // ones.
      compared_ = 0;
      const std::size_t last = std::min(rows_.size(), static_cast<std::size_t>(question_.compared));
      PROFGAUGE_TRY(out_.anchor, FirstFrom(std::max(level_at_, rows_.size() - last), wanted));
    }
    compared_ = 0;
    if (question_.limit > 0) PROFGAUGE_CHECK(LetAnchorFall());
    if (out_.anchor.empty()) return {};
    const auto first = static_cast<std::ptrdiff_t>(PlaceOf(out_.anchor.front().row.id));
    out_.since_anchor = std::count_if(rows_.begin() + first, rows_.end(),
                                      [this](const HistoryRow& row) { return !IsOtherModel(row); });
    return {};
  }

  // The level of the anchor as a logarithm; nothing if a run has no iterations.
  std::optional<double> LevelOfAnchor() const {
    std::vector<double> levels;
    for (const ChosenRun& run : out_.anchor) {
      const std::optional<double> median = MedianIteration(run.snapshot);
      if (levels.size() == kAnchorRuns) break;
      if (!median || *median <= 0) return std::nullopt;
      levels.push_back(std::log(*median));
    }
    return levels.empty() ? std::nullopt : std::optional(stats::Median(levels));
  }

  // An improvement that lasts becomes the new origin, so that undoing it is a regression:
  //
  //     anchor   a a a a a . . . . . . . .        three in a row half of the limit faster
  //     runs     : : : : : : : ' : . . . : .
  //     anchor                     a a a a a
  //
  // The rows have enough data for this, so few snapshots are loaded.
  Status LetAnchorFall() {
    const std::string kind = KindOf(candidates_.front());
    std::optional<double> anchor = LevelOfAnchor();
    const double slack = knowledge::kGateFallShare.value() * std::log1p(question_.limit);
    std::vector<HistoryRow> below;  // Consecutive faster runs.
    for (std::size_t at = level_at_; at < rows_.size() && anchor; ++at) {
      const HistoryRow& row = rows_[at];
      const bool may_count = row.median > 0 && (row.kind.empty() || row.kind == kind);
      const bool is_below = may_count && std::log(row.median) < *anchor - slack;
      if (!may_count || (!is_below && below.empty())) continue;
      if (!row.commit.empty() && !below.empty() && below.back().commit == row.commit) continue;
      PROFGAUGE_TRY(const std::string why, WhySkipped(row));
      if (!why.empty()) continue;
      if (!is_below) {
        below.clear();
        continue;
      }
      below.push_back(row);
      if (below.size() < kFallRuns) continue;
      begin_at_ = PlaceOf(below.front().id);
      PROFGAUGE_TRY(out_.anchor, FirstFrom(begin_at_, kAnchorRuns));
      anchor = LevelOfAnchor();
      out_.has_fallen = true;
      below.clear();
    }
    return {};
  }

  History& history_;
  const HistoryQuestion& question_;
  std::span<const Snapshot> candidates_;
  std::vector<HistoryRow> rows_;    // Oldest first.
  std::vector<HistoryRow> others_;  // Rows of commits that are no ancestors.
  std::size_t level_at_ = 0;        // Place of the run that starts the level.
  std::size_t begin_at_ = 0;        // level_at_, or the place of a later run that stayed faster.
  std::vector<HistoryLevel> levels_;
  std::map<std::int64_t, Snapshot> loaded_;
  std::map<std::int64_t, std::string> why_other_;  // By id of the run.
  std::map<std::string, std::string> why_other_kind_;
  std::map<std::int64_t, std::size_t> places_;  // Index in `rows_`, by id of the run.
  std::int64_t compared_ = 0;                   // Comparisons since the present search began.
  std::int64_t unread_ = 0;                     // The last run that was not read; 0 if all were.
  HistoryChoice out_;
};

}  // namespace

Result<HistoryChoice> ChooseRuns(History& history, const HistoryQuestion& question,
                                 std::span<const Snapshot> candidates) {
  return Chooser(history, question, candidates).Choose();
}

std::string WhyNotComparable(const Snapshot& run, std::string_view model, const Snapshot& other,
                             std::string_view other_model) {
  if (AreOtherModels(model, other_model)) return fmt::format("model {}", model);
  if (const auto difference = HardDifference(run, other)) return WhyNot(*difference);
  const bool is_named = !model.empty() && !other_model.empty();
  return is_named || WorkOverlap(run, other) >= kSharedWork ? "" : "other work";
}

std::vector<std::size_t> OneOfEachCommit(std::span<const HistoryEntry* const> runs) {
  std::map<std::string_view, std::vector<std::pair<double, std::int64_t>>> by_commit;
  for (const HistoryEntry* run : runs) {
    if (!run->commit.empty()) by_commit[run->commit].emplace_back(TotalOf(run->snapshot), run->id);
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& commit = runs[i]->commit;
    if (commit.empty() || MiddleId(by_commit[commit]) == runs[i]->id) places.push_back(i);
  }
  return places;
}

std::optional<HistoryLevel> LevelInForce(std::span<const HistoryLevel> levels,
                                         std::span<const HistoryRow> rows, std::string_view today) {
  std::optional<HistoryLevel> last;
  for (const HistoryLevel& level : levels) {
    const bool is_here = std::any_of(rows.begin(), rows.end(),
                                     [&](const HistoryRow& row) { return row.id == level.run; });
    const bool counts = level.until.empty() || level.until >= today;
    if (is_here && counts && (!last || level.run >= last->run)) last = level;
  }
  return last;
}

}  // namespace profgauge::gate
