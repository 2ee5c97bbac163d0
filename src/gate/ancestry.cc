// Orders the rows of a history by the ancestors of a commit.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "gate/select.h"

namespace profgauge::gate {
namespace {

using Places = std::map<std::string, std::size_t, std::less<>>;

// The place of a commit among the ancestors, 0 the judged one. Runs may name the start of one.
//
//     known to git         m5 m4 m3 (a shallow clone ends here)
//     parents of the runs  m3 → m2 → m1       2 and 1 are ancestors, too
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

// Those of later commits than the judged one are no past of it.
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
    // The judged commit itself is no baseline, but it is no stranger either.
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

}  // namespace profgauge::gate
