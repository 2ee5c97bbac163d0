#include "analysis/breakdown/attribution.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "made_run.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

// The promises of Attribution, compared with the iterations table that Analyze() makes of the same
// run.
void ExpectExact(const std::vector<Profile>& profiles, const std::string& name) {
  SCOPED_TRACE(name);
  const auto attribution = breakdown::AttributeTime(profiles, {});
  const auto analysis = Analyze(profiles, {});
  ASSERT_TRUE(attribution && analysis);
  std::map<std::string, Ns> by_category;
  Ns whole = 0;
  for (const breakdown::TimePart& part : attribution->parts) {
    EXPECT_GE(part.time, 0) << part.kernel;
    EXPECT_GE(part.count, 0) << part.kernel;
    by_category[part.category] += part.time;
    whole += part.time;
    if (!part.series.empty()) {
      EXPECT_EQ(std::accumulate(part.series.begin(), part.series.end(), Ns{0}), part.time);
    }
  }
  const auto sum_of = [](const std::vector<Ns>& times) {
    return std::accumulate(times.begin(), times.end(), Ns{0});
  };
  EXPECT_EQ(whole,
            sum_of(attribution->iteration_times) - sum_of(attribution->iteration_unobserved));
  // Sums over iterations are those of the metrics, by iteration.
  for (const auto& [id, values] : attribution->iteration_values) {
    const Metric* metric = analysis->Find(id);
    ASSERT_NE(metric, nullptr) << id;
    EXPECT_EQ(values.size(), attribution->iteration_times.size()) << id;
    EXPECT_EQ(static_cast<double>(sum_of(values)), AsNumber(metric->value, 0)) << id;
  }
  // The table's rows are the slowest rank's too; the metrics are sums over all ranks.
  const Table* iterations = analysis->FindTable("iterations");
  ASSERT_NE(iterations, nullptr);
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    const std::string category(CategoryId(static_cast<Category>(i)));
    const Column& column = *iterations->Find(category);
    Ns sum = 0;
    for (std::size_t row = 0; row < column.size(); ++row) sum += column.IntegerAt(row);
    EXPECT_EQ(by_category[category], sum) << category;
  }
}

TEST(Attribution, CreditsEveryNanosecondOfEveryRealTraceOnce) {
  const std::filesystem::path data = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared profiles";
  int traces = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    const std::string path = entry.path().string();
    const bool is_large = path.ends_with(".json.gz") || path.find("/micro/") != std::string::npos;
    if (!entry.is_regular_file() || !is_large || path.ends_with(".expected.json")) continue;
    if (path.find("/malformed/") != std::string::npos) continue;
    auto profile = readers::ReadProfile(path, {});
    if (!profile) continue;  // Some micro files hold a call stack only.
    ++traces;
    std::vector<Profile> run;
    run.push_back(std::move(*profile));
    ExpectExact(run, path);
  }
  EXPECT_GT(traces, 30);
}

// Workers that fetch data ahead delay no iteration, and their ranges take no time from those that
// do.
TEST(Attribution, LoadingAheadIsNoPart) {
  constexpr std::string_view kAhead = "enumerate(DataLoader)#_Worker.__next__";
  constexpr std::string_view kLoop = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  TestProfile test;
  const ThreadId worker = test.Thread(2);
  test.Step(0, {0, 100'000});
  test.Host(HostKind::kAnnotation, kAhead, {0, 40'000}, worker);
  test.Host(HostKind::kAnnotation, kLoop, {10'000, 30'000});
  test.Launch("kernel", {50'000, 51'000}, {60'000, 100'000});
  const auto attribution = breakdown::AttributeTime(OneRank(test.Finish()), {});
  ASSERT_TRUE(attribution);
  std::vector<std::pair<std::string, Ns>> loading;
  for (const breakdown::TimePart& part : attribution->parts) {
    if (part.category != "dataloader") continue;
    loading.emplace_back(part.kernel, part.time);
    EXPECT_EQ(part.count, 1);
  }
  EXPECT_EQ(loading, (std::vector<std::pair<std::string, Ns>>{{std::string(kLoop), 20'000}}));
}

TEST(Attribution, TakesEachIterationOfSeveralRanksFromTheSlowest) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto/dlrm_8ranks";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared profiles";
  const auto run = readers::ReadRun({folder}, {});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->size(), 8u);
  ExpectExact(*run, folder);
}

std::map<std::string, Ns> ByCategory(const breakdown::Attribution& attribution) {
  std::map<std::string, Ns> times;
  for (const breakdown::TimePart& part : attribution.parts) times[part.category] += part.time;
  return times;
}

// All ranks of an iteration end together, and the others wait for the late rank.
TEST(Attribution, IsOfTheRankThatTheOthersWaitFor) {
  MadeRun run;
  run.ranks = 4;
  const auto base = breakdown::AttributeTime(Make(run), {});
  ASSERT_TRUE(base);
  const Ns late = run.lateness * static_cast<Ns>(run.calls * run.iterations);
  const std::pair<LateBy, std::string> causes[] = {{LateBy::kLoader, "dataloader"},
                                                   {LateBy::kSlowGpu, "other_kernel"},
                                                   {LateBy::kCopies, "memcpy"},
                                                   {LateBy::kHost, "cpu"}};
  for (const auto& [cause, category] : causes) {
    SCOPED_TRACE(category);
    for (run.late = 0; run.late < run.ranks; ++run.late) {
      run.cause = cause;
      const std::vector<Profile> profiles = Make(run);
      const auto attribution = breakdown::AttributeTime(profiles, {});
      ASSERT_TRUE(attribution);
      auto expected = ByCategory(*base);
      expected[category] += late;
      EXPECT_EQ(ByCategory(*attribution), expected);
      ExpectExact(profiles, category);
      const auto analysis = Analyze(profiles, {});
      ASSERT_TRUE(analysis);
      const Column& rank = *analysis->FindTable("iterations")->Find("rank");
      for (std::size_t row = 0; row < rank.size(); ++row) {
        EXPECT_EQ(rank.IntegerAt(row), static_cast<std::int64_t>(run.late));
      }
    }
  }
}

}  // namespace
}  // namespace profgauge::analysis
