#include "report/timeline_tracks.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace profgauge::report {
namespace {

using Lane = std::vector<TimelineEvent>;

// Longest first among those that start together, so that what contains comes before what it
// contains.
void Sort(std::vector<TimelineEvent>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const TimelineEvent& a, const TimelineEvent& b) {
                     return a.start != b.start ? a.start < b.start : a.duration > b.duration;
                   });
}

// Each event as deep as it is nested, deeper where a neighbour overlaps without nesting.
std::vector<Lane> Spread(const std::vector<TimelineEvent>& events) {
  std::vector<Lane> lanes;
  std::vector<Ns> open;  // ends of what contains the event
  for (const TimelineEvent& event : events) {
    while (!open.empty() && open.back() <= event.start) open.pop_back();
    std::size_t depth = open.size();
    while (depth < lanes.size() && !lanes[depth].empty() &&
           lanes[depth].back().end() > event.start) {
      ++depth;
    }
    if (depth >= lanes.size()) lanes.resize(depth + 1);
    lanes[depth].push_back(event);
    open.push_back(event.end());
  }
  return lanes;
}

}  // namespace

std::uint32_t TimelineKinds::Find(const Profile& profile, const Key& key,
                                  const std::function<void(Timeline::Kind&)>& fill) {
  const auto [place, is_unknown] = known_.try_emplace(key, 0);
  if (!is_unknown) return place->second;
  Timeline::Kind kind{std::string(profile.Name(key.name)), key.category, "", {}};
  if (fill) fill(kind);
  const auto [slot, is_new] =
      numbers_.try_emplace(Words(kind.name, kind.category, kind.detail, kind.facets),
                           static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back(std::move(kind));
  return place->second = slot->second;
}

void TimelineTracks::StartRank(std::int64_t rank) {
  rank_ = rank;
  first_ = timeline_.start.size();
  events_.clear();
}

void TimelineTracks::Add(Timeline::Track track, std::vector<TimelineEvent> events) {
  if (events.empty()) return;
  Sort(events);
  const auto index = static_cast<std::uint32_t>(timeline_.tracks.size());
  track.rank = rank_;
  timeline_.tracks.push_back(std::move(track));
  const std::vector<Lane> lanes = Spread(events);
  for (std::uint32_t depth = 0; depth < lanes.size(); ++depth) {
    const auto begin = static_cast<std::uint32_t>(timeline_.start.size());
    for (const TimelineEvent& event : lanes[depth]) {
      timeline_.start.push_back(event.start);
      timeline_.duration.push_back(event.duration);
      timeline_.kind.push_back(event.kind);
      events_.push_back(event);
    }
    timeline_.lanes.push_back(
        {index, depth, begin, static_cast<std::uint32_t>(timeline_.start.size())});
  }
}

void TimelineTracks::AddEmpty(Timeline::Track track) {
  const auto index = static_cast<std::uint32_t>(timeline_.tracks.size());
  const auto at = static_cast<std::uint32_t>(timeline_.start.size());
  track.rank = rank_;
  timeline_.tracks.push_back(std::move(track));
  timeline_.lanes.push_back({index, 0, at, at});
}

std::vector<std::int64_t>& FindAmount(Timeline& timeline, std::string_view id,
                                      std::string_view title, Unit unit, bool adds_up) {
  auto found = std::find_if(timeline.amounts.begin(), timeline.amounts.end(),
                            [&](const Timeline::Amount& amount) { return amount.id == id; });
  if (found == timeline.amounts.end()) {
    timeline.amounts.push_back({std::string(id), std::string(title), unit, adds_up, {}});
    found = std::prev(timeline.amounts.end());
  }
  found->value.resize(timeline.start.size());
  return found->value;
}

std::vector<bool> BusiestTracks(const std::vector<Ns>& busy) {
  return Busiest(busy, busy.size() <= kMostTracks ? busy.size() : kBusiestTracks);
}

std::vector<bool> Busiest(const std::vector<Ns>& busy, std::size_t most) {
  std::vector<bool> chosen(busy.size(), busy.size() <= most);
  if (busy.size() <= most) return chosen;
  std::vector<std::size_t> order(busy.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
  for (std::size_t i = 0; i < most; ++i) chosen[order[i]] = true;
  return chosen;
}

}  // namespace profgauge::report
