// What evening out a late rank saves, in made runs of known truth: the same run without its
// lateness.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include "../analysis/made_ranks_fixture.h"
#include "planned.h"

namespace profgauge {
namespace {

using analysis::made::Folder;
using made::LateBy;
using made::Mesh;
using Made = made::Plan;

constexpr const char* kStraggler = "comm/straggler";

Made Late(Mesh mesh, LateBy cause) {
  Made plan;
  plan.mesh = mesh;
  plan.cause = cause;
  plan.late = 2;
  plan.lateness = 200'000;
  plan.waits = 2'000;
  return plan;
}

std::unique_ptr<Planned> PlanOfMade(const Made& plan) {
  const Folder folder;
  WriteRun(plan, Simulate(plan), folder.path());
  return PlanOf(folder.path());
}

double IterationTime(Made plan) {
  plan.cause = LateBy::kNothing;
  return PlanOfMade(plan)->plan.start;
}

const rules::PlanStep* StepOf(const Planned& planned, const std::string& rule) {
  const std::vector<std::string> rules = planned.StepRules();
  const auto at = std::find(rules.begin(), rules.end(), rule);
  return at == rules.end() ? nullptr : &planned.plan.steps[std::distance(rules.begin(), at)];
}

const rules::Finding* FindingOf(const Planned& planned, const std::string& rule) {
  for (const rules::Finding& finding : planned.evaluation.findings) {
    if (finding.rule->id == rule) return &finding;
  }
  return nullptr;
}

TEST(Straggler, SavesItsLateness) {
  for (const Mesh mesh : {Mesh::kDp, Mesh::kTpDp, Mesh::kEpDp}) {
    for (const LateBy cause :
         {LateBy::kHost, LateBy::kSlowGpu, LateBy::kMoreWork, LateBy::kCopies}) {
      const Made made = Late(mesh, cause);
      SCOPED_TRACE(analysis::made::Told(made));
      const auto planned = PlanOfMade(made);
      ExpectSound(*planned);
      ASSERT_FALSE(planned->plan.steps.empty());
      EXPECT_EQ(planned->StepRules().front(), kStraggler);
      const rules::PlanStep& step = planned->plan.steps.front();
      EXPECT_NEAR(step.time, IterationTime(made), 0.002 * planned->plan.start);
    }
  }
}

// A late loader is the better step: without loading nobody is late.
TEST(Straggler, ItsLoaderMayBeTheStep) {
  const auto planned = PlanOfMade(Late(Mesh::kDp, LateBy::kLoader));
  ExpectSound(*planned);
  ASSERT_FALSE(planned->plan.steps.empty());
  EXPECT_EQ(planned->StepRules().front(), "io/dataloader-bound");
  EXPECT_EQ(StepOf(*planned, kStraggler), nullptr);
}

// What a stage sends arrives earlier only as far as its own work gets shorter.
TEST(Straggler, OfAPipelineSavesNoMoreThanItsLateness) {
  const Made made = Late(Mesh::kPpDp, LateBy::kSlowGpu);
  const auto planned = PlanOfMade(made);
  ExpectSound(*planned);
  const rules::PlanStep* step = StepOf(*planned, kStraggler);
  ASSERT_NE(step, nullptr);
  const double lateness = planned->plan.start - IterationTime(made);
  EXPECT_LE(step->alone, lateness + 1);
  EXPECT_GE(step->alone, 0.5 * lateness);
}

// What a stage receives is needed: neither the host nor the ranks can do without waiting for it.
TEST(Straggler, WaitsOfAPipelineAreNoStep) {
  for (const LateBy cause : {LateBy::kNothing, LateBy::kSlowGpu}) {
    const auto planned = PlanOfMade(Late(Mesh::kPpDp, cause));
    ExpectSound(*planned);
    EXPECT_EQ(StepOf(*planned, "host/synchronizing-calls"), nullptr);
    EXPECT_EQ(StepOf(*planned, "comm/taking-turns"), nullptr);
    const rules::Finding* bubble = FindingOf(*planned, "comm/pipeline-bubble");
    ASSERT_NE(bubble, nullptr);
    EXPECT_TRUE(rules::Fired(bubble->status));
  }
}

TEST(Straggler, NoneWhereRanksAreLateInTurn) {
  Made made = Late(Mesh::kDp, LateBy::kNothing);
  made.jitter = 400'000;
  const auto planned = PlanOfMade(made);
  ExpectSound(*planned);
  EXPECT_EQ(StepOf(*planned, kStraggler), nullptr);
  EXPECT_FALSE(planned->run.replayer->straggler().has_value());
}

TEST(Straggler, OfOneRankIsUnknown) {
  const Made made = Late(Mesh::kDp, LateBy::kSlowGpu);
  const Folder folder;
  WriteRun(made, Simulate(made), folder.path());
  const auto planned = PlanOf(folder.path() + "/rank2.pt.trace.json");
  EXPECT_EQ(StepOf(*planned, kStraggler), nullptr);
  const rules::Finding* finding = FindingOf(*planned, kStraggler);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->status, rules::FindingStatus::kNotApplicable);
  EXPECT_NE(finding->reason.find("ranks"), std::string::npos) << finding->reason;
}

TEST(Straggler, WithoutAllRanksIsUnknown) {
  Made made = Late(Mesh::kDp, LateBy::kSlowGpu);
  made.missing = {7};
  const auto planned = PlanOfMade(made);
  EXPECT_EQ(StepOf(*planned, kStraggler), nullptr);
  const rules::Finding* finding = FindingOf(*planned, kStraggler);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->status, rules::FindingStatus::kNotApplicable);
  EXPECT_NE(finding->reason.find("all members"), std::string::npos) << finding->reason;
}

}  // namespace
}  // namespace profgauge
