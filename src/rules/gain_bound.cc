#include "rules/gain_bound.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include "base/metric_id.h"

namespace profgauge::rules {
namespace {

bool NamesIdleTime(const CompiledRule& rule, const expr::Program& program);

bool IsIdleTime(const CompiledRule& rule, expr::Slot slot) {
  const Binding& binding = rule.names.bindings[slot];
  if (binding.kind == Binding::Kind::kMetric) return binding.name.starts_with("gpu.idle");
  if (binding.kind == Binding::Kind::kJoined || binding.kind == Binding::Kind::kCommon) {
    return binding.table->row_name == "gpu" && binding.name == "idle";
  }
  return std::any_of(rule.lets.begin(), rule.lets.end(), [&](const CompiledRule::Let& let) {
    return let.slot == slot && NamesIdleTime(rule, let.value);
  });
}

/// True if a number is computed from idle time. A `let` only uses earlier ones, so this ends.
bool NamesIdleTime(const CompiledRule& rule, const expr::Program& program) {
  const std::vector<expr::Slot> fields = program.Fields();
  return std::any_of(fields.begin(), fields.end(),
                     [&](expr::Slot slot) { return IsIdleTime(rule, slot); });
}

// Without waiting, the busiest device bounds the iteration. Nothing for a single device, or if idle
// times of devices are unknown.
std::optional<double> IdleTimeOfBusiest(const RunData& run) {
  const Table* gpus = run.FindTable(*analysis::FindTable("gpus"));
  const Column* idle = gpus == nullptr ? nullptr : gpus->Find("idle");
  const analysis::Metric* time = run.FindMetric(metric::kGpuIdleTimeMean);
  const analysis::Metric* share = run.FindMetric(metric::kGpuIdleMean);
  if (idle == nullptr || gpus->rows() < 2 || time == nullptr || share == nullptr) {
    return std::nullopt;
  }
  const double mean = AsNumber(share->value, 0);
  if (IsAbsent(time->value) || mean <= 0) return std::nullopt;
  double least = mean;
  for (std::size_t row = 0; row < gpus->rows(); ++row) {
    if (idle->IsAbsentAt(row)) return std::nullopt;
    least = std::min(least, AsNumber(gpus->At(row, *idle), mean));
  }
  return least / mean * AsNumber(time->value, 0);
}

std::optional<double> AllIdleTime(const RunData& run) {
  if (const auto least = IdleTimeOfBusiest(run)) return least;
  const analysis::Metric* time = run.FindMetric(metric::kGpuIdleTimeMax);
  if (time != nullptr && !IsAbsent(time->value)) return AsNumber(time->value, 0);
  // Some profiles only have the share of idle time, so it is multiplied by the iteration time.
  const analysis::Metric* idle = run.FindMetric(metric::kGpuIdleMax);
  const analysis::Metric* iteration = run.FindMetric(metric::kIterationTimeMean);
  if (idle == nullptr || iteration == nullptr) return std::nullopt;
  if (IsAbsent(idle->value) || IsAbsent(iteration->value)) return std::nullopt;
  return AsNumber(idle->value, 0) * AsNumber(iteration->value, 0);
}

bool IsRowOfDevice(std::string_view row) {
  constexpr std::string_view kRows[] = {"kernel", "memcpy", "roofline_op", "tensor_core_op"};
  return std::ranges::find(kRows, row) != std::end(kRows);
}

// True if devices wait for each other in collectives.
bool HasCollectives(const RunData& run) {
  const Table* collectives = run.FindTable(*analysis::FindTable("collectives"));
  return collectives != nullptr && collectives->rows() > 0;
}

}  // namespace

MostGain::MostGain(const CompiledRule& rule, const RunData& run)
    : run_(run),
      is_idle_(rule.gain && NamesIdleTime(rule, *rule.gain)),
      each_delays_all_(HasCollectives(run)),
      is_device_work_(!is_idle_ && !each_delays_all_ && rule.names.table != nullptr &&
                      IsRowOfDevice(rule.names.table->row_name)) {
  if (rule.names.table != nullptr) exposure_ = run.FindExposure(rule.names.table->id);
}

std::optional<double> MostGain::Of(std::span<const expr::RowId> rows) {
  if (exposure_ == nullptr) {
    return is_idle_ && !each_delays_all_ ? AllIdleTime(run_) : std::nullopt;
  }
  // The rows' cost on all devices. With collectives, each device may delay the others:
  //
  //     device 0   rows cost 2 ms      without collectives: 3 ms, the maximum
  //     device 1   rows cost 3 ms      with collectives: 5 ms, since device 0 delays device 1, too
  if (!costs_) {
    costs_.emplace(*exposure_, each_delays_all_ ? analysis::catalog::AcrossDevices::kSum
                                                : analysis::catalog::AcrossDevices::kLargest);
  }
  return is_idle_ ? std::optional(costs_->Idle(rows)) : costs_->Exposed(rows);
}

}  // namespace profgauge::rules
