// The breakdown of iterations and their comparison: two charts, each with its table.
#include "render/html/view_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/html/view_tables.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg.h"
#include "report/labels.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;
using Parts = std::array<double, kBreakdownCategories>;  // In ns, by category.

double SumOf(const Parts& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

std::string DurationText(double ns) { return FormatDuration(ns); }

// Reads the parts of the run from metrics, which cover the selected iterations.
bool PartsOfRun(const Report& report, Parts& parts) {
  bool any = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const report::Metric* metric = FindMetric(report, kBreakdownMetrics[i].time);
    any |= metric != nullptr;
    parts[i] = metric == nullptr ? 0 : AsNumber(metric->quantity.value, 0);
  }
  return any;
}

Parts PartsOfRow(const Table& table, std::size_t row) {
  Parts parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = AsNumber(table.At(row, kCategoryInfo[i].id), 0);
  }
  return parts;
}

// Times by rank and part.
std::vector<std::array<double, kRankParts.size()>> PartsOfRanks(const Table& ranks) {
  std::vector<std::array<double, kRankParts.size()>> parts(ranks.rows());
  for (std::size_t row = 0; row < ranks.rows(); ++row) {
    for (std::size_t i = 0; i < kRankParts.size(); ++i) {
      parts[row][i] = std::max(0.0, AsNumber(ranks.At(row, kRankParts[i].column), 0));
    }
  }
  return parts;
}

const Table* RanksWithBars(const Report& report) {
  const Table* ranks = FindTable(report, "ranks");
  const bool has_bars = ranks != nullptr && ranks->rows() >= 2 && ranks->rows() <= kRankBars &&
                        ranks->Find(kRankParts.front().column) != nullptr;
  return has_bars ? ranks : nullptr;
}

// The legend: the parts that at least one rank has.
json::array RankLegend(const Report& report) {
  json::array out;
  const Table* ranks = RanksWithBars(report);
  if (ranks == nullptr) return out;
  const auto parts = PartsOfRanks(*ranks);
  for (std::size_t i = 0; i < kRankParts.size(); ++i) {
    if (std::none_of(parts.begin(), parts.end(), [i](const auto& rank) { return rank[i] > 0; })) {
      continue;
    }
    out.push_back(json::object{{"swatch", MakeMarkup(SvgSwatch(kRankParts[i].paint))},
                               {"label", kRankParts[i].label}});
  }
  return out;
}

// If there are more bars than this, the largest shares are shown only on hover.
constexpr std::size_t kLabelledBars = 8;

// A bar for each rank. Its length is the time of the rank's iterations.
json::array RankBars(const Report& report) {
  json::array out;
  const Table* ranks = RanksWithBars(report);
  if (ranks == nullptr) return out;
  const auto parts = PartsOfRanks(*ranks);
  const bool is_labelled = ranks->rows() <= kLabelledBars;
  double longest = 0;
  for (std::size_t row = 0; row < ranks->rows(); ++row) {
    longest = std::max(longest, AsNumber(ranks->At(row, "iteration_time"), 0));
  }
  for (std::size_t row = 0; row < ranks->rows() && longest > 0; ++row) {
    const double whole = AsNumber(ranks->At(row, "iteration_time"), 0);
    const std::string name =
        fmt::format("Rank {}", FormatValue(ranks->At(row, "id"), Unit::kCount));
    std::vector<BarPart> bar;
    std::vector<std::pair<double, std::string>> said;
    for (std::size_t i = 0; i < kRankParts.size(); ++i) {
      const double share = whole > 0 ? parts[row][i] / whole : 0;
      if (!(share > 0)) continue;
      said.emplace_back(share, fmt::format("{} {}", kRankParts[i].label, FormatShare(share)));
      bar.push_back({kRankParts[i].paint, parts[row][i] / longest,
                     is_labelled ? FormatShare(share) : "", said.back().second});
    }
    // If there are many ranks, only the largest parts are listed. The table of ranks has all.
    if (!is_labelled) {
      std::stable_sort(said.begin(), said.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      said.resize(std::min<std::size_t>(said.size(), 3));
    }
    std::string description = name + ":";
    for (const auto& [share, text] : said) {
      description += (&text == &said.front().second ? " " : ", ") + text;
    }
    out.push_back(
        json::object{{"name", name},
                     {"bar", MakeMarkup(SvgStackedBar(bar, 960, 18, description, Hover::kWhole))},
                     {"time", NumberView(Value(static_cast<std::int64_t>(whole)), Unit::kTime)}});
  }
  return out;
}

struct IterationRow {
  std::size_t row = 0;
  double duration = 0;
  bool outlier = false;
};

// Rows in the table's order. The longest ones are marked as outliers, as many as the metric counts,
// because outliers exceed a limit.
std::vector<IterationRow> IterationRows(const Report& report, const Table& table) {
  std::vector<IterationRow> rows(table.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row] = {row, AsNumber(table.At(row, "duration"), 0), false};
  }
  std::vector<std::size_t> longest(rows.size());
  std::iota(longest.begin(), longest.end(), std::size_t{0});
  std::stable_sort(longest.begin(), longest.end(), [&](std::size_t a, std::size_t b) {
    return rows[a].duration > rows[b].duration;
  });
  const auto outliers = static_cast<std::size_t>(MetricOr(report, metric::kIterationOutliers, 0));
  for (std::size_t i = 0; i < std::min(outliers, rows.size()); ++i) {
    rows[longest[i]].outlier = true;
  }
  return rows;
}

using IterationLabels = std::map<std::int64_t, std::string>;

// "ProfilerStep#5 (0)", or the position if the iteration has no other name.
std::string NameOf(const Table& table, std::size_t row, const IterationLabels& labels) {
  const Value index = table.At(row, "index");
  if (IsAbsent(index)) return fmt::to_string(row);
  const auto label = labels.find(std::get<std::int64_t>(index));
  return label == labels.end() ? FormatValue(index, Unit::kCount) : label->second;
}

// The name without the marker, "#5 (0)", because a column has little space below.
std::string ShortName(std::string_view name) {
  const auto number = name.find('#');
  return std::string(number == name.npos ? name : name.substr(number));
}

ChartColumn MakeChartColumn(const Report& report, const Table& table, const IterationRow& iteration,
                            bool has_parts, const IterationLabels& labels) {
  ChartColumn column;
  const std::string name = NameOf(table, iteration.row, labels);
  column.name = ShortName(name);
  column.marked = iteration.outlier;
  column.title = fmt::format("Iteration {}: {}{}", name, DurationText(iteration.duration),
                             iteration.outlier ? ", an outlier" : "");
  if (!has_parts) {
    column.values = {iteration.duration};
    return column;
  }
  const Parts parts = PartsOfRow(table, iteration.row);
  column.values.assign(parts.begin(), parts.end());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > 0) {
      column.title +=
          fmt::format("\n{} {}", WordsOf(report, kCategoryInfo[i].title), DurationText(parts[i]));
    }
  }
  return column;
}

// Most columns; if there are more, neighbors are averaged.
constexpr std::size_t kMaxColumns = 320;

std::vector<ChartColumn> Thin(std::vector<ChartColumn> columns) {
  if (columns.size() <= kMaxColumns) return columns;
  const std::size_t each = (columns.size() + kMaxColumns - 1) / kMaxColumns;
  std::vector<ChartColumn> out;
  for (std::size_t i = 0; i < columns.size(); i += each) {
    ChartColumn mean = columns[i];
    const std::size_t end = std::min(i + each, columns.size());
    for (std::size_t k = i + 1; k < end; ++k) {
      for (std::size_t s = 0; s < mean.values.size(); ++s) mean.values[s] += columns[k].values[s];
      mean.marked |= columns[k].marked;
    }
    for (double& value : mean.values) value /= static_cast<double>(end - i);
    out.push_back(std::move(mean));
  }
  return out;
}

ColumnChart IterationChart(const Report& report, const Table& table,
                           const std::vector<IterationRow>& rows) {
  ColumnChart chart;
  const bool has_parts = table.Find(kCategoryInfo[0].id) != nullptr;
  if (has_parts) {
    for (const Category part : BreakdownCategories()) chart.series.push_back(PaintOf(part));
  } else {
    chart.series.push_back(PaintOf(Category::kOtherKernel));
  }
  const IterationLabels labels = report::IterationLabels(report);
  for (const IterationRow& row : rows) {
    chart.columns.push_back(MakeChartColumn(report, table, row, has_parts, labels));
  }
  chart.columns = Thin(std::move(chart.columns));
  chart.axis_text = [](double ns) { return FormatDuration(ns); };
  chart.description = fmt::format("Duration of {} iterations with their breakdown", rows.size());
  return chart;
}

// Adds iterations that were not selected as pale, gray columns, in the order of the profile.
void AddOthers(const Report& report, const Table& table, const std::vector<IterationRow>& rows,
               ColumnChart& chart) {
  const Table* others = FindTable(report, "other_iterations");
  if (others == nullptr || chart.columns.size() != rows.size()) return;
  const IterationLabels labels = report::IterationLabels(report);
  std::map<std::int64_t, ChartColumn> by_index;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = AsWhole(table.At(rows[i].row, "index"), -1);
    by_index.insert_or_assign(at, chart.columns[i]);
  }
  for (std::size_t row = 0; row < others->rows(); ++row) {
    const double duration = AsNumber(others->At(row, "duration"), 0);
    ChartColumn column;
    const std::string name = NameOf(*others, row, labels);
    column.name = ShortName(name);
    column.title = fmt::format("Iteration {}, not selected: {}", name, DurationText(duration));
    column.values.assign(chart.series.size(), 0);
    column.values.back() = duration;  // "Unattributed": the parts are unknown.
    column.shaded = true;
    by_index.try_emplace(AsWhole(others->At(row, "index"), -1), std::move(column));
  }
  chart.columns.clear();
  for (auto& [index, column] : by_index) chart.columns.push_back(std::move(column));
  chart.columns = Thin(std::move(chart.columns));
  chart.description += fmt::format(", and of {} iterations that are not selected", others->rows());
}

enum class Range : bool { kSelected, kAll };
std::string WholeIterationChart(const Report& report, const Table& table,
                                const std::vector<IterationRow>& rows, Range range) {
  ColumnChart chart = IterationChart(report, table, rows);
  if (range == Range::kAll) AddOthers(report, table, rows, chart);
  // If there are few iterations, the chart is narrow, so that columns are not wide.
  chart.width =
      std::min(chart.width, 180 + 80 * std::max(2, static_cast<int>(chart.columns.size())));
  const auto line = [&](MetricId id, std::string_view name) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      chart.lines.push_back(
          {AsNumber(metric->quantity.value, 0), fmt::format("{} {}", name, metric->quantity.text)});
    }
  };
  line(metric::kIterationTimeMedian, "median");
  line(metric::kIterationTimeP95, "p95");
  return SvgColumns(chart);
}

}  // namespace

std::string IterationSketch(const Report& report) {
  const Table* table = FindTable(report, "iterations");
  const Table* others = FindTable(report, "other_iterations");
  const std::size_t all =
      (table == nullptr ? 0 : table->rows()) + (others == nullptr ? 0 : others->rows());
  if (table == nullptr || all < 2) return {};
  const std::vector<IterationRow> rows = IterationRows(report, *table);
  ColumnChart chart = IterationChart(report, *table, rows);
  AddOthers(report, *table, rows, chart);
  chart.width = 340;
  chart.height = 120;
  for (ChartColumn& column : chart.columns) column.title.clear();  // Only the large chart has them.
  return SvgColumns(chart);
}

boost::json::object BreakdownView(const Report& report) {
  Parts parts{};
  const bool known = PartsOfRun(report, parts);
  const double total = SumOf(parts);
  const auto iterations = static_cast<double>(report::SummedIterations(report));
  json::array rows;
  std::vector<std::pair<std::string, std::string>> absent;
  for (std::size_t i = 0; known && i < parts.size(); ++i) {
    const CategoryInfo& category = kCategoryInfo[i];
    const MetricId id = kBreakdownMetrics[i].share;
    const report::Metric* share = FindMetric(report, id);
    const std::string label = WordsOf(report, category.title);
    if (share == nullptr && parts[i] == 0) {
      const report::Metric* metric = report::FindMetricById(report, id);
      absent.emplace_back(label, metric == nullptr ? "" : metric->quantity.absent_because);
      continue;
    }
    const Value value =
        share == nullptr ? Value(total > 0 ? parts[i] / total : 0.0) : share->quantity.value;
    const auto ns = static_cast<std::int64_t>(parts[i]);
    rows.push_back(json::object{{"swatch", MakeMarkup(SvgSwatch(kCategoryColours[i].paint))},
                                {"label", label},
                                {"id", category.id},
                                {"meaning", WordsOf(report, category.meaning)},
                                {"share", NumberView(value, Unit::kShare)},
                                {"each", NumberView(Value(parts[i] / iterations), Unit::kTime)},
                                {"time", NumberView(Value(ns), Unit::kTime)}});
  }
  const auto sum = static_cast<std::int64_t>(total);
  const bool has_absent = !absent.empty();
  json::array ranks = RankBars(report);
  const bool has_ranks = !ranks.empty();
  return {
      {"known", known && total > 0},
      {"rows", std::move(rows)},
      {"absent", AbsentView(absent)},
      {"has_absent", has_absent},
      {"total", NumberView(Value(sum), Unit::kTime)},
      {"total_each", NumberView(Value(total / iterations), Unit::kTime)},
      {"legend", RankLegend(report)},
      {"ranks", std::move(ranks)},
      {"each_head", report.profile.ranks > 1 ? "Per iteration, mean of ranks" : "Per iteration"},
      {"has_ranks", has_ranks}};
}

namespace {

using Fact = std::pair<MetricId, std::string_view>;
constexpr Fact kFactsOfIterations[] = {{metric::kIterationTimeMedian, "Median"},
                                       {metric::kIterationTimeMean, "Mean"},
                                       {metric::kIterationTimeMin, "Shortest"},
                                       {metric::kIterationTimeMax, "Longest"},
                                       {metric::kIterationTimeP95, "95th percentile"},
                                       {metric::kIterationTimeRobustCv, "Variation (robust)"},
                                       {metric::kIterationOutliers, "Outliers"},
                                       {metric::kIterationDrift, "Drift per iteration"}};
constexpr Fact kFactsOfSteps[] = {
    {metric::kStepTimeMedian, "Median"},       {metric::kStepTimeMean, "Mean"},
    {metric::kStepTimeMin, "Shortest"},        {metric::kStepTimeMax, "Longest"},
    {metric::kStepTimeP95, "95th percentile"}, {metric::kStepTimeRobustCv, "Variation (robust)"},
    {metric::kStepOutliers, "Outliers"},       {metric::kStepDrift, "Drift per iteration"}};

/// The chart for a file of times, whose iterations have no parts.
std::string StepsChart(const Report& report, const Table& steps) {
  ColumnChart chart;
  chart.series.push_back(PaintOf(Category::kOtherKernel));
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    const std::int64_t first = AsWhole(steps.At(row, "first"), 0);
    const std::int64_t count = AsWhole(steps.At(row, "count"), 1);
    const double mean = AsNumber(steps.At(row, "mean"), 0);
    ChartColumn& column = chart.columns.emplace_back();
    column.values = {mean};
    column.name = FormatCount(first);
    column.title = count == 1
                       ? fmt::format("Iteration {}: {}", FormatCount(first), DurationText(mean))
                       : fmt::format("Iterations {} to {}: {} on average", FormatCount(first),
                                     FormatCount(first + count - 1), DurationText(mean));
    column.shaded = AsWhole(steps.At(row, "unusual"), 0) > 0;
  }
  chart.axis_text = [](double ns) { return FormatDuration(ns); };
  chart.description = "Times of the iterations in the order of the file";
  for (const auto& [id, name] :
       {Fact{metric::kStepTimeMedian, "median"}, Fact{metric::kStepTimeP95, "p95"}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      chart.lines.push_back(
          {AsNumber(metric->quantity.value, 0), fmt::format("{} {}", name, metric->quantity.text)});
    }
  }
  return SvgColumns(chart);
}

}  // namespace

boost::json::object IterationsView(const Report& report, TablePacker& payload) {
  const Table* table = FindTable(report, "iterations");
  const Table* steps = FindTable(report, "steps");
  json::array facts;
  for (const auto& [id, label] : steps == nullptr ? kFactsOfIterations : kFactsOfSteps) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      facts.push_back(json::object{{"label", label},
                                   {"metric", id.text()},
                                   {"number", NumberView(metric->quantity)},
                                   {"note", metric->note}});
    }
  }
  json::object view{
      {"chart", MakeMarkup("")},
      {"all_chart", MakeMarkup("")},
      {"has_others", false},
      {"of_steps", false},
      {"facts", std::move(facts)},
      {"selection", report.profile.selection},
      {"source", report.profile.iterations_total == 0 ||
                         report.profile.iteration_source.by == IterationsBy::kUndivided
                     ? ""
                     : report.profile.iteration_source.Text()},
      {"has_outliers", false},
      {"tables", json::array()}};
  TableLimits limits{kStaticRowsOfMain, kPayloadRows};
  limits.accelerator = report.profile.accelerator;
  if (steps != nullptr && steps->rows() > 0) {
    view["selection"] = "as the file states them";
    view["of_steps"] = true;
    view["chart"] = MakeMarkup(StepsChart(report, *steps));
    view["tables"] = json::array{TableView(*steps, limits, &payload)};
    return view;
  }
  if (table == nullptr || table->rows() == 0) return view;
  const std::vector<IterationRow> rows = IterationRows(report, *table);
  // A single iteration would repeat the bar of the breakdown.
  if (rows.size() > 1)
    view["chart"] = MakeMarkup(WholeIterationChart(report, *table, rows, Range::kSelected));
  if (FindTable(report, "other_iterations") != nullptr) {
    view["all_chart"] = MakeMarkup(WholeIterationChart(report, *table, rows, Range::kAll));
    view["has_others"] = true;
  }
  view["has_outliers"] =
      std::any_of(rows.begin(), rows.end(), [](const IterationRow& row) { return row.outlier; });
  const IterationLabels labels = report::IterationLabels(report);
  limits.iterations = &labels;
  json::object frame = TableView(*table, limits, &payload);
  frame["open"] = table->rows() <= 12;
  view["tables"] = json::array{std::move(frame)};
  return view;
}

}  // namespace profgauge::render::html
