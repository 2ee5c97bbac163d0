// The texts of a comparison, case by case: ../shared/design/gate.md, A7, in today's words.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "compare_fixture.h"
#include "gate/baseline_verdict.h"
#include "gate/compare.h"
#include "gate/history_check.h"
#include "gate/verdict.h"

namespace profgauge::gate {
namespace {

using testing::Find;
using testing::Plain;
using testing::Sample;

std::string ReasonOf(const std::vector<Snapshot>& bases, const Snapshot& current) {
  const RunComparison comparison = CompareRuns(bases, std::vector{current}, nullptr);
  return Plain(Find(comparison, "iteration.time.median").reason);
}

void ExpectText(const std::string& text, const std::string& pattern) {
  EXPECT_TRUE(std::regex_match(text, std::regex(pattern))) << text << "\nis not\n" << pattern;
}

Snapshot Stalling(const std::vector<std::size_t>& places, double times) {
  Snapshot run = Sample(1);
  for (const std::size_t i : places) {
    run.iteration_times[i] = static_cast<Ns>(times * static_cast<double>(run.iteration_times[i]));
  }
  return run;
}

const std::string kInterval = R"(\[(?:−|\+)[0-9.]+, (?:−|\+)[0-9.]+\])";

TEST(Texts, PassesAndImprovements) {
  const std::vector<Snapshot> bases = {Sample(1), Sample(1.002), Sample(0.998)};
  ExpectText(ReasonOf(bases, Sample(1.012)),
             R"(\+1\.2 % )" + kInterval + R"(, total \+1\.2 %, limit \+5 %;.*)");
  ExpectText(ReasonOf(bases, Sample(0.85)),
             R"(improved −15\.\d % )" + kInterval + R"(, total −15\.\d %; median .*)");
}

TEST(Texts, Totals) {
  std::vector<Snapshot> bases(5, Sample(1));
  bases[0] = Stalling({6}, 3);
  // Fail.
  ExpectText(
      ReasonOf(bases, Stalling({2, 5, 8, 11, 14, 16, 18}, 3.4)),
      R"(total \+8\d %, limit \+5 %: 7 of 20 iterations take 3\.4 times as long \(2, 5, 8, …\), )"
      R"(1 of 100 in the baseline; by chance in under 1 of 1000\. The typical iteration is .*)");
  // Undecided by its size.
  bases[0] = Sample(1);
  ExpectText(
      ReasonOf({bases.begin(), bases.begin() + 1}, Stalling({7, 15}, 10)),
      R"(total \+90 %, over three limits: iterations 7, 15 take 10 times as long \(2 of 20, none )"
      R"(of 20 in the baseline\)\. Find the cause; if it was the machine, record again)");
  // Undecided by chance.
  ExpectText(
      ReasonOf(bases, Stalling({4, 9}, 1.8)),
      R"(total \+8\.\d %, limit \+5 %: 2 of 20 iterations take 1\.8 times as long \(4, 9\), 0 of )"
      R"(100 in the baseline; by chance in [0-9.]+ of 100\. The typical iteration is .*)");
  // By the start.
  ExpectText(
      ReasonOf(bases, Stalling({0, 1, 2, 3, 4}, 10)),
      R"(total \+2\d\d % with the first 5 iterations \(on average 10 times as long; the baseline's )"
      R"(start costs nothing\), 0\.0 % without\. Find the cause: compiling, cache, data)");
}

// What all iterations took, and what they took without the start that is left out.
TEST(Texts, TotalsWithAStart) {
  const std::vector<Snapshot> bases(5, Sample(1));
  Snapshot run = Sample(1);
  for (std::size_t i = 0; i < 3; ++i) run.iteration_times[i] = run.iteration_times[i] * 17 / 10;
  ExpectText(
      ReasonOf(bases, run),
      R"(.* total \+1\d(\.\d)? %, without the first 3 iterations (0\.0|[+−]0\.\d+) %, limit .*)");
}

TEST(Texts, Endings) {
  RunComparison comparison =
      CompareRuns(std::vector{Sample(1)}, std::vector{Sample(1, 3)}, nullptr);
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, rules::Policy(), verdict);
  EXPECT_EQ(ExitCodeOf(verdict, false), 3);
  bool is_said = false;
  for (const std::string& reason : verdict.reasons) {
    is_said |= Plain(reason) ==
               "3 iterations, the baseline's runs have 20: did it break off? If that is meant, set "
               "`iterations.min` [baseline/ended-early]";
  }
  EXPECT_TRUE(is_said) << (verdict.reasons.empty() ? "" : verdict.reasons.front());
}

TEST(Texts, Histories) {
  HistoryFindings findings;
  findings.state = HistoryState::kStep;
  findings.change = 0.048;
  findings.commits = {"3f2a"};
  EXPECT_EQ(Plain(FindingsText(findings)), "+4.8 % at 3f2a");
  findings.commits.emplace_back("77c1");
  EXPECT_EQ(Plain(FindingsText(findings)), "+4.8 % at one of 2 commits: 3f2a (most likely), 77c1");
  findings.state = HistoryState::kCreep;
  findings.runs = 14;
  EXPECT_EQ(Plain(FindingsText(findings)),
            "creep: +4.8 % between the levels of the first and the last of 14 comparable runs, no "
            "single step");
  findings.is_of_total = true;
  EXPECT_EQ(Plain(FindingsText(findings)),
            "creep: total +4.8 % between the levels of the first and the last of 14 comparable "
            "runs, no single step");
}

}  // namespace
}  // namespace profgauge::gate
