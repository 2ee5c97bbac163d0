#include "rules/rule_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "rules/catalogue_words.h"
#include "rules/condition.h"
#include "rules/facts.h"

namespace profgauge::rules {
namespace {

using Kind = Binding::Kind;

constexpr std::array<std::string_view, 3> kEnclosing = {"rank", "gpu", "iteration"};
constexpr std::string_view kProfile = "profile";

bool HasColumn(const analysis::TableSpec& table, std::string_view id) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [id](const ColumnSpec& column) { return column.id == id; });
}

/// The column that identifies the rows of an enclosing table: "id", for iterations "index".
std::string_view NameColumn(std::string_view row) { return row == "iteration" ? "index" : "id"; }

using Keys = std::vector<RuleSchema::Key>;

bool IsKeyOf(const Keys& keys, const analysis::TableSpec& table) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const RuleSchema::Key& key) { return key.joined == &table; });
}

/// True if all rows of a group belong to one row of `enclosing`: it is a group key, or the rank of
/// a GPU that is one. Its fields may then be used outside of aggregates, as one value per group.
bool IsFixed(const Keys& keys, const analysis::TableSpec& enclosing) {
  if (IsKeyOf(keys, enclosing)) return true;
  const analysis::TableSpec* gpu = FindTableByRow("gpu");
  return enclosing.row_name == "rank" && gpu != nullptr && IsKeyOf(keys, *gpu);
}

/// Finds the table of `for_each`; false if it does not exist.
bool FindRows(const Rule& rule, RuleSchema& out, Errors& errors) {
  const std::string& name = rule.for_each.text;
  if (name == kProfile) return true;
  out.table = FindTableByRow(name);
  if (out.table != nullptr) return true;
  std::vector<std::string_view> names = {kProfile};
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
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
  const analysis::TableSpec* table = FindTableByRow(row);
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
    return AddKeyError(key, fmt::format("rows of `{}` have no `{}`", out.table->row_name, row),
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

/// A field with its data source.
struct Known {
  expr::Field field;
  Binding binding;
};

/// How a rule over `rows` (nullptr: the profile) reads the columns of `table`:
///
///     for_each: kernel      kernel.mean -> kColumn       a value in each row
///                           gpu.idle    -> kJoined       that of its GPU, by `rank` and `gpu`
///     for_each: profile     gpu.name    -> kCommon       no link: only if all GPUs agree
Kind KindOf(const analysis::TableSpec& table, const analysis::TableSpec* rows) {
  if (&table == rows) return Kind::kColumn;
  const bool linked = rows != nullptr && !LinkColumns(*rows, table.row_name).empty();
  return linked ? Kind::kJoined : Kind::kCommon;
}

/// The tables whose columns a rule over `rows` may use: its own and those that enclose it. Values
/// that all iterations share are omitted, because they are useless.
std::vector<const analysis::TableSpec*> NamedTables(const analysis::TableSpec* rows) {
  std::vector<const analysis::TableSpec*> tables;
  if (rows != nullptr) tables.push_back(rows);
  for (const std::string_view row : kEnclosing) {
    const analysis::TableSpec* table = FindTableByRow(row);
    if (table == nullptr || table == rows) continue;
    if (row == "iteration" && KindOf(*table, rows) == Kind::kCommon) continue;
    tables.push_back(table);
  }
  return tables;
}

expr::Scope ScopeOf(const analysis::TableSpec& table, const ColumnSpec& column, Kind kind,
                    const Keys& keys) {
  if (kind == Kind::kCommon) return expr::Scope::kGroup;
  const bool is_key = kind == Kind::kJoined
                          ? IsFixed(keys, table)
                          : std::any_of(keys.begin(), keys.end(), [&](const RuleSchema::Key& key) {
                              return key.joined == nullptr && key.column == column.id;
                            });
  return is_key ? expr::Scope::kKey : expr::Scope::kRow;
}

std::optional<Known> FindColumn(std::string_view name, const analysis::TableSpec* rows,
                                const Keys& keys, bool common) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const analysis::TableSpec* table : NamedTables(rows)) {
    const Kind kind = KindOf(*table, rows);
    if (table->row_name != name.substr(0, dot) || (kind == Kind::kCommon) != common) continue;
    for (const ColumnSpec& column : table->columns) {
      if (column.id != name.substr(dot + 1)) continue;
      return Known{{std::string(name), column.unit, ScopeOf(*table, column, kind, keys),
                    KnownValuesOf(name)},
                   {kind, table, std::string(column.id)}};
    }
  }
  return std::nullopt;
}

std::optional<Known> FindFact(std::string_view name) {
  for (const FactSpec& fact : FactCatalogue()) {
    if (fact.name != name) continue;
    return Known{{std::string(name), fact.unit, expr::Scope::kGroup, KnownValuesOf(name)},
                 {Kind::kFact, nullptr, std::string(name)}};
  }
  return std::nullopt;
}

/// Looks up a name in the order that the header defines.
std::optional<Known> FindName(std::string_view name, const analysis::TableSpec* rows,
                              const Keys& keys) {
  if (auto column = FindColumn(name, rows, keys, false)) return column;
  if (auto metric = MetricField(name)) {
    return Known{*std::move(metric), {Kind::kMetric, nullptr, std::string(name)}};
  }
  if (auto fact = FindFact(name)) return fact;
  return FindColumn(name, rows, keys, true);
}

std::vector<std::string> AllNames(const analysis::TableSpec* rows) {
  std::vector<std::string> names, common;
  for (const analysis::TableSpec* table : NamedTables(rows)) {
    auto& out = KindOf(*table, rows) == Kind::kCommon ? common : names;
    for (const ColumnSpec& column : table->columns) {
      out.push_back(fmt::format("{}.{}", table->row_name, column.id));
    }
  }
  for (std::string& metric : MetricNames()) names.push_back(std::move(metric));
  for (const FactSpec& fact : FactCatalogue()) names.emplace_back(fact.name);
  std::move(common.begin(), common.end(), std::back_inserter(names));
  return names;
}

}  // namespace

expr::Slot RuleSchema::Add(std::string name, Unit unit, expr::Scope scope, Binding binding,
                           const expr::Enumeration* values) {
  Bind();
  const expr::Slot slot = schema.Add(std::move(name), unit, scope, values);
  if (slot == bindings.size()) bindings.push_back(std::move(binding));
  return slot;
}

void RuleSchema::Bind() {
  while (bindings.size() < schema.size()) {
    const auto slot = static_cast<expr::Slot>(bindings.size());
    bindings.push_back(FindName(schema[slot].name, table, keys)->binding);
  }
}

std::vector<std::string_view> LinkColumns(const analysis::TableSpec& table,
                                          std::string_view enclosing) {
  if (table.row_name == enclosing) return {};
  if (enclosing == "gpu") {
    if (HasColumn(table, "gpu") && HasColumn(table, "rank")) return {"rank", "gpu"};
    return {};
  }
  if (HasColumn(table, enclosing)) return {enclosing};
  return {};
}

const analysis::TableSpec* FindTableByRow(std::string_view row_name) {
  if (row_name.empty()) return nullptr;
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
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
  if (out.table != nullptr) out.schema.SetRowName(std::string(out.table->row_name));
  out.schema.SetSource({[rows = out.table, keys = out.keys](std::string_view name) {
                          auto known = FindName(name, rows, keys);
                          return known ? std::optional(std::move(known->field)) : std::nullopt;
                        },
                        [rows = out.table] { return AllNames(rows); }});
  return out;
}

}  // namespace profgauge::rules
