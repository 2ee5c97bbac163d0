// The certificate's check against the baseline.
#include "report/build_comparison.h"
#include "report/build_sections.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace profgauge::report
