#include "rules/gain_bound.h"

#include <algorithm>
#include <string_view>
#include <vector>
#include "base/metric_id.h"

namespace profgauge {
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

/// Whether a number is made of idle time; lets use earlier lets only, so this ends.
bool NamesIdleTime(const CompiledRule& rule, const expr::Program& program) {
  const std::vector<expr::Slot> fields = program.Fields();
  return std::any_of(fields.begin(), fields.end(),
                     [&](expr::Slot slot) { return IsIdleTime(rule, slot); });
}

std::optional<double> AllIdleTime(const RunData& run) {
  const Metric* time = run.FindMetric(metric::kGpuIdleTimeMax);
  if (time != nullptr && !IsAbsent(time->value)) return AsNumber(time->value, 0);
  // A file that states only shares.
  const Metric* idle = run.FindMetric(metric::kGpuIdleMax);
  const Metric* iteration = run.FindMetric(metric::kIterationTimeMean);
  if (idle == nullptr || iteration == nullptr) return std::nullopt;
  if (IsAbsent(idle->value) || IsAbsent(iteration->value)) return std::nullopt;
  return AsNumber(idle->value, 0) * AsNumber(iteration->value, 0);
}

}  // namespace

MostGain::MostGain(const CompiledRule& rule, const RunData& run)
    : run_(run), is_idle_(rule.gain && NamesIdleTime(rule, *rule.gain)) {
  if (rule.names.table != nullptr) exposure_ = run.FindExposure(rule.names.table->id);
}

std::optional<double> MostGain::Of(std::span<const expr::RowId> rows) {
  if (exposure_ == nullptr) return is_idle_ ? AllIdleTime(run_) : std::nullopt;
  if (!costs_) costs_.emplace(*exposure_);
  return is_idle_ ? costs_->Idle(rows) : costs_->Exposed(rows);
}

}  // namespace profgauge
