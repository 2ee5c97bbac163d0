// The section of the Markdown document on changes against a baseline.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <vector>

#include "base/format.h"
#include "render/markdown/markdown_text.h"
#include "render/markdown/markdown_view.h"
#include "render/shared/change.h"
#include "render/shared/changed_values.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

std::string Time(std::int64_t ns) { return FormatDuration(static_cast<double>(ns)); }
std::string Delta(std::int64_t ns) { return ns == 0 ? "0" : DeltaText(ns); }

// The tree of changes. Indents are em spaces, as Markdown removes others.
json::array StepsView(const report::Comparison& comparison) {
  std::int64_t largest = 1;
  for (const report::ComparisonStep& step : comparison.waterfall) {
    largest = std::max(largest, std::abs(step.delta));
  }
  json::array rows;
  for (const ChangeRow& row : ChangeTree(comparison, {0.02, 6})) {
    std::string indent;
    for (std::size_t i = 0; i < row.depth; ++i) indent += "\u2003";
    const report::ComparisonStep* step = row.step;
    json::value name(fmt::format("{} smaller", row.smaller));
    if (step != nullptr && row.depth == 0) name = json::value(StepTitle(*step, comparison));
    if (step != nullptr && row.depth > 0) name = MarkdownCell(step->name);
    const double share = static_cast<double>(std::abs(row.delta)) / static_cast<double>(largest);
    rows.push_back(
        json::object{{"indent", indent},
                     {"text", name.is_string() ? name : json::value("")},
                     {"code", name.is_string() ? MakeMarkup("") : name},
                     {"what", step == nullptr ? std::string_view() : ChangeWord(step->change)},
                     {"bar", MakeMarkup(MarkdownBar(share))},
                     {"sign", row.delta > 0 ? "▲" : "▼"},
                     {"delta", Delta(row.delta)},
                     {"count_effect", step == nullptr ? "" : Delta(step->count_effect)},
                     {"duration_effect", step == nullptr ? "" : Delta(step->duration_effect)},
                     {"significant", step != nullptr && step->significant ? "★" : ""}});
  }
  return rows;
}

json::object PairedView(const std::string& title, const report::PairedTable& table,
                        const std::string& accelerator) {
  json::array rows;
  for (const report::PairedWork& work : table.rows) {
    if (rows.size() == kMarkdownRows) break;
    if (work.delta == 0 && work.base_count == work.current_count) continue;
    rows.push_back(json::object{{"name", MarkdownCell(work.name)},
                                {"what", ChangeWord(work.change)},
                                {"base_count", PerIteration(work.base_count)},
                                {"current_count", PerIteration(work.current_count)},
                                {"base", Time(work.base)},
                                {"current", Time(work.current)},
                                {"delta", Delta(work.delta)},
                                {"count_effect", Delta(work.count_effect)},
                                {"duration_effect", Delta(work.duration_effect)},
                                {"significant", work.significant ? "★" : ""}});
  }
  return {{"title", title},
          {"time", table.measure == report::Measure::kHostTime
                       ? "host time"
                       : report::TextFor(accelerator, "{{ device.device }} time")},
          {"rows", std::move(rows)}};
}

json::array MetricsView(const report::Comparison& comparison) {
  json::array rows;
  for (const report::ComparedMetric& metric : comparison.metrics) {
    const ResultLook look = LookOfResult(metric);
    rows.push_back(json::object{{"result", fmt::format("{} {}", look.sign, look.word)},
                                {"title", metric.title},
                                {"base", metric.base.text},
                                {"current", metric.current.text},
                                {"change", metric.change.text},
                                {"interval", IntervalText(metric)},
                                {"limit", metric.limit},
                                {"note", metric.note}});
  }
  return rows;
}

/// Rows of a document that is read; the page, the workbook and the JSON have all.
constexpr std::size_t kMostValues = 40;

json::array ValuesView(const std::vector<const report::PairedValue*>& changed) {
  json::array rows;
  for (const report::PairedValue* value : changed) {
    if (rows.size() == kMostValues) break;
    rows.push_back(json::object{{"title", value->title},
                                {"base", value->base.text},
                                {"current", value->current.text},
                                {"change", value->change.text}});
  }
  return rows;
}

}  // namespace

boost::json::object MarkdownChangeView(const report::Report& report) {
  const report::Comparison& comparison = *report.comparison;
  json::array differences, paired;
  for (const report::Difference& difference : comparison.differences) {
    differences.push_back(json::object{{"property", PropertyTitle(difference.property, comparison)},
                                       {"base", PropertyText(difference.base)},
                                       {"current", PropertyText(difference.current)},
                                       {"blocks", difference.blocks}});
  }
  const auto add = [&](const std::string& title, const report::PairedTable& table) {
    const bool changed = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const report::PairedWork& w) { return w.delta != 0; });
    if (changed) paired.push_back(PairedView(title, table, comparison.accelerator));
  };
  add("Kernel changes", comparison.kernels);
  add("Operator changes", comparison.ops);
  json::array metrics = MetricsView(comparison);
  const bool has_metrics = !metrics.empty();
  json::array steps = StepsView(comparison);
  const bool has_steps = !steps.empty();
  const bool alone = IsComparisonAlone(report);
  const std::vector<const report::PairedValue*> changed = ChangedValues(comparison);
  const bool has_values = alone && !changed.empty();
  return {{"alone", alone},
          {"candidate", comparison.candidate},
          {"baseline", BaselineText(comparison)},
          {"several", comparison.current_runs > 1
                          ? fmt::format("{} candidate runs", comparison.current_runs)
                          : std::string()},
          {"comparable", comparison.comparable},
          {"timed", HasTimes(comparison)},
          {"base", Time(comparison.base)},
          {"current", Time(comparison.current)},
          {"delta", HasTimes(comparison) ? Delta(comparison.delta) : "–"},
          {"sentence", ChangeSentence(comparison)},
          {"of_rank", OfRank(comparison)},
          {"has_significant", HasSignificant(comparison)},
          {"differences", std::move(differences)},
          // In a full report of a check the gate table has them already.
          {"has_metrics", has_metrics && alone},
          {"metrics", std::move(metrics)},
          {"has_values", has_values},
          {"values", ValuesView(changed)},
          {"has_steps", has_steps},
          {"steps", std::move(steps)},
          {"paired", std::move(paired)}};
}

}  // namespace profgauge::render
