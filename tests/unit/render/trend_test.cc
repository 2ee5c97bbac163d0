#include "render/html/trend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fixture.h"
#include "render/svg/svg_trend.h"
#include "report/build_sections.h"
#include "report/build_trend.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<gate::HistoryEntry> Steps() {
  std::vector<gate::HistoryEntry> entries;
  for (int i = 0; i < 12; ++i) {
    gate::HistoryEntry& entry = entries.emplace_back();
    entry.id = i + 1;
    entry.time = 1'700'000'000 + i;
    entry.branch = "main";
    entry.commit = i == 6 ? "<b>bad</b>" : "c" + std::to_string(i);
    entry.snapshot.name = "run";
    const Ns level = i < 6 ? 100'000'000 : 120'000'000;
    entry.snapshot.iteration_times = {level + i % 3 * 100'000, level + i % 3 * 100'000};
    if (i % 2 == 0) entry.snapshot.metrics["gpu.idle.mean"] = 0.2;
  }
  return entries;
}

report::Trend TrendOf(const std::vector<gate::HistoryEntry>& entries,
                      const std::string& branch = "main",
                      std::span<const gate::HistoryLevel> levels = {}) {
  std::vector<const gate::HistoryEntry*> all;
  for (const gate::HistoryEntry& entry : entries) all.push_back(&entry);
  return report::BuildTrend(all, branch, levels);
}

TEST(BuildTrend, FindsWhereTheLevelChanged) {
  const report::Trend trend = TrendOf(Steps());
  ASSERT_EQ(trend.series.size(), 2u);
  ASSERT_EQ(trend.series[0].changes.size(), 1u);
  EXPECT_EQ(trend.series[0].changes[0].run, 6u);
  EXPECT_TRUE(trend.series[0].changes[0].is_worse);
  EXPECT_EQ(trend.series[0].changes[0].change.text, "+20.0\u202f%");
  EXPECT_TRUE(trend.series[1].changes.empty());
  EXPECT_TRUE(IsAbsent(trend.series[1].values[1].value));
}

TEST(BuildTrend, DrawsRunsOfOneModelAndDevice) {
  auto entries = Steps();
  entries[2].snapshot.environment = {{"gpu", "NVIDIA H100 80GB HBM3"}};
  for (gate::HistoryEntry& entry : entries) entry.model = "gpt";
  entries[4].model = "bert";
  for (const std::size_t other : {2, 4}) entries[other].snapshot.iteration_times = {1, 1};
  const report::Trend trend = TrendOf(entries);
  EXPECT_EQ(trend.left_out, "run 5 (model bert), not comparable with the last run");
  EXPECT_EQ(trend.runs.size(), 11u);
  EXPECT_THAT(RenderTrend(std::vector{trend}),
              HasSubstr(": run 5 (model bert), not comparable with the last run.</p>"));
}

TEST(BuildTrend, SaysWhatItDoesNotDraw) {
  auto entries = Steps();
  for (gate::HistoryEntry& entry : entries) {
    for (int i = 0; i < 25; ++i) {
      entry.snapshot.work.benchmarks.push_back({fmt::format("b{}", i), 1, 1'000, 0, {}});
    }
  }
  EXPECT_EQ(TrendOf(entries).left_out, "1 benchmarks after the first 24");
  entries = Steps();
  for (std::int64_t id = 13; id <= 2001; ++id) {
    entries.push_back(entries.back());
    entries.back().id = id;
  }
  EXPECT_EQ(TrendOf(entries).left_out,
            "steps before the last 2000 runs, in which they are looked for");
}

TEST(BuildTrend, AnswersAsTheHistoryCheck) {
  std::vector<gate::HistoryEntry> entries = Steps();
  const report::Trend trend = TrendOf(entries);
  EXPECT_EQ(trend.series[0].state, "step");
  EXPECT_THAT(trend.series[0].answer, HasSubstr("<b>bad</b>"));
  EXPECT_EQ(trend.series[1].state, "");  // Half of the runs have no value.
  const std::string page = RenderTrend(std::vector{trend});
  EXPECT_THAT(page, HasSubstr("✗ step</b> +20"));
  EXPECT_THAT(page, Not(HasSubstr("<b>bad</b>")));
  // Who accepts the level begins anew.
  const std::vector<gate::HistoryLevel> levels(1, [] {
    gate::HistoryLevel level;
    level.run = 7;
    return level;
  }());
  EXPECT_EQ(TrendOf(entries, "main", levels).series[0].state, "");
  for (gate::HistoryEntry& entry : entries) entry.snapshot.iteration_times.assign(3, 100'000'000);
  EXPECT_EQ(TrendOf(entries).series[0].state, "flat");
}

// Too few runs follow for a level, but a chart without the step would contradict its sentence.
TEST(BuildTrend, DrawsTheStepThatTheCheckFound) {
  std::vector<gate::HistoryEntry> entries = Steps();
  entries.resize(8);
  const report::Trend trend = TrendOf(entries);
  const report::TrendSeries& series = trend.series[0];
  ASSERT_EQ(series.state, "step");
  ASSERT_EQ(series.changes.size(), 1u);
  EXPECT_EQ(series.changes[0].run, 6u);
  EXPECT_THAT(series.answer, ::testing::StartsWith(series.changes[0].change.text + " at "));
  const std::string page = RenderTrend(std::vector{trend});
  const std::string first = page.substr(0, page.find("id=\"gpu.idle.mean\""));
  EXPECT_THAT(first, Not(HasSubstr("No change of level")));
  EXPECT_THAT(first, HasSubstr(">c5</text>")) << "runs are named below the chart";
}

// The list and `history check` name one number: a commit counts once, and since the level in force.
TEST(BuildTrend, NamesTheNumberOfTheCheck) {
  std::vector<gate::HistoryEntry> entries = Steps();
  gate::HistoryEntry again = entries[3];
  again.id = 13;
  again.snapshot.iteration_times.assign(2, 112'000'000);
  entries.insert(entries.begin() + 4, again);
  std::vector<gate::HistoryEntry> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(entries[0]);
    all.back().id = 100 + i;
    all.back().commit = "old" + std::to_string(i);
    all.back().snapshot.iteration_times.assign(2, 99'000'000 - i * 100'000);
  }
  all.insert(all.end(), entries.begin(), entries.end());
  gate::HistoryLevel level;
  level.run = 1;
  for (const auto& [levels, places] :
       {std::pair(std::vector{level}, std::vector<std::size_t>{13}),
        std::pair(std::vector<gate::HistoryLevel>{}, std::vector<std::size_t>{6, 13})}) {
    const report::Trend trend = TrendOf(all, "main", levels);
    const report::TrendSeries& series = trend.series[0];
    ASSERT_FALSE(series.changes.empty());
    EXPECT_EQ(series.changes.back().run, 13u);
    EXPECT_THAT(series.answer, ::testing::StartsWith(series.changes.back().change.text + " at "));
  }
}

// Values that creep are one inclined line, those of a level a flat one.
TEST(RenderTrend, ACreepIsInclined) {
  report::TrendSeries series;
  for (int i = 0; i < 8; ++i) {
    series.values.push_back({Value(10e6 + i * 1e5), Unit::kTime, "10 ms", ""});
  }
  const auto rule = [&](std::string_view state) {
    series.state = state;
    const std::string svg = SvgTrend(series, std::vector<report::TrendRun>(8));
    const std::size_t at = svg.find("class=\"rule\"");
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    EXPECT_EQ(
        std::sscanf(svg.c_str() + svg.find("d=\"", at), "d=\"M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1),
        4);
    return y0 - y1;
  };
  EXPECT_GT(rule("creep"), 50);
  EXPECT_EQ(rule("flat"), 0);
}

TEST(RenderTrend, TextsOfAnAxisDifferAndStayWithinWhatThereIs) {
  const auto texts = [](Unit unit, double first, double step) {
    report::TrendSeries series;
    for (int i = 0; i < 8; ++i) {
      report::Quantity& quantity = series.values.emplace_back();
      quantity.unit = unit;
      const double value = first + i * step;
      quantity.value = CellTypeOf(unit) == CellType::kInteger
                           ? Value(static_cast<std::int64_t>(value))
                           : Value(value);
    }
    const std::string svg = SvgTrend(series, std::vector<report::TrendRun>(8));
    std::vector<std::string> out;
    const std::string_view end = "text-anchor=\"end\">";
    for (std::size_t at = svg.find(end); at != svg.npos; at = svg.find(end, at + 1)) {
      const std::size_t begin = at + end.size();
      out.push_back(svg.substr(begin, svg.find('<', begin) - begin));
    }
    return out;
  };
  for (const auto& [unit, first, step] :
       {std::tuple(Unit::kShare, 0.9481, 0.00001), std::tuple(Unit::kShare, 1.0, 0.0),
        std::tuple(Unit::kShare, 0.0, 0.0001), std::tuple(Unit::kTime, 10.1e6, 100.0),
        std::tuple(Unit::kTime, 9.97e6, 5e4), std::tuple(Unit::kTime, 0.0, 0.0),
        std::tuple(Unit::kCount, 4.0, 0.0), std::tuple(Unit::kCount, 1'464.0, 1.0)}) {
    const std::vector<std::string> axis = texts(unit, first, step);
    EXPECT_GE(axis.size(), 2u) << first;
    EXPECT_EQ(std::set<std::string>(axis.begin(), axis.end()).size(), axis.size())
        << fmt::format("{}", fmt::join(axis, " "));
    for (const std::string& text : axis) {
      EXPECT_THAT(text, Not(HasSubstr("−")));
    }
  }
  EXPECT_EQ(texts(Unit::kShare, 1, 0).back(), "100.0\u202f%");
}

TEST(RenderTrend, DrawsOneLineABranch) {
  const report::Trend main = TrendOf(Steps());
  const report::Trend wide = TrendOf(Steps(), "wide");
  const std::string page = RenderTrend(std::vector{main, wide});
  EXPECT_THAT(page, HasSubstr("<h1>Trend of 2 branches</h1>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"iteration.time.median\""));
  EXPECT_THAT(page, HasSubstr("<section id=\"iteration.time.median-2\""));
  EXPECT_THAT(page, HasSubstr("All runs of wide"));
}

TEST(BuildTrend, AnEmptyHistoryHasNoRuns) {
  const report::Trend trend = TrendOf({}, "");
  EXPECT_TRUE(trend.runs.empty());
  ASSERT_EQ(trend.series.size(), 1u);
  EXPECT_THAT(RenderTrend(std::vector{trend}), HasSubstr("<h1>Trend of all branches</h1>"));
}

TEST(RenderTrend, NamesChangeInWordsAndChart) {
  const std::string page = RenderTrend(std::vector{TrendOf(Steps())});
  EXPECT_THAT(page, HasSubstr("<h1>Trend of main</h1>"));
  EXPECT_THAT(page, HasSubstr("+20.0\u202f%</b> from run 7 (&lt;b&gt;bad&lt;/b&gt;) of "));
  EXPECT_THAT(page, HasSubstr("+20.0\u202f% worse</text>"));
  EXPECT_THAT(page, HasSubstr("role=\"img\" aria-label=\"Median iteration time of 12 runs"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("style=\"")));
  EXPECT_THAT(page, Not(HasSubstr("<b>bad")));
  EXPECT_EQ(page, RenderTrend(std::vector{TrendOf(Steps())}));
}

// Numbers of runs are those of the history, which may begin anywhere.
TEST(RenderTrend, DescriptionNamesRunsByTheirNumber) {
  auto entries = Steps();
  for (gate::HistoryEntry& entry : entries) entry.id += 40;
  EXPECT_THAT(RenderTrend(std::vector{TrendOf(entries)}),
              HasSubstr("+20.0\u202f% from run 47 on\""));
}

}  // namespace
}  // namespace profgauge::render
