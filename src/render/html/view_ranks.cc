// Many ranks: which ranks wait, which are late in which iteration, and how much ranks differ.
#include "render/html/view_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg.h"
#include "render/svg/svg_heat.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kHeatRows = 128, kHeatColumns = 160;

/// Most bars in all charts of single iterations, which show the slowest iterations. With 64, the
/// page of 32 ranks stays below 300 kB.
constexpr std::size_t kStepBars = 64;

constexpr const Paint& kWaitingPaint = PaintOf(Category::kCommunication);
constexpr const Paint& kLatePaint = PaintOf(Category::kDataLoader);

std::string TimeText(double ns) { return FormatDuration(ns); }

std::string Iterations(std::size_t count) {
  return fmt::format("{} iteration{}", count, count == 1 ? "" : "s");
}

void AddFigure(std::string_view title, std::string svg, std::string note, json::array& out) {
  if (svg.empty()) return;
  out.push_back(json::object{
      {"title", title}, {"chart", MakeMarkup(std::move(svg))}, {"note", std::move(note)}});
}

std::int64_t IntegerAt(const Table& table, std::size_t row, std::string_view column) {
  return AsWhole(table.At(row, column), -1);
}

bool HasMany(const Report& report) {
  return report.profile.ranks > static_cast<std::int64_t>(kRankBars);
}

bool Knows(const Table& table, std::string_view id) {
  const Column* column = table.Find(id);
  return column != nullptr && column->absent_because().empty();
}

// How many neighbors share a row or column, so that at most `most` remain. It is a power of two, so
// that GPUs of one machine stay together.
std::size_t Together(std::size_t count, std::size_t most) {
  std::size_t each = 1;
  while ((count + each - 1) / each > most) each *= 2;
  return each;
}

struct Axis {
  std::vector<std::int64_t> values;  ///< Ascending: ranks or iterations.
  std::size_t each = 1;

  std::size_t cells() const { return (values.size() + each - 1) / each; }
  std::size_t At(std::int64_t value) const {
    const auto found = std::lower_bound(values.begin(), values.end(), value);
    return static_cast<std::size_t>(found - values.begin()) / each;
  }
  std::vector<std::string> Names(std::string_view before) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < values.size(); i += each) {
      const std::size_t last = std::min(i + each, values.size()) - 1;
      names.push_back(last == i ? fmt::format("{}{}", before, values[i])
                                : fmt::format("{}{}–{}", before, values[i], values[last]));
    }
    return names;
  }
};

Axis AxisOf(const Table& table, std::string_view column, std::size_t most) {
  std::set<std::int64_t> values;
  for (std::size_t row = 0; row < table.rows(); ++row) values.insert(IntegerAt(table, row, column));
  Axis axis;
  axis.values.assign(values.begin(), values.end());
  axis.each = Together(axis.values.size(), most);
  return axis;
}

// The largest cells as text, for readers without pictures.
std::string MostIn(const Table& table, std::string_view column) {
  std::size_t most = 0;
  for (std::size_t row = 1; row < table.rows(); ++row) {
    if (AsNumber(table.At(row, column), 0) > AsNumber(table.At(most, column), 0)) most = row;
  }
  return fmt::format("at most {}, of rank {} in iteration {}",
                     TimeText(AsNumber(table.At(most, column), 0)), IntegerAt(table, most, "rank"),
                     IntegerAt(table, most, "step"));
}

void AddHeat(const Table& table, std::string_view column, const Paint& paint,
             std::string_view title, std::size_t ranks_of_run, json::array& out) {
  const Axis ranks = AxisOf(table, "rank", kHeatRows);
  const Axis steps = AxisOf(table, "step", kHeatColumns);
  HeatChart chart;
  chart.rows = ranks.Names("rank ");
  chart.columns = steps.Names("");
  chart.values.assign(ranks.cells() * steps.cells(), -1);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Value value = table.At(row, column);
    if (IsAbsent(value)) continue;
    double& cell = chart.values[ranks.At(IntegerAt(table, row, "rank")) * steps.cells() +
                                steps.At(IntegerAt(table, row, "step"))];
    cell = std::max(cell, AsNumber(value, 0));
  }
  chart.paint = paint;
  chart.value_text = TimeText;
  chart.description = fmt::format("{} of {} ranks in {}: {}", title, ranks.values.size(),
                                  Iterations(steps.values.size()), MostIn(table, column));
  std::string note;
  if (ranks.each > 1) note = fmt::format("Each row is the maximum of {} ranks", ranks.each);
  if (steps.each > 1) {
    note += fmt::format("{} of {} iterations",
                        note.empty() ? "Each column is the maximum" : ", and", steps.each);
  }
  if (!note.empty()) note += ".";
  if (table.rows() < ranks_of_run * steps.values.size()) {
    note += fmt::format("{}Only ranks that report.json contains, of {}.", note.empty() ? "" : " ",
                        ranks_of_run);
  }
  AddFigure(title, SvgHeat(chart),
            fmt::format("{}.{}{}", chart.description, note.empty() ? "" : " ", note), out);
}

json::array Heats(const Report& report) {
  json::array out;
  const Table* steps = FindTable(report, "rank_steps");
  // If few ranks share one iteration, bars are clearer than cells.
  if (steps == nullptr || report.profile.ranks < 2) return out;
  if (!HasMany(report) && report.profile.iterations_selected < 2) return out;
  for (const auto& [column, paint, title] :
       {std::tuple<std::string_view, const Paint&, std::string_view>{"late_cost", kLatePaint,
                                                                     "Lateness"},
        {"waiting_exposed", kWaitingPaint, "Waiting"}}) {
    if (Knows(*steps, column))
      AddHeat(*steps, column, paint, title, static_cast<std::size_t>(report.profile.ranks), out);
  }
  return out;
}

json::array Bands(const Report& report) {
  json::array out;
  const Table* spread = FindTable(report, "rank_spread");
  if (spread == nullptr || !HasMany(report)) return out;
  struct Part {
    std::string_view id, title;
    Paint paint;
  };
  for (const Part& part :
       {Part{"iteration", "Iteration time", PaintOf(Category::kMemcpy)},
        Part{"computing", "Computing", PaintOf(Category::kOtherKernel)},
        Part{"waiting", "Waiting", kWaitingPaint}, Part{"lateness", "Lateness", kLatePaint}}) {
    BandChart chart;
    std::size_t most = spread->rows();
    for (std::size_t row = 0; row < spread->rows(); ++row) {
      const Value of = spread->At(row, "part");
      const auto* id = std::get_if<std::string>(&of);
      if (id == nullptr || *id != part.id) continue;
      const auto at = [&](std::string_view column) { return AsNumber(spread->At(row, column), 0); };
      chart.bands.push_back({fmt::to_string(IntegerAt(*spread, row, "step")), at("p5"), at("p25"),
                             at("median"), at("p75"), at("p95")});
      if (most == spread->rows() || at("max") > AsNumber(spread->At(most, "max"), 0)) most = row;
    }
    if (chart.bands.empty()) continue;
    chart.paint = part.paint;
    chart.value_text = TimeText;
    chart.description =
        fmt::format("{} over {}: at most {}, of rank {} in iteration {}", part.title,
                    Iterations(chart.bands.size()), TimeText(AsNumber(spread->At(most, "max"), 0)),
                    IntegerAt(*spread, most, "max_rank"), IntegerAt(*spread, most, "step"));
    AddFigure(part.title, SvgBands(chart), chart.description + ".", out);
  }
  return out;
}

// The bar of one rank in one iteration.
ChartColumn StepColumn(const Table& steps, std::size_t row) {
  ChartColumn column;
  column.name = fmt::to_string(IntegerAt(steps, row, "rank"));
  column.title =
      fmt::format("Rank {}: {}", column.name, TimeText(AsNumber(steps.At(row, "duration"), 0)));
  for (const RankPart& part : kRankParts) {
    const double time = std::max(0.0, AsNumber(steps.At(row, part.column), 0));
    column.values.push_back(time);
    if (time > 0) column.title += fmt::format("\n{} {}", part.label, TimeText(time));
  }
  return column;
}

// The ranks in each of the slowest iterations, in the order of the profile.
json::array StepsOf(const Report& report) {
  json::array out;
  const Table* steps = FindTable(report, "rank_steps");
  if (steps == nullptr || report.profile.ranks < 2 || report.profile.iterations_selected < 2) {
    return out;
  }
  std::map<std::int64_t, std::vector<std::size_t>> by_step;
  for (std::size_t row = 0; row < steps->rows(); ++row) {
    by_step[IntegerAt(*steps, row, "step")].push_back(row);
  }
  std::vector<std::pair<double, std::int64_t>> slowest;
  std::size_t most_ranks = 1;
  for (const auto& [step, rows] : by_step) {
    double longest = 0;
    for (const std::size_t row : rows) {
      longest = std::max(longest, AsNumber(steps->At(row, "duration"), 0));
    }
    slowest.emplace_back(-longest, step);
    most_ranks = std::max(most_ranks, rows.size());
  }
  if (most_ranks > kRankBars) return out;
  std::sort(slowest.begin(), slowest.end());
  slowest.resize(std::min(slowest.size(), kStepBars / most_ranks));
  std::sort(slowest.begin(), slowest.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [duration, step] : slowest) {
    ColumnChart chart;
    chart.width = 580;
    chart.height = 170;
    for (const RankPart& part : kRankParts) chart.series.push_back(part.paint);
    for (const std::size_t row : by_step[step]) chart.columns.push_back(StepColumn(*steps, row));
    chart.axis_text = TimeText;
    chart.description =
        fmt::format("Breakdown of iteration {} on each of {} ranks", step, chart.columns.size());
    AddFigure(fmt::format("Iteration {}: {}", step, TimeText(-duration)), SvgColumns(chart), "",
              out);
  }
  return out;
}

// How many iterations have no bars.
std::string StepsNote(const Report& report, std::size_t shown) {
  const auto all =
      static_cast<std::size_t>(std::max<std::int64_t>(0, report.profile.iterations_selected));
  if (shown == 0 || shown >= all) return {};
  return fmt::format("The slowest {} of {} iterations.", shown, all);
}

struct Extreme {
  std::string_view what, column;
  enum class Which { kMost, kMedian, kLeast } which;
};

// The names of the slowest, median and fastest of many ranks.
json::array Extremes(const Report& report) {
  using enum Extreme::Which;
  json::array out;
  const Table* ranks = FindTable(report, "ranks");
  if (ranks == nullptr || !HasMany(report)) return out;
  for (const Extreme& extreme : {Extreme{"Delays others most", "late_cost", kMost},
                                 {"Most often last", "last_calls", kMost},
                                 {"Least waiting", "waiting_time", kLeast},
                                 {"Median waiting", "waiting_time", kMedian},
                                 {"Most waiting", "waiting_time", kMost},
                                 {"Longest computation", "compute_time", kMost},
                                 {"Shortest computation", "compute_time", kLeast},
                                 {"Slowest kernels", "kernel_slowdown", kMost}}) {
    if (!Knows(*ranks, extreme.column)) continue;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t row = 0; row < ranks->rows(); ++row) {
      const Value value = ranks->At(row, extreme.column);
      if (!IsAbsent(value)) order.emplace_back(AsNumber(value, 0), row);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    if (order.empty() || order.front().first == order.back().first) continue;
    std::size_t at = order.size() / 2;
    if (extreme.which == kLeast) at = 0;
    if (extreme.which == kMost) {
      at = order.size() - 1;
      while (at > 0 && order[at - 1].first == order.back().first) --at;
    }
    const std::size_t row = order[at].second;
    out.push_back(json::object{{"what", extreme.what},
                               {"rank", FormatValue(ranks->At(row, "id"), Unit::kCount)},
                               {"number", NumberView(ranks->At(row, extreme.column),
                                                     ranks->Find(extreme.column)->unit())}});
  }
  return out;
}

// How long each rank waits and transfers in all matched collectives.
json::array Synchronizing(const Report& report) {
  json::array out;
  const Table* ranks = FindTable(report, "ranks");
  // If there are more ranks, this chart is omitted: "By rank" draws the same parts.
  constexpr std::size_t kMostBars = 16;
  if (ranks == nullptr || ranks->rows() < 2 || ranks->rows() > kMostBars) return out;
  double longest = 0;
  const auto at = [&](std::size_t row, std::string_view column) {
    return AsNumber(ranks->At(row, column), 0);
  };
  for (std::size_t row = 0; row < ranks->rows(); ++row) {
    longest = std::max(longest, at(row, "waiting_time") + at(row, "transfer_time"));
  }
  if (!(longest > 0)) return out;
  for (std::size_t row = 0; row < ranks->rows(); ++row) {
    const double waiting = at(row, "waiting_time"), transfer = at(row, "transfer_time");
    const double whole = waiting + transfer;
    const std::string name =
        fmt::format("Rank {}", FormatValue(ranks->At(row, "id"), Unit::kCount));
    std::vector<BarPart> bar;
    std::string description = name + ":";
    for (const auto& [label, paint, time] : {std::tuple<std::string_view, const Paint&, double>{
                                                 "waiting", PaintOf(Category::kWait), waiting},
                                             {"transfer", kWaitingPaint, transfer}}) {
      const std::string text = fmt::format("{} {}", label, TimeText(time));
      bar.push_back({paint, time / longest, "", text});
      description += (bar.size() > 1 ? ", " : " ") + text;
    }
    out.push_back(json::object{
        {"name", name},
        {"bar", MakeMarkup(SvgStackedBar(bar, 960, 18, description, Hover::kWhole))},
        {"waiting", NumberView(ranks->At(row, "waiting_time"), Unit::kTime)},
        {"share", NumberView(Value(whole > 0 ? waiting / whole : 0.0), Unit::kShare)}});
  }
  return out;
}

}  // namespace

boost::json::object RanksView(const Report& report) {
  json::array heats = Heats(report), bands = Bands(report), extremes = Extremes(report);
  json::array synchronizing = Synchronizing(report), steps = StepsOf(report);
  json::object bandwidth = BandwidthView(report);
  std::string steps_note = StepsNote(report, steps.size());
  const bool has_steps = !steps.empty();
  const bool has_extremes = !extremes.empty(), has_bands = !bands.empty();
  const bool has_heats = !heats.empty(), has_synchronizing = !synchronizing.empty();
  const bool has_bandwidth = bandwidth["known"].as_bool();
  return {{"known", has_heats || has_steps || has_bands || has_synchronizing || has_bandwidth ||
                        has_extremes},
          {"heats", std::move(heats)},
          {"has_heats", has_heats},
          {"bands", std::move(bands)},
          {"has_bands", has_bands},
          {"extremes", std::move(extremes)},
          {"has_extremes", has_extremes},
          {"steps", std::move(steps)},
          {"has_steps", has_steps},
          {"steps_note", std::move(steps_note)},
          {"synchronizing", std::move(synchronizing)},
          {"has_synchronizing", has_synchronizing},
          {"swatch_waiting", MakeMarkup(SvgSwatch(PaintOf(Category::kWait)))},
          {"swatch_transfer", MakeMarkup(SvgSwatch(kWaitingPaint))},
          {"bandwidth", std::move(bandwidth)},
          {"has_bandwidth", has_bandwidth}};
}

}  // namespace profgauge::render::html
