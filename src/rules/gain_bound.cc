#include "rules/gain_bound.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/tables/exposure.h"

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
  const Metric* time = run.FindMetric("gpu.idle.time.max");
  if (time != nullptr && !IsAbsent(time->value)) return AsNumber(time->value, 0);
  // A file that states shares alone.
  const Metric* idle = run.FindMetric("gpu.idle.max");
  const Metric* iteration = run.FindMetric("iteration.time.mean");
  if (idle == nullptr || iteration == nullptr) return std::nullopt;
  if (IsAbsent(idle->value) || IsAbsent(iteration->value)) return std::nullopt;
  return AsNumber(idle->value, 0) * AsNumber(iteration->value, 0);
}

}  // namespace

std::optional<double> MostGain(const CompiledRule& rule, const RunData& run,
                               std::span<const expr::RowId> rows) {
  const bool is_idle = rule.gain && NamesIdleTime(rule, *rule.gain);
  const Exposure* exposure =
      rule.names.table == nullptr ? nullptr : run.FindExposure(rule.names.table->id);
  if (exposure == nullptr) return is_idle ? AllIdleTime(run) : std::nullopt;
  std::vector<bool> chosen;
  for (const expr::RowId row : rows) {
    if (row >= chosen.size()) chosen.resize(row + std::size_t{1}, false);
    chosen[row] = true;
  }
  if (is_idle) return IdlePerIteration(*exposure, chosen);
  return ExposedPerIteration(*exposure, chosen);
}

}  // namespace profgauge
