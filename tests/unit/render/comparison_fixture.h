// A comparison with one of everything, for tests of its renderings.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/format.h"
#include "fixture.h"
#include "report/report.h"

namespace profgauge::render::testing {

inline report::ComparisonStep Step(gate::PartLevel level, std::string name, std::int64_t parent,
                                   std::int64_t count_effect, std::int64_t duration_effect) {
  report::ComparisonStep step;
  step.level = level;
  step.name = std::move(name);
  step.parent = parent;
  step.change = gate::PartChange::kChanged;
  step.base = 40'000'000;
  step.delta = count_effect + duration_effect;
  step.current = step.base + step.delta;
  step.count_effect = count_effect;
  step.duration_effect = duration_effect;
  step.base_count = 2;
  step.current_count = 3;
  return step;
}

inline report::PairedWork Work(std::string name, std::int64_t delta, bool significant) {
  report::PairedWork work;
  work.name = std::move(name);
  work.change = gate::PartChange::kRenamed;
  work.base_count = 2;
  work.current_count = 3.5;
  work.base = 20'000'000;
  work.current = work.base + delta;
  work.delta = work.count_effect = delta;
  work.base_host = 5'000;
  work.current_host = 6'000;
  if (significant) work.p_value = 0.001;
  work.significant = significant;
  return work;
}

/// 100 ms become 112 ms: kernels +15 ms, the data loader -3 ms.
inline report::Comparison SampleComparison() {
  report::Comparison comparison;
  comparison.baseline = "main";
  comparison.candidate = "branch";
  comparison.baseline_runs = 3;
  comparison.current_runs = 2;
  comparison.differences = {{"driver", "535", "550", false}};
  comparison.alike = {{"gpu", "Tesla V100"}, {"gpus", "1"}};
  comparison.accelerator = "nvidia";
  report::ComparedMetric time;
  time.metric = "iteration.time.median";
  time.title = "Median iteration time";
  time.base = Q(std::int64_t{100'000'000}, Unit::kTime);
  time.current = Q(std::int64_t{112'000'000}, Unit::kTime);
  time.change = Q(0.12, Unit::kShare);
  time.low = Q(0.1, Unit::kShare);
  time.high = Q(0.14, Unit::kShare);
  time.limit = "≤ +5 %";
  time.level = report::State::kError;
  time.result = report::State::kFail;
  time.note = "record the run again to confirm";
  comparison.metrics = {time};
  report::PairedValue value;
  value.metric = "gpu.idle.mean";
  value.title = "GPU idle time";
  value.better = report::Better::kLower;
  value.base = Q(0.2, Unit::kShare);
  value.current = Q(0.25, Unit::kShare);
  value.change = Q(0.05, Unit::kShare);
  comparison.values = {value};
  comparison.base = 100'000'000;
  comparison.current = 112'000'000;
  comparison.delta = 12'000'000;
  comparison.waterfall = {
      Step(gate::PartLevel::kCategory, "other_kernel", -1, 10'000'000, 5'000'000),
      Step(gate::PartLevel::kCategory, "dataloader", -1, 0, -3'000'000),
      Step(gate::PartLevel::kOpType, "mm", 0, 10'000'000, 5'000'000),
      Step(gate::PartLevel::kOp, "aten::mm [[2, 3]]", 2, 10'000'000, 5'000'000),
      Step(gate::PartLevel::kKernel, "void gemm<float>(a|b) </script>", 3, 10'000'000, 5'000'000),
  };
  comparison.waterfall.back().change = gate::PartChange::kRenamed;
  comparison.waterfall.back().significant = true;
  comparison.kernels = {report::Measure::kGpuTime,
                        40'000'000,
                        55'000'000,
                        15'000'000,
                        {Work("void gemm<float>(a|b) </script> ← old", 15'000'000, true)}};
  comparison.ops = {report::Measure::kGpuTime,
                    40'000'000,
                    55'000'000,
                    15'000'000,
                    {Work("aten::mm", 15'000'000, false)}};
  return comparison;
}

/// The report that `compare` renders.
inline report::Report ComparisonAlone() {
  report::Report report;
  report.tool = "profgauge 0.1.0";
  report.profile.name = "branch";
  report.verdict.status = report::State::kNotJudged;
  report.comparison = SampleComparison();
  return report;
}

}  // namespace profgauge::render::testing
