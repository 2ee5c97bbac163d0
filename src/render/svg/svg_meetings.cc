#include "render/svg/svg_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "render/shared/escape.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr double kLeft = 150, kRight = 30, kTop = 24, kBar = 20, kLane = 48;
constexpr std::size_t kTitles = 60;  // For a lane: its longest calls.

struct Scale {
  double first = 0, per_ns = 0;
  double X(Ns at) const { return kLeft + (static_cast<double>(at) - first) * per_ns; }
};

// At least half a pixel wide, so that a short call can be seen.
std::string Box(const Scale& scale, Ns start, Ns end, double y) {
  const double x = scale.X(start);
  return fmt::format("M{} {}H{}V{}H{}z", SvgNumber(x), SvgNumber(y),
                     SvgNumber(std::max(scale.X(end), x + 0.5)), SvgNumber(y + kBar), SvgNumber(x));
}

void Draw(const Paint& paint, const std::string& path, std::string& out) {
  if (path.empty()) return;
  out += fmt::format("<path class=\"{}\" fill=\"{}\" d=\"{}\"/>", paint.name, paint.fill, path);
}

void DrawTitles(const MeetingLane& lane, const Scale& scale, double y, std::string& out) {
  std::vector<const MeetingCall*> longest;
  for (const MeetingCall& call : lane.calls) longest.push_back(&call);
  std::stable_sort(longest.begin(), longest.end(), [](const MeetingCall* a, const MeetingCall* b) {
    return a->waiting + a->transfer > b->waiting + b->transfer;
  });
  longest.resize(std::min(longest.size(), kTitles));
  for (const MeetingCall* call : longest) {
    out += fmt::format("<path class=\"hit\" d=\"{}\"><title>{}</title></path>",
                       Box(scale, call->start, call->start + call->waiting + call->transfer, y),
                       EscapeHtml(call->title));
  }
}

void DrawAxis(const MeetingChart& chart, const Scale& scale, Ns begin, Ns end, double height,
              std::string& out) {
  const double step = SvgAxisStep(static_cast<double>(end - begin));
  for (double at = 0; at <= static_cast<double>(end - begin); at += step) {
    const std::string x = SvgNumber(scale.X(begin + static_cast<Ns>(at)));
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{0} {1}V{2}\"/><text class=\"ink\" "
        "fill=\"#444\" x=\"{0}\" y=\"12\" text-anchor=\"middle\">{3}</text>",
        x, SvgNumber(kTop - 4), SvgNumber(height), EscapeHtml(chart.time_text(at)));
  }
}

}  // namespace

// Shapes of one color are one path, drawn in this order: iterations, waiting, transfer, joins, then
// invisible boxes for hover texts. Only neighbors are joined: with three lanes, a call that the
// middle one has not has no line.
std::string SvgMeetings(const MeetingChart& chart) {
  if (chart.lanes.empty()) return {};
  Ns begin = chart.lanes.front().begin, end = chart.lanes.front().end;
  for (const MeetingLane& lane : chart.lanes) {
    begin = std::min(begin, lane.begin);
    end = std::max(end, lane.end);
    for (const MeetingCall& call : lane.calls) {
      begin = std::min(begin, call.start);
      end = std::max(end, call.start + call.waiting + call.transfer);
    }
  }
  if (end <= begin) return {};
  const Scale scale{static_cast<double>(begin),
                    (chart.width - kLeft - kRight) / static_cast<double>(end - begin)};
  const double height = kTop + kLane * static_cast<double>(chart.lanes.size()) - (kLane - kBar) + 6;
  std::string out = SvgOpen(chart.width, static_cast<int>(height), chart.description, "chart");
  DrawAxis(chart, scale, begin, end, height, out);
  std::string joins, others, waits, transfers, texts;
  std::map<std::int64_t, double> above;  // Where the lane above began each call.
  for (std::size_t i = 0; i < chart.lanes.size(); ++i) {
    const MeetingLane& lane = chart.lanes[i];
    const double y = kTop + kLane * static_cast<double>(i);
    others += Box(scale, lane.begin, lane.end, y);
    std::map<std::int64_t, double> here;
    for (const MeetingCall& call : lane.calls) {
      const Ns moves = call.start + call.waiting;
      if (call.waiting > 0) waits += Box(scale, call.start, moves, y);
      transfers += Box(scale, moves, moves + call.transfer, y);
      if (call.call < 0) continue;
      const double x = scale.X(call.start);
      here[call.call] = x;
      const auto found = above.find(call.call);
      if (found == above.end()) continue;
      joins += fmt::format("M{} {}L{} {}", SvgNumber(found->second), SvgNumber(y - kLane + kBar),
                           SvgNumber(x), SvgNumber(y));
    }
    above = std::move(here);
    texts += fmt::format(
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        SvgNumber(kLeft - 8), SvgNumber(y + 14), EscapeHtml(lane.name));
  }
  Draw(chart.other, others, out);
  Draw(chart.waiting, waits, out);
  Draw(chart.transfer, transfers, out);
  if (!joins.empty()) {
    out +=
        fmt::format("<path class=\"rule\" stroke=\"#222\" stroke-opacity=\".6\" d=\"{}\"/>", joins);
  }
  out += texts + "<g fill=\"none\" pointer-events=\"all\">";
  for (std::size_t i = 0; i < chart.lanes.size(); ++i) {
    DrawTitles(chart.lanes[i], scale, kTop + kLane * static_cast<double>(i), out);
  }
  return out + "</g></svg>";
}

}  // namespace profgauge::render
