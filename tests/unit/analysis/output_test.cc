// Parts of the analysis that run beside each other, and how their results join.
#include "analysis/catalog/output.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace profgauge::analysis {
namespace {

TEST(Output, PartsJoinInTheOrderGiven) {
  catalog::Output whole, first = whole.Beside(), second = whole.Beside();
  whole.Set(metric::kProfileRanks, std::int64_t{2});
  second.Set(metric::kProfileGpus, std::int64_t{4});
  second.AddRemark("b", "second");
  first.SetAbsent(metric::kGpuIdleMean, "nothing ran");
  first.AddRemark("a", "first");
  first.RowsOfDevice("kernels", 0) = {7};
  Table& table = first.AddTable("host_cores");
  for (Column& column : table.columns()) column.AddAbsent();
  whole.Join(std::move(first));
  whole.Join(std::move(second));
  EXPECT_EQ(AsNumber(whole.ValueOf(metric::kProfileRanks), 0), 2);
  EXPECT_EQ(AsNumber(whole.ValueOf(metric::kProfileGpus), 0), 4);
  EXPECT_FALSE(whole.IsSet(metric::kGpuIdleMean));
  EXPECT_EQ(whole.RowsOfDevice("kernels", 0), std::vector<std::uint32_t>{7});
  Analysis analysis;
  whole.MoveTo(analysis);
  EXPECT_EQ(analysis.Find(metric::kGpuIdleMean)->absent_because, "nothing ran");
  EXPECT_EQ(analysis.FindTable("host_cores")->rows(), 1U);
  ASSERT_EQ(analysis.remarks.size(), 2U);
  EXPECT_EQ(analysis.remarks[0].id, "a");
  EXPECT_EQ(analysis.remarks[1].id, "b");
}

TEST(Output, TwoSidedRangesAreUncertain) {
  struct Case {
    double first, second, may_be;
    bool is_uncertain;
  };
  for (const auto& [first, second, may_be, is_uncertain] :
       {Case{0.6, 0.9, 0.9, false}, Case{0.9, 0.6, 0.9, false}, Case{0.1, 0.9, 0.9, true},
        Case{0.9, 0.1, 0.9, true}, Case{0.3, 0.1, 0.1, false}, Case{0.5, 0.1, 0.1, false}}) {
    catalog::Output out;
    out.Set(metric::kGpuIdleMean, 0.5);
    out.MayBe(metric::kGpuIdleMean, first, "one");
    out.MayBe(metric::kGpuIdleMean, second, "two");
    Analysis analysis;
    out.MoveTo(analysis);
    const Metric* idle = analysis.Find(metric::kGpuIdleMean);
    EXPECT_EQ(idle->may_be, may_be);
    EXPECT_EQ(idle->low_confidence, is_uncertain);
    EXPECT_EQ(idle->note, "one; two");
  }
}

TEST(Output, LaterPartWins) {
  catalog::Output whole, first = whole.Beside(), second = whole.Beside(), third = whole.Beside();
  first.Set(metric::kProfileGpus, std::int64_t{4});
  second.SetAbsent(metric::kProfileGpus, "not recorded");
  third.Set(metric::kProfileRanks, std::int64_t{1});
  whole.Join(std::move(first));
  whole.Join(std::move(second));
  whole.Join(std::move(third));
  Analysis analysis;
  whole.MoveTo(analysis);
  EXPECT_TRUE(IsAbsent(analysis.Find(metric::kProfileGpus)->value));
  EXPECT_EQ(analysis.Find(metric::kProfileGpus)->absent_because, "not recorded");
}

TEST(Output, RemovesMissingData) {
  catalog::Output out;
  out.Set(metric::kGpuIdleMean, 0.1);
  out.Set(metric::kMemoryGrowth, std::int64_t{5});
  out.AddTable("gaps");
  out.MarkUncertain(&Basis::all_work, "events were lost");
  EXPECT_TRUE(out.IsSet(metric::kGpuIdleMean));
  out.SetLacking(&Basis::execution, "nothing ran");
  EXPECT_FALSE(out.IsSet(metric::kGpuIdleMean));
  EXPECT_TRUE(out.IsSet(metric::kMemoryGrowth));
  EXPECT_EQ(out.Added("gaps"), nullptr);
  Analysis analysis;
  out.MoveTo(analysis);
  EXPECT_EQ(analysis.Find(metric::kGpuIdleMean)->absent_because, "nothing ran");
  EXPECT_FALSE(analysis.Find(metric::kMemoryGrowth)->low_confidence);
  EXPECT_EQ(analysis.absent_tables.find("gaps")->second, "nothing ran");
}

TEST(Output, RemarksWhatATableDoesNotHave) {
  catalog::Output out;
  for (Column& column : out.AddTable("host_cores").columns()) column.AddAbsent();
  out.RemarkCut("host_cores", 1, "first");
  out.RemarkCut("host_cores", 12'000, "first");
  EXPECT_EQ(out.Added("host_cores")->all_rows(), 12'000U);
  Analysis analysis;
  out.MoveTo(analysis);
  ASSERT_EQ(analysis.remarks.size(), 1U);
  EXPECT_EQ(analysis.remarks[0].id, "table-rows/host_cores");
  EXPECT_EQ(analysis.remarks[0].text,
            "of 12\u202f000 rows of the table \"Cores of the host\", the report has the first 1");
}

}  // namespace
}  // namespace profgauge::analysis
