// Sentences about the data that a comparison excluded: outlier runs and warm-up.
#include <fmt/format.h>

#include <algorithm>

#include "gate/change_numbers.h"
#include "gate/change_text.h"
#include "gate/constants.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

using change_numbers::Distance;

void DescribeSide(const stats::SideUse& side, const std::vector<std::string>& names,
                  const std::vector<stats::Series>& series, std::string_view word,
                  std::vector<std::string>& out) {
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    const stats::RunUse& run = side.runs[i];
    if (run.left_out == stats::LeftOut::kHalfWarmup) {
      const std::size_t warmup = series[i].warmup;
      out.push_back(
          fmt::format("run {} is excluded: half of it ({}) is slower than the rest", names[i],
                      warmup == 1 ? "iteration 0" : fmt::format("iterations 0–{}", warmup - 1)));
    }
    if (run.left_out != stats::LeftOut::kOdd) continue;
    std::size_t odd = 0;
    for (const stats::RunUse& other : side.runs) odd += other.left_out == stats::LeftOut::kOdd;
    out.push_back(
        fmt::format("run {} is excluded: its typical iteration is {} {} than that of the "
                    "{} others",
                    names[i], Distance(run.from_others), run.from_others < 0 ? "faster" : "slower",
                    side.runs.size() - odd));
  }
  if (side.apart > 0) {
    out.push_back(fmt::format(
        "the {} {} runs differ by {}; smaller changes cannot be detected. Record {}",
        side.runs.size(), word, Distance(side.apart), side.runs.size() == 2 ? "a third" : "more"));
  }
}

}  // namespace

std::vector<std::string> DescribeRuns(const stats::Comparison& comparison,
                                      const std::vector<std::string>& base_names,
                                      const std::vector<std::string>& current_names,
                                      const std::vector<stats::Series>& base,
                                      const std::vector<stats::Series>& current) {
  std::vector<std::string> out;
  DescribeSide(comparison.base, base_names, base, "baseline", out);
  DescribeSide(comparison.current, current_names, current, "candidate", out);
  return out;
}

std::string DescribeWarmup(const std::vector<stats::Series>& runs,
                           const std::vector<std::string>& names, std::string_view word) {
  std::size_t least = 0, most = 0, with = 0, last = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t warmup = runs[i].warmup;
    if (warmup == 0) continue;
    least = with == 0 ? warmup : std::min(least, warmup);
    most = std::max(most, warmup);
    last = i;
    ++with;
  }
  if (with == 0) return {};
  const std::string which = least < most ? fmt::format("the first {} to {} iterations", least, most)
                            : most == 1  ? std::string("iteration 0")
                                         : fmt::format("iterations 0–{}", most - 1);
  const bool is_one = most == 1 && with == 1;
  const std::string whose = with == 1 ? fmt::format("{} run {}", word, names[last])
                                      : fmt::format("{} {} runs", with, word);
  return fmt::format("{} of {} {} slower than the rest: the typical iteration excludes {}", which,
                     whose, is_one ? "is" : "are", is_one ? "it" : "them");
}

}  // namespace profgauge::gate
