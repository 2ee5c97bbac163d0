// Which changes of many are called out.
#include "gate/significance.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::gate {
namespace {

struct CalledOut {
  std::vector<TestedChange> changes;
  Ns mean;
  std::string_view called_out;  ///< One letter a change: y or n.
};

TEST(FindSignificant, NeedsCertaintyAndWeight) {
  constexpr Ns kMs = 1'000'000;
  const CalledOut kCases[] = {
      {{}, kMs, ""},
      {{{0.001, kMs}}, 10 * kMs, "y"},
      {{{-1, kMs}}, 10 * kMs, "n"},
      // At least 50 us,
      {{{0.001, 50'000}, {0.001, 49'999}, {0.001, -50'000}, {0.001, -49'999}}, kMs, "ynyn"},
      // and 1 % of the mean iteration.
      {{{0.001, 100'000}, {0.001, 99'999}, {0.001, -100'000}}, 10 * kMs, "yny"},
      // Benjamini and Hochberg's lines at q = 0.1 for three: 0.033, 0.067, 0.1.
      {{{0.1, kMs}, {0.066, kMs}, {0.033, kMs}}, kMs, "yyy"},
      {{{0.11, kMs}, {0.066, kMs}, {0.04, kMs}}, kMs, "nyy"},
      {{{0.11, kMs}, {0.07, kMs}, {0.033, kMs}}, kMs, "nny"},
      {{{0.11, kMs}, {0.07, kMs}, {0.034, kMs}}, kMs, "nnn"},
      // Untested ones do not count among them.
      {{{0.1, kMs}, {-1, kMs}, {-1, kMs}}, kMs, "ynn"},
      {{{0.2, kMs}, {-1, kMs}, {-1, kMs}, {0.04, kMs}}, kMs, "nnny"},
      {{{0.2, kMs}, {-1, kMs}, {-1, kMs}, {0.06, kMs}}, kMs, "nnnn"},
      // Those with little weight do.
      {{{0.06, kMs}, {0.9, 1}}, kMs, "nn"},
      {{{0.06, kMs}}, kMs, "y"},
  };
  for (const CalledOut& judged : kCases) {
    std::string said;
    for (const bool is_out : FindSignificant(judged.changes, judged.mean))
      said += is_out ? 'y' : 'n';
    EXPECT_EQ(said, judged.called_out);
  }
}

TEST(FindSignificant, PValuesAreThoseOfASeries) {
  EXPECT_EQ(PValueOf(std::vector<Ns>{1}, std::vector<Ns>{2, 3}), -1);
  EXPECT_EQ(PValueOf(std::vector<Ns>{1, 2}, std::vector<Ns>{2}), -1);
  EXPECT_EQ(PValueOf(std::vector<Ns>{1, 2, 3}, std::vector<Ns>{1, 2, 3}), 1);
  EXPECT_EQ(PValueOf(std::vector<Ns>{0, 0}, std::vector<Ns>{5, 5}), 0);
}

}  // namespace
}  // namespace profgauge::gate
