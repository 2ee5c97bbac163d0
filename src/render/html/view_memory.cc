// The allocator over time: a chart for each device, from the table of the memory curve.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg_charts.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kMostCharts = 8;

// For one device: the rows of allocated and of reserved memory.
struct Curve {
  std::string device;
  std::int64_t rank = 0;
  std::vector<std::uint32_t> allocated, reserved;
};

// The cell of a column of numbers; nothing where it is absent, or there is no such column.
std::optional<std::int64_t> NumberAt(const Column* column, std::size_t row) {
  if (column == nullptr || column->type() != CellType::kInteger) return std::nullopt;
  const std::int64_t cell = column->IntegerAt(row);
  return cell == Column::kAbsentInteger ? std::nullopt : std::optional(cell);
}

// A row for each event of the allocator: columns are found once, and cells are no Values.
std::vector<Curve> CurvesOf(const Table& table) {
  std::vector<Curve> curves;
  const Column* const device = table.Find("device");
  if (device == nullptr || device->type() != CellType::kText) return curves;
  const Column* const ranks = table.Find("rank");
  const Column* const allocated = table.Find("allocated");
  const Column* const reserved = table.Find("reserved");
  using Key = std::pair<StringId, std::int64_t>;
  std::map<Key, std::size_t> places;
  Key last_key;  // That of most rows: the map is asked where it changes.
  std::size_t last_place = 0;
  for (std::uint32_t row = 0; row < table.rows(); ++row) {
    const Key key{device->TextAt(row), NumberAt(ranks, row).value_or(0)};
    if (!key.first.valid()) continue;
    if (key != last_key) {
      const auto [place, is_new] = places.try_emplace(key, curves.size());
      if (is_new) {
        curves.emplace_back().device = table.strings()[key.first];
        curves.back().rank = key.second;
      }
      last_key = key;
      last_place = place->second;
    }
    Curve& curve = curves[last_place];
    if (NumberAt(allocated, row)) curve.allocated.push_back(row);
    if (NumberAt(reserved, row)) curve.reserved.push_back(row);
  }
  // GPUs first: the host's memory is rarely the question.
  std::stable_partition(curves.begin(), curves.end(),
                        [](const Curve& curve) { return curve.device != "CPU"; });
  return curves;
}

// The values of `column` in these rows as a series. It refers to `table` and `rows`, which must
// outlive it: a curve of millions of events is not copied.
StepSeries SeriesOf(const Table& table, std::string_view column,
                    const std::vector<std::uint32_t>& rows) {
  StepSeries series;
  series.name = column;
  series.size = rows.size();
  series.point = [&rows, times = table.Find("time"), values = table.Find(column)](std::size_t i) {
    return std::pair(NumberAt(times, rows[i]).value_or(0),
                     static_cast<double>(values->IntegerAt(rows[i])));
  };
  return series;
}

// The largest value; 0 of an empty series.
double PeakOf(const StepSeries& series) {
  double peak = 0;
  for (std::size_t i = 0; i < series.size; ++i) peak = std::max(peak, series.point(i).second);
  return peak;
}

std::string ChartOf(const Table& table, const Curve& curve, const std::string& name) {
  StepSeries allocated = SeriesOf(table, "allocated", curve.allocated);
  allocated.paint = PaintOf(Category::kOtherKernel);
  allocated.filled = true;
  StepSeries reserved = SeriesOf(table, "reserved", curve.reserved);
  reserved.paint = PaintOf(Category::kMemcpy);
  StepChart chart;
  const double peak = PeakOf(allocated), most_reserved = PeakOf(reserved);
  chart.lines = {{peak, "peak " + FormatBytes(peak)}};
  chart.value_text = [](double bytes) { return FormatBytes(bytes); };
  chart.time_text = [](double ns) { return FormatDuration(ns); };
  chart.description = fmt::format("Memory of {} over time: at most {} allocated, {} reserved", name,
                                  FormatBytes(peak), FormatBytes(most_reserved));
  chart.series.push_back(std::move(allocated));
  if (most_reserved > 0) chart.series.push_back(std::move(reserved));
  return SvgSteps(chart);
}

}  // namespace

boost::json::object MemoryView(const Report& report) {
  json::array charts;
  std::size_t more = 0;
  if (const Table* table = FindTable(report, "memory_curve")) {
    const std::vector<Curve> curves = CurvesOf(*table);
    const bool several = report.profile.ranks > 1;
    for (const Curve& curve : curves) {
      const std::string name =
          several ? fmt::format("rank {} · {}", curve.rank, curve.device) : curve.device;
      std::string svg = ChartOf(*table, curve, name);
      if (svg.empty()) continue;
      if (charts.size() == kMostCharts) {
        ++more;
        continue;
      }
      charts.push_back(json::object{{"name", name},
                                    {"device", curve.device},
                                    {"rank", fmt::to_string(curve.rank)},
                                    {"chart", MakeMarkup(std::move(svg))}});
    }
  }
  json::array facts;
  for (const auto& [id, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {metric::kMemoryPeakAllocated, "Peak allocated"},
           {metric::kMemoryPeakReserved, "Peak reserved"},
           {metric::kMemoryPeakShare, "Share of device memory"},
           {metric::kMemoryFragmentation, "Fragmentation"}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      facts.push_back(json::object{{"label", label}, {"number", NumberView(metric->quantity)}});
    }
  }
  const bool known = !charts.empty();
  return {{"known", known},
          {"charts", std::move(charts)},
          {"facts", std::move(facts)},
          {"more", more == 0 ? "" : FormatCount(static_cast<std::int64_t>(more))},
          {"has_blocks", FindTable(report, "memory_events") != nullptr},
          {"has_ops", FindTable(report, "memory_ops") != nullptr}};
}

}  // namespace profgauge::render::html
