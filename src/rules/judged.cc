#include "rules/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/format.h"

namespace profgauge::rules {
namespace {

/// How bad a group is among those of equal status: higher is worse.
/// Rows count where there is no metric: a rule that only selects is worse with more of them.
double Badness(const CompiledRule& rule, const Judged& judged) {
  if (rule.metric && !IsAbsent(judged.metric.value)) {
    const bool below = !rule.limits.empty() && !rule.limits.front().above;
    return AsNumber(judged.metric.value, 0) * (below ? -1 : 1);
  }
  return static_cast<double>(judged.group->rows.size());
}

int PlaceOf(FindingStatus status) {
  if (Fired(status)) return static_cast<int>(status);
  if (status == FindingStatus::kWaived) return 3;
  return Passed(status) ? 4 : 5;
}

}  // namespace

void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged) {
  const auto key = [&rule](const Judged& one) {
    return std::tuple(PlaceOf(one.status), -Badness(rule, one));
  };
  std::stable_sort(judged.begin(), judged.end(),
                   [&key](const Judged& a, const Judged& b) { return key(a) < key(b); });
}

std::string LimitText(const RuleLimit& limit) {
  return fmt::format("{} {}", limit.fires_above ? ">" : "<", FormatLimit(limit.value, limit.unit));
}

GroupResult SummaryOf(const CompiledRule& rule, Judged judged) {
  GroupResult out;
  out.label = judged.group->label;
  out.status = judged.status;
  out.rows = judged.group->rows.size();
  out.metric = judged.metric.value;
  if (rule.metric) {
    out.metric_text = expr::Format(out.metric, rule.metric->type(), rule.metric_display);
  }
  out.waiver = judged.waiver;
  out.limit = judged.limit;
  out.reason = std::move(judged.reason);
  out.trace = std::move(judged.trace);
  return out;
}

CappedGain CapGain(double gain, std::optional<double> most, const analysis::Metric* iteration) {
  CappedGain out;
  out.gain = std::max(0.0, most ? std::min(gain, *most) : gain);
  if (iteration != nullptr && !IsAbsent(iteration->value)) {
    const double whole = AsNumber(iteration->value, 0);
    out.gain = std::min(out.gain, whole);
    if (whole > 0) out.share = out.gain / whole;
  }
  return out;
}

void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out) {
  if (rule.columns.empty()) return;
  const std::size_t numbered = std::min(kMostRowNumbers, group.rows.size());
  out.row_numbers.assign(group.rows.begin(),
                         group.rows.begin() + static_cast<std::ptrdiff_t>(numbered));
  const RuleEvidence& spec = *rule.rule->evidence;
  const auto limit = static_cast<std::size_t>(most > 0 ? most : spec.limit);
  std::vector<expr::RowId> rows;
  if (rule.order_by) {
    rows = expr::Sorted(*rule.order_by, data, group.rows, limit);
  } else {
    const std::size_t count = std::min(limit, group.rows.size());
    rows.assign(group.rows.begin(), group.rows.begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (std::size_t i = 0; i < rule.columns.size(); ++i) {
    const CompiledRule::Column& column = rule.columns[i];
    out.evidence_heads.push_back({spec.columns[i].head,
                                  expr::DisplayUnit(column.display, column.value.type()),
                                  column.display, spec.columns[i].is_code});
  }
  for (const expr::RowId row : rows) {
    std::vector<Value> cells;
    for (std::size_t i = 0; i < rule.columns.size(); ++i) {
      cells.push_back(expr::ToCell(expr::EvaluateRow(rule.columns[i].value, data, row).value,
                                   out.evidence_heads[i].unit));
    }
    out.evidence.push_back(std::move(cells));
  }
}

}  // namespace profgauge::rules
