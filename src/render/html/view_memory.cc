// Allocated memory over time: a chart for each device, from the table of the memory curve.

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/html/view_memory.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "render/svg/svg_blocks.h"
#include "render/svg/svg_points.h"
#include "render/svg/svg_steps.h"
#include "report/table_sums.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kMostCharts = 8;

// The rows of allocated and reserved memory of one device.
struct Curve {
  std::string device;
  std::int64_t rank = 0;
  std::vector<std::uint32_t> allocated, reserved;
};

// The number in a column; nullopt if it is absent or there is no such column.
std::optional<std::int64_t> NumberAt(const Column* column, std::size_t row) {
  if (column == nullptr || column->type() != CellType::kInteger) return std::nullopt;
  const std::int64_t cell = column->IntegerAt(row);
  return cell == Column::kAbsentInteger ? std::nullopt : std::optional(cell);
}

// The rows of each device, one for each event. For speed, cells are not converted to Values.
std::vector<Curve> CurvesOf(const Table& table) {
  std::vector<Curve> curves;
  const Column* const device = table.Find("device");
  if (device == nullptr || device->type() != CellType::kText) return curves;
  const Column* const ranks = table.Find("rank");
  const Column* const allocated = table.Find("allocated");
  const Column* const reserved = table.Find("reserved");
  using Key = std::pair<StringId, std::int64_t>;
  std::map<Key, std::size_t> places;
  Key last_key;  // Avoids most searches of the map.
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
  // GPUs come first, because the host's memory rarely matters.
  std::stable_partition(curves.begin(), curves.end(),
                        [](const Curve& curve) { return curve.device != "CPU"; });
  return curves;
}

// The values of `column` in these rows. It refers to `table` and `rows`, which must outlive it, so
// that millions of events need not be copied.
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

// The largest value; 0 for an empty series.
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
  // A table without rows is no link's target.
  const auto has_rows = [&report](std::string_view id) {
    const Table* table = FindTable(report, id);
    return table != nullptr && table->rows() > 0;
  };
  return {{"known", known},
          {"charts", std::move(charts)},
          {"facts", std::move(facts)},
          {"more", more == 0 ? "" : FormatCount(static_cast<std::int64_t>(more))},
          {"has_blocks", has_rows("memory_events")},
          {"has_ops", has_rows("memory_ops")}};
}

// Bandwidth of collectives by message size.

namespace {

constexpr std::size_t kNamedOutliers = 8;

std::string BytesText(double bytes) { return FormatBytes(bytes); }
std::string BandwidthText(double value) { return FormatValue(value, Unit::kBandwidth); }

constexpr const Paint& PaintOfKind(std::size_t kind) {
  return kNeutralPaints[kind % kNeutralPaints.size()];
}

}  // namespace

// The bus bandwidth by message size and kind. Slow groups are named.
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

// The charts of SBUF's contents, one for each partition of each core, from the table of
// allocations.

namespace {

constexpr std::size_t kMostBlocks = 400;  // In all charts, for a small page.
constexpr std::size_t kMostSbufCharts = 8;

struct SbufUse {
  std::string_view label;
  Paint paint;
};
constexpr std::array<SbufUse, 4> kSbufUses = {
    {{"by an instruction", PaintOf(Category::kOtherKernel)},
     {"loaded by DMA", PaintOf(Category::kMemcpy)},
     {"spilled or reloaded by DMA", PaintOf(Category::kDataLoader)},
     {"not recorded", PaintOf(Category::kOther)}}};

std::string TextOf(const Table& table, std::size_t row, std::string_view column) {
  const Value cell = table.At(row, column);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}

// The kind of use by the names in the file: a queue means DMA, an opcode means an instruction.
std::size_t KindOf(const Table& table, std::size_t row) {
  const std::string queue = TextOf(table, row, "queue");
  if (!queue.empty()) return queue.find("Spill") == std::string::npos ? 1 : 2;
  const std::string source = TextOf(table, row, "source");
  if (source == "instruction" || !TextOf(table, row, "opcode").empty()) return 0;
  return source.starts_with("dma") || source.starts_with("DMA") ? 1 : 3;
}

std::string TitleOf(const Table& table, std::size_t row) {
  std::string name;
  for (const char* column : {"tensor", "hlo", "opcode", "queue"}) {
    if (name.empty()) name = TextOf(table, row, column);
  }
  constexpr std::size_t kLetters = 60;
  return fmt::format("{}{}{}, {} for {}", ElideMiddle(name, kLetters), name.empty() ? "" : ", ",
                     FormatValue(table.At(row, "bytes"), Unit::kBytes),
                     FormatValue(table.At(row, "start"), Unit::kTime),
                     FormatValue(table.At(row, "duration"), Unit::kTime));
}

// Rank, core and partition, because addresses in one chart must be in one memory.
using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

struct Partition {
  BlockChart chart;
  std::array<bool, kSbufUses.size()> kinds{};
};

std::string NameOf(const Place& place, bool several_ranks) {
  const auto& [rank, core, partition] = place;
  return fmt::format("SBUF · {}core {} · {}", several_ranks ? fmt::format("rank {} · ", rank) : "",
                     core,
                     partition < 0 ? "partition unknown" : fmt::format("partition {}", partition));
}

// The chart of one partition; empty if no allocation has a duration.
json::object ChartView(const std::string& name, Partition& partition) {
  json::array legend;
  for (std::size_t kind = 0; kind < kSbufUses.size(); ++kind) {
    if (!partition.kinds[kind]) continue;
    legend.push_back(json::object{{"swatch", MakeMarkup(SvgSwatch(kSbufUses[kind].paint))},
                                  {"label", kSbufUses[kind].label}});
  }
  const std::size_t blocks = partition.chart.blocks.size();
  partition.chart.description =
      fmt::format("{}: {} allocation{} by time and address", name, blocks, blocks == 1 ? "" : "s");
  std::string svg = SvgBlocks(partition.chart);
  if (svg.empty()) return {};
  return {{"name", name}, {"legend", std::move(legend)}, {"chart", MakeMarkup(std::move(svg))}};
}

}  // namespace

// Draws the largest allocations as blocks, in a chart for each partition of each core. All have one
// time scale. The note counts rows and partitions that are only in the table.
void AddSbufCharts(const Table& table, bool several_ranks, json::object& view) {
  const auto number = [&](std::size_t row, std::string_view column, std::int64_t otherwise) {
    return AsWhole(table.At(row, column), otherwise);
  };
  std::vector<std::pair<std::int64_t, std::size_t>> rows;  // Bytes, row.
  for (std::size_t row = 0; row < table.rows(); ++row)
    rows.emplace_back(number(row, "bytes", 0), row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (rows.size() > kMostBlocks) rows.resize(kMostBlocks);
  Ns begin = std::numeric_limits<Ns>::max(), end = 0;
  std::map<Place, Partition> partitions;
  for (const auto& [bytes, row] : rows) {
    Partition& partition =
        partitions[{number(row, "rank", 0), number(row, "core", 0), number(row, "partition", -1)}];
    begin = std::min<Ns>(begin, number(row, "start", 0));
    end = std::max<Ns>(end, number(row, "end", 0));
    const std::size_t kind = KindOf(table, row);
    partition.kinds[kind] = true;
    partition.chart.blocks.push_back({number(row, "start", 0), number(row, "end", 0),
                                      number(row, "address", 0), bytes, kSbufUses[kind].paint,
                                      TitleOf(table, row)});
  }
  json::array charts;
  std::string note = "Horizontal: time. Vertical: addresses.";
  if (table.rows() > rows.size()) {
    note += fmt::format(" Shows the {} largest of {} rows.", rows.size(),
                        FormatCount(static_cast<std::int64_t>(table.rows())));
  }
  for (auto& [place, partition] : partitions) {
    if (charts.size() == kMostSbufCharts) break;
    partition.chart.begin = begin;  // All charts have one scale.
    partition.chart.end = end;
    json::object chart = ChartView(NameOf(place, several_ranks), partition);
    if (!chart.empty()) charts.push_back(std::move(chart));
  }
  if (partitions.size() > charts.size()) {
    note += fmt::format(" {} more partitions are in the table.", partitions.size() - charts.size());
  }
  view["charts"] = std::move(charts);
  view["charts_note"] = std::move(note);
}

}  // namespace profgauge::render::html
