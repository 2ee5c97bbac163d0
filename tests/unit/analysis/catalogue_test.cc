#include <gtest/gtest.h>

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/analysis.h"
#include "analysis/catalog/catalogue_parts.h"
#include "analysis/catalog/output.h"
#include "model/category.h"
#include "model/idle_cause.h"

namespace profgauge::analysis {
namespace {

// Policies, rules, baselines and history name ids: well formed, unique, documented.
TEST(MetricCatalogue, EveryEntryIsCompleteAndUnique) {
  std::set<std::string_view> ids;
  for (const MetricSpec& spec : MetricCatalogue()) {
    SCOPED_TRACE(std::string(spec.id));
    EXPECT_TRUE(RE2::FullMatch(spec.id, R"([a-z0-9_]+(\.[a-z0-9_]+)+)"));
    EXPECT_TRUE(ids.insert(spec.id).second);
    EXPECT_FALSE(spec.title.empty());
    EXPECT_FALSE(spec.source.empty());
    EXPECT_TRUE(spec.definition.ends_with('.'));
    EXPECT_EQ(FindMetric(spec.id), &spec);
    EXPECT_GE(spec.definition_number, 1);
  }
  EXPECT_EQ(FindMetric("gpu.idle"), nullptr);
}

// Times, bytes and counts add up over iterations, shares and rates are between: a unit that cannot
// be pooled as it is said to be is a slip of the table.
TEST(MetricCatalogue, HasARowForEachConstant) {
  ASSERT_EQ(MetricCatalogue().size(), metric::kAll.size());
  for (const MetricId id : metric::kAll) {
    EXPECT_EQ(SpecOf(id).id, id.text());
    EXPECT_EQ(FindMetricId(id.text()), id);
  }
  EXPECT_EQ(metric::kGpuIdleMean.text(), "gpu.idle.mean");
  EXPECT_FALSE(FindMetricId("gpu.idle").has_value());
}

// Entries of scenarios live as long as the pointer to them; the catalog does not know them.
TEST(MetricCatalogue, DescribesMetricsOfScenarios) {
  EXPECT_EQ(DescribeMetric("gpu.idle.mean").get(), &SpecOf(metric::kGpuIdleMean));
  const auto gain = DescribeMetric("what_if.no_loader.gain_share");
  ASSERT_NE(gain, nullptr);
  EXPECT_EQ(gain->id, "what_if.no_loader.gain_share");
  EXPECT_EQ(gain->title, "no_loader: predicted gain");
  EXPECT_LT(gain->range.least, 0);
  EXPECT_EQ(gain->range.most, 1);
  EXPECT_EQ(DescribeMetric("what_if.no_loader.iteration_time")->range.least, 0);
  EXPECT_EQ(FindMetric("what_if.no_loader.gain_share"), nullptr);
  EXPECT_EQ(DescribeMetric("what_if.no_loader.other"), nullptr);
}

TEST(MetricCatalogue, PoolingFitsTheUnit) {
  for (const MetricSpec& spec : MetricCatalogue()) {
    SCOPED_TRACE(std::string(spec.id));
    const bool is_amount = spec.unit == Unit::kTime || spec.unit == Unit::kBytes ||
                           spec.unit == Unit::kCount || spec.unit == Unit::kFlops;
    EXPECT_TRUE(is_amount || spec.pooling != Pooling::kSum);
    EXPECT_TRUE(!spec.id.ends_with("_per_iteration") || spec.pooling == Pooling::kRatio);
    // Those of load tests are of one server.
    EXPECT_TRUE(!spec.id.ends_with(".median") || spec.id.starts_with("serve.") ||
                spec.pooling == Pooling::kQuantile);
  }
}

// A metric id is `group.name`, a field of a row is `row_name.column`. Where they coincide
// (gpu.occupancy of all GPUs, and of one) they must mean the same, so that types agree.
TEST(TableCatalogue, EveryEntryIsCompleteAndUnique) {
  std::set<std::string_view> tables, rows;
  for (const TableSpec& table : TableCatalogue()) {
    SCOPED_TRACE(std::string(table.id));
    EXPECT_TRUE(tables.insert(table.id).second);
    EXPECT_TRUE(table.row_name.empty() || rows.insert(table.row_name).second);
    EXPECT_TRUE(table.doc.ends_with('.'));
    EXPECT_EQ(FindTable(table.id), &table);
    std::set<std::string_view> columns;
    for (const ColumnSpec& column : table.columns) {
      SCOPED_TRACE(std::string(column.id));
      EXPECT_TRUE(RE2::FullMatch(column.id, "[a-z][a-z0-9_]*"));
      EXPECT_TRUE(columns.insert(column.id).second);
      EXPECT_FALSE(column.title.empty());
      EXPECT_TRUE(column.doc.ends_with('.'));
      const std::string field = std::string(table.row_name) + "." + std::string(column.id);
      const MetricSpec* metric = FindMetric(field);
      EXPECT_TRUE(metric == nullptr || metric->unit == column.unit) << field;
    }
  }
}

// A part of an iteration has the same name everywhere.
TEST(MetricCatalogue, PartsHaveTitlesOfTheirKinds) {
  for (const Category part : BreakdownCategories()) {
    const std::string id = "breakdown." + std::string(CategoryId(part));
    const MetricSpec *share = FindMetric(id), *time = FindMetric(id + ".time");
    ASSERT_TRUE(share != nullptr && time != nullptr) << id;
    EXPECT_EQ(share->title, InfoOf(part).title);
    EXPECT_EQ(time->title, std::string(InfoOf(part).title) + ", time");
  }
  const MetricSpec* path = FindMetric("critical.dataloader.time");
  ASSERT_NE(path, nullptr);
  EXPECT_EQ(path->title, "Critical path: data loader, time");
  EXPECT_EQ(path->definition, "Time of the critical path in ranges of a data loader.");
}

TEST(MetricCatalogue, IdleCausesHaveTheirTitles) {
  for (const IdleCauseInfo& cause : kIdleCauseInfo) {
    const MetricSpec* metric = FindMetric(cause.metric);
    ASSERT_NE(metric, nullptr) << cause.metric.text();
    EXPECT_EQ(metric->title, fmt::format("Idle: {}", cause.title));
  }
}

// The basis makes a number absent if the profile does not have its data: a number without one would
// be printed as if the profile had it.
TEST(MetricCatalogue, EveryMetricNamesItsBasis) {
  for (const MetricSpec& spec : MetricCatalogue()) {
    EXPECT_TRUE(!spec.basis.execution || spec.basis.times) << spec.id;
    EXPECT_TRUE(!spec.id.ends_with("_per_iteration") || spec.basis.times) << spec.id;
  }
  EXPECT_TRUE(FindMetric("gpu.idle.mean")->basis.execution);
  EXPECT_FALSE(FindMetric("memory.growth")->basis.times);
}

TEST(TableCatalogue, ColumnsThatFollowFromMoreExist) {
  for (const catalog::ColumnBasis& of : catalog::ColumnsWithBasis()) {
    const TableSpec* table = FindTable(of.table);
    ASSERT_NE(table, nullptr) << of.table;
    const auto is_it = [&](const ColumnSpec& column) { return column.id == of.column; };
    EXPECT_EQ(std::ranges::count_if(table->columns, is_it), 1) << of.table << '.' << of.column;
  }
  EXPECT_TRUE(FindTable("gaps")->basis.execution);
  EXPECT_FALSE(FindTable("kernels")->basis.times);
}

// The gates of the recommended policy, which other files name in text.
TEST(MetricCatalogue, HasTheGatedMetrics) {
  for (const std::string_view id : {"tensor_core.efficiency", "tensor_core.eligible_share",
                                    "gpu.idle.mean", "iteration.time.robust_cv"}) {
    ASSERT_NE(FindMetric(id), nullptr) << id;
    EXPECT_EQ(FindMetric(id)->unit, Unit::kShare) << id;
  }
}

// Our words follow the device; the names of a profile's kernels do not.
TEST(Output, RecordedNamesAreNoDeviceWords) {
  catalog::Output out({}, Accelerator::kAmd);
  EXPECT_EQ(out.Told("a {{ device.core }}"), "a compute unit");
  const std::string recorded = "the kernel `{{ device.core }}`";
  out.AddRemark("some", recorded);
  out.SetAbsent(metric::kGpuIdleMean, recorded);
  out.SetTableAbsent("kernels", recorded);
  Analysis analysis;
  out.MoveTo(analysis);
  ASSERT_EQ(analysis.remarks.size(), 1u);
  EXPECT_EQ(analysis.remarks.front().text, recorded);
  EXPECT_EQ(analysis.Find("gpu.idle.mean")->absent_because, recorded);
  EXPECT_EQ(analysis.FindTable("kernels")->rows(), 0u);
}

}  // namespace
}  // namespace profgauge::analysis
