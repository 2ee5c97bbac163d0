// Workload eval_rules_1m_kernels: all shipped rules over tables of a million rows (kernels by
// operator, launches) and realistic sizes elsewhere. Target: under a second.
//
//   cmake --preset release -DPROFGAUGE_BENCH=ON && cmake --build --preset release --target
//   eval_rules_bench && build/release/eval_rules_bench
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

#include "rules/evaluator.h"

namespace {

using namespace profgauge;

/// Every table filled with plausible cells; texts from a small set per column, like those of
/// profiles.
class RandomRun {
 public:
  explicit RandomRun(std::size_t rows) {
    for (const MetricSpec& spec : MetricCatalogue()) {
      Metric metric;
      metric.spec = &spec;
      metric.value = CellTypeOf(spec.unit) == CellType::kInteger ? Value(std::int64_t{100'000'000})
                                                                 : Value(0.4);
      analysis_.metrics.push_back(metric);
    }
    for (const TableSpec& spec : TableCatalogue()) {
      const bool is_large = spec.row_name == "kernel" || spec.row_name == "launch";
      const bool is_device = spec.row_name == "gpu" || spec.row_name == "rank";
      Add(spec, is_large ? rows : (is_device ? 8 : 1000));
    }
  }
  const Analysis& analysis() const { return analysis_; }

 private:
  void Add(const TableSpec& spec, std::size_t rows) {
    Table table(spec.id, spec.row_name, spec.title, strings_);
    for (const ColumnSpec& column_spec : spec.columns) {
      Column& column = table.AddColumn(column_spec);
      column.Reserve(rows);
      for (std::size_t row = 0; row < rows; ++row) AddCell(column, column_spec, row);
    }
    analysis_.tables.push_back(std::move(table));
  }

  void AddCell(Column& column, const ColumnSpec& spec, std::size_t row) {
    if (column.type() == CellType::kText) {
      AddText(column, spec);
    } else if (column.type() == CellType::kInteger &&
               (spec.id == "rank" || spec.id == "gpu" || spec.id == "id")) {
      column.AddInteger(static_cast<std::int64_t>(row % 8));
    } else if (spec.unit == Unit::kBool) {
      column.AddInteger(row % 3 == 0 ? 1 : 0);
    } else if (column.type() == CellType::kReal) {
      column.AddReal(static_cast<double>(random_() % 1000) / 500);
    } else {
      column.AddInteger(static_cast<std::int64_t>(random_() % 100'000));
    }
  }

  void AddText(Column& column, const ColumnSpec& spec) {
    constexpr std::string_view kUses[] = {"yes", "no", "unknown"};
    constexpr std::string_view kKinds[] = {"kernel", "memcpy", "memset", "sync", "d2h", "h2d"};
    if (spec.id == "uses_tensor_core") {
      column.AddText(strings_->Intern(kUses[random_() % 3]));
    } else if (spec.id == "kind") {
      column.AddText(strings_->Intern(kKinds[random_() % 6]));
    } else {
      column.AddText(strings_->Intern(fmt::format(
          "void at::native::vectorized_elementwise_kernel<4, functor<{}>>", random_() % 5000)));
    }
  }

  Analysis analysis_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  std::mt19937_64 random_{42};
};

void EvalRules(benchmark::State& state) {
  const auto rules = LoadBuiltinRules();
  const Policy policy;
  const auto active = SelectRules(*rules, policy, {});
  const auto compiled = CompileRules(*active, policy);
  if (!compiled) {
    std::fputs(RenderErrors(compiled.error(), false).c_str(), stderr);
    std::abort();
  }
  const RandomRun run(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(EvaluateRules(*compiled, run.analysis(), {}, {}));
  }
  state.counters["rules"] = static_cast<double>(compiled->size());
  state.counters["rows/s"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(EvalRules)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void CompileShippedRules(benchmark::State& state) {
  for (auto _ : state) {
    const auto rules = LoadBuiltinRules();
    const Policy policy;
    const auto active = SelectRules(*rules, policy, {});
    benchmark::DoNotOptimize(CompileRules(*active, policy));
  }
}
BENCHMARK(CompileShippedRules)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
