#include "rules/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/catalogue.h"
#include "analysis/catalog/path_columns.h"
#include "analysis/catalog/row_writer.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/literal.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "expr/eval.h"
#include "knowledge/findings.h"
#include "knowledge/plan.h"
#include "rules/catalogue_words.h"
#include "rules/condition.h"

namespace profgauge::rules {
namespace {

// Kinds with less of the simulated iteration are not named.
constexpr double kLeastNamedPart = 0.01;
constexpr std::string_view kLimits = "The simulation ignores bandwidth contention and caches";
constexpr std::string_view kJoint = "; collectives end when their last rank has arrived";
constexpr std::string_view kPeers = ". Other ranks arrive as recorded";

// A clause that names the threads whose launches keep their times; empty if there are none.
std::string FreeThreads(const analysis::simulation::Replayer& replayer) {
  std::string names;
  for (const analysis::simulation::PathGraph& graph : replayer.graphs()) {
    for (const std::uint32_t thread : graph.free_threads()) {
      const Profile& profile = *graph.rank().profile;
      const Thread& row = profile.threads[thread];
      names += (names.empty() ? "" : ", ") +
               (row.name.empty() ? fmt::format("{}", row.tid) : PrintableShort(row.name, 40));
    }
  }
  if (names.empty()) return {};
  return "; launches of thread " + names + " keep their times: their dependencies are unknown";
}

}  // namespace

std::string PredictionLimits(const analysis::simulation::Replayer* replayer) {
  std::string text(kLimits);
  if (replayer == nullptr) return text;
  const bool has_peers = replayer->ranks().size() == 1 &&
                         replayer->ranks().front().profile->distributed.world_size > 1;
  text += replayer->is_joint() ? kJoint : has_peers ? kPeers : std::string_view();
  return text + FreeThreads(*replayer);
}

std::string PathText(const analysis::simulation::Prediction& prediction) {
  Ns whole = 0;
  std::vector<std::pair<Ns, PathKind>> parts;
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    whole += prediction.path[i];
    if (prediction.path[i] > 0) parts.emplace_back(prediction.path[i], static_cast<PathKind>(i));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time, kind] : parts) {
    const double share = static_cast<double>(time) / static_cast<double>(whole);
    if (share < kLeastNamedPart) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", InfoOf(kind).title, FormatValue(Value{share}, Unit::kShare));
  }
  return text;
}

namespace {

constexpr analysis::simulation::PathTable kTables[] = {
    analysis::simulation::PathTable::kHost, analysis::simulation::PathTable::kApi,
    analysis::simulation::PathTable::kDevice, analysis::simulation::PathTable::kGap};
// The kind of rows that an expression selects, by the first of its names that belongs to one.
std::optional<analysis::simulation::PathTable> TableOf(std::string_view text) {
  const auto ast = expr::Parse(text);
  if (!ast) return std::nullopt;
  for (const expr::Node& node : ast->nodes) {
    if (node.op != expr::Op::kField) continue;
    for (const analysis::simulation::PathTable table : kTables) {
      if (node.text.starts_with(std::string(analysis::simulation::ScenarioRowName(table)) + "."))
        return table;
    }
  }
  return std::nullopt;
}

expr::Schema SchemaOf(analysis::simulation::PathTable table) {
  expr::Schema schema;
  const std::string row(analysis::simulation::ScenarioRowName(table));
  schema.SetRowName(row);
  for (const ColumnSpec& column : analysis::simulation::ScenarioColumns(table)) {
    const std::string name = fmt::format("{}.{}", row, column.id);
    schema.Add(name, column.unit, expr::Scope::kRow, KnownValuesOf(name));
  }
  return schema;
}

tl::expected<CompiledScale, Errors> CompileScale(const WhatIfScale& scale) {
  const std::optional<analysis::simulation::PathTable> table = TableOf(scale.where.text);
  expr::Schema schema = SchemaOf(table.value_or(analysis::simulation::PathTable::kHost));
  auto program =
      expr::Compile(scale.where.text, schema, expr::Context::kRow, expr::Want::kCondition);
  if (!program) return tl::unexpected(PlacedErrors(std::move(program).error(), scale.where));
  if (!table) {
    Error error{ErrorKind::kConfig,
                "expr/no-rows",
                "the condition names no row that could take another time",
                scale.where.All(),
                {"help: name a field of `host_op`, `api_call`, `launch` or `host_gap`"}};
    return tl::unexpected(Errors{std::move(error)});
  }
  CompiledScale out;
  out.table = *table;
  out.condition = *std::move(program);
  out.factor = scale.factor;
  out.hides = scale.hides;
  if (scale.hides && *table != analysis::simulation::PathTable::kDevice) {
    return tl::unexpected(Errors{{ErrorKind::kConfig,
                                  "expr/type",
                                  "`hides`: expected a condition on `launch`",
                                  scale.where.All(),
                                  {}}});
  }
  if (scale.by.empty()) return out;
  auto by = expr::Compile(scale.by.text, schema, expr::Context::kRow, expr::Want::kNumber);
  if (!by) return tl::unexpected(PlacedErrors(std::move(by).error(), scale.by));
  if (!expr::SameDimension(by->type(), expr::TypeOf(Unit::kNumber))) {
    return tl::unexpected(
        Errors{{ErrorKind::kConfig,
                "expr/type",
                fmt::format("`by`: expected {}, found {}", kFactors, expr::TypeName(by->type())),
                scale.by.All(),
                {}}});
  }
  out.by = *std::move(by);
  return out;
}

expr::Data DataOf(const analysis::simulation::Replayer::Rows& rows) {
  expr::Data data;  // One slot per column, in their order.
  for (const Column& column : rows.cells.columns()) {
    expr::Source& source = data.emplace_back();
    source.column = &column;
    source.strings = &rows.cells.strings();
  }
  return data;
}

void AddMetric(const std::string& id, Value value, const std::string& absent,
               const std::string& note, analysis::Analysis& analysis) {
  const auto& spec = analysis.scenario_specs.emplace_back(analysis::DescribeMetric(id));
  analysis::Metric& metric = analysis.metrics.emplace_back();
  metric.spec = spec.get();
  metric.value = std::move(value);
  metric.absent_because = absent;
  metric.note = note;
}

Table& ReplaceTable(analysis::Analysis& analysis, std::string_view id) {
  const analysis::TableSpec* spec = analysis::FindTable(id);
  analysis.absent_tables.erase(std::string(id));
  for (Table& table : analysis.tables) {
    if (table.id() != id) continue;
    Table fresh(spec->id, spec->row_name, spec->title, std::make_shared<StringPool>());
    for (const ColumnSpec& column : spec->columns) fresh.AddColumn(column);
    table = std::move(fresh);
    return table;
  }
  return analysis.tables.emplace_back(spec->id, spec->row_name, spec->title,
                                      std::make_shared<StringPool>());
}

void AddRow(Table& table, const std::string& name, const ScenarioOutcome& outcome) {
  analysis::catalog::RowWriter<analysis::catalog::columns::kWhatIf> row(table);
  std::uint64_t matched = 0;
  for (const std::uint64_t rows : outcome.matched) matched += rows;
  row.Text("name"_col, name).Integer("rows"_col, static_cast<std::int64_t>(matched));
  if (!outcome.prediction) {
    row.Absent("recorded_time"_col, "iteration_time"_col, "gain"_col, "gain_share"_col)
        .Text("path"_col, outcome.absent_because);
    return;
  }
  const analysis::simulation::Prediction& found = *outcome.prediction;
  row.Integer("recorded_time"_col, static_cast<std::int64_t>(found.recorded_time));
  row.Integer("iteration_time"_col, static_cast<std::int64_t>(found.iteration_time));
  row.Integer("gain"_col, static_cast<std::int64_t>(found.recorded_time - found.iteration_time));
  row.Real("gain_share"_col, found.gain_share());
  row.Text("path"_col, PathText(found));
}

// True if scenarios must run one by one: if all times are kept, the memory of several would cost
// more time than running them concurrently saves.
bool GoesAlone(const analysis::simulation::Replayer& replayer,
               analysis::simulation::PredictionOf wanted) {
  constexpr std::size_t kManySteps = 4'000'000;
  if (wanted == analysis::simulation::PredictionOf::kTimes && !replayer.is_joint()) return false;
  std::size_t steps = 0;
  for (const analysis::simulation::PathGraph& graph : replayer.graphs()) steps += graph.size();
  return steps > kManySteps;
}

ScenarioOutcome NoReplay(const analysis::Analysis& analysis) {
  ScenarioOutcome outcome;
  const analysis::Metric* path = analysis.Find(metric::kCriticalHostShare);
  outcome.absent_because = path == nullptr || path->absent_because.empty()
                               ? "this profile cannot be simulated"
                               : path->absent_because;
  return outcome;
}

}  // namespace

Result<WhatIfScale> ParseScale(std::string_view text, std::string_view place) {
  const std::size_t by = text.rfind(" by ");
  const std::string example =
      fmt::format("write for example `{} \"host_op.name matches 'DataLoader' by 0\"`", place);
  if (by == text.npos) {
    return Fail(UsageError("usage/no-factor",
                           fmt::format("`{}`: expected `CONDITION by FACTOR`, found `{}`", place,
                                       PrintableShort(text)),
                           example));
  }
  std::string_view number = text.substr(by + 4);
  while (!number.empty() && number.front() == ' ') number.remove_prefix(1);
  while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
  const auto literal = ParseLiteral(number);
  if (!literal || !IsFactor(*literal)) {
    return Fail(UsageError("usage/no-factor",
                           fmt::format("`{}`: expected {} after `by`, found `{}`", place, kFactors,
                                       PrintableShort(number, 40)),
                           example));
  }
  WhatIfScale scale;
  scale.where.text = std::string(text.substr(0, by));
  scale.factor = literal->value;
  return scale;
}

tl::expected<CompiledScenario, Errors> CompileScenario(const WhatIf& scenario) {
  CompiledScenario out{scenario.name, {}, scenario.without_waiting, !scenario.findings.empty()};
  Errors errors;
  for (const WhatIfScale& scale : scenario.scales) {
    auto compiled = CompileScale(scale);
    if (compiled) {
      out.scales.push_back(*std::move(compiled));
    } else {
      errors.insert(errors.end(), compiled.error().begin(), compiled.error().end());
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

tl::expected<std::vector<CompiledScenario>, Errors> CompileScenarios(const Policy& policy) {
  std::vector<CompiledScenario> out;
  Errors errors;
  for (const WhatIf& scenario : policy.what_if) {
    auto compiled = CompileScenario(scenario);
    if (compiled) {
      out.push_back(*std::move(compiled));
    } else {
      errors.insert(errors.end(), compiled.error().begin(), compiled.error().end());
    }
  }
  for (const Threshold& limit : policy.thresholds) {
    const std::string_view name = analysis::catalog::ScenarioOfMetric(limit.metric);
    if (name.empty()) continue;
    const bool known = std::any_of(policy.what_if.begin(), policy.what_if.end(),
                                   [name](const WhatIf& one) { return one.name == name; });
    if (known) continue;
    errors.push_back({ErrorKind::kConfig,
                      "policy/unknown-scenario",
                      fmt::format("the policy has no scenario `{}`", name),
                      limit.where,
                      {"help: add it to `what_if`, or name one that is there"}});
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

std::string WhyNotSimulated(const analysis::simulation::Scenario& changes,
                            const analysis::simulation::Replayer& replayer) {
  const auto any = [&changes](auto of) { return std::ranges::any_of(changes.scalings, of); };
  const bool keeps_up =
      any([](const analysis::simulation::Scaling& scaling) { return scaling.keeps_up; });
  const bool hides = any([](const analysis::simulation::Scaling& scaling) {
    return scaling.hides == analysis::simulation::Hidden::kCollectives;
  });
  if (hides && replayer.ranks().size() == 1) {
    return "one rank's profile does not separate waiting from transfer";
  }
  if (hides && !replayer.knows_transfers()) {
    return "too few collectives match between the ranks to separate waiting from transfer";
  }
  const bool needs_others = changes.without_waiting && !replayer.knows_waiting();
  if (needs_others || (keeps_up && !replayer.is_joint())) {
    return "waiting for other ranks is known only with their profiles, if they match";
  }
  return {};
}

namespace {

// Overlaps transfers: collectives and copies use separate resources. Computing kernels stay.
std::vector<analysis::simulation::Scaling> ScalingsThatHide(
    const analysis::simulation::ScenarioRows& rows,
    const analysis::simulation::Replayer& replayer) {
  using analysis::simulation::Hidden;
  analysis::simulation::Scaling hidden[2];
  for (const Hidden which : {Hidden::kCollectives, Hidden::kCopies}) {
    hidden[static_cast<std::size_t>(which)].table = analysis::simulation::PathTable::kDevice;
    hidden[static_cast<std::size_t>(which)].hides = which;
  }
  for (const analysis::simulation::ScenarioRows::Range& range : rows.ranges()) {
    const analysis::iterations::RankContext& rank = replayer.ranks()[range.rank];
    for (std::uint32_t row = range.begin; row < range.end; ++row) {
      const bool is_collective = rank.classes[row].collective;
      if (!is_collective && rank.profile->device.kind[row] == DeviceKind::kKernel) continue;
      const Hidden which = is_collective ? Hidden::kCollectives : Hidden::kCopies;
      hidden[static_cast<std::size_t>(which)].rows.push_back({range.rank, row});
    }
  }
  std::vector<analysis::simulation::Scaling> out;
  for (analysis::simulation::Scaling& some : hidden) {
    if (some.rows.size() > 0) out.push_back(std::move(some));
  }
  return out;
}

}  // namespace

std::vector<analysis::simulation::Scaling> ScenarioRunner::Select(const CompiledScale& scale,
                                                                  bool& is_known) {
  auto& [use, rows] = known_[static_cast<std::size_t>(scale.table)];
  const std::lock_guard lock(use);
  if (!rows) rows.emplace(replayer_.MakeRows(scale.table));
  std::vector<expr::Slot> fields = scale.condition.Fields();
  if (scale.by) {
    for (const expr::Slot slot : scale.by->Fields()) fields.push_back(slot);
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  }
  replayer_.FillColumns(fields, *rows);
  std::map<double, analysis::simulation::Scaling> by_factor;
  const auto without_rows = [&scale](double factor) {
    analysis::simulation::Scaling scaling{scale.table, {}, factor, scale.without_waiting};
    scaling.keeps_up = scale.keeps_up;
    return scaling;
  };
  if (!scale.by) by_factor[scale.factor] = without_rows(scale.factor);
  analysis::simulation::ScenarioRows::Reader events(rows->events);
  const expr::Data data = DataOf(*rows);
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  std::vector<expr::RowId> some;
  if (rows->events.size() == 0) is_known = false;
  for (std::size_t at = 0; at < rows->events.size(); at += kAtOnce) {
    some.resize(std::min(kAtOnce, rows->events.size() - at));
    std::iota(some.begin(), some.end(), static_cast<expr::RowId>(at));
    const expr::Filtered filtered = expr::Filter(scale.condition, data, some);
    const std::vector<expr::RowId>& found = filtered.rows;
    if (filtered.unknown > 0) is_known = false;
    std::vector<double> factors(found.size(), scale.factor);
    if (scale.by) factors = expr::EvaluateNumbers(*scale.by, data, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      // A row without a known target is not changed and not counted; otherwise an unknown change
      // would save nothing.
      if (std::isnan(factors[i])) {
        is_known = false;
        continue;
      }
      const double factor = scale.by ? analysis::simulation::FactorInSteps(factors[i]) : factors[i];
      const auto [to, is_new] = by_factor.try_emplace(factor);
      if (is_new) to->second = without_rows(factor);
      to->second.rows.push_back(events.At(found[i]));
    }
  }
  if (scale.hides && !by_factor.empty()) {
    return ScalingsThatHide(by_factor.begin()->second.rows, replayer_);
  }
  std::vector<analysis::simulation::Scaling> out;
  for (auto& [factor, scaling] : by_factor) {
    if (scale.table == analysis::simulation::PathTable::kGap) scaling.gaps = replayer_.gaps();
    out.push_back(std::move(scaling));
  }
  return out;
}

const ScenarioRunner::Found& ScenarioRunner::Find(const CompiledScenario& scenario) {
  {
    const std::lock_guard lock(finding_);
    const auto known = found_.find(&scenario);
    if (known != found_.end()) return known->second;
  }
  Found found;
  found.changes.without_waiting = scenario.without_waiting;
  found.changes.by_smallest = scenario.by_smallest;
  for (const CompiledScale& scale : scenario.scales) {
    std::uint64_t& matched = found.matched.emplace_back();
    for (analysis::simulation::Scaling& scaling : Select(scale, found.is_known)) {
      matched += scaling.rows.size();
      found.changes.scalings.push_back(std::move(scaling));
    }
  }
  if (WhyNotSimulated(found.changes, replayer_).empty()) replayer_.FindSteps(found.changes);
  const std::lock_guard lock(finding_);
  return found_.try_emplace(&scenario, std::move(found)).first->second;
}

analysis::simulation::Scenario ScenarioRunner::WithSlowerHost(
    const analysis::simulation::Scenario& changes) {
  const std::lock_guard lock(finding_);
  if (!slower_host_) {
    analysis::simulation::Scenario ranges;
    ranges.scalings.push_back({analysis::simulation::PathTable::kHost,
                               replayer_.MakeRows(analysis::simulation::PathTable::kHost).events,
                               knowledge::kPlanHostReaction.value()});
    replayer_.FindSteps(ranges);
    slower_host_ = std::move(ranges.scalings.front());
  }
  analysis::simulation::Scenario slower = changes;
  slower.by_smallest = true;
  slower.scalings.push_back(*slower_host_);
  return slower;
}

ScenarioOutcome ScenarioRunner::RunTogether(std::span<const CompiledScenario> scenarios) {
  std::unique_lock one_at_a_time(large_, std::defer_lock);
  if (GoesAlone(replayer_, wanted_)) one_at_a_time.lock();
  ScenarioOutcome out;
  analysis::simulation::Scenario changes;
  for (const CompiledScenario& scenario : scenarios) {
    const Found& found = Find(scenario);
    const analysis::simulation::Scenario& its = found.changes;
    changes.without_waiting = changes.without_waiting || its.without_waiting;
    changes.by_smallest = changes.by_smallest || its.by_smallest;
    changes.scalings.insert(changes.scalings.end(), its.scalings.begin(), its.scalings.end());
    out.matched.insert(out.matched.end(), found.matched.begin(), found.matched.end());
  }
  out.absent_because = WhyNotSimulated(changes, replayer_);
  if (!out.absent_because.empty()) return out;
  out.prediction = replayer_.Predict(changes, wanted_);
  const bool reacts = std::ranges::any_of(
      scenarios, [](const CompiledScenario& scenario) { return scenario.host_reacts; });
  if (reacts) {
    out.slower_host = replayer_.Predict(WithSlowerHost(changes), wanted_).iteration_time;
  }
  return out;
}

void AddWhatIf(std::span<const CompiledScenario> scenarios,
               const analysis::simulation::Replayer* replayer, analysis::Analysis& analysis) {
  if (scenarios.empty()) return;
  std::optional<ScenarioRunner> runner;
  if (replayer != nullptr) runner.emplace(*replayer);
  Table& table = ReplaceTable(analysis, "what_if");
  const std::string limits = PredictionLimits(replayer);
  std::vector<CompiledScenario> predicted;
  for (const CompiledScenario& scenario : scenarios) {
    const ScenarioOutcome outcome = runner ? runner->Run(scenario) : NoReplay(analysis);
    AddRow(table, scenario.name, outcome);
    if (outcome.prediction) predicted.push_back(scenario);
    const std::string id = "what_if." + scenario.name;
    Value time, share;
    std::string note = limits;
    if (outcome.prediction) {
      time = static_cast<std::int64_t>(outcome.prediction->iteration_time);
      share = outcome.prediction->gain_share();
      const auto& matched = outcome.matched;
      if (std::find(matched.begin(), matched.end(), 0u) != matched.end()) {
        note = "a condition of the scenario matches nothing; " + note;
        analysis.remarks.push_back(
            {"what-if-no-match",
             fmt::format("The scenario `{}` has a condition that matches nothing.",
                         scenario.name)});
      }
    } else {
      note.clear();
    }
    AddMetric(id + ".iteration_time", time, outcome.absent_because, note, analysis);
    AddMetric(id + ".gain_share", share, outcome.absent_because, note, analysis);
  }
  if (predicted.size() > 1) AddRow(table, "all together", runner->RunTogether(predicted));
}

}  // namespace profgauge::rules
