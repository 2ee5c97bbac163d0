// Invariants of every trace, whatever it contains.
#include <cmath>
#include <numeric>

#include "analysis/breakdown/idle.h"
#include "analysis/iterations/context.h"
#include "breakdowns.h"
#include "fixture.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

void ExpectPartition(const iterations::RankContext& rank) {
  std::vector<Span> ranges;
  for (const iterations::Iteration& iteration : rank.iterations.selected())
    ranges.push_back(iteration.time);
  for (std::size_t i = 1; i < ranges.size(); ++i) ASSERT_LE(ranges[i - 1].end, ranges[i].start);
  const auto parts = BreakdownsOf(*rank.profile, rank.classes, ranges);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ASSERT_GE(ranges[i].length(), 0);
    ASSERT_EQ(std::accumulate(parts[i].begin(), parts[i].end(), Ns{0}), ranges[i].length());
    for (const Ns part : parts[i]) ASSERT_GE(part, 0);
  }
}

void ExpectIdle(const iterations::RankContext& rank) {
  for (const iterations::GpuUse& use : iterations::MeasureGpus(rank)) {
    ASSERT_LE(0, use.kernel_busy);
    ASSERT_LE(use.kernel_busy, use.busy);
    ASSERT_LE(use.busy, use.observed);
    ASSERT_LE(use.observed, std::max<Ns>(use.window, 0));
    Ns idle = 0;
    for (const breakdown::IdleGap& gap : breakdown::ExplainIdle(rank, use)) {
      ASSERT_EQ(std::accumulate(gap.causes.begin(), gap.causes.end(), Ns{0}), gap.time.length());
      for (const Ns part : gap.causes) ASSERT_GE(part, 0);
      idle += gap.time.length();
    }
    ASSERT_EQ(idle + use.busy, use.observed);
  }
}

void ExpectTree(const iterations::RankContext& rank) {
  const flops::OpTree& tree = rank.tree;
  const HostTable& host = rank.profile->host;
  for (std::size_t row = 0; row < host.size(); ++row) {
    ASSERT_GE(tree.host_self[row], 0);
    ASSERT_LE(tree.host_self[row], std::max<Ns>(host.duration[row], 0));
    ASSERT_LE(tree.device_self[row], tree.device_total[row]);
    ASSERT_LE(tree.tensor_core_total[row], tree.kernel_total[row]);
    ASSERT_LE(tree.kernel_total[row], tree.device_total[row]);
  }
}

void ExpectNoNegative(const Analysis& analysis) {
  for (const Metric& metric : analysis.metrics) {
    EXPECT_EQ(IsAbsent(metric.value), !metric.absent_because.empty()) << metric.spec->id;
    if (IsAbsent(metric.value) || metric.spec->id == "iteration.drift") continue;
    const double value = AsNumber(metric.value, 0);
    EXPECT_TRUE(std::isfinite(value)) << metric.spec->id;
    EXPECT_GE(value, 0) << metric.spec->id;
    if (metric.spec->unit == Unit::kShare && metric.spec->id != "iteration.time.cv" &&
        metric.spec->id != "iteration.time.robust_cv" && metric.spec->id != "rank.imbalance") {
      EXPECT_LE(value, 1 + 1e-9) << metric.spec->id;
    }
  }
  for (const Table& table : analysis.tables) {
    ASSERT_TRUE(table.CheckShape()) << table.id();
    for (const Column& column : table.columns()) {
      if (column.unit() != Unit::kTime && column.unit() != Unit::kShare) continue;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (column.IsAbsentAt(row)) continue;
        EXPECT_GE(AsNumber(table.At(row, column), 0), 0) << table.id() << "." << column.id();
      }
    }
  }
}

TEST(Invariants, HoldForEveryTrace) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  readers::ReadOptions options;
  options.allow_incomplete = true;
  std::size_t read = 0;
  for (const std::string& path : AllTraces()) {
    auto profile = readers::ReadProfile(SharedPath(path), options);
    if (!profile) continue;  // Malformed ones that are refused; the reader's tests say which.
    SCOPED_TRACE(path);
    ++read;
    const std::vector<Profile> profiles = OneRank(std::move(*profile));
    const auto ranks = iterations::BuildRankContexts(profiles, {});
    ASSERT_TRUE(ranks.has_value());
    ExpectPartition(ranks->front());
    ExpectIdle(ranks->front());
    ExpectTree(ranks->front());
    const auto analysis = Analyze(profiles, {});
    ASSERT_TRUE(analysis.has_value());
    ExpectNoNegative(*analysis);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(read, 60U);
}

}  // namespace
}  // namespace profgauge::analysis
