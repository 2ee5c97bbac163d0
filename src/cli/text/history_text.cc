#include "cli/text/history_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "gate/change_points.h"

namespace profgauge::cli {
namespace {

// The labels as text, in the given order: "team=vision;cluster=a".
std::string LabelsOf(const gate::Snapshot& run) {
  std::string labels;
  for (const auto& [property, value] : run.environment) {
    if (!property.starts_with(kLabelPrefix)) continue;
    labels += fmt::format("{}{}={}", labels.empty() ? "" : ";",
                          property.substr(kLabelPrefix.size()), value);
  }
  return labels;
}

std::string LevelText(const gate::HistoryLevel& level) {
  std::string text = fmt::format("level {} accepted by {}: {}", level.id, Printable(level.owner),
                                 Printable(level.reason));
  if (level.change) text += fmt::format(", {:+.1f} %", *level.change * 100);
  if (level.up_to) text += fmt::format(", up to {:+.1f} %", *level.up_to * 100);
  if (!level.until.empty()) text += fmt::format(" (until {})", level.until);
  return text;
}

/// The positions of runs in the trend, by id. Runs that the trend leaves out are missing.
std::map<std::int64_t, std::size_t> PlacesOf(const report::Trend& trend) {
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < trend.runs.size(); ++i) places.emplace(trend.runs[i].id, i);
  return places;
}

/// The levels that begin with the run. REQUIRES: levels are sorted by run.
std::span<const gate::HistoryLevel> LevelsOf(const ListedHistory& listed, std::int64_t run) {
  const auto& levels = listed.levels;
  const auto first = std::ranges::lower_bound(levels, run, {}, &gate::HistoryLevel::run);
  const auto last = std::ranges::upper_bound(levels, run, {}, &gate::HistoryLevel::run);
  return levels.subspan(static_cast<std::size_t>(first - levels.begin()),
                        static_cast<std::size_t>(last - first));
}

// The lines for changes of the first series (mostly the median iteration time) at the run.
std::string ChangesBefore(const report::Trend& trend, std::size_t run) {
  std::string text;
  const std::string& metric = trend.series.front().metric;
  const std::string of = metric == metric::kIterationTimeMedian ? "" : Printable(metric) + " ";
  for (const report::TrendChange& change : trend.series.front().changes) {
    if (change.run != run) continue;
    text += change.is_redefined
                ? "      ── another definition from here on ──\n"
                : fmt::format("      ── {}changed by {}: {} → {} ──\n", of, change.change.text,
                              change.before.text, change.after.text);
  }
  return text;
}

// The lines below the table: changes in the other series, drift, and runs that are left out.
std::string TrendText(const report::Trend& trend, bool is_one) {
  std::string text = is_one ? "" : fmt::format("Branch {}\n", Printable(trend.branch));
  std::size_t changes = trend.series.front().changes.size();
  for (const report::TrendSeries& series : std::span(trend.series).subspan(1)) {
    changes += series.changes.size();
    for (const report::TrendChange& change : series.changes) {
      const std::int64_t from = trend.runs[change.run].id;
      text += change.is_redefined ? fmt::format("{} has another definition from run {} on\n",
                                                Printable(series.metric), from)
                                  : fmt::format("{} changed by {} from run {} on: {} → {}\n",
                                                Printable(series.metric), change.change.text, from,
                                                change.before.text, change.after.text);
    }
  }
  const bool has_answer = std::ranges::any_of(
      trend.series, [](const auto& one) { return one.state == "step" || one.state == "creep"; });
  if (changes == 0 && !has_answer) {
    constexpr std::size_t kLeastRuns = 2 * gate::stats::ChangePointOptions().min_segment;
    text += trend.runs.size() < kLeastRuns
                ? fmt::format("no change points: at least {} runs are needed\n", kLeastRuns)
                : std::string("no change points\n");
  }
  for (const report::TrendSeries& series : trend.series) {
    if (series.state != "step" && series.state != "creep") continue;
    text += fmt::format("{} since the last accepted level: {}\n", series.metric,
                        Printable(series.answer));
  }
  if (!trend.left_out.empty()) {
    text += fmt::format("changes are of runs that are comparable with the last; left out: {}\n",
                        trend.left_out);
  }
  return text.empty() ? text : "\n" + text;
}

void WriteLevels(const ListedHistory& listed, std::int64_t run, JsonWriter& row) {
  row.Key("levels");
  row.BeginArray();
  for (const gate::HistoryLevel& level : LevelsOf(listed, run)) {
    row.BeginObject();
    row.Field("id", level.id);
    row.OptionalField("reason", level.reason);
    row.OptionalField("owner", level.owner);
    if (level.change) row.Key("change"), row.Write(Value{*level.change});
    if (level.up_to) row.Key("up_to"), row.Write(Value{*level.up_to});
    row.OptionalField("until", level.until);
    row.EndObject();
  }
  row.EndArray();
}

void WriteValues(const report::Trend& trend, std::size_t run, JsonWriter& row) {
  row.Key("values");
  row.BeginArray();
  for (const report::TrendSeries& series : trend.series) {
    if (IsAbsent(series.values[run].value)) continue;
    row.BeginObject();
    row.Field("metric", series.metric);
    row.Key("value"), row.Write(series.values[run].value);
    row.Field("unit", UnitName(series.values[run].unit));
    row.Field("text", series.values[run].text);
    for (const report::TrendChange& change : series.changes) {
      if (change.run != run) continue;
      row.Key("is_redefined"), row.Bool(change.is_redefined);
      if (change.is_redefined) continue;
      row.Key("level_before"), row.Write(change.before.value);
      row.Key("level"), row.Write(change.after.value);
      row.Key("change"), row.Write(change.change.value);
      row.Key("is_worse"), row.Bool(change.is_worse);
    }
    if (run + 1 == trend.runs.size()) {
      row.OptionalField("trend", series.state);
      row.OptionalField("trend_text", series.answer);
    }
    row.EndObject();
  }
  row.EndArray();
}

}  // namespace

//     id  added             branch        commit        median    verdict     GPU …
//      7  2026-11-26 17:04  main          a1b2c3d4e5      120 ms  pass        H100
//         ── changed by +8.3 %: 120 ms → 130 ms ──
//      8  2026-11-26 18:10  main          b2c3d4e5f6      130 ms  fail        H100
//         ── level 1 accepted by anna: wider model ──
std::string HistoryText(const ListedHistory& listed) {
  std::string text =
      "  id  added             branch        commit        median    verdict     GPU"
      "                   ranks  model         run\n";
  std::vector<std::map<std::int64_t, std::size_t>> places;
  for (const report::Trend& trend : listed.trends) places.push_back(PlacesOf(trend));
  std::map<std::pair<std::string, std::string>, std::string> policies;  // By branch and model.
  std::set<std::string_view> others;  // Time metrics in place of iterations.
  for (const gate::HistoryEntry& entry : listed.entries) {
    std::string& policy = policies[{entry.branch, entry.model}];
    if (!policy.empty() && !entry.policy.empty() && policy != entry.policy) {
      text += fmt::format("      ── policy changed: {:.8} → {:.8} ──\n", Printable(policy),
                          Printable(entry.policy));
    }
    if (!entry.policy.empty()) policy = entry.policy;
    const std::optional<gate::TypicalTime> typical = gate::TypicalTimeOf(entry.snapshot);
    if (typical && !typical->of.empty()) others.insert(typical->of);
    const auto or_dash = [](std::string_view shown, std::size_t width) {
      return shown.empty() ? std::string("–") : PrintableShort(std::string(shown), width);
    };
    for (std::size_t i = 0; i < listed.trends.size(); ++i) {
      const auto place = places[i].find(entry.id);
      if (place != places[i].end()) text += ChangesBefore(listed.trends[i], place->second);
    }
    text += fmt::format(
        "{:>4}  {:%Y-%m-%d %H:%M}  {:<12}  {:<12}  {:>8}  {:<10}  {:<20}  {:>5}  {:<12}  {}\n",
        entry.id, fmt::gmtime(static_cast<std::time_t>(entry.time)),
        PrintableShort(entry.branch, 12), PrintableShort(entry.commit, 12),
        typical ? FormatDuration(typical->time) : "–", or_dash(entry.verdict, 10),
        or_dash(entry.snapshot.Environment("gpu"), 20),
        or_dash(entry.snapshot.Environment("world_size"), 5), or_dash(entry.model, 12),
        Printable(entry.snapshot.name));
    for (const gate::HistoryLevel& level : LevelsOf(listed, entry.id)) {
      text += "      ── " + LevelText(level) + " ──\n";
    }
  }
  if (others.contains("TTFT")) text += "\nmedian: of load tests the time to the first token\n";
  if (others.contains("benchmarks")) {
    text += "\nmedian: of benchmarks the geometric mean of their mean times\n";
  }
  for (const report::Trend& trend : listed.trends) {
    text += TrendText(trend, listed.trends.size() == 1);
  }
  return text;
}

JsonList HistoryList(const ListedHistory& listed) {
  JsonList list("history-list");
  std::vector<std::map<std::int64_t, std::size_t>> places;
  for (const report::Trend& trend : listed.trends) places.push_back(PlacesOf(trend));
  for (const gate::HistoryEntry& entry : listed.entries) {
    const std::optional<double> median = gate::MedianIteration(entry.snapshot);
    JsonWriter& row = list.Row();
    row.Field("id", entry.id);
    row.Field("time", entry.time);
    row.Field("branch", entry.branch);
    row.OptionalField("commit", entry.commit);
    row.OptionalField("model", entry.model);
    row.OptionalField("verdict", entry.verdict);
    row.OptionalField("policy", entry.policy);
    row.Field("name", entry.snapshot.name);
    row.OptionalField("gpu", entry.snapshot.Environment("gpu"));
    row.OptionalField("ranks", entry.snapshot.Environment("world_size"));
    row.OptionalField("labels", LabelsOf(entry.snapshot));
    row.Field("iterations", static_cast<std::int64_t>(entry.snapshot.iteration_times.size()));
    RealOrNull(row, "median", median ? &*median : nullptr);
    WriteLevels(listed, entry.id, row);
    for (std::size_t i = 0; i < listed.trends.size(); ++i) {
      const auto place = places[i].find(entry.id);
      if (place != places[i].end()) WriteValues(listed.trends[i], place->second, row);
    }
  }
  return list;
}

}  // namespace profgauge::cli
