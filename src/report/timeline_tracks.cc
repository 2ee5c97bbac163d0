#include "report/timeline_tracks.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "base/mix.h"
#include "base/text.h"
#include "model/tables.h"

namespace profgauge::report {
namespace {

// Among events with one start, the longest comes first, so that a container precedes its
// contents.
void Sort(std::vector<TimelineEvent>& events) {
  const auto before = [](const TimelineEvent& a, const TimelineEvent& b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  };
  // Rows of a table are sorted, and most tracks have rows of only one or two tables.
  const auto second = std::is_sorted_until(events.begin(), events.end(), before);
  if (second == events.end()) return;
  if (std::is_sorted(second, events.end(), before)) {
    std::inplace_merge(events.begin(), second, events.end(), before);
  } else {
    std::stable_sort(events.begin(), events.end(), before);
  }
}

// The lane of each event, and the number of events in each lane.
struct Lanes {
  std::vector<std::uint32_t> of;
  std::vector<std::uint32_t> sizes;
};

// Puts each event at its nesting depth, or deeper if a neighbor overlaps without nesting.
Lanes Spread(const std::vector<TimelineEvent>& events) {
  Lanes lanes;
  lanes.of.reserve(events.size());
  std::vector<Ns> open;  // Ends of the events that contain the event.
  std::vector<Ns> ends;  // End of the last event of each lane.
  for (const TimelineEvent& event : events) {
    while (!open.empty() && open.back() <= event.start) open.pop_back();
    std::size_t depth = open.size();
    while (depth < ends.size() && lanes.sizes[depth] > 0 && ends[depth] > event.start) ++depth;
    if (depth >= ends.size()) {
      ends.resize(depth + 1);
      lanes.sizes.resize(depth + 1);
    }
    ends[depth] = event.end();
    ++lanes.sizes[depth];
    lanes.of.push_back(static_cast<std::uint32_t>(depth));
    open.push_back(event.end());
  }
  return lanes;
}

}  // namespace

std::size_t TimelineKinds::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.name.value;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(key.category), key.a, key.b, key.c, key.d}) {
    hash = hash * kGoldenRatio + part;  // The table mixes further.
  }
  return hash;
}

std::uint32_t TimelineKinds::Find(const Profile& profile, const Key& key,
                                  const std::function<void(Timeline::Kind&)>& fill) {
  const auto [place, is_unknown] = known_.try_emplace(key, 0);
  if (!is_unknown) return place->second;
  Timeline::Kind kind{std::string(profile.Name(key.name)), key.category, "", {}};
  if (fill) fill(kind);
  const auto [slot, is_new] =
      numbers_.try_emplace(Words(kind.name, kind.category, kind.detail, kind.facets, kind.blocks),
                           static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back(std::move(kind));
  return place->second = slot->second;
}

void TimelineTracks::StartRank(std::int64_t rank) {
  rank_ = rank;
  first_ = timeline_.start.size();
  rows_.clear();
}

void TimelineTracks::Add(Timeline::Track track, std::vector<TimelineEvent> events) {
  if (events.empty()) return;
  Sort(events);
  const auto index = static_cast<std::uint32_t>(timeline_.tracks.size());
  track.rank = rank_;
  timeline_.tracks.push_back(std::move(track));
  const Lanes lanes = Spread(events);
  std::vector<std::size_t> next;  // By lane: index of its next event.
  auto begin = static_cast<std::uint32_t>(timeline_.start.size());
  for (std::uint32_t depth = 0; depth < lanes.sizes.size(); ++depth) {
    const std::uint32_t end = begin + lanes.sizes[depth];
    timeline_.lanes.push_back({index, depth, begin, end});
    next.push_back(begin);
    begin = end;
  }
  for (std::vector<Ns>* times : {&timeline_.start, &timeline_.duration}) times->resize(begin);
  timeline_.kind.resize(begin);
  rows_.resize(begin - first_);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TimelineEvent& event = events[i];
    const std::size_t at = next[lanes.of[i]]++;
    timeline_.start[at] = event.start;
    timeline_.duration[at] = event.duration;
    timeline_.kind[at] = event.kind;
    rows_[at - first_] = {event.row, event.of};
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

namespace {

// Names a stack by its innermost (last) line, "forward"; its detail is "main › train › forward".
void NameStack(std::string_view stack, Timeline::Kind& kind) {
  for (const std::string_view line : Lines(stack)) {
    const std::string_view function = Trim(line);
    if (function.empty()) continue;
    kind.name = function;
    if (!kind.detail.empty()) kind.detail += " › ";
    kind.detail += function;
  }
}

}  // namespace

std::vector<std::vector<TimelineEvent>> SampleEvents(const Profile& profile, const TimelineCut& cut,
                                                     TimelineKinds& kinds) {
  std::vector<std::vector<TimelineEvent>> threads(profile.threads.size());
  if (profile.cpu == nullptr) return threads;
  for (const CpuSample& sample : profile.cpu->samples) {
    if (!sample.thread.valid() || !sample.stack.valid()) continue;
    if (!cut.KeepsHost(sample.time, 0)) continue;
    TimelineEvent event{sample.time, 0};
    event.kind =
        kinds.Find(profile, {sample.stack, Category::kPython, 1},
                   [&](Timeline::Kind& kind) { NameStack(profile.Name(sample.stack), kind); });
    threads[sample.thread.value].push_back(event);
  }
  return threads;
}

}  // namespace profgauge::report
