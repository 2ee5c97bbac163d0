// Many ranks on the page: strips of lateness and waiting, percentiles, extremes, bus bandwidth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/metric_id.h"
#include "documents.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/html/view_ranks.h"
#include "render/shared/words.h"
#include "render/svg/svg_heat.h"
#include "render/svg/svg_points.h"

namespace profgauge::render {
namespace {

using testing::CountOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Paint kPaint = {"k-a", "#111111", "#fff"};

std::string Whole(double value) { return std::to_string(static_cast<int>(value)); }

HeatChart Heat(std::vector<double> values, std::size_t rows) {
  HeatChart chart;
  for (std::size_t i = 0; i < rows; ++i) chart.rows.push_back("rank <" + std::to_string(i) + ">");
  for (std::size_t i = 0; i < values.size() / rows; ++i) chart.columns.push_back(std::to_string(i));
  chart.values = std::move(values);
  chart.paint = kPaint;
  chart.value_text = Whole;
  chart.description = "who is \"late\"";
  return chart;
}

// The parts of a rank's bar are columns that add up, in the order of their table.
TEST(RankParts, AreColumnsOfTheTable) {
  const analysis::TableSpec* ranks = analysis::FindTable("ranks");
  ASSERT_NE(ranks, nullptr);
  std::size_t at = 0;
  while (at < ranks->columns.size() && ranks->columns[at].id != html::kRankParts[0].column) ++at;
  for (const html::RankPart& part : html::kRankParts) {
    ASSERT_LT(at, ranks->columns.size()) << part.column;
    EXPECT_EQ(ranks->columns[at++].id, part.column);
  }
}

TEST(SvgHeat, StrongerForMoreNoneForZero) {
  const std::string svg = SvgHeat(Heat({0, 8, 1, -1}, 2));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"1.00\" d=\"M160 4H207V21H160z\"/>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.12\" d=\"M112 22H159V39H112z\"/>"));
  // One path for each color, and one for each cell with a title.
  EXPECT_EQ(CountOf(svg, "<title>"), 2u);
  EXPECT_THAT(svg, HasSubstr("<title>rank &lt;0&gt;, iteration 1: 8</title>"));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"who is &quot;late&quot;\""));
  EXPECT_THAT(svg, Not(HasSubstr("style=")));
}

TEST(SvgHeat, IsEmptyWithoutValues) {
  EXPECT_EQ(SvgHeat(Heat({0, -1}, 1)), "");
  EXPECT_EQ(SvgHeat(Heat({}, 1)), "");
}

TEST(SvgHeat, StaysSmall) {
  std::vector<double> values(128 * 160);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 97);
  EXPECT_LT(SvgHeat(Heat(values, 128)).size(), 700'000u);
}

TEST(SvgBands, PercentileBoxesWithMedianLine) {
  BandChart chart;
  chart.bands = {{"5", 0, 25, 50, 75, 100}};
  chart.paint = kPaint;
  chart.value_text = Whole;
  chart.description = "spread";
  chart.width = 72 + 40;
  chart.height = 8 + 20 + 100;
  const std::string svg = SvgBands(chart);
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.35\" d=\"M64 8H103V108H64z\"/>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.75\" d=\"M64 33H103V83H64z\"/>"));
  EXPECT_THAT(svg, HasSubstr("stroke-width=\"2\" d=\"M64 58H103\"/>"));
  chart.bands = {{"5", 0, 0, 0, 0, 0}};
  EXPECT_EQ(SvgBands(chart), "");
}

TEST(SvgBands, CoversNeighborsWithoutRoom) {
  BandChart chart;
  for (int i = 0; i < 100'000; ++i)
    chart.bands.push_back({"x", 1, 2, 3, 4, i == 77'777 ? 50. : 5.});
  chart.paint = kPaint;
  chart.value_text = Whole;
  const std::string svg = SvgBands(chart);
  EXPECT_LT(svg.size(), 60'000u);
  EXPECT_THAT(svg, HasSubstr(">40</text>"));  // The axis reaches the one that sticks out.
}

TEST(SvgPoints, ShapesDifferAndOutliersHaveARing) {
  PointChart chart;
  chart.series = {{kPaint, "all_reduce", {{1000, 10, "fast", false}, {1000, 2, "slow", true}}},
                  {kPaint, "<send>", {{100'000, 5, "", false}}}};
  chart.x_text = Whole;
  chart.y_text = Whole;
  const std::string svg = SvgPoints(chart);
  EXPECT_EQ(CountOf(svg, "<circle"), 1u);
  EXPECT_THAT(svg, HasSubstr("a4 4 0 1 0 8 0"));
  EXPECT_THAT(svg, HasSubstr("h7v7h-7z"));
  EXPECT_THAT(svg, HasSubstr("&lt;send&gt;"));
  for (const char* decade : {">1000<", ">10000<", ">100000<"}) EXPECT_THAT(svg, HasSubstr(decade));
  EXPECT_EQ(SvgPoints(PointChart()), "");
}

TEST(SvgPoints, ManyAreDrawnOnce) {
  PointChart chart;
  chart.series = {{kPaint, "x", {}}};
  for (int i = 0; i < 100'000; ++i) {
    chart.series[0].points.push_back({1.0 + i % 1000, 1 + i / 1000.0, "t", i == 99'999});
  }
  chart.x_text = Whole;
  chart.y_text = Whole;
  const std::string svg = SvgPoints(chart);
  EXPECT_LT(svg.size(), 60'000u);
  EXPECT_EQ(CountOf(svg, "<circle"), 1u);  // A marked rank is never omitted.
}

// A run in which rank `late` is late in the last of `steps` iterations.
report::Report RunOf(std::int64_t ranks, std::int64_t steps, std::int64_t late) {
  auto strings = std::make_shared<StringPool>();
  report::Report report;
  report.profile.ranks = ranks;
  report.profile.iterations_selected = steps;
  Table each("ranks", "rank", "Ranks", strings);
  Table by_step("rank_steps", "rank_step", "Ranks by iteration", strings);
  for (const char* id : {"id", "last_calls"}) each.AddColumn({id, id, Unit::kCount, ""});
  for (const char* id :
       {"iteration_time", "compute_only", "late_cost", "waiting_time", "transfer_time"}) {
    each.AddColumn({id, id, Unit::kTime, ""});
  }
  for (const char* id : {"rank", "step"}) by_step.AddColumn({id, id, Unit::kCount, ""});
  for (const char* id : {"duration", "compute_only", "waiting_exposed", "late_cost"}) {
    by_step.AddColumn({id, id, Unit::kTime, ""});
  }
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const bool is_late = rank == late;
    each.Find("id")->AddInteger(rank);
    each.Find("last_calls")->AddInteger(is_late ? 4 : 0);
    each.Find("iteration_time")->AddInteger(100 * steps);
    each.Find("compute_only")->AddInteger(100 * steps);
    each.Find("late_cost")->AddInteger(is_late ? 50 : 0);
    each.Find("waiting_time")->AddInteger(is_late ? 0 : 50);
    each.Find("transfer_time")->AddInteger(7);
    for (std::int64_t step = 0; step < steps; ++step) {
      const bool here = step + 1 == steps;
      by_step.Find("rank")->AddInteger(rank);
      by_step.Find("step")->AddInteger(5 + step);
      by_step.Find("duration")->AddInteger(100 + step);
      by_step.Find("compute_only")->AddInteger(50);
      by_step.Find("waiting_exposed")->AddInteger(here && !is_late ? 50 : 0);
      by_step.Find("late_cost")->AddInteger(here && is_late ? 50 : 0);
    }
  }
  report.tables.push_back(std::move(each));
  report.tables.push_back(std::move(by_step));
  return report;
}

// With plain spaces between numbers and units.
std::string JsonText(const boost::json::value& value) {
  std::string text(std::string_view(value.as_string()));
  for (auto at = text.find("\u202f"); at != text.npos; at = text.find("\u202f")) {
    text.replace(at, 3, " ");
  }
  return text;
}

TEST(RanksOnThePage, ManyShowExtremesAndStrip) {
  const boost::json::object view = html::RanksView(RunOf(1024, 3, 700));
  const auto& extremes = view.at("extremes").as_array();
  ASSERT_GE(extremes.size(), 3u);
  EXPECT_EQ(JsonText(extremes[0].at("what")), "Delays others most");
  EXPECT_EQ(JsonText(extremes[0].at("rank")), "700");
  const auto& heats = view.at("heats").as_array();
  ASSERT_EQ(heats.size(), 2u);
  // Eight ranks share a row.
  EXPECT_THAT(JsonText(heats[0].at("note")),
              HasSubstr("Lateness of 1024 ranks in 3 iterations: at most 50 ns, of rank 700 in "
                        "iteration 7. Each row is the maximum of 8 ranks."));
  EXPECT_THAT(boost::json::serialize(heats[0].at("chart")), HasSubstr("rank 696–703, iteration 7"));
  EXPECT_TRUE(view.at("steps").as_array().empty());
  EXPECT_TRUE(view.at("synchronizing").as_array().empty());
}

TEST(RanksOnThePage, FewHaveABarEach) {
  const boost::json::object view = html::RanksView(RunOf(16, 40, 3));
  EXPECT_TRUE(view.at("extremes").as_array().empty());
  EXPECT_EQ(view.at("synchronizing").as_array().size(), 16u);
  ASSERT_EQ(view.at("steps").as_array().size(), 4u);
  EXPECT_EQ(JsonText(view.at("steps").as_array().back().at("title")), "Iteration 44: 139 ns");
  EXPECT_EQ(JsonText(view.at("steps_note")), "The slowest 4 of 40 iterations.");
}

TEST(RanksOnThePage, OneRankShowsNothing) {
  const boost::json::object view = html::RanksView(RunOf(1, 3, 0));
  EXPECT_FALSE(view.at("known").as_bool());
}

TEST(RanksOnThePage, SlowLinksAreNamed) {
  auto strings = std::make_shared<StringPool>();
  Table sizes("message_sizes", "message_size", "Sizes", strings);
  for (const char* id : {"name", "group"}) sizes.AddColumn({id, id, Unit::kText, ""});
  for (const char* id : {"group_size", "calls"}) sizes.AddColumn({id, id, Unit::kCount, ""});
  for (const char* id : {"from", "bytes"}) sizes.AddColumn({id, id, Unit::kBytes, ""});
  sizes.AddColumn({"bus_bandwidth", "Bus", Unit::kBandwidth, ""});
  for (int group = 0; group < 5; ++group) {
    sizes.Find("name")->AddText(strings->Intern("all_reduce"));
    sizes.Find("group")->AddText(strings->Intern("g" + std::to_string(group)));
    sizes.Find("group_size")->AddInteger(8);
    sizes.Find("calls")->AddInteger(10);
    sizes.Find("from")->AddInteger(1024);
    sizes.Find("bytes")->AddInteger(20'000);
    sizes.Find("bus_bandwidth")->AddReal(group == 3 ? 5e9 : 10e9);
  }
  report::Report report;
  report.tables.push_back(std::move(sizes));
  const boost::json::object view = html::BandwidthView(report);
  ASSERT_EQ(view.at("slow").as_array().size(), 1u);
  EXPECT_EQ(JsonText(view.at("slow").as_array()[0].at("name")), "all_reduce, group g3");
  EXPECT_EQ(JsonText(view.at("slow").as_array()[0].at("bytes")), "2.00 kB");
  EXPECT_THAT(boost::json::serialize(view.at("chart")), HasSubstr("at most 10.0"));
  EXPECT_FALSE(html::BandwidthView(report::Report()).at("known").as_bool());
}

TEST(RanksOnThePage, ListsFirstOfManyInputs) {
  report::Report report;
  for (int i = 0; i < 10'000; ++i) {
    report.provenance.emplace_back("input " + std::to_string(i), "abc");
  }
  report.provenance.emplace_back("policy", "builtin:recommended");
  const auto listed = ListedProvenance(report);
  ASSERT_EQ(listed.size(), kListedInputs + 2);
  EXPECT_EQ(listed[23].first, "input 23");
  EXPECT_EQ(listed[24].first, "more inputs");
  EXPECT_EQ(JsonText(boost::json::value(listed[24].second)),
            "9 976; report.json has the hashes of all");
  EXPECT_EQ(listed[25].first, "policy");
  report.provenance.resize(3);
  EXPECT_EQ(ListedProvenance(report), report.provenance);
}

// Of those that are not given, nothing is known: the head says so, not only a remark.
TEST(Ranks, HeadSaysHowManyOfThemAreGiven) {
  report::Report report;
  report.profile.format = "kineto";
  report.profile.ranks = 1;
  EXPECT_EQ(RanksText(report), "");
  report.profile.ranks = 8;
  EXPECT_EQ(RunText(report), "kineto · 8 ranks");
  report::Metric& missing = report.metrics.emplace_back();
  missing.id = metric::kProfileRanksMissing;
  missing.quantity.value = std::int64_t{0};
  EXPECT_EQ(RanksText(report), "8 ranks");
  report.profile.ranks = 1;
  missing.quantity.value = std::int64_t{3};
  EXPECT_EQ(RunText(report), "kineto · 1 of 4 ranks");
}

}  // namespace
}  // namespace profgauge::render
