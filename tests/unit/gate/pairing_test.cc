#include "gate/pairing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge::gate {
namespace {

analysis::breakdown::WorkSum Sum(std::string name, std::int64_t count, Ns gpu,
                                 std::vector<Ns> series = {}) {
  analysis::breakdown::WorkSum sum;
  sum.name = std::move(name);
  sum.count = count;
  sum.gpu_time = gpu;
  sum.host_time = gpu / 10;
  sum.series = std::move(series);
  return sum;
}

analysis::breakdown::TimePart WorkPart(std::string category, std::string kernel, Ns time) {
  analysis::breakdown::TimePart part;
  part.category = std::move(category);
  part.op = "aten::mm";
  part.shapes = "[[2, 3]]";
  part.kernel = std::move(kernel);
  part.time = time;
  part.count = 1;
  return part;
}

Snapshot RunOfKernels(std::vector<analysis::breakdown::WorkSum> kernels,
                      std::vector<analysis::breakdown::TimePart> parts) {
  Snapshot run;
  run.iteration_times = {10'000'000, 10'000'000};
  run.work.iterations = 2;
  run.work.has_gpu = true;
  run.work.kernels = std::move(kernels);
  run.parts = std::move(parts);
  return run;
}

const PairedWork& Row(const PairedTable& table, const std::string& name) {
  for (const PairedWork& row : table.rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return table.rows.front();
}

TEST(PairKernels, MissingKernelsTookNoTime) {
  // 2 ms per iteration on one side only: tested against zeros.
  const std::vector<Ns> series = {2'000'000, 2'010'000, 1'990'000, 2'005'000, 1'995'000, 2'000'000};
  Snapshot without = RunOfKernels({Sum("gemm", 6, 6'000)}, {});
  Snapshot with = RunOfKernels({Sum("gemm", 6, 6'000), Sum("extra", 6, 12'000'000, series)}, {});
  for (Snapshot* run : {&without, &with}) {
    run->iteration_times = std::vector<Ns>(6, 10'000'000);
    run->work.iterations = 6;
  }
  const PairedTable added = PairKernels(without, with);
  EXPECT_EQ(Row(added, "extra").change, PartChange::kAdded);
  EXPECT_TRUE(Row(added, "extra").significant);
  const PairedTable removed = PairKernels(with, without);
  EXPECT_EQ(Row(removed, "extra").change, PartChange::kRemoved);
  EXPECT_TRUE(Row(removed, "extra").significant);
}

TEST(PairKernels, RestIsCommonToBoth) {
  const PairedTable table = PairKernels(
      RunOfKernels({Sum("gemm", 2, 4'000), Sum("last", 2, 10)}, {}),
      RunOfKernels({Sum("gemm", 2, 4'000), Sum("other", 2, 12), Sum("(smaller)", 2, 10)}, {}));
  EXPECT_EQ(Row(table, "(smaller)").delta, 0);
  for (const PairedWork& row : table.rows) EXPECT_NE(row.name, "last");
}

TEST(PairKernels, SplitsCountAndDurationPerIteration) {
  const PairedTable table = PairKernels(RunOfKernels({Sum("gemm", 4, 4'000)}, {}),
                                        RunOfKernels({Sum("gemm", 6, 9'000)}, {}));
  const PairedWork& row = Row(table, "gemm");
  EXPECT_EQ(row.base_count, 2);
  EXPECT_EQ(row.current_count, 3);
  EXPECT_EQ(row.base, 2'000);
  EXPECT_EQ(row.delta, 2'500);
  EXPECT_EQ(row.count_effect, 1'000);     // One more of 1 000 ns.
  EXPECT_EQ(row.duration_effect, 1'500);  // Three that take 500 ns longer.
}

TEST(PairKernels, RowsSumExactly) {
  const PairedTable table =
      PairKernels(RunOfKernels({Sum("a", 3, 1'001), Sum("b", 1, 333), Sum("gone", 1, 7)}, {}),
                  RunOfKernels({Sum("a", 2, 500), Sum("b", 5, 999), Sum("new", 1, 1)}, {}));
  Ns sum = 0;
  for (const PairedWork& row : table.rows) {
    sum += row.delta;
    EXPECT_EQ(row.delta, row.count_effect + row.duration_effect) << row.name;
  }
  EXPECT_EQ(sum, table.delta);
  EXPECT_EQ(Row(table, "gone").change, PartChange::kRemoved);
  EXPECT_EQ(Row(table, "new").change, PartChange::kAdded);
  // A part that one run does not have changed only by its count, except for rounding.
  EXPECT_LE(std::abs(Row(table, "gone").count_effect - Row(table, "gone").delta), 1);
  EXPECT_LE(std::abs(Row(table, "new").count_effect - Row(table, "new").delta), 1);
}

// A kernel of another name at the same place is the same kernel, also when it lost its Tensor
// Cores and counts for another category.
TEST(PairKernels, MatchesRenamedKernelsByPlace) {
  const Snapshot base = RunOfKernels({Sum("hmma_gemm", 2, 4'000)},
                                     {WorkPart("tensor_core_kernel", "hmma_gemm", 4'000)});
  const Snapshot current =
      RunOfKernels({Sum("sgemm", 2, 8'000)}, {WorkPart("other_kernel", "sgemm", 8'000)});
  const PairedTable table = PairKernels(base, current);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].name, "sgemm ← hmma_gemm");
  EXPECT_EQ(table.rows[0].change, PartChange::kRenamed);
  EXPECT_EQ(table.rows[0].count_effect, 0);
  EXPECT_EQ(table.rows[0].duration_effect, 2'000);
}

TEST(PairKernels, RemainingKernelWasNotRenamed) {
  const Snapshot base = RunOfKernels({Sum("a", 2, 4'000)}, {WorkPart("other_kernel", "a", 4'000)});
  const Snapshot current =
      RunOfKernels({Sum("a", 1, 10), Sum("b", 2, 8'000)}, {WorkPart("other_kernel", "b", 8'000)});
  const PairedTable table = PairKernels(base, current);
  EXPECT_EQ(Row(table, "b").change, PartChange::kAdded);
  EXPECT_EQ(Row(table, "a").change, PartChange::kChanged);
}

TEST(PairKernels, MarksOnlyCertainLargeChanges) {
  const std::vector<Ns> slow(20, 900'000), fast(20, 300'000), tiny(20, 1'000), less(20, 900);
  const PairedTable table = PairKernels(
      RunOfKernels({Sum("large", 20, 6'000'000, fast), Sum("small", 20, 18'000, less)}, {}),
      RunOfKernels({Sum("large", 20, 18'000'000, slow), Sum("small", 20, 20'000, tiny)}, {}));
  EXPECT_TRUE(Row(table, "large").significant);
  EXPECT_FALSE(Row(table, "small").significant);  // Certain, but of no weight.
  EXPECT_GE(Row(table, "small").p_value, 0);
}

TEST(PairKernels, RunsWithoutSumsHaveNoTable) {
  EXPECT_TRUE(PairKernels(Snapshot(), RunOfKernels({Sum("a", 1, 1)}, {})).rows.empty());
}

TEST(PairOps, UsesHostTimeWithoutGpuWork) {
  Snapshot base = RunOfKernels({}, {});
  base.work.ops = {Sum("aten::mm", 2, 2'000)};
  Snapshot current = base;
  current.work.has_gpu = false;
  const PairedTable table = PairOps(base, current);
  EXPECT_TRUE(table.of_host);
  EXPECT_EQ(Row(table, "aten::mm").base, 100);
  EXPECT_FALSE(PairOps(base, base).of_host);
}

TEST(PairValues, KeepsValuesOfOneRun) {
  Snapshot base, current;
  base.metrics["gpu.idle.mean"] = 0.1;
  current.metrics["gpu.idle.mean"] = 0.2;
  current.metrics["kernel.count_per_iteration"] = 5;
  EXPECT_EQ(PairValues(base, Snapshot()).size(), 1U);
  const auto values = PairValues(base, current);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].spec->id, "gpu.idle.mean");
  EXPECT_FALSE(values[1].base);
  EXPECT_EQ(values[1].current, 5);
}

// An entry near the end of one list may be in the rest of the other: less than twice its least
// entry.
TEST(PairKernels, OnlyTheEndIsTheRest) {
  struct Listed {
    Ns time;
    std::string_view other_list;  ///< The entries of the other run beside the rest.
    bool is_folded;
  };
  const Listed kRows[] = {
      {3'980, "least", true}, {4'000, "least", false}, {6'000, "least", false},
      {4, "alone", true},     {4'000, "same", false},
  };
  for (const Listed& row : kRows) {
    std::vector<analysis::breakdown::WorkSum> other = {Sum("(smaller)", 8, 800)};
    if (row.other_list == "least") other.push_back(Sum("gemm", 2, 2'000));
    if (row.other_list == "same") other.push_back(Sum("short", 2, 2'000));
    const Snapshot lists = RunOfKernels({Sum("gemm", 2, 8'000), Sum("short", 2, row.time)}, {});
    const Snapshot sums_up = RunOfKernels(std::move(other), {});
    for (const bool is_base : {true, false}) {
      const PairedTable table = is_base ? PairKernels(lists, sums_up) : PairKernels(sums_up, lists);
      const bool has_short = std::any_of(table.rows.begin(), table.rows.end(),
                                         [](const PairedWork& r) { return r.name == "short"; });
      EXPECT_EQ(has_short, !row.is_folded) << row.time << row.other_list << is_base;
      if (!row.is_folded || row.other_list == "alone") continue;
      const PairedWork& rest = Row(table, "(smaller)");
      EXPECT_EQ(is_base ? rest.base : rest.current, row.time / 2);
      EXPECT_EQ(is_base ? rest.base_count : rest.current_count, 1);
      EXPECT_EQ(is_base ? rest.base_host : rest.current_host, row.time / 20);
      EXPECT_EQ(is_base ? rest.current_count : rest.base_count, 4);
    }
  }
}

TEST(PairKernels, GrownRestIsNotTested) {
  const std::vector<Ns> series = {100, 100};
  const auto p_value = [&](std::vector<analysis::breakdown::WorkSum> base) {
    const PairedTable table =
        PairKernels(RunOfKernels(std::move(base), {}),
                    RunOfKernels({Sum("gemm", 2, 4'000), Sum("(smaller)", 2, 10, series)}, {}));
    return Row(table, "(smaller)").p_value;
  };
  EXPECT_EQ(p_value({Sum("gemm", 2, 4'000), Sum("(smaller)", 2, 10, series)}), 1);
  EXPECT_EQ(p_value({Sum("gemm", 2, 4'000), Sum("(smaller)", 2, 10, series), Sum("x", 2, 10)}), -1);
}

TEST(PairKernels, SortsByChangeThenName) {
  const PairedTable table = PairKernels(
      RunOfKernels({Sum("b", 2, 20), Sum("a", 2, 20), Sum("less", 2, 100), Sum("same", 2, 8)}, {}),
      RunOfKernels({Sum("b", 2, 40), Sum("a", 2, 40), Sum("less", 2, 20), Sum("same", 2, 8)}, {}));
  std::string names;
  for (const PairedWork& row : table.rows) names += row.name + " ";
  EXPECT_EQ(names, "less a b same ");
  EXPECT_EQ(table.base, 74);
  EXPECT_EQ(table.current, 54);
  EXPECT_EQ(table.delta, -20);
}

// A change needs 50 us and 1 % of the base's mean iteration, which its length varies around.
TEST(PairKernels, ChangeIsRelativeToBaseMean) {
  const std::vector<Ns> before(20, 1'000'000), after(20, 1'100'000);
  Snapshot base = RunOfKernels({Sum("k", 20, 20'000'000, before)}, {});
  Snapshot current = RunOfKernels({Sum("k", 20, 22'000'000, after)}, {});
  base.work.iterations = current.work.iterations = 20;
  const auto is_significant = [&](std::vector<Ns> base_times, std::vector<Ns> current_times) {
    base.iteration_times = std::move(base_times);
    current.iteration_times = std::move(current_times);
    return PairKernels(base, current).rows.front().significant;
  };
  EXPECT_TRUE(is_significant({9'000'000, 11'000'000}, {90'000'000, 90'000'000}));
  EXPECT_FALSE(is_significant({9'000'000, 11'000'002}, {1'000'000, 1'000'000}));
}

// An entry without a series, or with a series of another time, is not tested.
TEST(PairKernels, TestsCommonSeries) {
  const std::vector<Ns> series = {1'000, 1'001};
  const auto p_value = [&](bool has_base, bool has_current) {
    const auto sums = [&](bool has) {
      return std::vector<analysis::breakdown::WorkSum>{
          Sum("k", 2, 4'000, has ? series : std::vector<Ns>())};
    };
    return PairKernels(RunOfKernels(sums(has_base), {}), RunOfKernels(sums(has_current), {}))
        .rows.front()
        .p_value;
  };
  EXPECT_EQ(p_value(true, true), 1);
  EXPECT_EQ(p_value(false, true), -1);
  EXPECT_EQ(p_value(true, false), -1);
}

TEST(PairOps, GpuSeriesTestsNoHostTime) {
  const std::vector<Ns> series = {1'000, 1'001};
  struct Row {
    bool base_has_gpu, current_has_gpu;
    double p_value;
    Ns base;
  };
  for (const Row& row : {Row{true, true, 1, 2'000}, Row{false, false, 1, 200},
                         Row{true, false, -1, 200}, Row{false, true, -1, 200}}) {
    Snapshot base = RunOfKernels({}, {}), current = RunOfKernels({}, {});
    base.work.ops = current.work.ops = {Sum("aten::mm", 2, 4'000, series)};
    base.work.has_gpu = row.base_has_gpu;
    current.work.has_gpu = row.current_has_gpu;
    const PairedTable table = PairOps(base, current);
    EXPECT_EQ(table.rows.front().p_value, row.p_value);
    EXPECT_EQ(table.rows.front().base, row.base);
    EXPECT_EQ(table.rows.front().base_host, 200);
    EXPECT_EQ(table.rows.front().current_host, 200);
  }
}

// Ops have their names; their places identify only kernels.
TEST(PairOps, AreNeverRenamed) {
  Snapshot base = RunOfKernels({}, {WorkPart("other_kernel", "old", 4'000)});
  Snapshot current = RunOfKernels({}, {WorkPart("other_kernel", "new", 4'000)});
  base.work.ops = {Sum("old", 2, 4'000), Sum("both", 2, 4'000)};
  current.work.ops = {Sum("new", 2, 4'000), Sum("both", 2, 4'000)};
  const PairedTable table = PairOps(base, current);
  EXPECT_EQ(Row(table, "old").change, PartChange::kRemoved);
  EXPECT_EQ(Row(table, "new").change, PartChange::kAdded);
  EXPECT_EQ(Row(table, "both").change, PartChange::kChanged);
}

// The places that identify a renamed kernel: those of one op and its shapes, with one kernel each.
TEST(PairKernels, PlacesShowRenamedKernels) {
  const analysis::breakdown::TimePart plain = WorkPart("other_kernel", "", 4'000);
  const auto with = [&](auto change, const char* kernel) {
    analysis::breakdown::TimePart part = plain;
    part.kernel = kernel;
    change(part);
    return part;
  };
  struct Row {
    std::string_view what;
    std::vector<analysis::breakdown::TimePart> base, current;
    bool is_renamed;
  };
  const auto same = [](analysis::breakdown::TimePart&) {};
  const auto no_op = [](analysis::breakdown::TimePart& p) { p.op.clear(); };
  const auto copy = [](analysis::breakdown::TimePart& p) { p.category = "memcpy"; };
  const auto shaped = [](analysis::breakdown::TimePart& p) { p.shapes = "[[4, 4]]"; };
  const auto later = [](analysis::breakdown::TimePart& p) { p.position = 1; };
  const auto other_op = [](analysis::breakdown::TimePart& p) { p.op = "aten::add"; };
  const Row kRows[] = {
      {"same place", {with(same, "old")}, {with(same, "new")}, true},
      {"no op", {with(no_op, "old")}, {with(no_op, "new")}, false},
      {"no kernel", {with(copy, "old")}, {with(copy, "new")}, false},
      {"other shapes", {with(same, "old")}, {with(shaped, "new")}, false},
      {"other position", {with(same, "old")}, {with(later, "new")}, false},
      {"other op", {with(same, "old")}, {with(other_op, "new")}, false},
      {"two before", {with(same, "old"), with(same, "too")}, {with(same, "new")}, false},
      {"two now", {with(same, "old")}, {with(same, "new"), with(same, "too")}, false},
      {"nameless", {with(same, "old")}, {with(same, "")}, false},
  };
  for (const Row& row : kRows) {
    const PairedTable table =
        PairKernels(RunOfKernels({Sum("too", 2, 40), Sum("old", 2, 4'000)}, row.base),
                    RunOfKernels({Sum("too", 2, 40), Sum("new", 2, 4'000)}, row.current));
    EXPECT_EQ(table.rows.size(), row.is_renamed ? 2U : 3U) << row.what;
  }
}

// If there are several places, the kernel with most of the time is the new one.
TEST(PairKernels, PlacesVoteByTheirTime) {
  const auto at = [](std::int64_t position, const char* kernel, Ns time) {
    analysis::breakdown::TimePart part = WorkPart("other_kernel", kernel, time);
    part.position = position;
    return part;
  };
  struct Row {
    std::vector<analysis::breakdown::TimePart> base, current;
    std::string_view names;
  };
  const Row kRows[] = {
      // "old" became x at one place, and y at another that takes longer.
      {{at(0, "old", 10), at(1, "old", 10)}, {at(0, "x", 10), at(1, "y", 11)}, "x y ← old "},
      {{at(0, "old", 10), at(1, "old", 10)}, {at(0, "x", 11), at(1, "y", 10)}, "x ← old y "},
      {{at(0, "old", 12), at(1, "old", 10)}, {at(0, "x", 10), at(1, "y", 11)}, "x ← old y "},
      // Two places together outvote a longer one.
      {{at(0, "old", 6), at(1, "old", 6), at(2, "old", 9)},
       {at(0, "x", 6), at(1, "x", 6), at(2, "y", 9)},
       "x ← old y "},
      // Two old ones became x: it is the one's that was there for longer.
      {{at(0, "old", 9), at(1, "older", 10)}, {at(0, "x", 10), at(1, "x", 10)}, "old x ← older y "},
      {{at(0, "old", 10), at(1, "older", 9)}, {at(0, "x", 10), at(1, "x", 10)}, "older x ← old y "},
      // A kernel that ran before is no new name.
      {{at(0, "old", 10)}, {at(0, "both", 10)}, "old x y "},
  };
  for (const Row& row : kRows) {
    std::vector<analysis::breakdown::WorkSum> base = {Sum("both", 2, 100), Sum("old", 2, 100)};
    if (row.base.back().kernel == "older") base.push_back(Sum("older", 2, 100));
    const PairedTable table = PairKernels(
        RunOfKernels(std::move(base), row.base),
        RunOfKernels({Sum("both", 2, 100), Sum("x", 2, 100), Sum("y", 2, 100)}, row.current));
    std::vector<std::string> names;
    for (const PairedWork& r : table.rows) {
      if (r.name != "both") names.push_back(r.name);
    }
    std::sort(names.begin(), names.end());
    std::string said;
    for (const std::string& name : names) said += name + " ";
    EXPECT_EQ(said, row.names);
  }
}

TEST(PairKernels, NoIterationsNoTable) {
  const Snapshot run = RunOfKernels({Sum("a", 1, 1)}, {});
  Snapshot none = run;
  none.work.iterations = 0;
  EXPECT_TRUE(PairKernels(none, run).rows.empty());
  EXPECT_TRUE(PairKernels(run, none).rows.empty());
  Snapshot ops = run, no_ops = none;
  ops.work.ops = no_ops.work.ops = {Sum("aten::mm", 2, 2'000)};
  EXPECT_EQ(PairOps(ops, ops).rows.size(), 1U);
  EXPECT_TRUE(PairOps(no_ops, ops).rows.empty());
  EXPECT_TRUE(PairOps(ops, no_ops).rows.empty());
  Snapshot rest = ops;
  ops.work.ops.push_back(Sum("short", 2, 10));
  rest.work.ops.push_back(Sum("(smaller)", 2, 12));
  EXPECT_EQ(PairOps(ops, rest).rows.size(), 2U);
  EXPECT_FALSE(PairKernels(run, run).rows.empty());
  none.work.iterations = 1;
  EXPECT_EQ(PairKernels(none, run).rows.size(), 1U);
  EXPECT_EQ(PairKernels(run, none).rows.size(), 1U);
  EXPECT_FALSE(PairKernels(run, run).of_host);
}

}  // namespace
}  // namespace profgauge::gate
