// How fast collectives are for the size of their messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/categories.h"
#include "render/shared/template.h"
#include "render/svg/svg_points.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kNamedOutliers = 8;
/// Of the median of its kind and size: slower is an outlier.
constexpr double kSlow = 0.8;
constexpr std::size_t kFewAlike = 3;  ///< Of fewer nobody knows what is usual.

std::string BytesText(double bytes) { return FormatBytes(bytes); }
std::string BandwidthText(double value) { return FormatValue(value, Unit::kBandwidth); }

struct Measured {
  std::string kind, group;
  std::int64_t ranks = 0;
  double bytes = 0, bandwidth = 0, usual = 0;
};

std::vector<Measured> MeasuredSizes(const Report& report) {
  std::vector<Measured> out;
  const Table* sizes = FindTable(report, "message_sizes");
  if (sizes == nullptr) return out;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<std::size_t>> alike;
  for (std::size_t row = 0; row < sizes->rows(); ++row) {
    const Value bandwidth = sizes->At(row, "bus_bandwidth");
    const double calls = AsNumber(sizes->At(row, "calls"), 0);
    const double bytes = AsNumber(sizes->At(row, "bytes"), 0);
    if (IsAbsent(bandwidth) || !(calls > 0) || !(bytes > 0)) continue;
    const auto ranks = static_cast<std::int64_t>(AsNumber(sizes->At(row, "group_size"), 0));
    alike[{FormatValue(sizes->At(row, "name"), Unit::kText), ranks,
           static_cast<std::int64_t>(AsNumber(sizes->At(row, "from"), 0))}]
        .push_back(out.size());
    out.push_back({FormatValue(sizes->At(row, "name"), Unit::kText),
                   FormatValue(sizes->At(row, "group"), Unit::kText), ranks, bytes / calls,
                   AsNumber(bandwidth, 0), 0});
  }
  for (const auto& [key, places] : alike) {
    if (places.size() < kFewAlike) continue;
    std::vector<double> values;
    for (const std::size_t place : places) values.push_back(out[place].bandwidth);
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    for (const std::size_t place : places) out[place].usual = values[values.size() / 2];
  }
  return out;
}

bool IsSlow(const Measured& point) { return point.bandwidth < kSlow * point.usual; }

constexpr std::array<Category, 8> kKindColours = {
    Category::kMemcpy,        Category::kTensorCoreKernel,
    Category::kDataLoader,    Category::kRuntime,
    Category::kCommunication, Category::kOtherKernel,
    Category::kMemset,        Category::kOther};

}  // namespace

// Bus bandwidth over the size of messages, by kind; slow groups by name.
boost::json::object BandwidthView(const Report& report) {
  json::object view{{"known", false},
                    {"chart", MakeMarkup("")},
                    {"note", ""},
                    {"slow", json::array()},
                    {"has_slow", false}};
  const std::vector<Measured> points = MeasuredSizes(report);
  if (points.empty()) return view;
  std::map<std::string, PointSeries> by_kind;
  double most = 0;
  for (const Measured& point : points) {
    PointSeries& series = by_kind[point.kind];
    series.name = point.kind;
    const std::string group = point.group.empty() ? "" : fmt::format(", group {}", point.group);
    series.points.push_back(
        {point.bytes, point.bandwidth,
         fmt::format("{} of {} ranks{}: {} at {}", point.kind, point.ranks, group,
                     BandwidthText(point.bandwidth), BytesText(point.bytes)),
         IsSlow(point)});
    most = std::max(most, point.bandwidth);
  }
  PointChart chart;
  for (auto& [kind, series] : by_kind) {
    series.paint = PaintOf(kKindColours[chart.series.size() % kKindColours.size()]);
    chart.series.push_back(std::move(series));
  }
  chart.x_text = BytesText;
  chart.y_text = BandwidthText;
  chart.description =
      fmt::format("Bus bandwidth over the size of messages, of {} kinds of collectives: at most {}",
                  chart.series.size(), BandwidthText(most));
  std::vector<Measured> slow;
  std::copy_if(points.begin(), points.end(), std::back_inserter(slow), IsSlow);
  std::stable_sort(slow.begin(), slow.end(), [](const Measured& a, const Measured& b) {
    return a.bandwidth / a.usual < b.bandwidth / b.usual;
  });
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
