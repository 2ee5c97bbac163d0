#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/text/csv.h"

namespace profgauge::readers {
namespace {

/// Rows as "a|b", and "cut" after them where the last is, of which `fewest` cells are asked.
std::vector<std::string> Cut(std::string_view text, std::size_t piece, std::size_t fewest = 0) {
  std::vector<std::string> rows;
  CsvCutter cutter([&rows](std::span<const std::string> cells) {
    std::string& row = rows.emplace_back();
    for (const std::string& cell : cells) row += (&cell == cells.data() ? "" : "|") + cell;
  });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    EXPECT_TRUE(cutter.Feed(text.substr(at, piece)));
  }
  if (!cutter.End(fewest)) rows.emplace_back("cut");
  return rows;
}

TEST(CsvCutter, CutsRowsAndCells) {
  struct Row {
    std::string_view text;
    std::vector<std::string> rows;
  };
  const Row kRows[] = {
      {"", {}},
      {"a,b\n", {"a|b"}},
      {"a,b\r\nc,\r\n", {"a|b", "c|"}},
      {"a,b\nc,d", {"a|b", "c|d"}},
      {"a\n\nb\n", {"a", "", "b"}},
      {"\"a,b\",\"c\nd\"\n", {"a,b|c\nd"}},
      {"\"a \"\"b\"\"\",\"\"\n", {"a \"b\"|"}},
      {"5\",6\n", {"5\"|6"}},
      {" a ,b\n", {" a |b"}},
      {"a,\"b", {"cut"}},
      {"a\n\"b\nc,d\n", {"a", "cut"}},
  };
  for (const Row& row : kRows) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{100}}) {
      EXPECT_EQ(Cut(row.text, piece), row.rows) << row.text << " in pieces of " << piece;
    }
  }
}

TEST(CsvCutter, UnfinishedLastRowMayBeCut) {
  EXPECT_THAT(Cut("a,b\nc", 100, 2), ::testing::ElementsAre("a|b", "cut"));
  EXPECT_THAT(Cut("a,b\nc,", 100, 2), ::testing::ElementsAre("a|b", "c|"));
  EXPECT_THAT(Cut("a,b\n", 100, 3), ::testing::ElementsAre("a|b"));
}

TEST(CsvCutter, RefusesRowsWithoutBounds) {
  for (const char c : {'x', ','}) {
    CsvCutter cutter([](std::span<const std::string>) {});
    EXPECT_FALSE(cutter.Feed(std::string(std::size_t{17} << 20, c))) << c;
  }
}

TEST(CsvCutter, KnowsAHeadThatComesAgain) {
  const std::vector<std::string> head = {"a", "b", "c"}, cut = {"1 a", " b", "c"};
  const std::vector<std::string> joined = {"1", "2", "3a", "b", "c"}, other = {"a", "b", "d"};
  EXPECT_TRUE(RepeatsHead(head, head));
  EXPECT_TRUE(RepeatsHead(head, cut));
  EXPECT_TRUE(RepeatsHead(head, joined));
  EXPECT_FALSE(RepeatsHead(head, other));
}

}  // namespace
}  // namespace profgauge::readers
