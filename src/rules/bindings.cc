#include "rules/bindings.h"

#include <fmt/format.h>

#include <algorithm>

namespace profgauge::rules {
namespace {

using Kind = Binding::Kind;

constexpr std::string_view kUnknownTable = "the profile does not have it";

std::string Lowered(std::string_view title) {
  std::string out(title);
  // "GPUs" stays as it is: only a capital before a small letter starts a sentence.
  if (out.size() > 1 && out[0] >= 'A' && out[0] <= 'Z' && out[1] >= 'a' && out[1] <= 'z') {
    out[0] = static_cast<char>(out[0] - 'A' + 'a');
  }
  return out;
}

std::int64_t IntegerAt(const Column* column, std::size_t row) {
  if (column == nullptr || row >= column->size() || column->type() != CellType::kInteger) {
    return Column::kAbsentInteger;
  }
  return column->IntegerAt(row);
}

/// The columns of `enclosing` to which its links refer, in the order of LinkColumns().
std::vector<std::string_view> NamedBy(std::string_view enclosing) {
  if (enclosing == "gpu") return {"rank", "id"};
  if (enclosing == "iteration") return {"index"};
  return {"id"};
}

// Finds the row of `enclosing` for each row of `table`, by equal integers in the link columns:
//
//     kernels  row   rank  gpu        gpus  row   rank  id        result
//               0     0     0                0     0     0           0 -> 0
//               1     0     1                1     0     1           1 -> 1
//               2     1     7                2     1     0           2 -> none: kNoRow
std::vector<expr::RowId> JoinTables(const Table& table, const Table& enclosing,
                                    const std::vector<std::string_view>& links,
                                    const std::vector<std::string_view>& names) {
  std::vector<expr::RowId> out(table.rows(), expr::Source::kNoRow);
  std::map<std::vector<std::int64_t>, expr::RowId> by_name;
  std::vector<std::int64_t> key(names.size());
  for (std::size_t row = 0; row < enclosing.rows(); ++row) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      key[i] = IntegerAt(enclosing.Find(names[i]), row);
    }
    by_name.emplace(key, static_cast<expr::RowId>(row));
  }
  std::vector<const Column*> columns;
  for (const std::string_view link : links) columns.push_back(table.Find(link));
  std::vector<std::int64_t> last;
  expr::RowId last_row = expr::Source::kNoRow;
  for (std::size_t row = 0; row < out.size(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) key[i] = IntegerAt(columns[i], row);
    // Adjacent rows mostly have the same rank, so the last result is tried first.
    if (key != last) {
      const auto found = by_name.find(key);
      last_row = found == by_name.end() ? expr::Source::kNoRow : found->second;
      last = key;
    }
    out[row] = last_row;
  }
  return out;
}

}  // namespace

const DeviceWords& RunData::device_words() const {
  const auto vendor = facts_.find("device.vendor");
  const auto* id = vendor == facts_.end() ? nullptr : std::get_if<std::string>(&vendor->second);
  return DeviceWordsOf(id == nullptr ? Accelerator::kUnknown : FindAccelerator(*id));
}

const Table* RunData::FindTable(const analysis::TableSpec& spec) const {
  const Table* table = analysis_.FindTable(spec.id);
  return table != nullptr && !table->columns().empty() ? table : nullptr;
}

std::string RunData::WhyNoTable(const analysis::TableSpec& spec) const {
  const auto reason = analysis_.absent_tables.find(spec.id);
  if (reason != analysis_.absent_tables.end()) return reason->second;
  return fmt::format("the profile has no {}", Lowered(InDeviceWords(spec.title, device_words())));
}

const analysis::catalog::Exposure* RunData::FindExposure(std::string_view table) const {
  const auto found = analysis_.exposures.find(table);
  return found == analysis_.exposures.end() ? nullptr : found->second.get();
}

const std::vector<expr::RowId>* RunData::Join(const analysis::TableSpec& table,
                                              const analysis::TableSpec& enclosing) {
  const std::lock_guard lock(joining_);
  auto& join = joins_[{&table, &enclosing}];
  if (join == nullptr) {
    const Table* rows = FindTable(table);
    const Table* target = FindTable(enclosing);
    if (rows == nullptr || target == nullptr) return nullptr;
    join = std::make_unique<std::vector<expr::RowId>>(JoinTables(
        *rows, *target, LinkColumns(table, enclosing.row_name), NamedBy(enclosing.row_name)));
  }
  return join.get();
}

expr::Source RunData::BindColumn(const analysis::TableSpec& spec, const std::string& column) const {
  expr::Source source;
  const Table* table = FindTable(spec);
  if (table == nullptr) {
    source.absent_because = WhyNoTable(spec);
    return source;
  }
  source.column = table->Find(column);
  source.strings = &table->strings();
  if (source.column == nullptr) source.absent_because = kUnknownTable;
  return source;
}

expr::Source RunData::BindCommon(const analysis::TableSpec& spec, const std::string& column) const {
  expr::Source found = BindColumn(spec, column);
  expr::Source source;
  source.absent_because = found.absent_because;
  if (found.column == nullptr) return source;
  const Table& table = *FindTable(spec);
  if (!found.column->absent_because().empty() || table.rows() == 0) {
    source.absent_because = found.column->absent_because();
    return source;
  }
  source.value = table.At(0, *found.column);
  const auto is_as_first = [&column = *found.column](std::size_t row) {
    // All rows agree if their texts have the same number: equal texts of a table do.
    if (column.type() == CellType::kText) return column.TextAt(row) == column.TextAt(0);
    if (column.type() == CellType::kInteger) return column.IntegerAt(row) == column.IntegerAt(0);
    return column.RealAt(row) == column.RealAt(0) ||
           (column.IsAbsentAt(row) && column.IsAbsentAt(0));
  };
  for (std::size_t row = 1; row < table.rows(); ++row) {
    if (is_as_first(row)) continue;
    source.value = Value();
    source.absent_because = fmt::format("it differs between the {}", table.title());
    break;
  }
  return source;
}

expr::Source RunData::BindMetric(std::string_view id) const {
  expr::Source source;
  const analysis::Metric* metric = FindMetric(id);
  if (metric == nullptr) {
    source.absent_because = kUnknownTable;
    return source;
  }
  source.value = metric->value;
  source.absent_because = metric->absent_because;
  return source;
}

// If some launches keep their recorded times, a simulated saving would be too small.
bool RunData::HasFreeThread() const {
  return std::ranges::any_of(
      simulations_->replayer().graphs(),
      [](const analysis::simulation::PathGraph& graph) { return !graph.free_threads().empty(); });
}

ScenarioOutcome RunData::Simulate(const CompiledRule& rule) {
  ScenarioOutcome outcome;
  if (!rule.scenario || simulations_ == nullptr || HasFreeThread()) return outcome;
  if (simulations_->Matches(*rule.scenario)) return simulations_->Run(*rule.scenario);
  outcome.absent_because =
      WhyNotSimulated(simulations_->ChangesOf(*rule.scenario), simulations_->replayer());
  outcome.is_without_rows =
      outcome.absent_because.empty() && simulations_->IsWithoutRows(*rule.scenario);
  return outcome;
}

std::optional<double> RunData::SavingOfAllDeviceWork() {
  if (simulations_ == nullptr || HasFreeThread() || MayMissWaits()) return std::nullopt;
  const std::lock_guard lock(removing_);
  if (all_device_work_) return saving_of_all_device_work_;
  WhatIfScale scale;
  scale.where.text = "not launch.is_collective";
  scale.factor = 0;
  all_device_work_ = CompileScenario({.name = "device_work", .scales = {scale}}).value();
  const ScenarioOutcome outcome = simulations_->Run(*all_device_work_);
  if (const auto& found = outcome.prediction) {
    saving_of_all_device_work_ = std::max(0.0, found->recorded_time - found->iteration_time);
  }
  return saving_of_all_device_work_;
}

bool RunData::MayMissWaits() {
  if (simulations_ == nullptr) return false;
  const std::lock_guard lock(listening_);
  if (!may_miss_waits_) {
    may_miss_waits_ = simulations_->replayer().MayMissWaits();
  }
  return *may_miss_waits_;
}

expr::Data RunData::Bind(const CompiledRule& rule) {
  const RuleSchema& names = rule.names;
  expr::Data data(names.bindings.size());
  for (expr::Slot slot = 0; slot < data.size(); ++slot) {
    const Binding& binding = names.bindings[slot];
    switch (binding.kind) {
      case Kind::kParam: {
        const auto param = rule.active.params.find(binding.name);
        if (param != rule.active.params.end()) data[slot].value = param->second.value;
        break;
      }
      case Kind::kColumn:
      case Kind::kJoined:
        data[slot] = BindColumn(*binding.table, binding.name);
        if (binding.kind == Kind::kJoined && data[slot].column != nullptr) {
          data[slot].rows_of = Join(*names.table, *binding.table);
          if (data[slot].rows_of == nullptr) data[slot].column = nullptr;
        }
        break;
      case Kind::kCommon:
        data[slot] = BindCommon(*binding.table, binding.name);
        break;
      case Kind::kMetric:
        data[slot] = BindMetric(binding.name);
        break;
      case Kind::kFact: {
        const auto fact = facts_.find(binding.name);
        if (fact != facts_.end()) data[slot].value = fact->second;
        data[slot].absent_because = "not recorded";
        break;
      }
      case Kind::kComputed:
        break;
    }
  }
  return data;
}

void BindGroup(const CompiledRule& rule, const RunData& run, expr::RowId first, expr::Data& data) {
  for (expr::Slot slot = 0; slot < rule.names.bindings.size(); ++slot) {
    const Binding& binding = rule.names.bindings[slot];
    const bool is_column = binding.kind == Kind::kColumn || binding.kind == Kind::kJoined;
    if (!is_column || rule.names.schema[slot].scope != expr::Scope::kKey) continue;
    expr::Source& source = data[slot];
    source.value = Value();
    if (source.column == nullptr) continue;
    expr::RowId row = first;
    if (source.rows_of != nullptr) row = (*source.rows_of)[first];
    if (row == expr::Source::kNoRow || row >= source.column->size()) continue;
    source.value = run.FindTable(*binding.table)->At(row, *source.column);
    source.absent_because = source.column->absent_because();
  }
}

}  // namespace profgauge::rules
