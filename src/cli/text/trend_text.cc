#include "cli/text/trend_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/trend.h"

namespace profgauge::cli {

// A change is on a line between the runs, above the first run of the new level. The largest value
// has a bar of 40 blocks; here they are shorter:
//
//      7  a1b2c3d4e5    120 ms  ████████████
//         ── changed by +8.3 %: 120 ms → 130 ms ──
//      8  b2c3d4e5f6    130 ms  █████████████
std::string TrendText(const report::Trend& trend) {
  constexpr double kBarWidth = 40;
  const report::TrendSeries& medians = trend.series.front();
  double largest = 1;
  for (const auto& value : medians.values) largest = std::max(largest, AsNumber(value.value, 0));
  std::string text = "median iteration time, oldest first\n\n";
  for (std::size_t i = 0; i < trend.runs.size(); ++i) {
    for (const report::TrendChange& change : medians.changes) {
      if (change.run != i) continue;
      if (change.is_redefined) {
        text += "      ── another definition from here on ──\n";
        continue;
      }
      text += fmt::format("      ── changed by {}: {} → {} ──\n", change.change.text,
                          change.before.text, change.after.text);
    }
    const double share = AsNumber(medians.values[i].value, 0) / largest;
    std::string bar;
    for (int k = 0; k < static_cast<int>(kBarWidth * share); ++k) bar += "█";
    text += fmt::format("{:>4}  {:<10}  {:>8}  {}\n", trend.runs[i].id,
                        PrintableShort(trend.runs[i].commit, 10), medians.values[i].text, bar);
  }
  std::size_t changes = 0;
  for (const report::TrendSeries& series : trend.series) {
    changes += series.changes.size();
    if (&series == &medians) continue;
    for (const report::TrendChange& change : series.changes) {
      if (change.is_redefined) {
        text += fmt::format("\n{} has another definition from run {} on\n", series.metric,
                            trend.runs[change.run].id);
        continue;
      }
      text += fmt::format("\n{} changed by {} from run {} on: {} → {}\n", series.metric,
                          change.change.text, trend.runs[change.run].id, change.before.text,
                          change.after.text);
    }
  }
  const std::string end =
      trend.left_out.empty()
          ? ""
          : fmt::format("left out, as the last run is not comparable with them: {}\n",
                        trend.left_out);
  if (changes > 0) return text + end;
  return text +
         (trend.runs.size() < knowledge::kTrendLeastValues
              ? fmt::format("\nno change points: at least {} runs are needed\n",
                            knowledge::kTrendLeastValues.value())
              : std::string("\nno change points\n")) +
         end;
}

JsonList TrendList(const report::Trend& trend) {
  JsonList list("history-trend");
  for (const report::TrendSeries& series : trend.series) {
    for (std::size_t i = 0; i < trend.runs.size(); ++i) {
      if (IsAbsent(series.values[i].value)) continue;
      const report::TrendRun& run = trend.runs[i];
      render::JsonWriter& row = list.Row();
      row.Field("metric", series.metric);
      row.Field("run", run.id);
      row.Field("branch", run.branch);
      row.OptionalField("commit", run.commit);
      row.Key("value"), row.Write(series.values[i].value);
      row.Field("unit", UnitName(series.values[i].unit));
      row.Field("text", series.values[i].text);
      for (const report::TrendChange& change : series.changes) {
        if (change.run != i) continue;
        row.Key("is_redefined"), row.Bool(change.is_redefined);
        if (change.is_redefined) continue;
        row.Key("level_before"), row.Write(change.before.value);
        row.Key("level"), row.Write(change.after.value);
        row.Key("change"), row.Write(change.change.value);
        row.Key("is_worse"), row.Bool(change.is_worse);
      }
    }
  }
  return list;
}

}  // namespace profgauge::cli
