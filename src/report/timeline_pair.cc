#include "report/timeline.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace profgauge::report {
namespace {

template <class T>
void Append(std::vector<T>& to, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

std::string InRun(std::string_view run, const std::string& group) {
  return std::string(run) + " · " + group;
}

void Prepare(TimelineOfRun& run, Ns moved) {
  Timeline& timeline = run.timeline;
  for (Timeline::Track& track : timeline.tracks) track.group = InRun(run.name, track.group);
  for (Ns& start : timeline.start) start += moved;
  for (Timeline::Counter& counter : timeline.counters) {
    counter.group = InRun(run.name, counter.group);
    for (Ns& time : counter.time) time += moved;
    counter.end += moved;
  }
  for (Timeline::Mark& mark : timeline.marks) {
    mark.name = InRun(run.name, mark.name);
    mark.time += moved;
  }
  for (Timeline::Amount& amount : timeline.amounts) amount.value.resize(timeline.start.size());
  if (!timeline.left_out.empty()) timeline.left_out = InRun(run.name, timeline.left_out);
}

bool SameFacets(const Timeline& a, const Timeline& b) {
  return std::equal(a.facets.begin(), a.facets.end(), b.facets.begin(), b.facets.end(),
                    [](const auto& one, const auto& other) { return one.id == other.id; });
}

void DropFacets(Timeline& timeline) {
  timeline.facets.clear();
  for (Timeline::Kind& kind : timeline.kinds) kind.facets.clear();
}

// Those of one are 0 in the other.
void AppendAmounts(Timeline& to, Timeline& more, std::size_t events_before) {
  for (Timeline::Amount& amount : more.amounts) {
    auto same = std::find_if(to.amounts.begin(), to.amounts.end(),
                             [&](const Timeline::Amount& known) { return known.id == amount.id; });
    if (same == to.amounts.end()) {
      Timeline::Amount added{amount.id, amount.title, amount.unit, amount.adds_up, {}};
      added.value.resize(events_before);
      same = to.amounts.insert(to.amounts.end(), std::move(added));
    }
    Append(same->value, std::move(amount.value));
  }
  for (Timeline::Amount& amount : to.amounts) amount.value.resize(to.start.size());
}

}  // namespace

// Indices of the second run follow those of the first: each index into a list of `more` grows by
// the size of that list of `out`, before anything is appended.
Timeline StackTimelines(TimelineOfRun base, TimelineOfRun current) {
  Prepare(base, std::max<Ns>(0, current.anchor - base.anchor));
  Prepare(current, std::max<Ns>(0, base.anchor - current.anchor));
  Timeline out = std::move(base.timeline);
  Timeline& more = current.timeline;
  if (!SameFacets(out, more)) {
    DropFacets(out);
    DropFacets(more);
  }
  const auto kinds = static_cast<std::uint32_t>(out.kinds.size());
  const auto tracks = static_cast<std::uint32_t>(out.tracks.size());
  const auto events = static_cast<std::uint32_t>(out.start.size());
  for (Timeline::Lane& lane : more.lanes) {
    lane.track += tracks;
    lane.begin += events;
    lane.end += events;
  }
  for (std::uint32_t& kind : more.kind) kind += kinds;
  for (std::uint32_t& link : more.link) {
    if (link != Timeline::kNoLink) link += events;
  }
  for (auto& [earlier, later] : more.dependencies) {
    earlier += events;
    later += events;
  }
  Append(out.kinds, std::move(more.kinds));
  Append(out.tracks, std::move(more.tracks));
  Append(out.lanes, std::move(more.lanes));
  Append(out.start, std::move(more.start));
  Append(out.duration, std::move(more.duration));
  Append(out.kind, std::move(more.kind));
  Append(out.link, std::move(more.link));
  Append(out.dependencies, std::move(more.dependencies));
  Append(out.counters, std::move(more.counters));
  Append(out.marks, std::move(more.marks));
  AppendAmounts(out, more, events);
  if (out.peak_flops != more.peak_flops) out.peak_flops = -1;
  if (out.peak_bandwidth != more.peak_bandwidth) out.peak_bandwidth = -1;
  if (!out.left_out.empty() && !more.left_out.empty()) out.left_out += "; ";
  out.left_out += more.left_out;
  return out;
}

}  // namespace profgauge::report
