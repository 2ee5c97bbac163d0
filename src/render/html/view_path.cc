// The critical path of iterations as one bar. For each scenario of the policy, a bar as long as its
// predicted iteration.
#include "render/html/view_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

// The kinds of the path, most frequent first: the device, then ranks, then the host.
struct KindAndPaint {
  PathKind kind;
  const Paint& paint;
};
constexpr std::array<KindAndPaint, kPathKinds> kKinds = {{
    {PathKind::kKernel, PaintOf(Category::kOtherKernel)},
    {PathKind::kCopy, PaintOf(Category::kMemcpy)},
    {PathKind::kTransfer, PaintOf(Category::kCommunication)},
    {PathKind::kWaiting, PaintOf(Category::kWait)},
    {PathKind::kLaunch, PaintOf(Category::kRuntime)},
    {PathKind::kSync, kNeutralPaints[5]},
    {PathKind::kDataLoader, PaintOf(Category::kDataLoader)},
    {PathKind::kHost, PaintOf(Category::kCpu)},
    {PathKind::kUnknown, PaintOf(Category::kOther)},
}};
constexpr int kWidth = 1190, kHeight = 30, kScenarioWidth = 620, kScenarioHeight = 22;

// A kind without time has no row and no part of the bar.
json::array PathRows(const Report& report, std::string& bar) {
  json::array rows;
  std::vector<BarPart> parts;
  std::string description = "Critical path:";
  for (const auto& [which, paint] : kKinds) {
    const PathKindInfo& kind = InfoOf(which);
    const report::Metric* share = FindMetric(report, kind.metrics.share);
    const report::Metric* time = FindMetric(report, kind.metrics.time);
    if (share == nullptr || time == nullptr) continue;
    const double part = AsNumber(share->quantity.value, 0);
    if (!(part > 0)) continue;
    const std::string text = FormatShare(part);
    const std::string title = fmt::format("{} {}", WordsOf(report, kind.title), text);
    description += (parts.empty() ? " " : ", ") + title;
    parts.push_back({paint, part, text, title});
    rows.push_back(json::object{{"id", kind.id},
                                {"swatch", MakeMarkup(SvgSwatch(paint))},
                                {"label", WordsOf(report, kind.title)},
                                {"share", NumberView(share->quantity)},
                                {"time", NumberView(time->quantity)},
                                {"meaning", WordsOf(report, kind.awaited)}});
  }
  if (!parts.empty()) bar = SvgStackedBar(parts, kWidth, kHeight, description);
  return rows;
}

// The predicted iteration, and the time that the scenario saves or adds. All are relative to the
// longest scenario, so bars can be compared by length:
//
//   saves   |==== 80 ms ====|.. saves 20 ms ..|
//   adds    |====== 100 ms ======|## adds 10 ms ##|
std::string ScenarioBar(const std::string& name, double recorded, double predicted,
                        double longest) {
  std::vector<BarPart> parts;
  const double kept = std::min(recorded, predicted);
  const std::string whole = FormatDuration(predicted);
  parts.push_back({PaintOf(Category::kOtherKernel), kept / longest, FormatDuration(kept),
                   fmt::format("{} an iteration", whole)});
  std::string description = fmt::format("{}: {} an iteration", name, whole);
  if (predicted != recorded) {
    const bool saves = predicted < recorded;
    const std::string change =
        fmt::format("{} {}", saves ? "saves" : "adds",
                    FormatDuration(saves ? recorded - predicted : predicted - recorded));
    parts.push_back({saves ? kIdlePaint : PaintOf(Category::kDataLoader),
                     (std::max(recorded, predicted) - kept) / longest, change, change});
    description += ", " + change;
  }
  return SvgStackedBar(parts, kScenarioWidth, kScenarioHeight, description);
}

json::object ScenarioRow(const Table& table, std::size_t row, double longest) {
  const Value name = table.At(row, "name"), path = table.At(row, "path");
  const Value predicted = table.At(row, "iteration_time");
  const double recorded = AsNumber(table.At(row, "recorded_time"), 0);
  const auto text = [](const Value& value) {
    const auto* known = std::get_if<std::string>(&value);
    return known == nullptr ? std::string() : *known;
  };
  const std::string bar = IsAbsent(predicted) || !(longest > 0)
                              ? std::string()
                              : ScenarioBar(text(name), recorded, AsNumber(predicted, 0), longest);
  return {{"name", text(name)},
          {"bar", MakeMarkup(bar)},
          {"gain", NumberView(table.At(row, "gain"), Unit::kTime)},
          {"share", NumberView(table.At(row, "gain_share"), Unit::kShare)},
          {"path", text(path)}};
}

json::array Scenarios(const Report& report) {
  json::array out;
  const Table* table = FindTable(report, "what_if");
  if (table == nullptr) return out;
  double longest = 0;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    longest = std::max({longest, AsNumber(table->At(row, "recorded_time"), 0),
                        AsNumber(table->At(row, "iteration_time"), 0)});
  }
  for (std::size_t row = 0; row < std::min(table->rows(), kListed); ++row) {
    out.push_back(ScenarioRow(*table, row, longest));
  }
  return out;
}

}  // namespace

json::object PathView(const Report& report) {
  std::string bar;
  json::array rows = PathRows(report, bar);
  json::array scenarios = Scenarios(report);
  const bool has_rows = !rows.empty(), has_scenarios = !scenarios.empty();
  return {{"known", has_rows || has_scenarios},
          {"has_rows", has_rows},
          {"bar", MakeMarkup(bar)},
          {"rows", std::move(rows)},
          {"has_table", FindTable(report, "critical_path") != nullptr},
          {"has_scenarios", has_scenarios},
          {"scenarios", std::move(scenarios)}};
}

}  // namespace profgauge::render::html
