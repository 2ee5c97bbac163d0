#include "analysis/catalog/row_exposure.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

Analysis Analyzed(TestProfile& test) {
  auto analysis = Analyze(OneRank(test.Finish()), {});
  EXPECT_TRUE(analysis.has_value());
  return std::move(*analysis);
}

// The rows of a table whose name is one of `names`.
std::vector<std::uint32_t> Rows(const Analysis& analysis, std::string_view table,
                                std::initializer_list<std::string_view> names,
                                std::string_view column = "name") {
  const Table& found = *analysis.FindTable(table);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t row = 0; row < found.rows(); ++row) {
    const bool is_named = std::ranges::any_of(names, [&](std::string_view name) {
      return found.At(row, column) == Value(std::string(name));
    });
    if (is_named) chosen.push_back(row);
  }
  return chosen;
}

double Exposed(const Analysis& analysis, std::string_view table,
               std::initializer_list<std::string_view> names, std::string_view column = "name") {
  const auto exposure = analysis.exposures.find(table);
  if (exposure == analysis.exposures.end()) return -1;
  return catalog::ExposureCosts(*exposure->second)
      .Exposed(Rows(analysis, table, names, column))
      .value_or(-2);
}

double Idle(const Analysis& analysis, std::string_view table,
            std::initializer_list<std::string_view> names) {
  return catalog::ExposureCosts(*analysis.exposures.at(std::string(table)))
      .Idle(Rows(analysis, table, names));
}

// a: 0 to 100, b: 60 to 160 on another stream, c: 200 to 300; a copy from 250 to 400.
TestProfile Overlapping() {
  TestProfile test;
  test.Step(0, {0, 500});
  test.Launch("a", {0, 0}, {0, 100});
  test.Launch("b", {1, 2}, {60, 160}, {}, DeviceKind::kKernel, 0, 8);
  test.Launch("c", {3, 4}, {200, 300});
  test.Launch("copy", {5, 6}, {250, 400}, {}, DeviceKind::kMemcpy, 0, 8);
  return test;
}

TEST(Exposure, IsTheExclusiveUnion) {
  TestProfile test = Overlapping();
  const Analysis analysis = Analyzed(test);
  EXPECT_EQ(Exposed(analysis, "kernels_by_op", {"a"}), 60);
  EXPECT_EQ(Exposed(analysis, "kernels_by_op", {"b"}), 60);
  EXPECT_EQ(Exposed(analysis, "kernels_by_op", {"a", "b"}), 160);
  EXPECT_EQ(Exposed(analysis, "kernels_by_op", {"c"}), 50);
  EXPECT_EQ(Exposed(analysis, "kernels_by_op", {"a", "b", "c"}), 210);
  EXPECT_EQ(Exposed(analysis, "memcpys", {"unknown"}, "kind"), 100);
  EXPECT_EQ(Exposed(analysis, "kernels_by_op", {}), 0);
}

// A reduction that runs beside a copy waits for ranks that copy too.
TEST(Exposure, CollectivesHideNoOtherWork) {
  TestProfile test;
  test.Step(0, {0, 500});
  test.Launch("copy", {0, 1}, {10, 110}, {}, DeviceKind::kMemcpy, 0, 8);
  test.Launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", {2, 3}, {60, 210}, {}, DeviceKind::kKernel,
              0, 20);
  const Analysis analysis = Analyzed(test);
  EXPECT_EQ(Exposed(analysis, "memcpys", {"unknown"}, "kind"), 100);
  const catalog::Exposure& collectives = *analysis.exposures.at("collectives");
  EXPECT_EQ(catalog::ExposureCosts(collectives).Exposed(std::vector<std::uint32_t>{0}), 100.0);
}

TEST(Exposure, PerIterationOfTheWorstDevice) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Step(1, {100, 300});
  for (const Ns start : {0, 100}) {
    test.Launch("a", {start, start + 1}, {start, start + 40});
    test.Launch("a", {start + 2, start + 3}, {start + 5, start + 65}, {}, DeviceKind::kKernel, 1);
  }
  EXPECT_EQ(Exposed(Analyzed(test), "kernels_by_op", {"a"}), 60);
}

// Work launched before the first iteration is no iteration's gain.
TEST(Exposure, SkipsUnselectedWork) {
  TestProfile test;
  test.Op("first", {0, 10});
  test.Launch("a", {1, 2}, {3, 103});
  test.Step(0, {200, 400});
  test.Launch("a", {201, 202}, {210, 240});
  EXPECT_LE(Exposed(Analyzed(test), "kernels_by_op", {"a"}), 30);
}

// 50 us of the call pass while another kernel runs; then its own copy runs, then nothing does.
TEST(Exposure, BlockingCallCostsExposedTime) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  test.Launch("kernel", {0, 1'000}, {1'000, 60'000});
  DeviceRow copy;
  copy.start = 60'000;
  copy.duration = 20'000;
  copy.name = test.builder().Intern("Memcpy HtoD");
  copy.kind = DeviceKind::kMemcpy;
  copy.gpu = 0;
  copy.stream = 7;
  copy.correlation = 77;
  test.builder().AddDevice(copy);
  ApiRow call;
  call.start = 10'000;
  call.duration = 75'000;
  call.name = test.builder().Intern("cudaMemcpy");
  call.kind = ApiKind::kMemcpy;
  call.thread = test.main();
  call.correlation = 77;
  test.builder().AddApi(call);
  test.Launch("next", {180'000, 181'000}, {182'000, 199'000});
  const Analysis analysis = Analyzed(test);
  EXPECT_EQ(Exposed(analysis, "api_calls", {"cudaMemcpy"}), 25'000);
  EXPECT_EQ(Idle(analysis, "api_calls", {"cudaMemcpy"}), 102'000);
}

// A call over the whole profile holds many others, of its thread and of another one.
TEST(Exposure, CallsInsideOfOneTouchTheirGaps) {
  TestProfile test;
  const ThreadId other = test.Thread(2);
  test.Step(0, {0, 1'000'000});
  test.Call("outer", ApiKind::kOther, {0, 1'000'000});
  for (Ns start = 0; start < 1'000'000; start += 100'000) {
    test.Launch("kernel", {start + 1'000, start + 2'000}, {start + 40'000, start + 100'000});
    test.Call("inner", ApiKind::kOther, {start + 5'000, start + 6'000});
    if (start % 200'000 == 0) test.Call("beside", ApiKind::kOther, {start, start + 150'000}, other);
  }
  const Analysis analysis = Analyzed(test);
  EXPECT_EQ(Idle(analysis, "api_calls", {"outer"}), 400'000);
  EXPECT_EQ(Idle(analysis, "api_calls", {"inner"}), 400'000);
  EXPECT_EQ(Idle(analysis, "api_calls", {"beside"}), 400'000);
}

TEST(Exposure, IdleTimeBelongsToAdjacentWork) {
  TestProfile test;
  test.Step(0, {0, 1'000'000});
  test.Op("aten::item", {95'000, 300'000});
  test.Op("aten::mm", {500'000, 520'000});
  test.Launch("a", {0, 1'000}, {0, 100'000});
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {96'000, 110'000});
  test.Launch("b", {505'000, 510'000}, {520'000, 600'000});
  test.Launch("c", {590'000, 592'000}, {700'000, 990'000});
  const Analysis analysis = Analyzed(test);
  EXPECT_EQ(Idle(analysis, "kernels_by_op", {"a"}), 420'000);
  EXPECT_EQ(Idle(analysis, "kernels_by_op", {"b"}), 520'000);
  EXPECT_EQ(Idle(analysis, "kernels_by_op", {"a", "b"}), 520'000);
  EXPECT_EQ(Idle(analysis, "ops", {"aten::mm"}), 420'000);
  EXPECT_EQ(Exposed(analysis, "ops", {"aten::mm"}), -2) << "the host's time is no device's";
}

// As many concurrent events as a hostile file likes: time is bounded and the bound stays one.
TEST(Exposure, CrowdsAreNoOnes) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  for (int i = 0; i < 20'000; ++i) {
    test.Work("a", {i, 50'000 + i}, DeviceKind::kKernel, 0, i % 500);
  }
  const double exposed = Exposed(Analyzed(test), "kernels_by_op", {"a"});
  EXPECT_GE(exposed, 0);
  EXPECT_LE(exposed, 70'000);
}

// The same by looking at every part.
double Slowly(const catalog::Exposure& exposure, const std::vector<std::uint32_t>& rows,
              bool idle) {
  const auto is_chosen = [&](std::uint32_t row) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  };
  double largest = 0;
  for (const catalog::Exposure::Device& device : exposure.devices) {
    Ns sum = 0;
    const auto add = [&](const std::vector<catalog::Exposure::Part>& parts, bool needs_all) {
      for (const catalog::Exposure::Part& part : parts) {
        const auto chosen = std::ranges::count_if(part.rows, is_chosen);
        const auto all = static_cast<std::ptrdiff_t>(part.rows.size());
        if (needs_all ? chosen == all : chosen > 0) sum += part.time;
      }
    };
    if (idle) {
      add(device.gaps, false);
    } else {
      add(device.alone, true);
      add(device.blocked, false);
    }
    largest = std::max(largest, static_cast<double>(sum) / static_cast<double>(device.iterations));
  }
  return largest;
}

TEST(ExposureCosts, ChoicesCostTheirParts) {
  std::mt19937 drawn(7);
  const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(drawn() % most); };
  for (int trial = 0; trial < 50; ++trial) {
    catalog::Exposure exposure;
    for (std::uint32_t d = 0, devices = 1 + below(4); d < devices; ++d) {
      catalog::Exposure::Device& device = exposure.devices.emplace_back();
      device.iterations = 1 + below(5);
      for (auto* parts : {&device.alone, &device.blocked, &device.gaps}) {
        for (std::uint32_t i = 0, count = below(6); i < count; ++i) {
          catalog::Exposure::Part& part = parts->emplace_back();
          for (std::uint32_t row = 0; row < 12; ++row) {
            if (below(4) == 0) part.rows.push_back(row);
          }
          if (part.rows.empty()) part.rows.push_back(below(12));
          part.time = below(1000);
        }
      }
    }
    catalog::ExposureCosts costs(exposure), sums(exposure, catalog::AcrossDevices::kSum);
    for (int question = 0; question < 20; ++question) {
      std::vector<std::uint32_t> rows;
      for (std::uint32_t row = 0; row < 15; ++row) {
        if (below(2) == 0) rows.push_back(row);
      }
      EXPECT_EQ(costs.Exposed(rows), Slowly(exposure, rows, false));
      EXPECT_EQ(costs.Idle(rows), Slowly(exposure, rows, true));
      double exposed = 0, idle = 0;
      for (const catalog::Exposure::Device& device : exposure.devices) {
        exposed += Slowly(catalog::Exposure{{device}}, rows, false);
        idle += Slowly(catalog::Exposure{{device}}, rows, true);
      }
      EXPECT_EQ(sums.Exposed(rows), exposed);
      EXPECT_EQ(sums.Idle(rows), idle);
    }
  }
}

TEST(ExposureCosts, NothingForUnknownWork) {
  catalog::Exposure exposure;
  exposure.has_work = false;
  exposure.devices.emplace_back().gaps.push_back({{3}, 70});
  catalog::ExposureCosts costs(exposure);
  const std::vector<std::uint32_t> rows = {3};
  EXPECT_EQ(costs.Exposed(rows), std::nullopt);
  EXPECT_EQ(costs.Idle(rows), 70);
}

// Time in which more events run at once than are distinguished is of no row; a remark has it.
TEST(Exposure, SaysHowMuchTimeIsAssignedToNoRow) {
  for (const int streams : {64, 70}) {
    TestProfile test;
    test.Step(0, {0, 100'000});
    for (int i = 0; i < streams; ++i) {
      test.Launch("k", {i * 10, i * 10 + 5}, {10'000 + i, 50'000}, {}, DeviceKind::kKernel, 0,
                  7 + i);
    }
    const Analysis analysis = Analyzed(test);
    const auto remark = std::ranges::find(analysis.remarks, "savings-capped", &Remark::id);
    EXPECT_EQ(remark != analysis.remarks.end(), streams > 64);
    if (remark == analysis.remarks.end()) continue;
    EXPECT_NE(remark->text.find("µs with over 64 concurrent"), std::string::npos) << remark->text;
  }
}

}  // namespace
}  // namespace profgauge::analysis
