// Additions of DLProf's table of operators to its other tables: for a type of operators, whether
// they could use Tensor Cores and do; for an operator that another table names, its type.
#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "readers/dlprof/statements.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

ReportedTable* TableOf(std::vector<ReportedTable>& tables, std::string_view id) {
  const auto at = std::ranges::find(tables, id, &ReportedTable::id);
  return at == tables.end() ? nullptr : &*at;
}

/// The cell of a column; absent where the table does not have it.
const Value& CellOf(const ReportedTable& table, const std::vector<Value>& row,
                    std::string_view column) {
  static const Value kAbsent;
  const auto at =
      static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
  return at < row.size() ? row[at] : kAbsent;
}

std::string TextOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

/// Adds how many kernels each operator launched, by the table of kernels; nothing where names of
/// operators that launch repeat, as the kernels of one would be those of each.
bool AddKernelCounts(const ReportedTable* kernels, ReportedTable& ops) {
  if (kernels == nullptr) return false;
  std::map<std::string, std::int64_t> counts, operators;
  for (const std::vector<Value>& row : ops.rows) ++operators[TextOf(CellOf(ops, row, "name"))];
  for (const std::vector<Value>& row : kernels->rows) {
    const std::string op = TextOf(CellOf(*kernels, row, "op"));
    const auto* calls = std::get_if<std::int64_t>(&CellOf(*kernels, row, "calls"));
    if (calls == nullptr || operators[op] != 1) return false;
    AddTo(counts[op], *calls);
  }
  for (std::vector<Value>& row : ops.rows) {
    row.resize(ops.columns.size());
    const auto at = counts.find(TextOf(CellOf(ops, row, "name")));
    row.emplace_back(at == counts.end() ? std::int64_t{0} : at->second);
  }
  ops.columns.emplace_back("kernels");
  return true;
}

UnitsByType UnitsOf(const ReportedTable& ops) {
  UnitsByType units;
  for (const std::vector<Value>& row : ops.rows) {
    TypeUnits& of = units[TextOf(CellOf(ops, row, "type"))];
    of.is_eligible = of.is_eligible || CellOf(ops, row, "tensor_core_eligible") == Value{true};
    of.uses = of.uses || TextOf(CellOf(ops, row, "uses_tensor_core")) == "yes";
    const auto* kernels = std::get_if<std::int64_t>(&CellOf(ops, row, "kernels"));
    if (kernels != nullptr) AddTo(of.kernels, *kernels);
  }
  return units;
}

struct Joined {
  std::string_view column, of_ops;
};

/// Adds columns of `ops` to the rows that name an operator in the column `key`.
void Join(const ReportedTable& ops, std::string_view key, std::span<const Joined> columns,
          ReportedTable* table) {
  if (table == nullptr) return;
  std::map<std::string, const std::vector<Value>*> by_name;
  for (const std::vector<Value>& row : ops.rows) {
    by_name.emplace(TextOf(CellOf(ops, row, "name")), &row);
  }
  for (std::vector<Value>& row : table->rows) {
    row.resize(table->columns.size());
    const auto op = by_name.find(TextOf(CellOf(*table, row, key)));
    for (const Joined& joined : columns) {
      row.push_back(op == by_name.end() ? Value{} : CellOf(ops, *op->second, joined.of_ops));
    }
  }
  for (const Joined& joined : columns) table->columns.emplace_back(joined.column);
}

}  // namespace

void AddUnits(const UnitsByType& units, bool has_kernels, ReportedTable& types) {
  for (std::vector<Value>& row : types.rows) {
    row.resize(types.columns.size());
    const auto at = units.find(TextOf(CellOf(types, row, "name")));
    const bool is_known = at != units.end();
    row.push_back(is_known ? Value{at->second.is_eligible} : Value{});
    row.push_back(is_known ? Value{std::string(at->second.uses ? "yes" : "no")} : Value{});
    if (has_kernels) row.push_back(is_known ? Value{at->second.kernels} : Value{});
  }
  types.columns.insert(types.columns.end(), {"tensor_core_eligible", "uses_tensor_core"});
  if (has_kernels) types.columns.emplace_back("kernels");
}

void JoinOps(std::vector<ReportedTable>& tables) {
  ReportedTable* ops = TableOf(tables, "ops");
  if (ops == nullptr) return;
  const bool has_kernels = AddKernelCounts(TableOf(tables, "kernels_by_op"), *ops);
  if (ReportedTable* types = TableOf(tables, "op_types"); types != nullptr) {
    AddUnits(UnitsOf(*ops), has_kernels, *types);
  }
  constexpr Joined kOfKernels[] = {
      {"op_type", "type"}, {"dtype", "dtypes"}, {"tensor_core_eligible", "tensor_core_eligible"}};
  constexpr Joined kOfProducts[] = {{"dtype", "dtypes"}, {"calls", "calls"}};
  Join(*ops, "op", kOfKernels, TableOf(tables, "kernels_by_op"));
  Join(*ops, "name", kOfProducts, TableOf(tables, "tensor_core_ops"));
}

}  // namespace profgauge::readers::dlprof
