// Several runs in one report: ids that do not clash, a page that has all of them, JSON, terminal.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>
#include <string>

#include "comparison_fixture.h"
#include "documents.h"
#include "fixture.h"
#include "render/html/compact.h"
#include "render/html/view_parts.h"
#include "render/html/view_runs.h"
#include "render/shared/runs_table.h"
#include "timeline_fixture.h"

namespace profgauge::render {
namespace {

using testing::CountOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScopeIds, PrefixesIdsAndReferences) {
  EXPECT_EQ(html::ScopeIds("<section id=\"a\" aria-labelledby='b c'><a href=\"#a\">#a</a>"
                           "<label for=x><input id=x></label></section>",
                           "r1-"),
            "<section id=\"r1-a\" aria-labelledby='r1-b r1-c'><a href=\"#r1-a\">#a</a>"
            "<label for=r1-x><input id=r1-x></label></section>");
}

TEST(ScopeIds, KeepsAllElse) {
  for (const std::string_view html :
       {"<a href=\"https://x/#a\">id=\"a\"</a>", "a < b id=\"x\"",
        "<p data-id=\"a\" title='id=\"b\"'>",
        "<script type=\"application/x\">AA<a id=\"b\">==</script>", "<br/><hr>", "<a href=\"#\">",
        "<!-- id=\"a\" -->", "<p id", "<p id=", "<p id=\"", "<", "<p a==b>"}) {
    EXPECT_EQ(html::ScopeIds(html, "r1-"), html);
  }
}

report::Runs Sample(std::size_t count) {
  report::Runs runs;
  for (std::size_t i = 0; i < count; ++i) {
    runs.runs.push_back(testing::SampleReport());
    runs.runs.back().profile.name = fmt::format("<run {}>", i + 1);
  }
  for (std::size_t base = 0; base < count; ++base) {
    for (std::size_t current = base + 1; current < count; ++current) {
      runs.pairs.push_back({base, current, testing::ComparisonAlone()});
    }
  }
  return runs;
}

TEST(RenderRuns, PageHasRunsAndPairsOnce) {
  const std::string page = RenderRunsHtml(Sample(3));
  for (const char* id : {"r1", "r2", "r3", "p1", "p2", "p3", "m1"}) {
    EXPECT_EQ(CountOf(page, fmt::format("class=part id={} ", id)), 1U) << id;
    EXPECT_GE(
        CountOf(page, fmt::format("href=#{}>", id)) + CountOf(page, fmt::format("href=#{} ", id)),
        1U)
        << id;
  }
  EXPECT_GE(CountOf(page, "&lt;run 3&gt; against &lt;run 1&gt;"), 1U);
  EXPECT_EQ(CountOf(page, "<run 1>"), 0U);
  EXPECT_EQ(CountOf(page, "id=r1-c-tables"), 1U);
}

TEST(RenderRuns, IdsAreUniqueLinksResolve) {
  const std::string page = RenderRunsHtml(Sample(3));
  std::set<std::string> ids;
  const auto each = [&](std::string_view lead, const auto& with) {
    for (auto at = page.find(lead); at != page.npos; at = page.find(lead, at + 1)) {
      const std::size_t begin = at + lead.size();
      with(page.substr(begin, page.find_first_of(" >", begin) - begin));
    }
  };
  each(" id=", [&](const std::string& id) { EXPECT_TRUE(ids.insert(id).second) << id; });
  EXPECT_GT(ids.size(), 30U);
  each(" href=#", [&](const std::string& id) { EXPECT_TRUE(ids.contains(id)) << id; });
}

TEST(RenderRuns, KeepsToItsBudget) {
  for (const std::size_t count : {2U, 4U, 8U}) {
    const std::string page = RenderRunsHtml(Sample(count));
    EXPECT_LE(page.size(), 300'000 * count) << count;
  }
}

TEST(RenderRuns, PageNamesItsFiles) {
  report::Runs runs = Sample(2);
  for (report::Report& run : runs.runs) run.timeline = {};
  const auto without = RenderRunsHtmlFiles(runs);
  runs.runs[1].timeline = testing::TimelineMaker::Make(2, 10);
  const auto files = RenderRunsHtmlFiles(runs);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(CountOf(files[0].bytes, "src=report.js"), 1U);
  EXPECT_EQ(CountOf(files[0].bytes, "script-src &#39;self&#39;"), 1U);
  EXPECT_GT(files[2].bytes.size(), without[2].bytes.size());  // the timeline of one is enough
  EXPECT_GE(CountOf(files[2].bytes, "idIn(location.hash)"), 1U);
}

TEST(RenderRuns, TogetherTheyAreOnOneScale) {
  report::Runs runs = Sample(2);
  const boost::json::object view = html::TogetherView(runs);
  const auto& metrics = view.at("metrics").as_array();
  ASSERT_FALSE(metrics.empty());
  for (const auto& metric : metrics) EXPECT_EQ(metric.at("cells").as_array().size(), 2U);
  runs.runs[1].metrics.clear();
  const boost::json::object gap = html::TogetherView(runs);
  EXPECT_EQ(gap.at("metrics").as_array().size(), metrics.size());
  EXPECT_EQ(gap.at("metrics").at(0).at("cells").at(1).at("text").as_string(), "–");
}

TEST(RenderRuns, OnlyRunsLikeTheFirstCompete) {
  report::Runs runs = Sample(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (report::Metric& metric : runs.runs[i].metrics) {
      if (metric.id == metric::kIterationTimeMedian || metric.id == metric::kIterationTimeMean) {
        metric.quantity.value = static_cast<std::int64_t>(30'000'000 - 10'000'000 * i);
      }
    }
  }
  const auto best = [&] { return RowsOfRuns(runs, false).front().is_best; };
  const auto shortest = [&](std::size_t run) {
    return html::TogetherView(runs).at("bars").at(run).at("shortest").as_bool();
  };
  EXPECT_EQ(best(), (std::vector{false, false, true}));
  EXPECT_TRUE(shortest(2));
  runs.pairs[1].report.comparison->comparable = false;
  EXPECT_EQ(best(), (std::vector{false, true, false}));
  EXPECT_TRUE(shortest(1));
  EXPECT_FALSE(shortest(2));
}

TEST(RenderRuns, JsonHoldsTheReports) {
  const report::Runs runs = Sample(3);
  const std::string text = RenderRunsJson(runs);
  const boost::json::value json = boost::json::parse(text);
  EXPECT_EQ(json.at("schema").as_int64(), 1);
  ASSERT_EQ(json.at("runs").as_array().size(), 3U);
  EXPECT_EQ(json.at("runs").at(1), boost::json::parse(RenderJson(runs.runs[1])));
  ASSERT_EQ(json.at("comparisons").as_array().size(), 3U);
  EXPECT_EQ(json.at("comparisons").at(2), boost::json::parse(RenderJson(runs.pairs[2].report)));
  EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(RenderRuns, MarkdownKeepsToItsLimit) {
  const std::string whole = RenderRunsMarkdown(Sample(8), 0);
  EXPECT_THAT(whole, HasSubstr("\n## Changes\n"));
  const std::size_t until_runs = whole.find("\n### ");
  ASSERT_NE(until_runs, std::string::npos);
  const std::size_t limit = until_runs + 500;  // Less than the first run takes.
  const std::string cut = RenderRunsMarkdown(Sample(8), limit);
  EXPECT_LE(cut.size(), limit);
  EXPECT_THAT(cut, HasSubstr("\n## Metrics\n"));
  EXPECT_THAT(cut, HasSubstr("… 8 more sections are omitted to limit the size: "));
}

TEST(RenderRuns, TheSummaryHasVerdictsAndChanges) {
  const std::string whole = RenderRunsSummary(Sample(8), 0);
  EXPECT_THAT(whole, HasSubstr("| Comparison | Change |"));
  EXPECT_THAT(whole, Not(HasSubstr("Metrics")));
  EXPECT_THAT(RenderRunsSummary(Sample(8), whole.size() - 1),
              HasSubstr("\n… 1 more section is omitted to limit the size: Changes. All are in the "
                        "page (`--html`).\n"));
}

TEST(RenderRuns, TheTerminalSaysVerdictsThenChanges) {
  report::Runs runs = Sample(2);
  runs.pairs[0].report.comparison->comparable = false;
  TerminalOptions options;
  const std::string text = RenderRunsTerminal(runs, options);
  EXPECT_THAT(text, HasSubstr("<run 1>  FAIL  "));
  EXPECT_THAT(text, HasSubstr("<run 2> against <run 1>  Median iteration time: "));
  EXPECT_THAT(text, HasSubstr("; not comparable\n"));
  options.verbosity = -1;
  EXPECT_THAT(RenderRunsTerminal(runs, options), Not(HasSubstr("against")));
  options.verbosity = 1;
  EXPECT_THAT(RenderRunsTerminal(runs, options), HasSubstr("iteration"));
}

TEST(RenderRuns, TablesSayHowManyMetricsTheyLeaveOut) {
  report::Runs runs = Sample(2);
  for (std::size_t run = 0; run < 2; ++run) {
    runs.runs[run].metrics.clear();
    runs.runs[run].gate.clear();
    for (int i = 0; i < 45; ++i) {
      report::Metric metric;
      metric.id = fmt::format("m{}", i);
      metric.title = metric.id;
      const double value = run == 0 ? 1 : 2 + i;
      metric.quantity = {Value{value}, Unit::kNumber, fmt::format("{}", value), ""};
      runs.runs[run].metrics.push_back(std::move(metric));
    }
  }
  EXPECT_THAT(RenderRunsTerminal(runs, {}), HasSubstr("\n  and 29 more: --html, --xlsx"));
  EXPECT_THAT(RenderRunsMarkdown(runs),
              HasSubstr(" And 5 more metrics, which the workbook lists."));
}

}  // namespace
}  // namespace profgauge::render
