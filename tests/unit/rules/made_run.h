// Runs out of a few numbers, rules and policies out of texts, and findings as lines.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/catalog/row_exposure.h"
#include "base/errors.h"
#include "model/devices.h"
#include "rules/evaluator.h"

namespace profgauge::rules {

/// An analysis out of a few numbers. Cells are given in the order of `columns`; monostate is
/// absent.
class TestRun {
 public:
  TestRun() {
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
      analysis::Metric metric;
      metric.spec = &spec;
      metric.absent_because = "not recorded here";
      analysis_.metrics.push_back(metric);
    }
  }
  TestRun& Set(std::string_view metric, Value value) {
    for (analysis::Metric& m : analysis_.metrics) {
      if (m.spec->id == metric) m.value = value;
    }
    return *this;
  }
  TestRun& MayBe(std::string_view metric, double other) {
    for (analysis::Metric& m : analysis_.metrics) {
      if (m.spec->id == metric) m.may_be = other;
    }
    return *this;
  }
  TestRun& LowConfidence(std::string_view metric) {
    for (analysis::Metric& m : analysis_.metrics) {
      if (m.spec->id == metric) m.low_confidence = true;
    }
    return *this;
  }
  TestRun& Rows(std::string_view table_id, std::initializer_list<std::string_view> columns,
                std::initializer_list<std::initializer_list<Value>> rows) {
    return RowsOf(table_id, columns, {rows.begin(), rows.end()});
  }
  /// The same with rows that are made in a loop.
  TestRun& RowsOf(std::string_view table_id, std::initializer_list<std::string_view> columns,
                  const std::vector<std::vector<Value>>& rows) {
    const analysis::TableSpec* spec = analysis::FindTable(table_id);
    Table table(spec->id, spec->row_name, InGeneralWords(spec->title), strings_);
    for (const ColumnSpec& column_spec : spec->columns) {
      Column& column = table.AddColumn(column_spec);
      const auto place = std::find(columns.begin(), columns.end(), column_spec.id);
      for (const auto& row : rows) {
        Add(column, place == columns.end() ? Value() : row.begin()[place - columns.begin()]);
      }
    }
    analysis_.tables.push_back(std::move(table));
    return *this;
  }
  TestRun& Absent(std::string_view table, std::string reason) {
    analysis_.absent_tables.emplace(table, std::move(reason));
    return *this;
  }
  TestRun& Exposed(std::string_view table, analysis::catalog::Exposure exposure) {
    analysis_.exposures[std::string(table)] =
        std::make_shared<const analysis::catalog::Exposure>(std::move(exposure));
    return *this;
  }
  const analysis::Analysis& analysis() const { return analysis_; }

 private:
  void Add(Column& column, const Value& value) {
    if (IsAbsent(value)) {
      column.AddAbsent();
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      column.AddText(strings_->Intern(*text));
    } else if (column.type() == CellType::kReal) {
      column.AddReal(AsNumber(value, 0));
    } else {
      column.AddInteger(static_cast<std::int64_t>(AsNumber(value, 0)));
    }
  }

  analysis::Analysis analysis_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
};

inline Value Text(std::string text) { return text; }
inline Value Ms(double ms) { return static_cast<std::int64_t>(ms * 1e6); }
inline Value Whole(std::int64_t number) { return number; }

/// Rules and policy as texts, kept together with the objects that point into them.
struct Loaded {
  RuleSet rules;
  Policy policy;
  std::vector<CompiledRule> compiled;
};

inline std::string ShowErrors(const Errors& errors) {
  std::string out;
  for (const Error& error : errors) {
    out += std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + "+" +
           std::to_string(error.where.length) + " " + error.message + "\n";
  }
  return out;
}

/// `rules` is below `namespace: test` and `rules:`; errors are returned as text.
inline std::string Load(std::string_view rules, std::string_view policy, Loaded& out) {
  const std::string text = "schema: 2\nnamespace: test\nrules:\n" + std::string(rules);
  auto file = ParseRuleFile(text, "test.yaml");
  if (!file) return ShowErrors(file.error());
  out.rules.rules = std::move(file->rules);
  auto parsed = ParsePolicy("schema: 1\n" + std::string(policy), "policy.yaml");
  if (!parsed) return ShowErrors(parsed.error());
  out.policy = *std::move(parsed);
  auto active = SelectRules(out.rules, out.policy, {.today = {}, .allow_long_waivers = true});
  if (!active) return ShowErrors(active.error());
  auto compiled = CompileRules(*active, out.policy);
  if (!compiled) return ShowErrors(compiled.error());
  out.compiled = *std::move(compiled);
  return "";
}

inline std::string PlainSpaces(std::string text) {
  for (std::size_t at; (at = text.find("\u202f")) != std::string::npos;) text.replace(at, 3, " ");
  return text;
}

/// "id[group]: status metric gain | message", indented under its cause; one line each.
inline std::string Show(const Evaluation& evaluation) {
  std::string out;
  for (const Finding& finding : evaluation.findings) {
    for (auto at = finding.cause; at; at = evaluation.findings[*at].cause) out += "  ";
    out += finding.rule->id;
    if (!finding.group.empty()) out += "[" + finding.group + "]";
    out += ": " + std::string(FindingStatusName(finding.status));
    if (!finding.metric_text.empty()) out += " " + finding.metric_text;
    if (finding.limit) out += " (" + LimitText(*finding.limit) + ")";
    const std::optional<double> gain =
        finding.claim.is_known() ? std::optional(finding.claim.saves) : finding.about_time;
    if (gain) out += " gain " + std::to_string(static_cast<std::int64_t>(*gain));
    if (!finding.missing_field.empty()) out += " {" + finding.missing_field + "}";
    if (!finding.reason.empty()) out += " because " + finding.reason;
    if (!finding.message.empty()) out += " | " + finding.message;
    out += "\n";
  }
  return PlainSpaces(out);
}

inline std::string Check(std::string_view rules, const TestRun& run, std::string_view policy = "",
                         RuleRunOptions options = {}) {
  Loaded loaded;
  const std::string errors = Load(rules, policy, loaded);
  if (!errors.empty()) return errors;
  return Show(EvaluateRules(loaded.compiled, run.analysis(), {}, options));
}

/// A rule over ranks, and three of them.
inline constexpr std::string_view kRanks = R"(
  - id: exposed
    title: Exposed
    category: communication
    for_each: kernel
    where: kernel.is_collective
    group_by: [rank.id]
    metric:
      value: sum(kernel.exposed_time) / rank.iteration_time
      show_as: percent
      warn_above: 10%
      error_above: 20%
    gain: {value: sum(kernel.exposed_time) / rank.iterations, bound: upper}
    message: Rank {{ rank.id }} waits {{ metric }}.
)";

inline TestRun RankRun() {
  TestRun run;
  run.Set("profile.ranks", Whole(3));
  run.Rows("ranks", {"id", "iteration_time", "iterations", "compute_time"},
           {{Whole(0), Ms(100), Whole(10), Ms(50)},
            {Whole(1), Ms(100), Whole(10), Ms(50)},
            {Whole(2), Ms(100), Whole(10), Ms(80)}});
  run.Rows("kernels_by_op", {"rank", "name", "is_collective", "exposed_time"},
           {{Whole(0), Text("nccl"), true, Ms(15)},
            {Whole(1), Text("nccl"), true, Ms(10)},
            {Whole(1), Text("nccl"), true, Ms(15)},
            {Whole(2), Text("nccl"), true, Ms(2)},
            {Whole(2), Text("gemm"), false, {}}});
  return run;
}

}  // namespace profgauge::rules
