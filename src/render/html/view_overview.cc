// The slowest iteration as a picture, for readers without scripts: where those run, the timeline
// stands in its place.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/categories.h"
#include "render/shared/template.h"
#include "render/svg/svg_overview.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;
using report::Timeline;

constexpr std::size_t kMostTracks = 8;  // Of a kind: streams, threads.
constexpr std::uint32_t kMostDepths = 3;

struct Stretch {
  Ns begin = 0, end = 0;
  std::int64_t rank = 0;
  std::string iteration;
};

Stretch SlowestIteration(const Table& iterations) {
  Stretch slowest;
  for (std::size_t row = 0; row < iterations.rows(); ++row) {
    const auto start = static_cast<Ns>(AsNumber(iterations.At(row, "start"), 0));
    const auto duration = static_cast<Ns>(AsNumber(iterations.At(row, "duration"), 0));
    if (duration <= slowest.end - slowest.begin) continue;
    slowest = {start, start + duration,
               static_cast<std::int64_t>(AsNumber(iterations.At(row, "rank"), 0)),
               FormatValue(iterations.At(row, "index"), Unit::kCount)};
  }
  return slowest;
}

std::vector<Paint> Paints() {
  std::vector<Paint> paints;
  for (const CategoryColours& colours : kCategoryColours) paints.push_back(colours.paint);
  return paints;
}

// A track's events in the stretch, lane by lane.
// When something runs in a lane: nested and overlapping events count once, waiting does not count.
Ns BusyIn(const Timeline& timeline, const Timeline::Lane& lane, const Stretch& stretch) {
  Ns busy = 0, until = stretch.begin;
  for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
    if (timeline.kinds[timeline.kind[i]].category == Category::kWait) continue;
    const Ns start = std::max(timeline.start[i], until);
    const Ns end = std::min(timeline.start[i] + timeline.duration[i], stretch.end);
    if (end <= start) continue;
    busy += end - start;
    until = end;
  }
  return busy;
}

struct Shown {
  std::uint32_t track = 0;
  std::vector<OverviewLane> lanes;
  Ns busy = 0;  // Of its first lane: what lies deeper runs within.
  std::size_t events = 0;
};

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

std::vector<Shown> TracksIn(const Timeline& timeline, const Stretch& stretch,
                            std::string_view type) {
  std::vector<Shown> shown;
  for (const Timeline::Lane& lane : timeline.lanes) {
    const Timeline::Track& track = timeline.tracks[lane.track];
    if (track.type != type || track.rank != stretch.rank || lane.depth >= kMostDepths) continue;
    OverviewLane drawn = LaneIn(timeline, lane, stretch);
    if (drawn.events.empty()) continue;
    if (shown.empty() || shown.back().track != lane.track) shown.push_back({lane.track, {}, 0, 0});
    Shown& into = shown.back();
    into.events += drawn.events.size();
    if (into.lanes.empty()) {
      drawn.name =
          track.type == "thread"
              ? track.name
              : fmt::format("{} · {}", track.group.substr(0, track.group.find(" · ")), track.name);
      into.busy = BusyIn(timeline, lane, stretch);
    }
    into.lanes.push_back(std::move(drawn));
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Shown& a, const Shown& b) { return a.busy > b.busy; });
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
  const auto length = static_cast<double>(stretch.end - stretch.begin);
  for (const std::string_view type : {"stream", "engine", "thread"}) {
    for (Shown& track : TracksIn(report.timeline, stretch, type)) {
      rows.push_back(json::object{
          {"name", track.lanes.front().name},
          {"busy", NumberView(Value(track.busy), Unit::kTime)},
          {"share", NumberView(Value(static_cast<double>(track.busy) / length), Unit::kShare)},
          {"events", NumberView(Value(static_cast<std::int64_t>(track.events)), Unit::kCount)}});
      for (OverviewLane& lane : track.lanes) chart.lanes.push_back(std::move(lane));
    }
  }
  if (rows.empty()) return view;
  const std::string title =
      fmt::format("Iteration {}{}, the slowest: {}", stretch.iteration,
                  report.profile.ranks > 1 ? fmt::format(" of rank {}", stretch.rank) : "",
                  FormatDuration(length));
  chart.description = title + ". What runs when on each stream and thread; the table has the sums";
  view["known"] = true;
  view["title"] = title;
  view["chart"] = MakeMarkup(SvgOverview(chart));
  view["rows"] = std::move(rows);
  return view;
}

}  // namespace profgauge::render::html
