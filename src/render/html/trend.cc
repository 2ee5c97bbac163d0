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
#include "render/svg/svg_trend.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

// Sign and word for a worse level; sentences about a creep begin with that word.
std::string MarkOf(const report::TrendSeries& series) {
  if (series.state.empty() || series.state == "flat") return {};
  return series.answer.starts_with(series.state) ? "✗" : "✗ " + series.state;
}

namespace json = boost::json;

// Marks only changes for the worse, because some metrics have no better direction.
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

// A chart with changes for each metric, then one table of all runs, which marks the run that starts
// a level. `suffix` makes anchors of several branches unique.
json::object BranchView(const report::Trend& trend, const std::string& suffix) {
  json::array series, heads, runs;
  for (const report::TrendSeries& one : trend.series) {
    json::array changes = ChangesView(one, trend);
    // Ids must not have spaces, but names of benchmarks do.
    const std::string id = one.metric.starts_with(report::kBenchmarkSeries)
                               ? fmt::format("benchmark-{}", series.size() + 1)
                               : one.metric;
    const bool has_changes = !changes.empty();
    heads.push_back(json::object{{"title", one.title}});
    series.push_back(json::object{{"anchor", id + suffix},
                                  {"id", one.metric},
                                  {"title", one.title},
                                  {"chart", MakeMarkup(SvgTrend(one, trend.runs))},
                                  {"state", MarkOf(one)},
                                  {"answer", one.answer},
                                  {"changes", std::move(changes)},
                                  {"has_changes", has_changes}});
  }
  for (std::size_t i = 0; i < trend.runs.size(); ++i) {
    const report::TrendRun& run = trend.runs[i];
    json::array cells;
    for (const report::TrendSeries& one : trend.series) {
      json::object cell = html::NumberView(one.values[i]);
      std::string text;
      for (const report::TrendChange& change : one.changes) {
        if (change.run == i) text = (change.is_worse ? "✗ " : "• ") + change.change.text;
      }
      cell["mark"] = text;
      cells.push_back(std::move(cell));
    }
    runs.push_back(json::object{{"id", std::to_string(run.id)},
                                {"added", run.added},
                                {"branch", run.branch},
                                {"commit", run.commit},
                                {"name", run.name},
                                {"verdict", run.verdict.empty() ? "–" : run.verdict},
                                {"iterations", std::to_string(run.iterations)},
                                {"cells", std::move(cells)}});
  }
  return {
      {"branch", trend.branch},
      {"suffix", suffix},
      {"count", fmt::format("{} {}", trend.runs.size(), trend.runs.size() == 1 ? "run" : "runs")},
      {"left_out", trend.left_out},
      {"series", std::move(series)},
      {"heads", std::move(heads)},
      {"runs", std::move(runs)}};
}

}  // namespace

json::object html::TrendView(std::span<const report::Trend> trends) {
  const std::string css = StyleSheet();
  json::array branches;
  for (std::size_t i = 0; i < trends.size(); ++i) {
    branches.push_back(BranchView(trends[i], i == 0 ? "" : fmt::format("-{}", i + 1)));
  }
  const report::Trend& first = trends.front();
  return {
      {"tool", first.tool},
      {"title", trends.size() > 1      ? fmt::format("{} branches", trends.size())
                : first.branch.empty() ? std::string("all branches")
                                       : first.branch},
      {"several", trends.size() > 1},
      {"css", MakeMarkup(css)},
      {"csp",
       fmt::format(
           "default-src 'none'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
           CspHash(css))},
      {"branches", std::move(branches)}};
}

std::string RenderTrend(std::span<const report::Trend> trends) {
  return RenderTemplate(html::kPages, "trend", html::TrendView(trends));
}

}  // namespace profgauge::render
