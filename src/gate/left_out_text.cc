// Sentences about the data that a comparison excluded: outlier runs and warm-up.
#include <fmt/format.h>

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

std::string DescribeWarmup(std::string_view run, std::size_t warmup) {
  return fmt::format("{} of run {} {} slower than the rest: the typical iteration excludes {}",
                     warmup == 1 ? "iteration 0" : fmt::format("iterations 0–{}", warmup - 1), run,
                     warmup == 1 ? "is" : "are", warmup == 1 ? "it" : "them");
}

}  // namespace profgauge::gate
