// The section about changes against a baseline: differences, metrics of both runs, the waterfall
// with its table, and paired kernels and operators.
#include "render/html/view_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/change.h"
#include "render/shared/escape.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "report/labels.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Comparison;

constexpr std::size_t kNameCharacters = 56;

json::object TimeView(std::int64_t ns) { return NumberView(Value{ns}, Unit::kTime); }

// A change as text, "+12.3 ms", with the exact number as its title.
json::object DeltaView(std::int64_t ns) {
  return {{"text", ns == 0 ? "0" : DeltaText(ns)},
          {"exact", ns == 0 ? "" : fmt::format("{:+} ns", ns)},
          {"name", ns > 0   ? "bad"
                   : ns < 0 ? "good"
                            : "mute"}};
}

json::array DifferencesView(const Comparison& comparison) {
  json::array rows;
  for (const report::Difference& difference : comparison.differences) {
    rows.push_back(json::object{{"property", PropertyTitle(difference.property, comparison)},
                                {"base", PropertyText(difference.base)},
                                {"current", PropertyText(difference.current)},
                                {"blocks", difference.blocks}});
  }
  return rows;
}

// The properties that are equal in both runs, on one line. Unrecorded ones are omitted.
std::string AlikeText(const Comparison& comparison) {
  std::string text;
  for (const auto& [property, value] : comparison.alike) {
    if (value.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", PropertyTitle(property, comparison),
                        PropertyText(value));
  }
  return text;
}

json::array MetricsView(const Comparison& comparison) {
  json::array rows;
  for (const report::ComparedMetric& metric : comparison.metrics) {
    const ResultLook look = LookOfResult(metric);
    rows.push_back(json::object{{"sign", look.sign},
                                {"word", look.word},
                                {"name", look.name},
                                {"title", metric.title},
                                {"metric", metric.metric},
                                {"base", NumberView(metric.base)},
                                {"current", NumberView(metric.current)},
                                {"change", NumberView(metric.change)},
                                {"interval", IntervalText(metric)},
                                {"limit", metric.limit},
                                {"note", metric.note}});
  }
  return rows;
}

json::array ValuesView(const Comparison& comparison) {
  json::array rows;
  for (const report::PairedValue& value : comparison.values) {
    // Only a certain change is marked as better or worse.
    const int change = CertainChange(comparison, value.metric);
    const bool is_worse = value.better == report::Better::kHigher ? change < 0 : change > 0;
    const bool is_open = value.better == report::Better::kNeutral || change == 0;
    rows.push_back(json::object{{"title", value.title},
                                {"metric", value.metric},
                                {"base", NumberView(value.base)},
                                {"current", NumberView(value.current)},
                                {"change", NumberView(value.change)},
                                {"word", is_open    ? ""
                                         : is_worse ? "worse"
                                                    : "better"},
                                {"name", is_open    ? "mute"
                                         : is_worse ? "bad"
                                                    : "good"}});
  }
  return rows;
}

// Splits a name into its head, which is always shown, and its rest, which a click shows.
void SetName(json::object& row, const std::string& name) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kNameCharacters && bytes < name.size(); ++i) {
    bytes += std::max<std::size_t>(1, Utf8Length(std::string_view(name).substr(bytes)));
  }
  bytes = std::min(bytes, name.size());
  row["title"] = name.substr(0, bytes);
  row["tail"] = name.substr(bytes);
}

// The largest changes of the top level: "Data loader −58.1 ms · Host +8.99 ms".
std::string LargestChanges(const Comparison& comparison) {
  constexpr std::size_t kLargestShown = 3;
  const std::vector<ChangeBar> bars = WaterfallBars(comparison);  // Its inner bars are sorted.
  std::string text;
  for (std::size_t i = 1; i + 1 < bars.size() && i <= kLargestShown; ++i) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", bars[i].title,
                        DeltaText(bars[i].Length()));
  }
  return text;
}

std::string Significance(bool significant) { return significant ? "★ significant" : ""; }

// The rows of ChangeTree(). The sum of smaller parts has only a name and a change.
json::array StepsView(const Comparison& comparison, const ChangeTreeOptions& tree) {
  json::array rows;
  for (const ChangeRow& row : ChangeTree(comparison, tree)) {
    std::string indent;
    for (std::size_t i = 0; i < row.depth; ++i) indent += "\u2003";
    if (row.step == nullptr) {
      rows.push_back(json::object{{"indent", indent},
                                  {"title", fmt::format("{} smaller", row.smaller)},
                                  {"tail", ""},
                                  {"what", ""},
                                  {"bold", false},
                                  {"has_times", false},
                                  {"counts", ""},
                                  {"base", TimeView(0)},
                                  {"current", TimeView(0)},
                                  {"delta", DeltaView(row.delta)},
                                  {"count_effect", DeltaView(0)},
                                  {"duration_effect", DeltaView(0)},
                                  {"significant", ""}});
      continue;
    }
    const report::ComparisonStep& step = *row.step;
    json::object view{{"indent", indent},
                      {"what", ChangeWord(step.change)},
                      {"bold", row.depth == 0},
                      {"has_times", true},
                      {"counts", fmt::format("{} → {}", PerIteration(step.base_count),
                                             PerIteration(step.current_count))},
                      {"base", TimeView(step.base)},
                      {"current", TimeView(step.current)},
                      {"delta", DeltaView(step.delta)},
                      {"count_effect", DeltaView(step.count_effect)},
                      {"duration_effect", DeltaView(step.duration_effect)},
                      {"significant", Significance(step.significant)}};
    SetName(view, StepTitle(step, comparison));
    rows.push_back(std::move(view));
  }
  return rows;
}

// Up to `most_rows` rows whose time or calls changed. The note has the number of others.
json::object PairedView(std::string_view id, std::string_view title, std::string_view about,
                        const report::PairedTable& table, const std::string& accelerator,
                        bool has_host, std::size_t most_rows) {
  json::array rows;
  std::size_t changed = 0;
  for (const report::PairedWork& work : table.rows) {
    if (work.delta == 0 && work.base_count == work.current_count) continue;
    if (++changed > most_rows) continue;
    const bool has_p = !IsAbsent(work.p_value);
    json::object view{
        {"what", ChangeWord(work.change)},
        {"base_count", PerIteration(work.base_count)},
        {"current_count", PerIteration(work.current_count)},
        {"base", TimeView(work.base)},
        {"current", TimeView(work.current)},
        {"base_host", TimeView(work.base_host)},
        {"current_host", TimeView(work.current_host)},
        {"delta", DeltaView(work.delta)},
        {"count_effect", DeltaView(work.count_effect)},
        {"duration_effect", DeltaView(work.duration_effect)},
        {"significant", Significance(work.significant)},
        {"p_value", has_p ? fmt::format("p = {:.2g}", AsNumber(work.p_value, 0)) : ""}};
    SetName(view, work.name);
    rows.push_back(std::move(view));
  }
  const std::size_t shown = rows.size();
  return {{"id", id},
          {"title", title},
          {"about", report::TextFor(accelerator, about)},
          {"has_host", has_host},
          {"time", table.measure == report::Measure::kHostTime
                       ? "Host time"
                       : report::TextFor(accelerator, "{{ device.device }} time")},
          {"base", TimeView(table.base)},
          {"current", TimeView(table.current)},
          {"delta", DeltaView(table.delta)},
          {"rows", std::move(rows)},
          {"has_rows", shown > 0},
          {"more", changed > shown
                       ? fmt::format("{} smaller changes are in report.json.",
                                     FormatCount(static_cast<std::int64_t>(changed - shown)))
                       : std::string()}};
}

}  // namespace

boost::json::object ComparisonView(const report::Report& report, const ComparisonLimits& limits) {
  static const Comparison kNone;
  const Comparison& comparison = report.comparison ? *report.comparison : kNone;
  json::array paired;
  if (!comparison.kernels.rows.empty()) {
    paired.push_back(PairedView(
        "paired-kernels", "Kernel changes",
        "Launches and {{ device.device }} time per iteration; parallel work counts separately",
        comparison.kernels, comparison.accelerator, false, limits.paired_rows));
  }
  if (!comparison.ops.rows.empty()) {
    const bool of_gpu = comparison.ops.measure != report::Measure::kHostTime;
    paired.push_back(PairedView("paired-ops", "Operator changes",
                                of_gpu ? "Calls per iteration, {{ device.device }} time of work "
                                         "that an operator launched itself, and its own host time"
                                       : "Calls per iteration and an operator's own host time",
                                comparison.ops, comparison.accelerator, of_gpu,
                                limits.paired_rows));
  }
  json::object delta = DeltaView(comparison.delta);
  delta["name"] = LookOfSpeed(comparison).name;
  json::array differences = DifferencesView(comparison);
  json::array metrics = MetricsView(comparison);
  json::array values = limits.has_values ? ValuesView(comparison) : json::array();
  const bool has_differences = !differences.empty();
  const bool has_metrics = !metrics.empty();
  const bool has_values = !values.empty();
  return {
      {"known", report.comparison.has_value()},
      {"baseline", BaselineText(comparison)},
      {"baseline_name", comparison.baseline},
      {"candidate", comparison.candidate},
      {"several", comparison.current_runs > 1
                      ? fmt::format("{} runs, compared with it together", comparison.current_runs)
                      : std::string()},
      {"comparable", comparison.comparable},
      {"word", SpeedWord(comparison)},
      {"sentence", ChangeSentence(comparison)},
      {"of_rank", OfRank(comparison)},
      {"largest", LargestChanges(comparison)},
      {"alone", IsComparisonAlone(report)},
      {"judged", JudgedText(report)},
      {"undecided", UndecidedText(report)},
      {"sign", LookOfSpeed(comparison).sign},
      {"name", LookOfSpeed(comparison).name},
      {"base", TimeView(comparison.base)},
      {"current", TimeView(comparison.current)},
      {"delta", std::move(delta)},
      {"other_work", SpeedOf(comparison) == Speed::kOtherWork},
      {"has_significant", HasSignificant(comparison)},
      {"differences", std::move(differences)},
      {"has_differences", has_differences},
      {"alike", AlikeText(comparison)},
      {"metrics", std::move(metrics)},
      {"has_metrics", has_metrics},
      {"chart", MakeMarkup(SvgWaterfall(comparison))},
      {"steps", StepsView(comparison, limits.tree)},
      {"paired", std::move(paired)},
      {"values", std::move(values)},
      {"has_values", has_values}};
}

}  // namespace profgauge::render::html
