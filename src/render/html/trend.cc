// The trend page.
#include "render/html/trend.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <utility>

#include "base/hashes.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg_charts.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

// Worse changes have a sign and a word; others are neutral, since a metric may have no better side.
json::array ChangesView(const report::TrendSeries& series, const report::Trend& trend) {
  json::array changes;
  for (const report::TrendChange& change : series.changes) {
    const report::TrendRun& run = trend.runs[change.run];
    changes.push_back(json::object{{"run", fmt::format("run {}", run.id)},
                                   {"commit", run.commit},
                                   {"added", run.added},
                                   {"change", change.change.text},
                                   {"before", change.before.text},
                                   {"after", change.after.text},
                                   {"sign", change.is_worse ? "✗" : "•"},
                                   {"word", change.is_worse ? "worse" : "changed"},
                                   {"name", change.is_worse ? "bad" : "mute"}});
  }
  return changes;
}

}  // namespace

// A chart and its changes for each metric, then one table of all runs, where a change is marked in
// the cell of the run that begins it.
json::object html::TrendView(const report::Trend& trend) {
  const std::string css = StyleSheet();
  json::array series, heads, runs;
  for (const report::TrendSeries& one : trend.series) {
    json::array changes = ChangesView(one, trend);
    const bool has_changes = !changes.empty();
    heads.push_back(json::object{{"title", one.title}});
    series.push_back(json::object{{"id", one.metric},
                                  {"title", one.title},
                                  {"chart", MakeMarkup(SvgTrend(one, trend.runs))},
                                  {"changes", std::move(changes)},
                                  {"has_changes", has_changes}});
  }
  for (std::size_t i = 0; i < trend.runs.size(); ++i) {
    const report::TrendRun& run = trend.runs[i];
    json::array cells;
    for (const report::TrendSeries& one : trend.series) {
      json::object cell = NumberView(one.values[i]);
      std::string mark;
      for (const report::TrendChange& change : one.changes) {
        if (change.run == i) mark = (change.is_worse ? "✗ " : "• ") + change.change.text;
      }
      cell["mark"] = mark;
      cells.push_back(std::move(cell));
    }
    runs.push_back(json::object{{"id", std::to_string(run.id)},
                                {"added", run.added},
                                {"branch", run.branch},
                                {"commit", run.commit},
                                {"name", run.name},
                                {"iterations", std::to_string(run.iterations)},
                                {"cells", std::move(cells)}});
  }
  return {
      {"tool", trend.tool},
      {"branch", trend.branch.empty() ? "all branches" : trend.branch},
      {"css", MakeMarkup(css)},
      {"csp",
       fmt::format(
           "default-src 'none'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
           CspHash(css))},
      {"count", fmt::format("{} {}", trend.runs.size(), trend.runs.size() == 1 ? "run" : "runs")},
      {"left_out", trend.left_out},
      {"series", std::move(series)},
      {"heads", std::move(heads)},
      {"runs", std::move(runs)}};
}

std::string RenderTrend(const report::Trend& trend) {
  return RenderTemplate(html::kPages, "trend", html::TrendView(trend));
}

}  // namespace profgauge::render
