// Registers one test per case folder: `cases_test --gtest_filter=Case.kineto*`.
#include <gtest/gtest.h>

#include <algorithm>

#include "case.h"

namespace profgauge::cases {
namespace {

class CaseTest : public testing::Test {
 public:
  explicit CaseTest(Case test) : test_(std::move(test)) {}
  void TestBody() override { CheckCase(test_); }

 private:
  Case test_;
};

void RegisterCases() {
  for (const Case& test : FindCases(PROFGAUGE_CASES_DIR)) {
    std::string name = test.name;
    std::replace(name.begin(), name.end(), '/', '_');
    testing::RegisterTest("Case", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [test]() -> testing::Test* { return new CaseTest(test); });
  }
}

}  // namespace
}  // namespace profgauge::cases

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  profgauge::cases::RegisterCases();
  return RUN_ALL_TESTS();
}
