#include "analysis/kernel_class.h"

#include <gtest/gtest.h>

#include "analysis/tensor_core_rules.h"

namespace profgauge {
namespace {

TEST(KernelClass, NamesOfVerdicts) {
  EXPECT_EQ(TriName(Tri::kNo), "no");
  EXPECT_EQ(TriName(Tri::kYes), "yes");
  EXPECT_EQ(TriName(Tri::kUnknown), "unknown");
  EXPECT_EQ(RuleName(0), "no rule");
}

}  // namespace
}  // namespace profgauge
