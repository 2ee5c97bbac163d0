#include "expr/eval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/cell.h"
#include "fixture.h"

namespace profgauge::expr {
namespace {

/// The value as text; "absent: reason".
std::string Show(const Outcome& outcome) {
  if (IsAbsent(outcome.value)) return "absent: " + outcome.absent_because;
  if (const auto* flag = std::get_if<bool>(&outcome.value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&outcome.value)) return "'" + *text + "'";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.12g", std::get<double>(outcome.value));
  return buffer;
}

struct Case {
  std::string_view text, shown;
};

constexpr Case kGroupCases[] = {
    {"sum(kernel.time)", "100000000"},
    {"sum(kernel.time, kernel.uses_tensor_core == 'no') / profile.kernel_time", "0.45"},
    {"sum(kernel.time) * (1 - 1 / 4) / profile.iterations", "7500000"},
    {"count()", "4"},
    {"count(kernel.calls == 100)", "3"},
    {"mean(kernel.time)", "25000000"},
    {"median(kernel.time)", "22500000"},
    {"min(kernel.time)", "5000000"},
    {"max(kernel.time)", "50000000"},
    {"percentile(kernel.time, 0)", "5000000"},
    {"percentile(kernel.time, 95)", "47000000"},
    {"percentile(kernel.time, 100)", "50000000"},
    {"any(kernel.is_collective)", "true"},
    {"all(kernel.is_collective)", "false"},
    {"distinct(kernel.uses_tensor_core)", "3"},
    {"distinct(kernel.calls)", "2"},
    {"distinct(kernel.name, kernel.calls == 100)", "3"},
    {"at_max(kernel.name, kernel.time)", "'h884gemm'"},
    {"at_max(kernel.time, kernel.calls)", "15000000"},
    {"at_max(kernel.name, kernel.time, kernel.uses_tensor_core == 'no')", "'sgemm_128x64'"},
    {"gpu.idle.mean > 15%", "true"},
    {"gpu.idle.mean <= 25%", "true"},
    {"gpu.name contains 'V100' and gpu.name starts_with 'Tesla'", "true"},
    {"if(profile.ranks > 1, 'ranks', 'rank')", "'rank'"},
    {"least(3, 1, 2) + greatest(3, 1, 2)", "4"},
    {"ceil(84 / 8) * 8", "88"},
    {"abs(-2) - floor(2.5)", "0"},
    // Rates: bytes over nanoseconds are bytes per second, and back.
    {"memcpy.h2d.bandwidth >= 12 GB/s", "true"},
    {"8192 B / 1 us", "8192000000"},
    {"12 GB/s * 2 s", "24000000000"},
    {"24 GB / 12 GB/s", "2000000000"},
    {"1 / 500 us", "2000"},
    {"1 / 500 us * 1 ms", "2"},
    {"2 TFLOP/s * 1 ms / 1 ms", "2e+12"},
    // Absent: skipped by aggregates, otherwise contagious, and always with its reason.
    {"sum(kernel.bytes)", "12288"},
    {"max(kernel.bytes, kernel.is_collective)", "absent: `kernel.bytes` is absent"},
    {"count(kernel.tensor_core_eligible)", "2"},
    {"count(known(kernel.op))", "3"},
    {"lost > 5 ms", "absent: `lost` is absent: the trace has no memory events"},
    {"not (lost > 5 ms)", "absent: `lost` is absent: the trace has no memory events"},
    {"lost > 5 ms and false", "false"},
    {"true or lost > 5 ms", "true"},
    {"lost > 5 ms or false", "absent: `lost` is absent: the trace has no memory events"},
    {"known(lost)", "false"},
    {"if(known(lost), lost, 0 ms)", "0"},
    {"lost in [1 ms, 2 ms]", "absent: `lost` is absent: the trace has no memory events"},
    {"1 ms in [lost]", "absent: `lost` is absent: the trace has no memory events"},
    {"1 / 0", "absent: `1 / 0` divides by zero or is out of range"},
    {"0 / 0 > 1", "absent: `0 / 0` divides by zero or is out of range"},
    {"1 + wait / (profile.ranks - 1) / 1 ms",
     "absent: `wait / (profile.ranks - 1)` divides by zero or is out of range"},
    {"1e200 * 1e200", "absent: `1e200 * 1e200` is out of range"},
    {"flops.achieved", "absent: `flops.achieved` is absent"},
    {"mean(kernel.time, false and kernel.is_collective)",
     "absent: `mean(kernel.time, false and kernel.is_collective)` has no rows to look at"},
    {"sum(kernel.time, false and kernel.is_collective)", "0"},
    {"all(kernel.calls > 0 or kernel.is_collective)", "true"},
};

TEST(Eval, Groups) {
  TestData test;
  for (const Case& c : kGroupCases) {
    const auto program = Compile(c.text, test.schema, Context::kGroup);
    ASSERT_TRUE(program) << c.text << ": " << program.error().front().message;
    EXPECT_EQ(Show(Evaluate(*program, test.data, test.rows)), c.shown) << c.text;
  }
}

constexpr Case kNoRowCases[] = {
    {"sum(kernel.time)", "0"},
    {"count()", "0"},
    {"any(kernel.is_collective)", "false"},
    {"all(kernel.is_collective)", "true"},
    {"distinct(kernel.name)", "0"},
    {"max(kernel.time)", "absent: `max(kernel.time)` has no rows to look at"},
    {"percentile(kernel.time, 95)", "absent: `percentile(kernel.time, 95)` has no rows to look at"},
    {"at_max(kernel.name, kernel.time)",
     "absent: `at_max(kernel.name, kernel.time)` has no rows to look at"},
};

TEST(Eval, GroupsWithoutRows) {
  TestData test;
  for (const Case& c : kNoRowCases) {
    const auto program = Compile(c.text, test.schema, Context::kGroup);
    ASSERT_TRUE(program) << c.text;
    EXPECT_EQ(Show(Evaluate(*program, test.data, {})), c.shown) << c.text;
  }
}

TEST(Eval, SkippedRowsAreCounted) {
  TestData test;
  const auto program = Compile("sum(kernel.bytes)", test.schema, Context::kGroup);
  EXPECT_EQ(Evaluate(*program, test.data, test.rows).rows_skipped, 1u);
}

TEST(Eval, FieldToBlame) {
  TestData test;
  const auto program =
      Compile("max(kernel.bytes, kernel.is_collective) > 1 B", test.schema, Context::kGroup);
  EXPECT_EQ(Evaluate(*program, test.data, test.rows).absent_field, "kernel.bytes");
}

struct RowCase {
  std::string_view text;
  std::vector<std::string> shown;  ///< Per row.
};

/// Row expressions; batches must agree with the single rows, value for value.
TEST(Eval, RowsAndBatchesAgree) {
  TestData test;
  const std::string no_op = "absent: `kernel.op` is absent";
  const std::string no_bytes = "absent: `kernel.bytes` is absent";
  const std::vector<RowCase> cases = {
      {"kernel.time / profile.iterations", {"3000000", "5000000", "1500000", "500000"}},
      {"kernel.bytes / kernel.mean > 0.015 GB/s", {"false", "true", "false", no_bytes}},
      {"kernel.bandwidth",
       {"4096000000", "8192000000", "0", "absent: `kernel.bandwidth` is absent"}},
      {"kernel.op == 'aten::mm'", {"true", "true", "false", no_op}},
      {"kernel.op != 'nowhere'", {"true", "true", "true", no_op}},
      {"not (kernel.op == 'aten::mm')", {"false", "false", "true", no_op}},
      {"kernel.op in ['aten::add', 'x']", {"false", "false", "true", no_op}},
      {"kernel.op == kernel.name", {"false", "false", "false", no_op}},
      {"'aten::mm' == kernel.op", {"true", "true", "false", no_op}},
      {"kernel.name matches 'gemm|nccl'", {"true", "true", "false", "true"}},
      {"kernel.name contains 'gemm' or kernel.is_collective", {"true", "true", "false", "true"}},
      {"kernel.name not starts_with 'nccl'", {"true", "true", "true", "false"}},
      {"kernel.name ends_with 'e'", {"false", "false", "true", "true"}},
      {"kernel.calls in [100, 7]", {"true", "true", "false", "true"}},
      {"-kernel.calls + 1", {"-99", "-99", "-2999", "-99"}},
      {"kernel.tensor_core_eligible and kernel.uses_tensor_core == 'no'",
       {"true", "false", "false", "false"}},
      {"known(kernel.op)", {"true", "true", "true", "false"}},
      {"known(kernel.bytes) and kernel.bytes == 0 B", {"false", "false", "true", "false"}},
      {"if(known(kernel.bytes), kernel.bytes, 1 B)", {"4096", "8192", "0", "1"}},
      {"1 / kernel.bytes * 1 B",
       {"0.000244140625", "0.0001220703125",
        "absent: `1 / kernel.bytes` divides by zero or is out of range", no_bytes}},
      {"ceil(kernel.calls / 64) * 64 - kernel.calls", {"28", "28", "8", "28"}},
      {"greatest(kernel.time, 20 ms)", {"30000000", "50000000", "20000000", "20000000"}},
      {"kernel.occupancy < 50%", {"false", "true", "false", "true"}},
      {"$min_kernel_time > 1 us", {"true", "true", "true", "true"}},
  };
  for (const RowCase& c : cases) {
    const auto program = Compile(c.text, test.schema, Context::kRow);
    ASSERT_TRUE(program) << c.text << ": " << program.error().front().message;
    const std::vector<double> batch = EvaluateNumbers(*program, test.data, test.rows);
    for (const RowId row : test.rows) {
      const Outcome outcome = EvaluateRow(*program, test.data, row);
      EXPECT_EQ(Show(outcome), c.shown[row]) << c.text << " in row " << row;
      const double expected = IsAbsent(outcome.value) ? std::nan("") : AsNumber(outcome.value, 0);
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(batch[row]) : batch[row] == expected)
          << c.text << " in row " << row << ": batch " << batch[row];
    }
  }
}

TEST(Eval, BatchesOfManyRowsAgreeToo) {
  TestData test;
  std::vector<RowId> rows;
  for (RowId i = 0; i < 5000; ++i) rows.push_back((i * 7) % 4);
  const auto program =
      Compile("kernel.op == 'aten::mm' and kernel.time > 20 ms", test.schema, Context::kRow);
  const std::vector<double> batch = EvaluateNumbers(*program, test.data, rows);
  ASSERT_EQ(batch.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Value one = EvaluateRow(*program, test.data, rows[i]).value;
    ASSERT_EQ(std::isnan(batch[i]), IsAbsent(one)) << i;
    const bool expected = !IsAbsent(one) && std::get<bool>(one);
    ASSERT_EQ(batch[i] == 1, expected) << i;
  }
}

TEST(Eval, FilterDropsAndCountsAbsentRows) {
  TestData test;
  const auto where = Compile("kernel.op starts_with 'aten'", test.schema, Context::kRow);
  const Filtered filtered = Filter(*where, test.data, test.rows);
  EXPECT_EQ(filtered.rows, (std::vector<RowId>{0, 1, 2}));
  EXPECT_EQ(filtered.unknown, 1u);
  EXPECT_EQ(filtered.unknown_because, "`kernel.op` is absent");
  EXPECT_EQ(filtered.unknown_field, "kernel.op");
}

TEST(Eval, AbsentColumnsGiveTheirReason) {
  TestData test;
  test.table.Find("bytes")->MarkAbsent("kineto has no memory events here");
  const auto program = Compile("sum(kernel.bytes)", test.schema, Context::kGroup);
  EXPECT_EQ(Show(Evaluate(*program, test.data, test.rows)),
            "absent: `kernel.bytes` is absent: kineto has no memory events here");
}

TEST(Eval, RowsOfAnotherTable) {
  TestData test;
  // Each kernel's field is looked up in row rows_of[kernel] of the other table.
  const std::vector<RowId> rows_of = {2, 2, 0, Source::kNoRow};
  test.data[test.schema.Find("kernel.calls")].rows_of = &rows_of;
  const auto program = Compile("kernel.calls", test.schema, Context::kRow);
  EXPECT_EQ(Show(EvaluateRow(*program, test.data, 0)), "3000");
  EXPECT_EQ(Show(EvaluateRow(*program, test.data, 2)), "100");
  EXPECT_EQ(Show(EvaluateRow(*program, test.data, 3)), "absent: `kernel.calls` is absent");
}

TEST(Eval, OrderIsStableWithAbsentLast) {
  TestData test;
  const auto sorted = [&](std::string_view text, std::size_t limit) {
    return Sorted(*CompileOrder(text, test.schema), test.data, test.rows, limit);
  };
  EXPECT_EQ(sorted("kernel.time desc", 9), (std::vector<RowId>{1, 0, 2, 3}));
  EXPECT_EQ(sorted("kernel.time", 2), (std::vector<RowId>{3, 2}));
  EXPECT_EQ(sorted("kernel.calls asc", 9), (std::vector<RowId>{0, 1, 3, 2}));
  EXPECT_EQ(sorted("kernel.calls desc", 9), (std::vector<RowId>{2, 0, 1, 3}));
  EXPECT_EQ(sorted("kernel.bytes desc", 9), (std::vector<RowId>{1, 0, 2, 3}));
  EXPECT_EQ(sorted("kernel.op desc", 9), (std::vector<RowId>{0, 1, 2, 3}));
  EXPECT_EQ(sorted("kernel.name", 9), (std::vector<RowId>{2, 1, 3, 0}));
}

TEST(Eval, ConditionsByLookup) {
  Schema schema = TestSchema();
  const auto condition = CompileCondition("gpu.idle.mean > 15% and profile.ranks >= 2", schema);
  const auto lookup = [](std::string_view name) -> Value {
    if (name == "gpu.idle.mean") return 0.2;
    return {};
  };
  EXPECT_EQ(Show(EvaluateCondition(*condition, lookup)), "absent: `profile.ranks` is absent");
}

}  // namespace
}  // namespace profgauge::expr
