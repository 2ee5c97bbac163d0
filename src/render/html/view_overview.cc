// The slowest iteration with all of its tracks, for readers without scripts. With scripts, the
// timeline replaces it.
#include "render/html/view_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/interval.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg_overview.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;
using report::Timeline;
using report::TrackType;

constexpr std::size_t kMostTracks = 8;  // For each kind, e.g. streams.
constexpr std::uint32_t kMostDepths = 3;

struct Stretch {
  Ns begin = 0, end = 0;
  std::int64_t rank = 0;
  std::string iteration;
  Ns unobserved = 0;  // As for iteration.time.max, subtracted.
  Ns observed() const { return end - begin - unobserved; }
};

Stretch StretchOf(const Table& iterations, std::size_t row) {
  const auto start = AsWhole(iterations.At(row, "start"), 0);
  return {start, start + AsWhole(iterations.At(row, "duration"), 0),
          AsWhole(iterations.At(row, "rank"), 0),
          FormatValue(iterations.At(row, "index"), Unit::kCount),
          AsWhole(iterations.At(row, "unobserved"), 0)};
}

Stretch SlowestIteration(const Table& iterations) {
  Stretch slowest;
  for (std::size_t row = 0; row < iterations.rows(); ++row) {
    const Stretch one = StretchOf(iterations, row);
    if (one.observed() > slowest.observed()) slowest = one;
  }
  return slowest;
}

std::vector<Paint> Paints() {
  std::vector<Paint> paints;
  for (const CategoryColours& colours : kCategoryColours) paints.push_back(colours.paint);
  return paints;
}

// Adds the time in which an event of the lane runs. Waiting does not count.
void AddBusy(const Timeline& timeline, const Timeline::Lane& lane, const Stretch& stretch,
             std::vector<Span>& busy) {
  for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
    if (timeline.kinds[timeline.kind[i]].category == Category::kWait) continue;
    const Ns start = std::max(timeline.start[i], stretch.begin);
    const Ns end = std::min(timeline.start[i] + timeline.duration[i], stretch.end);
    if (end > start) busy.push_back({start, end});
  }
}

// A track's events in the range, by lane.
struct Shown {
  std::uint32_t track = 0;
  std::vector<OverviewLane> lanes;
  std::vector<Span> running;  // In all lanes, not merged yet.
  Ns busy = 0;
  std::size_t events = 0;
};

// The events of a lane that overlap the range; the chart clips them. Because a lane is in order of
// time, the loop ends at the first event after the range.
OverviewLane LaneIn(const Timeline& timeline, const Timeline::Lane& lane, const Stretch& stretch) {
  OverviewLane out;
  for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
    const Ns end = timeline.start[i] + timeline.duration[i];
    if (timeline.start[i] >= stretch.end) break;
    if (end <= stretch.begin) continue;
    const Timeline::Kind& kind = timeline.kinds[timeline.kind[i]];
    out.events.push_back(
        {timeline.start[i], end, static_cast<std::uint32_t>(kind.category), kind.name});
  }
  return out;
}

// The busiest tracks of a type. `all` counts the others, too.
std::vector<Shown> TracksIn(const Timeline& timeline, const Stretch& stretch, TrackType type,
                            std::size_t& all) {
  std::vector<Shown> shown;
  for (const Timeline::Lane& lane : timeline.lanes) {
    const Timeline::Track& track = timeline.tracks[lane.track];
    if (track.type != type || track.rank != stretch.rank) continue;
    OverviewLane drawn = LaneIn(timeline, lane, stretch);
    if (drawn.events.empty()) continue;
    if (shown.empty() || shown.back().track != lane.track) shown.emplace_back().track = lane.track;
    Shown& into = shown.back();
    AddBusy(timeline, lane, stretch, into.running);
    if (lane.depth >= kMostDepths) continue;
    into.events += drawn.events.size();
    if (into.lanes.empty()) {
      drawn.name =
          track.type == TrackType::kThread
              ? track.name
              : fmt::format("{} · {}", track.group.substr(0, track.group.find(" · ")), track.name);
    }
    into.lanes.push_back(std::move(drawn));
  }
  for (Shown& track : shown) track.busy = Length(Merge(std::move(track.running)));
  std::erase_if(shown, [](const Shown& track) { return track.lanes.empty(); });
  // Tracks in a section show finer details, so they come last.
  const auto key = [&](const Shown& track) {
    return std::pair(!timeline.tracks[track.track].section.empty(), -track.busy);
  };
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const Shown& a, const Shown& b) { return key(a) < key(b); });
  all += shown.size();
  shown.resize(std::min(shown.size(), kMostTracks));
  return shown;
}

}  // namespace

boost::json::object OverviewView(const Report& report) {
  json::object view{
      {"known", false}, {"chart", MakeMarkup("")}, {"title", ""}, {"rows", json::array()}};
  const Table* iterations = FindTable(report, "iterations");
  if (report.timeline.empty() || iterations == nullptr) return view;
  const Stretch stretch = SlowestIteration(*iterations);
  OverviewChart chart;
  chart.begin = stretch.begin;
  chart.end = stretch.end;
  chart.paints = Paints();
  json::array rows;
  std::size_t all = 0;
  const auto length = static_cast<double>(stretch.observed());
  for (const TrackType type : {TrackType::kStream, TrackType::kThread}) {
    for (Shown& track : TracksIn(report.timeline, stretch, type, all)) {
      rows.push_back(json::object{
          {"name", track.lanes.front().name},
          {"busy", NumberView(Value(track.busy), Unit::kTime)},
          {"share", NumberView(Value(static_cast<double>(track.busy) / length), Unit::kShare)},
          {"events", NumberView(Value(static_cast<std::int64_t>(track.events)), Unit::kCount)}});
      for (OverviewLane& lane : track.lanes) chart.lanes.push_back(std::move(lane));
    }
  }
  if (rows.empty()) return view;
  const std::string busiest =
      all > rows.size() ? fmt::format(" ({} busiest of {} streams and threads)", rows.size(), all)
                        : std::string();
  const std::string title =
      fmt::format("Iteration {}{}, the slowest: {}{}", stretch.iteration,
                  report.profile.ranks > 1 ? fmt::format(" of rank {}", stretch.rank) : "",
                  FormatDuration(length), busiest);
  chart.description =
      title + ". Activity of streams and threads, three levels deep; the table has its totals";
  view["known"] = true;
  view["title"] = title;
  view["chart"] = MakeMarkup(SvgOverview(chart));
  view["rows"] = std::move(rows);
  return view;
}

}  // namespace profgauge::render::html
