// The parts that the runs of a page share: the table of pairs, bars on one scale, metrics.
#include "render/html/view_runs.h"

#include "render/html/view_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/html/view.h"
#include "render/html/view_verdict.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/runs_table.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "render/svg/svg.h"
#include "report/diagnosis.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;
using report::Runs;

json::object IterationView(const Report& run) {
  const report::Metric* time = FindMetric(run, metric::kIterationTimeMean);
  return time == nullptr ? NumberView(Value{}, Unit::kTime) : NumberView(time->quantity);
}

// The cell for two runs; empty if they were not compared.
json::object CellView(const Runs& runs, std::size_t base, std::size_t current) {
  json::object view{{"id", ""}, {"text", ""}, {"relative", ""}, {"name", ""}, {"title", ""}};
  for (std::size_t i = 0; i < runs.pairs.size(); ++i) {
    const Runs::Pair& pair = runs.pairs[i];
    if (pair.base != base || pair.current != current || !pair.report.comparison) continue;
    const report::Comparison& comparison = *pair.report.comparison;
    view["id"] = fmt::format("p{}", i + 1);
    view["title"] =
        fmt::format("{} against {}", runs.runs[current].profile.name, runs.runs[base].profile.name);
    view["text"] = "compare";
    if (!HasTimes(comparison)) continue;
    view["text"] = comparison.delta == 0 ? "±0" : DeltaText(comparison.delta);
    view["relative"] = RelativeText(comparison);
    view["name"] = LookOfSpeed(comparison).name;
  }
  return view;
}

double MeanOf(const Report& run) { return MetricOr(run, metric::kIterationTimeMean, 0); }

double PartOf(const Report& run, std::size_t category) {
  return MetricOr(run, kBreakdownMetrics[category].time, 0);
}

// The mean iteration of a run as a bar, relative to that of the run with the longest one.
std::string BarOf(const Report& run, double longest) {
  double sum = 0;
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) sum += PartOf(run, i);
  std::vector<BarPart> bar;
  std::string description = fmt::format("Iteration time breakdown of {}:", run.profile.name);
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    const double share = sum > 0 ? PartOf(run, i) / sum : 0;
    if (!(share > 0) || !(longest > 0)) continue;
    const auto category = static_cast<Category>(i);
    // All bars have one scale, so parts can be compared by time.
    const std::string text = FormatDuration(share * MeanOf(run));
    const std::string title =
        fmt::format("{} {} ({})", WordsOf(run, InfoOf(category).title), text, FormatShare(share));
    description += (bar.empty() ? " " : ", ") + title;
    bar.push_back({PaintOf(category), share * MeanOf(run) / longest, text, title});
  }
  return bar.empty() ? std::string() : SvgStackedBar(bar, 960, 22, description);
}

bool IsInAny(const Runs& runs, std::size_t category) {
  return std::any_of(runs.runs.begin(), runs.runs.end(),
                     [&](const Report& run) { return PartOf(run, category) > 0; });
}

json::array LegendView(const Runs& runs) {
  json::array legend;
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    if (!IsInAny(runs, i)) continue;
    const auto category = static_cast<Category>(i);
    legend.push_back(json::object{{"swatch", MakeMarkup(SvgSwatch(PaintOf(category)))},
                                  {"label", WordsOf(runs.runs.front(), InfoOf(category).title)}});
  }
  return legend;
}

// The tested change against the first run: "−27.6 %, faster".
std::string ChangeToFirst(const Runs& runs, std::size_t current) {
  for (const Runs::Pair& pair : runs.pairs) {
    if (pair.base != 0 || pair.current != current || !pair.report.comparison) continue;
    const report::Comparison& comparison = *pair.report.comparison;
    if (SpeedOf(comparison) == Speed::kNotComparable) return "not comparable; on its own scale";
    const std::string relative = TestedChange(comparison);
    return fmt::format("{}{}{}", relative, relative.empty() ? "" : ", ", SpeedWord(comparison));
  }
  return {};
}

json::array BarsView(const Runs& runs) {
  double longest = 0, shortest = 0;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const double time = MeanOf(runs.runs[i]);
    if (!IsLikeFirst(runs, i)) continue;
    longest = std::max(longest, time);
    if (time > 0 && (shortest == 0 || time < shortest)) shortest = time;
  }
  json::array bars;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    // A bar of other work has its own scale, since lengths would compare what cannot be.
    const double scale = IsLikeFirst(runs, i) ? longest : MeanOf(runs.runs[i]);
    bars.push_back(json::object{
        {"run", runs.runs[i].profile.name},
        {"bar", MakeMarkup(BarOf(runs.runs[i], scale))},
        {"verdict", StatusView(runs.runs[i].verdict.status)},
        {"shortest",
         IsLikeFirst(runs, i) && MeanOf(runs.runs[i]) == shortest && shortest < longest},
        {"change", i == 0 ? "" : ChangeToFirst(runs, i)},
        {"diagnosis", PiecesOf(report::Diagnose(runs.runs[i]).text)},
        {"time", IterationView(runs.runs[i])}});
  }
  return bars;
}

// All metrics that at least one run has, in catalog order.
std::vector<const report::Metric*> MetricsOfAny(const Runs& runs) {
  std::vector<const report::Metric*> metrics;
  for (const Report& run : runs.runs) {
    for (const report::Metric& metric : run.metrics) {
      const bool is_known = std::any_of(metrics.begin(), metrics.end(),
                                        [&](const auto* other) { return other->id == metric.id; });
      if (!is_known && !IsAbsent(metric.quantity.value)) metrics.push_back(&metric);
    }
  }
  return metrics;
}

// Rows of metrics. Those whose shown values differ come first.
json::array MetricRows(const Runs& runs) {
  json::array rows, alike;
  for (const report::Metric* metric : MetricsOfAny(runs)) {
    json::array cells;
    for (const Report& run : runs.runs) {
      const report::Metric* own = FindMetric(run, metric->id);
      cells.push_back(own == nullptr ? NumberView(Value{}, metric->quantity.unit)
                                     : NumberView(own->quantity));
    }
    const bool differs = std::any_of(cells.begin(), cells.end(), [&cells](const json::value& cell) {
      return cell.at("text") != cells.front().at("text");
    });
    (differs ? rows : alike)
        .push_back(json::object{
            {"title", metric->title}, {"id", metric->id}, {"cells", std::move(cells)}});
  }
  for (json::value& row : alike) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

//            run 1      run 2         columns: all runs but the last
//   run 1
//   run 2    +12.0 ms                a cell: the run of its row against that of its column
//   run 3    +15.0 ms   +3.00 ms
boost::json::array RunRowsView(const Runs& runs) {
  json::array rows;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const Report& run = runs.runs[i];
    const StatusLook& look = LookOf(run.verdict.status);
    json::array cells;
    for (std::size_t base = 0; base + 1 < runs.runs.size(); ++base) {
      cells.push_back(CellView(runs, base, i));
    }
    rows.push_back(json::object{{"id", fmt::format("r{}", i + 1)},
                                {"run", run.profile.name},
                                {"sign", look.sign},
                                {"word", look.word},
                                {"name", look.name()},
                                {"iteration", IterationView(run)},
                                {"cells", std::move(cells)}});
  }
  return rows;
}

boost::json::object TogetherView(const Runs& runs) {
  json::array heads;
  for (const Report& run : runs.runs) heads.push_back(json::object{{"run", run.profile.name}});
  return {{"legend", LegendView(runs)},
          {"first", runs.runs.front().profile.name},
          {"bars", BarsView(runs)},
          {"heads", std::move(heads)},
          {"metrics", MetricRows(runs)}};
}

}  // namespace profgauge::render::html
