// The allocator over time: a chart for each device, from the table of the memory curve.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/categories.h"
#include "render/shared/template.h"
#include "render/svg/svg_steps.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kMostCharts = 8;

struct Curve {
  std::string device;
  std::int64_t rank = 0;
  StepSeries allocated{PaintOf(Category::kOtherKernel), "allocated", true, {}};
  StepSeries reserved{PaintOf(Category::kMemcpy), "reserved", false, {}};
};

double PeakOf(const StepSeries& series) {
  double peak = 0;
  for (const auto& [time, value] : series.points) peak = std::max(peak, value);
  return peak;
}

// A row for each event of the allocator: columns are found once, and cells are no Values.
std::vector<Curve> CurvesOf(const Table& table) {
  std::vector<Curve> curves;
  const Column* const device = table.Find("device");
  if (device == nullptr || device->type() != CellType::kText) return curves;
  const Column *const ranks = table.Find("rank"), *const times = table.Find("time");
  const Column *const allocated = table.Find("allocated"), *const reserved = table.Find("reserved");
  const auto number = [](const Column* column, std::size_t row) -> std::optional<std::int64_t> {
    if (column == nullptr || column->type() != CellType::kInteger) return std::nullopt;
    const std::int64_t cell = column->IntegerAt(row);
    return cell == Column::kAbsentInteger ? std::nullopt : std::optional(cell);
  };
  using Key = std::pair<StringId, std::int64_t>;
  std::map<Key, std::size_t> places;
  Key last_key;  // That of most rows: the map is asked where it changes.
  std::size_t last_place = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Key key{device->TextAt(row), number(ranks, row).value_or(0)};
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
    const std::int64_t time = number(times, row).value_or(0);
    const auto add = [&](const Column* column, StepSeries& series) {
      const auto bytes = number(column, row);
      if (bytes) series.points.emplace_back(time, static_cast<double>(*bytes));
    };
    add(allocated, curve.allocated);
    add(reserved, curve.reserved);
  }
  // GPUs first: the host's memory is rarely the question.
  std::stable_partition(curves.begin(), curves.end(),
                        [](const Curve& curve) { return curve.device != "CPU"; });
  return curves;
}

// Takes the curve's points.
std::string ChartOf(Curve& curve, const std::string& name) {
  StepChart chart;
  const double peak = PeakOf(curve.allocated);
  chart.lines = {{peak, "peak " + FormatBytes(peak)}};
  chart.value_text = [](double bytes) { return FormatBytes(bytes); };
  chart.time_text = [](double ns) { return FormatDuration(ns); };
  chart.description = fmt::format("Memory of {} over time: at most {} allocated, {} reserved", name,
                                  FormatBytes(peak), FormatBytes(PeakOf(curve.reserved)));
  chart.series.push_back(std::move(curve.allocated));
  if (PeakOf(curve.reserved) > 0) chart.series.push_back(std::move(curve.reserved));
  return SvgSteps(chart);
}

}  // namespace

boost::json::object MemoryView(const Report& report) {
  json::array charts;
  std::size_t more = 0;
  if (const Table* table = FindTable(report, "memory_curve")) {
    std::vector<Curve> curves = CurvesOf(*table);
    const bool several = report.profile.ranks > 1;
    for (Curve& curve : curves) {
      const std::string name =
          several ? fmt::format("rank {} · {}", curve.rank, curve.device) : curve.device;
      std::string svg = ChartOf(curve, name);
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
           {"memory.peak_allocated", "Most allocated"},
           {"memory.peak_reserved", "Most reserved"},
           {"memory.peak_share", "Of the device's memory"},
           {"memory.fragmentation", "Fragmentation"}}) {
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
