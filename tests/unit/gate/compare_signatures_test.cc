// What differs in the work of two runs, in words.
#include <gtest/gtest.h>

#include "compare_fixture.h"
#include "gate/change_text.h"
#include "gate/compare.h"
#include "gate/compare_signatures.h"

namespace profgauge::gate {
namespace {

analysis::breakdown::TimePart LaunchOf(const char* op, const char* shapes, std::int64_t count,
                                       Ns time) {
  analysis::breakdown::TimePart part;
  part.category = "other_kernel";
  part.op_type = "matmul";
  part.op = op;
  part.shapes = shapes;
  part.kernel = "gemm";
  part.count = count;
  part.time = time;
  return part;
}

Snapshot RunOfSignature(const char* signature, std::vector<analysis::breakdown::TimePart> parts) {
  Snapshot run = testing::Sample(1);
  run.iteration_times.resize(2);
  run.environment = {{std::string(kSignatureProperty), signature}};
  run.parts = std::move(parts);
  return run;
}

TEST(DescribeSignatures, NamesInputsAndOperators) {
  const Snapshot base = RunOfSignature(
      "a", {LaunchOf("aten::mm", "[[64, 8]]", 4, 900), LaunchOf("aten::mm", "[[8, 8]]", 2, 100),
            LaunchOf("aten::add", "[[8]]", 2, 50)});
  const Snapshot current = RunOfSignature(
      "b", {LaunchOf("aten::mm", "[[128, 8]]", 4, 900), LaunchOf("aten::mm", "[[8, 8]]", 2, 100),
            LaunchOf("aten::copy_", "[[8]]", 4, 60)});
  const std::vector<WorkFact> facts = DescribeSignatures(base, current);
  ASSERT_EQ(facts.size(), 3U);
  EXPECT_EQ(facts[0].base, "aten::mm [[64, 8]]");
  EXPECT_EQ(facts[0].current, "aten::mm [[128, 8]] (1 of 2 shapes)");
  EXPECT_TRUE(facts[0].is_of_inputs);
  EXPECT_EQ(facts[1].base, "no aten::copy_");
  EXPECT_EQ(facts[1].current, "aten::copy_: 2 launches per iteration");
  EXPECT_EQ(facts[2].base, "aten::add: 1 launch per iteration");
  EXPECT_EQ(facts[2].current, "no aten::add");
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  ASSERT_EQ(comparison.differences.size(), 3U);
  EXPECT_EQ(comparison.differences[1].current, "aten::copy_: 2 launches per iteration");
  EXPECT_EQ(comparison.changed_inputs, "aten::mm [[64, 8]] → aten::mm [[128, 8]] (1 of 2 shapes)");
}

// Two sides of a difference that look alike would be none.
TEST(DescribeSignatures, EachSideOfADifferenceIsReadByItself) {
  const auto run = [](const char* signature, std::int64_t wide, bool has_more) {
    std::vector<analysis::breakdown::TimePart> parts = {
        LaunchOf("aten::conv", "[[64, 8]]", 2 * wide, 900),
        LaunchOf("aten::conv", "[[8, 8]]", 2 * (10 - wide), 100),
        LaunchOf("aten::relu", "[[8]]", 2, 50)};
    if (has_more) {
      parts.push_back(LaunchOf("aten::relu", "[[9]]", 2, 50));
      parts.push_back(LaunchOf("aten::add", "[[9]]", 2, 9));
      parts.push_back(LaunchOf("aten::mul", "[[9]]", 2, 9));
    }
    return RunOfSignature(signature, std::move(parts));
  };
  const std::vector<WorkFact> two = DescribeSignatures(run("a", 4, false), run("b", 7, false));
  ASSERT_EQ(two.size(), 1U);
  EXPECT_EQ(two[0].base, "aten::conv [[64, 8]]: 4 launches per iteration");
  EXPECT_EQ(two[0].current, "aten::conv [[64, 8]]: 7 launches per iteration");
  const std::vector<WorkFact> facts = DescribeSignatures(run("a", 4, false), run("b", 7, true));
  ASSERT_EQ(facts.size(), 4U);
  EXPECT_EQ(facts[1].base, "aten::relu without [[9]]");
  EXPECT_EQ(facts[1].current, "aten::relu [[9]] (1 of 2 shapes)");
  EXPECT_EQ(facts[3].base, "1 more operator");
  EXPECT_EQ(facts[3].current, "1 more operator with other inputs or launches");
}

TEST(DescribeSignatures, NeverPrintsANumber) {
  const Snapshot base = RunOfSignature("61dffac7", {}), current = RunOfSignature("93696fa5", {});
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].base, "small operators");
  const RunComparison same = CompareRuns(std::vector{base}, std::vector{base}, nullptr);
  for (const auto& [property, value] : same.alike)
    EXPECT_EQ(value.find("61dff"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::gate
