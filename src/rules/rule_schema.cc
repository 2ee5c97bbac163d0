#include "rules/rule_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/diagnostic.h"
#include "base/text.h"
#include "rules/facts.h"

namespace profgauge {
namespace {

using Kind = Binding::Kind;

constexpr std::array<std::string_view, 3> kEnclosing = {"rank", "gpu", "iteration"};
constexpr std::string_view kProfile = "profile";

bool HasColumn(const TableSpec& table, std::string_view id) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [id](const ColumnSpec& column) { return column.id == id; });
}

/// The column of an enclosing table that names its rows: "id", of iterations "index".
std::string_view NameColumn(std::string_view row) { return row == "iteration" ? "index" : "id"; }

void AddColumns(RuleSchema& out, const TableSpec& table, Kind kind, expr::Scope scope) {
  for (const ColumnSpec& column : table.columns) {
    out.Add(fmt::format("{}.{}", table.row_name, column.id), column.unit, scope,
            {kind, &table, std::string(column.id)});
  }
}

bool IsKeyOf(const RuleSchema& out, const TableSpec& table) {
  return std::any_of(out.keys.begin(), out.keys.end(),
                     [&](const RuleSchema::Key& key) { return key.joined == &table; });
}

/// Whether all rows of a group belong to the same row of `enclosing`: it is a key, or the GPU is
/// and it has one rank.
bool IsFixed(const RuleSchema& out, const TableSpec& enclosing) {
  if (IsKeyOf(out, enclosing)) return true;
  const TableSpec* gpu = FindTableByRow("gpu");
  return enclosing.row_name == "rank" && gpu != nullptr && IsKeyOf(out, *gpu);
}

/// The table of `for_each`. False when there is no such thing.
bool FindRows(const Rule& rule, RuleSchema& out, Errors& errors) {
  const std::string& name = rule.for_each.text;
  if (name == kProfile) return true;
  out.table = FindTableByRow(name);
  if (out.table != nullptr) return true;
  std::vector<std::string_view> names = {kProfile};
  for (const TableSpec& table : TableCatalogue()) {
    if (!table.row_name.empty()) names.push_back(table.row_name);
  }
  std::string list;
  for (const std::string_view row : names)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", row);
  const std::string_view near = DidYouMean(name, names);
  errors.push_back({ErrorKind::kConfig,
                    "rules/unknown-rows",
                    fmt::format("unknown `for_each`: `{}`", PrintableShort(name)),
                    rule.for_each.All(),
                    {near.empty() ? fmt::format("help: rows are {}", list)
                                  : fmt::format("help: did you mean `{}`?", near)}});
  return false;
}

void AddKeyError(const SourceText& key, std::string message, std::string help, Errors& errors) {
  errors.push_back(
      {ErrorKind::kConfig, "rules/group-by", std::move(message), key.All(), {"help: " + help}});
}

void AddKey(const SourceText& key, RuleSchema& out, Errors& errors) {
  const std::size_t dot = key.text.find('.');
  const std::string_view row = std::string_view(key.text).substr(0, dot);
  const std::string column = dot == std::string::npos ? "" : key.text.substr(dot + 1);
  const std::string shown = PrintableShort(key.text);
  if (out.table == nullptr) {
    return AddKeyError(key, "`for_each: profile` has one row and cannot be grouped",
                       "remove `group_by`", errors);
  }
  const TableSpec* table = FindTableByRow(row);
  if (table == nullptr || !HasColumn(*table, column)) {
    return AddKeyError(
        key, fmt::format("unknown field `{}`", shown),
        fmt::format("group by `rank.id`, `gpu.id` or a field of `{}`", out.table->row_name),
        errors);
  }
  if (table == out.table) {
    out.keys.push_back({nullptr, column});
    return;
  }
  const bool encloses = std::find(kEnclosing.begin(), kEnclosing.end(), row) != kEnclosing.end();
  if (!encloses || LinkColumns(*out.table, row).empty()) {
    return AddKeyError(key,
                       fmt::format("rows of `{}` do not tell their `{}`", out.table->row_name, row),
                       fmt::format("group by a field of `{}`", out.table->row_name), errors);
  }
  if (column != NameColumn(row)) {
    return AddKeyError(
        key, fmt::format("`{}` cannot be grouped by", shown),
        fmt::format("group by `{}.{}`; its other fields are then free", row, NameColumn(row)),
        errors);
  }
  out.keys.push_back({table, column});
}

void AddOwnColumns(RuleSchema& out) {
  if (out.table == nullptr) return;
  out.schema.SetRowName(std::string(out.table->row_name));
  for (const ColumnSpec& column : out.table->columns) {
    const bool is_key =
        std::any_of(out.keys.begin(), out.keys.end(), [&](const RuleSchema::Key& key) {
          return key.joined == nullptr && key.column == column.id;
        });
    out.Add(fmt::format("{}.{}", out.table->row_name, column.id), column.unit,
            is_key ? expr::Scope::kKey : expr::Scope::kRow,
            {Kind::kColumn, out.table, std::string(column.id)});
  }
}

void AddParams(const Rule& rule, RuleSchema& out, Errors& errors) {
  for (const RuleParam& param : rule.params) {
    const std::string name = "$" + param.name;
    if (out.schema.Find(name) != expr::Schema::kNone) {
      errors.push_back({ErrorKind::kConfig,
                        "rules/name",
                        fmt::format("parameter `{}` is given twice", param.name),
                        param.where,
                        {}});
    }
    out.Add(name, param.default_value.unit, expr::Scope::kGroup,
            {Kind::kParam, nullptr, param.name});
  }
}

}  // namespace

expr::Slot RuleSchema::Add(std::string name, Unit unit, expr::Scope scope, Binding binding) {
  const expr::Slot slot = schema.Add(std::move(name), unit, scope);
  if (slot == bindings.size()) bindings.push_back(std::move(binding));
  return slot;
}

std::span<const std::string_view> EnclosingRows() { return kEnclosing; }

std::vector<std::string_view> LinkColumns(const TableSpec& table, std::string_view enclosing) {
  if (table.row_name == enclosing) return {};
  if (enclosing == "gpu") {
    if (HasColumn(table, "gpu") && HasColumn(table, "rank")) return {"rank", "gpu"};
    return {};
  }
  if (HasColumn(table, enclosing)) return {enclosing};
  return {};
}

const TableSpec* FindTableByRow(std::string_view row_name) {
  if (row_name.empty()) return nullptr;
  for (const TableSpec& table : TableCatalogue()) {
    if (table.row_name == row_name) return &table;
  }
  return nullptr;
}

RuleSchema BuildRuleSchema(const Rule& rule, Errors& errors) {
  RuleSchema out;
  AddParams(rule, out, errors);
  const bool has_rows = FindRows(rule, out, errors);
  if (has_rows) {
    for (const SourceText& key : rule.group_by) AddKey(key, out, errors);
  }
  AddOwnColumns(out);
  std::vector<const TableSpec*> common;
  for (const std::string_view row : kEnclosing) {
    const TableSpec* table = FindTableByRow(row);
    if (table == nullptr || table == out.table) continue;
    if (out.table == nullptr || LinkColumns(*out.table, row).empty()) {
      if (row != "iteration") common.push_back(table);
      continue;
    }
    AddColumns(out, *table, Kind::kJoined,
               IsFixed(out, *table) ? expr::Scope::kKey : expr::Scope::kRow);
  }
  for (const MetricSpec& metric : MetricCatalogue()) {
    out.Add(std::string(metric.id), metric.unit, expr::Scope::kGroup,
            {Kind::kMetric, nullptr, std::string(metric.id)});
  }
  for (const FactSpec& fact : FactCatalogue()) {
    out.Add(std::string(fact.name), fact.unit, expr::Scope::kGroup,
            {Kind::kFact, nullptr, std::string(fact.name)});
  }
  for (const TableSpec* table : common) {
    AddColumns(out, *table, Kind::kCommon, expr::Scope::kGroup);
  }
  return out;
}

}  // namespace profgauge
