// A small schema and table for the tests of the expression language.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/table.h"
#include "expr/eval.h"
#include "expr/schema.h"

namespace profgauge::expr {

inline constexpr ColumnSpec kKernelColumns[] = {
    {"name", "Name", Unit::kText, ""},
    {"op", "Op", Unit::kText, ""},
    {"time", "Time", Unit::kTime, ""},
    {"mean", "Mean", Unit::kTime, ""},
    {"calls", "Calls", Unit::kCount, ""},
    {"bytes", "Bytes", Unit::kBytes, ""},
    {"bandwidth", "Bandwidth", Unit::kBandwidth, ""},
    {"occupancy", "Occupancy", Unit::kShare, ""},
    {"tensor_core_eligible", "Eligible", Unit::kBool, ""},
    {"uses_tensor_core", "Uses Tensor Cores", Unit::kText, ""},
    {"is_collective", "Collective", Unit::kBool, ""},
};

/// Rows are kernels; `profile.…`, `gpu.…`, `$…` and `wait` are the same for all of them.
inline Schema TestSchema() {
  Schema schema;
  schema.SetRowName("kernel");
  for (const ColumnSpec& column : kKernelColumns) {
    schema.Add("kernel." + std::string(column.id), column.unit, Scope::kRow);
  }
  schema.Add("profile.kernel_time", Unit::kTime, Scope::kGroup);
  schema.Add("profile.iterations", Unit::kCount, Scope::kGroup);
  schema.Add("profile.ranks", Unit::kCount, Scope::kGroup);
  schema.Add("gpu.idle.mean", Unit::kShare, Scope::kGroup);
  schema.Add("gpu.name", Unit::kText, Scope::kGroup);
  schema.Add("memcpy.h2d.bandwidth", Unit::kBandwidth, Scope::kGroup);
  schema.Add("memory.peak_allocated", Unit::kBytes, Scope::kGroup);
  schema.Add("flops.achieved", Unit::kFlopRate, Scope::kGroup);
  schema.Add("$min_kernel_time", Unit::kTime, Scope::kGroup);
  schema.Add("metric", Unit::kShare, Scope::kGroup);
  schema.Add("wait", Unit::kTime, Scope::kGroup);
  schema.Add("lost", Unit::kTime, Scope::kGroup);
  return schema;
}

/// Four kernels; the last has no op, and its eligibility and bytes are unknown.
struct TestData {
  std::shared_ptr<StringPool> strings = std::make_shared<StringPool>();
  Table table{"kernels_by_op", "kernel", "Kernels by op", strings};
  Schema schema = TestSchema();
  Data data;
  std::vector<RowId> rows;

  TestData() {
    for (const ColumnSpec& column : kKernelColumns) table.AddColumn(column);
    AddRow("sgemm_128x64", "aten::mm", 30'000'000, 300'000, 100, 4096, 0.5, 1, "no", 0);
    AddRow("h884gemm", "aten::mm", 50'000'000, 500'000, 100, 8192, 0.25, 1, "yes", 0);
    AddRow("elementwise", "aten::add", 15'000'000, 5'000, 3000, 0, 1.0, 0, "no", 0);
    AddRow("ncclAllReduce", "", 5'000'000, 50'000, 100, -1, 0.125, -1, "unknown", 1);
    data.resize(schema.size());
    for (Column& column : table.columns()) {
      Source& source = data[schema.Find("kernel." + column.id())];
      source.column = &column;
      source.strings = strings.get();
    }
    Set("profile.kernel_time", 100'000'000.0);
    Set("profile.iterations", 10.0);
    Set("profile.ranks", 1.0);
    Set("gpu.idle.mean", 0.25);
    Set("gpu.name", std::string("Tesla V100"));
    Set("memcpy.h2d.bandwidth", 12e9);
    Set("$min_kernel_time", 20'000.0);
    Set("metric", 0.3);
    Set("wait", 8'000'000.0);
    data[schema.Find("lost")].absent_because = "the trace has no memory events";
    rows.resize(table.rows());
    std::iota(rows.begin(), rows.end(), 0U);
  }
  TestData(const TestData&) = delete;
  TestData& operator=(const TestData&) = delete;

  void Set(std::string_view name, Value value) { data[schema.Find(name)].value = std::move(value); }

 private:
  void Text(Column& column, std::string_view text) {
    text.empty() ? column.AddAbsent() : column.AddText(strings->Intern(text));
  }
  /// -1 and the empty text are absent.
  void AddRow(std::string_view name, std::string_view op, std::int64_t time, std::int64_t mean,
              std::int64_t calls, std::int64_t bytes, double occupancy, int eligible,
              std::string_view uses, int collective) {
    auto& columns = table.columns();
    Text(columns[0], name);
    Text(columns[1], op);
    columns[2].AddInteger(time);
    columns[3].AddInteger(mean);
    columns[4].AddInteger(calls);
    bytes < 0 ? columns[5].AddAbsent() : columns[5].AddInteger(bytes);
    bytes < 0 ? columns[6].AddAbsent() : columns[6].AddReal(static_cast<double>(bytes) * 1e6);
    columns[7].AddReal(occupancy);
    eligible < 0 ? columns[8].AddAbsent() : columns[8].AddInteger(eligible);
    Text(columns[9], uses);
    columns[10].AddInteger(collective);
  }
};

}  // namespace profgauge::expr
