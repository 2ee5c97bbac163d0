// The edges of the reasons that keep runs from being compared, in tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "compare_fixture.h"
#include "gate/comparable.h"

namespace profgauge::gate {
namespace {

using testing::Sample;
using LaunchCounts = std::vector<std::int64_t>;

std::vector<analysis::breakdown::WorkSum> Launched(const LaunchCounts& counts) {
  std::vector<analysis::breakdown::WorkSum> sums;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sums.push_back({fmt::format("k{}", i), counts[i], 1, 1, {}});
  }
  return sums;
}

std::string PlainOf(std::optional<std::string> text) {
  std::string out = text.value_or("");
  for (std::size_t at; (at = out.find(kNumberSpace)) != std::string::npos;) {
    out.replace(at, kNumberSpace.size(), " ");
  }
  return out;
}

// By `iterations`: their marker, "" where that is unknown.
Snapshot RunWith(std::string_view iterations, const LaunchCounts& kernels,
                 const LaunchCounts& ops = {}) {
  Snapshot run = Sample(1);
  if (!iterations.empty()) run.environment.emplace_back("iterations", iterations);
  run.work.iterations = 1;
  run.work.has_gpu = !kernels.empty();
  run.work.kernels = Launched(kernels);
  run.work.ops = Launched(ops);
  return run;
}

TEST(WhyNoLengths, WindowsMustHoldTheSameWork) {
  struct Row {
    LaunchCounts base, current;
    bool is_told;
  };
  const Row kRows[] = {
      {{1000}, {1000}, false},        {{1000}, {990}, false}, {{1000}, {989}, true},
      {{990}, {1000}, false},         {{989}, {1000}, true},  {{600, 400}, {500, 500}, false},
      {{600, 400}, {600, 100}, true}, {{}, {1000}, false},    {{1000}, {}, false},
  };
  for (const Row& row : kRows) {
    for (const char* by : {"whole profile", "range"}) {
      const auto why = [&](Snapshot base, Snapshot current) {
        return PlainOf(WhyNoLengths(std::vector{std::move(base)}, std::vector{std::move(current)}));
      };
      const std::string said = why(RunWith(by, row.base), RunWith(by, row.current));
      EXPECT_EQ(said.starts_with("the runs have no iterations"), row.is_told)
          << row.base.size() << by << said;
      // Without a device by its operators.
      EXPECT_EQ(why(RunWith(by, {}, row.base), RunWith(by, {}, row.current)).empty(), !row.is_told);
      // Marked iterations are no range.
      EXPECT_EQ(why(RunWith("step", row.base), RunWith("step", row.current)), "");
    }
  }
  EXPECT_EQ(PlainOf(WhyNoLengths(std::vector{RunWith("range", {600, 400})},
                                 std::vector{RunWith("range", {1200, 34})}))
                .substr(0, 93),
            "the runs have no iterations and different amounts of work (1 000 and 1 234 events), "
            "so their ");
}

TEST(WhyNoLengths, WindowIsIncomparableWithIterations) {
  struct Row {
    std::string_view base, current;
    bool is_told;
  };
  for (const Row& row : {Row{"step", "range", true}, Row{"whole profile", "step", true},
                         Row{"range", "whole profile", false}, Row{"step", "marker", false},
                         Row{"", "range", false}, Row{"range", "", false}, Row{"", "", false}}) {
    const auto why =
        WhyNoLengths(std::vector{RunWith(row.base, {10})}, std::vector{RunWith(row.current, {10})});
    EXPECT_EQ(why.has_value(), row.is_told) << row.base << " " << row.current;
  }
  // Whichever of several runs it is.
  const std::vector<Snapshot> two = {RunWith("step", {10}), RunWith("range", {10})};
  EXPECT_TRUE(WhyNoLengths(two, std::vector{RunWith("step", {10})}));
  EXPECT_TRUE(WhyNoLengths(std::vector{RunWith("step", {10})}, two));
}

TEST(WhyNoLengths, OutsideWorkIsComparedInPoints) {
  struct Row {
    std::optional<double> base, current;
    bool is_told;
  };
  for (const Row& row : {Row{0.125, 0.375, false}, Row{0.125, 0.5, true}, Row{0.0, 0.3, true},
                         Row{0.0, 0.2999, false}, Row{0.5, 0.125, false}, Row{{}, 0.9, false},
                         Row{0.125, {}, false}}) {
    Snapshot base = Sample(1), current = Sample(1);
    if (row.base) base.metrics["coverage.outside_share"] = *row.base;
    if (row.current) current.metrics["coverage.outside_share"] = *row.current;
    const std::string why = PlainOf(WhyNoLengths(std::vector{base}, std::vector{current}));
    EXPECT_EQ(!why.empty(), row.is_told) << row.base.value_or(-1) << row.current.value_or(-1);
    if (row.base == 0.125 && row.is_told) {
      EXPECT_TRUE(
          why.starts_with("50.0 % of the device time is outside the iterations, in "
                          "the baseline 12.5 %"))
          << why;
    }
  }
}

Snapshot In(std::vector<std::pair<std::string, std::string>> environment) {
  Snapshot run = Sample(1);
  run.environment = std::move(environment);
  return run;
}

// Each property as "NAME BASE CURRENT", hard ones in front of "|".
std::string Shown(const std::vector<Difference>& differences) {
  std::string hard, soft;
  for (const Difference& d : differences) {
    std::string& into = d.is_hard ? hard : soft;
    into += fmt::format("{} {} {};", d.property, d.base, d.current);
    if (d.is_hard) {
      EXPECT_TRUE(soft.empty()) << "hard ones come first";
    }
  }
  return hard + "|" + soft;
}

TEST(FindDifferences, WhichPropertiesAreHardByDefault) {
  for (const char* property :
       {"gpu", "gpus", "ranks", "world_size", "iterations", "cuda_graphs", "selection"}) {
    EXPECT_EQ(Shown(FindDifferences(In({{property, "1"}}), In({{property, "2"}}), {})),
              fmt::format("{} 1 2;|", property));
  }
  for (const char* property : {"driver", "runtime", "nccl", "framework", "record_shapes",
                               "with_flops", "shape_signature"}) {
    EXPECT_EQ(Shown(FindDifferences(In({{property, "1"}}), In({{property, "2"}}), {})),
              fmt::format("|{} 1 2;", property));
  }
  Snapshot other = In({});
  other.format = "nsys";
  EXPECT_EQ(Shown(FindDifferences(In({}), other, {})), "format kineto nsys;|");
  other.format.clear();
  EXPECT_EQ(Shown(FindDifferences(In({}), other, {})), "|format kineto ;");
  EXPECT_EQ(Shown(FindDifferences(other, In({}), {})), "|format  kineto;");
}

TEST(FindDifferences, HardOnesFirstInEnvironmentOrder) {
  const Snapshot base = In({{"driver", "1"}, {"gpu", "a"}, {"nccl", "2"}});
  const Snapshot current = In({{"gpu", "b"}, {"driver", "9"}, {"framework", "x"}, {"nccl", "2"}});
  EXPECT_EQ(Shown(FindDifferences(base, current, {})), "gpu a b;|driver 1 9;framework  x;");
  rules::PolicyBaseline match;
  match.match = {"driver", "framework", "nccl"};
  EXPECT_EQ(Shown(FindDifferences(base, current, match)), "driver 1 9;|gpu a b;framework  x;");
  match.match = std::vector<std::string>{};
  EXPECT_EQ(Shown(FindDifferences(base, current, match)), "|driver 1 9;gpu a b;framework  x;");
}

// A slower host matters where a device of either run may have waited for it.
TEST(FindDifferences, SlowSwitchesMatterOnIdleDevices) {
  struct Row {
    std::optional<double> base, current;
    bool is_hard;
  };
  for (const Row& row : {Row{0.05, 0.05, false}, Row{0.0501, 0.01, true}, Row{0.01, 0.0501, true},
                         Row{{}, 0.01, true}, Row{0.01, {}, true}, Row{0.01, 0.01, false}}) {
    for (const char* property : {"with_stack", "with_modules", "profile_memory"}) {
      Snapshot base = In({{property, "1"}}), current = In({{property, "0"}});
      base.metrics.erase("gpu.idle.mean");
      current.metrics.erase("gpu.idle.mean");
      if (row.base) base.metrics["gpu.idle.mean"] = *row.base;
      if (row.current) current.metrics["gpu.idle.mean"] = *row.current;
      EXPECT_EQ(FindDifferences(base, current, {}).front().is_hard, row.is_hard) << property;
    }
  }
}

TEST(AllDifferences, HasEachPropertyOnce) {
  const std::vector<Snapshot> bases = {In({{"driver", "1"}, {"gpu", "a"}}),
                                       In({{"driver", "1"}, {"gpu", "b"}})};
  const std::vector<Snapshot> candidates = {In({{"driver", "2"}, {"gpu", "b"}}),
                                            In({{"driver", "2"}, {"gpu", "a"}})};
  EXPECT_EQ(Shown(AllDifferences(bases, candidates, {})), "gpu a b;gpu b a;|driver 1 2;");
  // Values that differ are separate differences.
  EXPECT_EQ(Shown(AllDifferences(std::vector{In({{"nccl", "1"}}), In({{"nccl", "3"}})},
                                 std::vector{In({{"nccl", "2"}}), In({{"nccl", "4"}})}, {})),
            "|nccl 1 2;nccl 1 4;nccl 3 2;nccl 3 4;");
  EXPECT_EQ(Shown(AllDifferences(std::vector{In({{"nccl", "1"}, {"driver", "1"}})},
                                 std::vector{In({{"nccl", "2"}, {"driver", "2"}})}, {})),
            "|nccl 1 2;driver 1 2;");
}

TEST(AlikeProperties, AreAllThatNoDifferenceNames) {
  const Snapshot base = In({{"gpu", "a"}, {"driver", "1"}}), current = In({{"driver", "2"}});
  const std::vector<std::pair<std::string, std::string>> alike = {{"format", "kineto"},
                                                                  {"driver", "2"}};
  const std::vector<Difference> differences = {{"gpu", "a", "", false}};
  EXPECT_EQ(AlikeProperties(base, current, differences), alike);
  EXPECT_EQ(AlikeProperties(current, base, {}).size(), 3U);
}

TEST(FindMisfit, LooksAtAllOthers) {
  Snapshot run = In({{"gpu", "a"}, {"gpus", "1"}});
  run.source = "x";
  Snapshot like = run, other = In({{"gpu", "b"}, {"gpus", "2"}});
  like.source = "y";
  other.source = "z";
  const Misfit fits = FindMisfit(run, std::vector{like});
  EXPECT_EQ(fits.same, nullptr);
  EXPECT_TRUE(fits.differences.empty());
  EXPECT_FALSE(fits.has_other_shapes);
  const std::vector<Snapshot> others = {like, other, run};
  const Misfit misfit = FindMisfit(run, others);
  EXPECT_EQ(misfit.same, &others[2]);
  ASSERT_EQ(misfit.differences.size(), 2U);
  EXPECT_EQ(misfit.differences[0].property, "gpu");
  EXPECT_EQ(misfit.differences[0].base, "b");
  EXPECT_EQ(misfit.differences[1].property, "gpus");
  EXPECT_FALSE(misfit.has_other_shapes);
  // Recordings that are unknown are not the same one.
  run.source = other.source = "";
  EXPECT_EQ(FindMisfit(run, std::vector{other}).same, nullptr);
  for (const auto& [here, there, differs] :
       {std::tuple{"1", "2", true}, {"1", "1", false}, {"", "2", false}, {"1", "", false}}) {
    run.environment = {{"shape_signature", here}};
    other.environment = {{"shape_signature", there}};
    EXPECT_EQ(FindMisfit(run, std::vector{other}).has_other_shapes, differs) << here << there;
  }
}

TEST(SummedIterations, AreThoseThatTheRunCounts) {
  Snapshot run = Sample(1, 7);
  EXPECT_EQ(SummedIterations(run), 7);
  run.metrics["profile.iterations"] = 5;
  EXPECT_EQ(SummedIterations(run), 5);
  run.metrics["profile.iterations"] = 0;
  EXPECT_EQ(SummedIterations(run), 1);
}

}  // namespace
}  // namespace profgauge::gate
