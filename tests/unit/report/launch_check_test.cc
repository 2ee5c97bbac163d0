// The certificate's check against the baseline.
#include "report/build_comparison.h"
#include "report/build_sections.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/catalog/catalogue.h"
#include "base/metric_id.h"

namespace profgauge::report {
namespace {

TEST(LaunchCheck, IsInEveryCertificate) {
  Certificate none;
  AddLaunchCheck(nullptr, none);
  EXPECT_TRUE(none.checks.empty());

  const auto checked = [](const gate::RunComparison* comparison, Trust trust) {
    Certificate certificate{trust, {{"readable", "Events are readable"}}};
    AddLaunchCheck(comparison, certificate);
    return certificate;
  };
  const Certificate without = checked(nullptr, Trust::kWhole);
  ASSERT_EQ(without.checks.size(), 2U);
  EXPECT_EQ(without.checks[1].id, "launches-as-baseline");
  EXPECT_EQ(without.checks[1].state, CheckState::kUnknown);
  EXPECT_EQ(without.trust, Trust::kWhole);

  gate::RunComparison comparison;
  EXPECT_EQ(checked(&comparison, Trust::kWhole).checks[1].state, CheckState::kOk);
  comparison.work.kind = gate::WorkKind::kLess;
  comparison.work.gone = "`adamw`";
  const Certificate fewer = checked(&comparison, Trust::kWhole);
  EXPECT_EQ(fewer.checks[1].state, CheckState::kDoubt);
  EXPECT_TRUE(fewer.checks[1].text.find("gone: `adamw`") != std::string::npos);
  EXPECT_EQ(fewer.trust, Trust::kLimited);
  EXPECT_EQ(checked(&comparison, Trust::kNone).trust, Trust::kNone);
}

// Amounts of work show what is gone; a shorter time of it is no gain.
TEST(BuildComparison, OtherWorkHasNoChangesOfTimesAndShares) {
  gate::RunComparison run;
  const auto add = [&](MetricId metric, double base, double current) {
    gate::PairedValue& value = run.values.emplace_back();
    value.spec = &analysis::SpecOf(metric);
    value.base = base;
    value.current = current;
  };
  add(metric::kIterationTimeMean, 44e6, 23e6);
  add(metric::kGpuUtilizationMean, 0.99, 0.98);
  add(metric::kKernelCountPerIteration, 109, 55);
  const auto changes_of = [&](gate::WorkKind kind) {
    run.work.kind = kind;
    std::string changes;
    for (const PairedValue& value : BuildComparison(run, "").values) {
      changes += value.change.text + ";";
    }
    return changes;
  };
  EXPECT_EQ(changes_of(gate::WorkKind::kSame), "−47.7\u202f%;−1.0\u202fpoints;−49.5\u202f%;");
  for (const auto kind : {gate::WorkKind::kLess, gate::WorkKind::kOther}) {
    EXPECT_EQ(changes_of(kind), "–;–;−49.5\u202f%;");
  }
}

}  // namespace
}  // namespace profgauge::report
