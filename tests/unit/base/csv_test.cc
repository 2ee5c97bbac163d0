#include "base/csv.h"

#include <gtest/gtest.h>

#include <vector>

namespace profgauge {
namespace {

TEST(CsvTest, NeutralizesFormulas) {
  EXPECT_EQ(NeutralCell("=1+1"), "'=1+1");
  EXPECT_EQ(NeutralCell("+cmd"), "'+cmd");
  EXPECT_EQ(NeutralCell("-x"), "'-x");
  EXPECT_EQ(NeutralCell("@sum"), "'@sum");
  EXPECT_EQ(NeutralCell("\tx"), "'\tx");
}

TEST(CsvTest, NumbersAndTheLoneDashStay) {
  for (const char* text : {"-12", "+3.5", "-1e9", "-", "", "a=b", "12-3"}) {
    EXPECT_EQ(NeutralCell(text), text);
  }
}

TEST(CsvTest, QuotesAreDoubled) {
  const std::vector<std::string> cells = {"a \"b\"", "c,d", "e"};
  std::string all, needed;
  AppendCsvRow(all, cells, CsvQuotes::kAll);
  AppendCsvRow(needed, cells, CsvQuotes::kNeeded);
  EXPECT_EQ(all, "\"a \"\"b\"\"\",\"c,d\",\"e\"\n");
  EXPECT_EQ(needed, "\"a \"\"b\"\"\",\"c,d\",e\n");
}

}  // namespace
}  // namespace profgauge
