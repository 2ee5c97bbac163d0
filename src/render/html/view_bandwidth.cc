// How fast collectives are for the size of their messages.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg_charts.h"
#include "report/table_sums.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kNamedOutliers = 8;

std::string BytesText(double bytes) { return FormatBytes(bytes); }
std::string BandwidthText(double value) { return FormatValue(value, Unit::kBandwidth); }

constexpr const Paint& PaintOfKind(std::size_t kind) {
  return kNeutralPaints[kind % kNeutralPaints.size()];
}

}  // namespace

// Bus bandwidth over the size of messages, by kind; slow groups by name.
boost::json::object BandwidthView(const Report& report) {
  json::object view{{"known", false},
                    {"chart", MakeMarkup("")},
                    {"note", ""},
                    {"slow", json::array()},
                    {"has_slow", false}};
  const std::vector<report::SizeBandwidth> points = report::SizeBandwidths(report);
  if (points.empty()) return view;
  std::map<std::string, PointSeries> by_kind;
  double most = 0;
  for (const report::SizeBandwidth& point : points) {
    PointSeries& series = by_kind[point.kind];
    series.name = point.kind;
    const std::string group = point.group.empty() ? "" : fmt::format(", group {}", point.group);
    series.points.push_back(
        {point.bytes, point.bandwidth,
         fmt::format("{} of {} ranks{}: {} at {}", point.kind, point.ranks, group,
                     BandwidthText(point.bandwidth), BytesText(point.bytes)),
         point.is_slow});
    most = std::max(most, point.bandwidth);
  }
  PointChart chart;
  for (auto& [kind, series] : by_kind) {
    series.paint = PaintOfKind(chart.series.size());
    chart.series.push_back(std::move(series));
  }
  chart.x_text = BytesText;
  chart.y_text = BandwidthText;
  chart.description =
      fmt::format("Bus bandwidth by message size for {} kinds of collectives, at most {}",
                  chart.series.size(), BandwidthText(most));
  const std::vector<report::SizeBandwidth> slow = report::SlowBandwidths(points);
  json::array rows;
  for (std::size_t i = 0; i < std::min(slow.size(), kNamedOutliers); ++i) {
    rows.push_back(json::object{{"name", fmt::format("{}, group {}", slow[i].kind, slow[i].group)},
                                {"bytes", BytesText(slow[i].bytes)},
                                {"number", NumberView(Value(slow[i].bandwidth), Unit::kBandwidth)},
                                {"usual", NumberView(Value(slow[i].usual), Unit::kBandwidth)}});
  }
  view["known"] = true;
  view["chart"] = MakeMarkup(SvgPoints(chart));
  view["has_slow"] = !rows.empty();
  view["note"] = slow.size() > kNamedOutliers
                     ? fmt::format("{} more are slower than usual.", slow.size() - kNamedOutliers)
                     : std::string();
  view["slow"] = std::move(rows);
  return view;
}

}  // namespace profgauge::render::html
