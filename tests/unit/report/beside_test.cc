// Two runs beside each other: the trees of their operators, and their timelines.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "report/timeline.h"
#include "report/tree_change.h"

namespace profgauge::report {
namespace {

struct TreeRow {
  int parent;
  std::string kind, name;
  Ns host, device;
  int calls = 1;
};

Table TreeOf(const std::vector<TreeRow>& rows) {
  const analysis::TableSpec* spec = analysis::FindTable("op_tree");
  Table table(spec->id, spec->row_name, spec->title, std::make_shared<StringPool>());
  for (const ColumnSpec& column : spec->columns) table.AddColumn(column);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TreeRow& row = rows[i];
    const std::map<std::string, std::int64_t> numbers = {
        {"node", static_cast<std::int64_t>(i)},
        {"parent", row.parent < 0 ? Column::kAbsentInteger : row.parent},
        {"calls", row.calls},
        {"host_total", row.host},
        {"device_total", row.device}};
    for (Column& column : table.columns()) {
      if (column.type() == CellType::kText) {
        column.AddText(table.strings().Intern(column.id() == "name" ? row.name : row.kind));
      } else {
        const auto known = numbers.find(column.id());
        column.AddInteger(known == numbers.end() ? 0 : known->second);
      }
    }
  }
  return table;
}

std::string Text(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::string>(table.At(row, column));
}
std::int64_t Number(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::int64_t>(table.At(row, column));
}

TEST(AlignTrees, RowsOfOnePlaceAreTogether) {
  const Table base = TreeOf({{-1, "thread", "thread 11 (main)", 100, 50},
                             {0, "range", "ProfilerStep#5", 100, 50},
                             {1, "op", "aten::mm", 40, 30, 2},
                             {2, "kernel", "volta_sgemm", 0, 30},
                             {1, "op", "aten::add", 10, 20},
                             {1, "op", "aten::sum", 5, 0}});
  const Table current = TreeOf({{-1, "thread", "thread 77 (main)", 400, 60},
                                {0, "range", "ProfilerStep#9", 400, 60},
                                {1, "op", "aten::add", 10, 20},
                                {1, "op", "aten::mm", 340, 10, 3},
                                {3, "kernel", "turing_h884gemm", 0, 10},
                                {1, "op", "aten::relu", 5, 30}});
  const Table tree = AlignTrees(base, current, "nvidia");
  ASSERT_TRUE(tree.CheckShape());
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < tree.rows(); ++i) {
    rows.push_back(std::string(static_cast<std::size_t>(Number(tree, i, "depth")), ' ') +
                   Text(tree, i, "name") + ": " + Text(tree, i, "change"));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "thread 77 (main): in both", " ProfilerStep#9: in both",
                      "  aten::mm: in both", "   turing_h884gemm ← volta_sgemm: renamed",
                      "  aten::relu: added", "  aten::sum: removed", "  aten::add: in both"}));
  EXPECT_EQ(Number(tree, 2, "host_change"), 300);
  EXPECT_EQ(Number(tree, 2, "device_change"), -20);
  EXPECT_EQ(Number(tree, 2, "base_calls"), 2);
  EXPECT_EQ(Number(tree, 2, "calls"), 3);
  EXPECT_TRUE(IsAbsent(tree.At(4, "base_host_total"))) << "what a run has not is not 0";
  EXPECT_TRUE(IsAbsent(tree.At(5, "host_total")));
  EXPECT_EQ(Number(tree, 5, "host_change"), -5);
  EXPECT_EQ(Number(tree, 3, "parent"), 2);
}

TEST(AlignTrees, UnequalCountsAreNotRenamed) {
  const Table base = TreeOf({{-1, "op", "mm", 1, 9}, {0, "kernel", "a", 0, 9}});
  const Table current =
      TreeOf({{-1, "op", "mm", 1, 9}, {0, "kernel", "b", 0, 4}, {0, "kernel", "c", 0, 5}});
  const Table tree = AlignTrees(base, current, "nvidia");
  ASSERT_EQ(tree.rows(), 4u);
  EXPECT_EQ(Text(tree, 1, "change"), "removed");
  EXPECT_EQ(Text(tree, 2, "change"), "added");
  EXPECT_EQ(Text(tree, 3, "change"), "added");
}

// Between a tree and itself nothing changes, however deep it is.
TEST(AlignTrees, DeepTreesAlignWithThemselves) {
  std::vector<TreeRow> rows;
  for (int i = 0; i < 200'000; ++i) rows.push_back({i - 1, "op", "f", 1, 0});
  const Table tree = AlignTrees(TreeOf(rows), TreeOf(rows), "");
  ASSERT_EQ(tree.rows(), rows.size());
  for (std::size_t i = 0; i < tree.rows(); ++i) {
    ASSERT_EQ(Number(tree, i, "host_change"), 0);
    ASSERT_EQ(Text(tree, i, "change"), "in both");
  }
}

Timeline TimelineOf(const std::string& kind, Ns start, std::uint32_t link) {
  Timeline timeline;
  timeline.facets = {{"op", "Op"}};
  timeline.kinds = {{kind, Category::kOther, "", {"mm"}}};
  timeline.tracks = {{"stream 7", "GPU 0", TrackType::kStream, 0}};
  timeline.lanes = {{0, 0, 0, 2}};
  timeline.start = {start, start + 10};
  timeline.duration = {5, 5};
  timeline.kind = {0, 0};
  timeline.link = {Timeline::kNoLink, link};
  timeline.amounts = {{"bytes", "Bytes", Unit::kBytes, true, {1, 2}}};
  timeline.counters.push_back(
      {"allocated", "GPU 0", Unit::kBytes, 0, 1, {start}, {4}, {}, false, start + 15});
  timeline.marks = {{"here", start}};
  timeline.peak_flops = 1e12;
  return timeline;
}

TEST(StackTimelines, EarlierMovesLaterStays) {
  const Timeline both = StackTimelines({TimelineOf("a", 100, 0), 100, "base"},
                                       {TimelineOf("b", 30, 0), 40, "this run"});
  EXPECT_EQ(both.start, (std::vector<Ns>{100, 110, 90, 100}));
  EXPECT_EQ(both.counters[1].time, (std::vector<Ns>{90}));
  EXPECT_EQ(both.counters[1].end, 105);
  EXPECT_EQ(both.marks[1].time, 90);
  EXPECT_EQ(both.marks[1].name, "this run · here");
  ASSERT_EQ(both.tracks.size(), 2u);
  EXPECT_EQ(both.tracks[0].group, "base · GPU 0");
  EXPECT_EQ(both.tracks[1].group, "this run · GPU 0");
  ASSERT_EQ(both.lanes.size(), 2u);
  EXPECT_EQ(both.lanes[1].track, 1u);
  EXPECT_EQ(both.lanes[1].begin, 2u);
  EXPECT_EQ(both.lanes[1].end, 4u);
  EXPECT_EQ(both.kinds[both.kind[3]].name, "b");
  EXPECT_EQ(both.link[2], Timeline::kNoLink);
  EXPECT_EQ(both.link[3], 2u);
  EXPECT_EQ(both.amounts[0].value, (std::vector<std::int64_t>{1, 2, 1, 2}));
  EXPECT_EQ(both.peak_flops, 1e12);
}

TEST(StackTimelines, LeavesOutUnsharedParts) {
  Timeline other = TimelineOf("b", 0, 0);
  other.facets = {{"layer", "Layer"}};
  other.amounts[0].id = "flops";
  other.peak_flops = 2e12;
  other.left_out = "2 host events";
  const Timeline both = StackTimelines({TimelineOf("a", 0, 0), 0, "base"}, {other, 0, "this run"});
  EXPECT_TRUE(both.facets.empty());
  EXPECT_TRUE(both.kinds[0].facets.empty());
  EXPECT_EQ(both.peak_flops, -1);
  EXPECT_EQ(both.amounts[0].value, (std::vector<std::int64_t>{1, 2, 0, 0}));
  EXPECT_EQ(both.amounts[1].value, (std::vector<std::int64_t>{0, 0, 1, 2}));
  EXPECT_EQ(both.left_out, "this run · 2 host events");
}

}  // namespace
}  // namespace profgauge::report
