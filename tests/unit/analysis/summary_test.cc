// The run from summaries is the run from profiles, in whatever order they are merged.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "../../tools/ranks/made_ranks.h"
#include "analysis/breakdown/attribution.h"
#include "analysis/breakdown/rank_attribution.h"
#include "analysis/breakdown/run_attribution.h"
#include "analysis/catalog/output.h"
#include "analysis/ranks/analyze_run.h"
#include "analysis/ranks/kept_tables.h"
#include "analysis/ranks/rank_summary.h"
#include "equal_exposures.h"
#include "model/devices.h"
#include "model/known_names.h"
#include "model/summary/summary_file.h"
#include "recordings.h"

namespace profgauge::analysis {
namespace {

using profgauge::made::Mesh;
using profgauge::made::Plan;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Summary> ReadBack(const std::string& file) {
  auto summaries = ReadSummaries(Inflated(file), "run.pgsum");
  EXPECT_TRUE(summaries) << (summaries ? "" : summaries.error().message);
  return summaries ? std::move(*summaries) : std::vector<Summary>{};
}

/// Merges files two by two, chosen at random, until one is left.
std::string MergedAtRandom(std::vector<std::string> files, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (files.size() > 1) {
    std::shuffle(files.begin(), files.end(), random);
    std::vector<Summary> ranks = ReadBack(files.back());
    files.pop_back();
    for (Summary& rank : ReadBack(files.back())) ranks.push_back(std::move(rank));
    files.back() = WriteSummaries(std::move(ranks));
  }
  return files.front();
}

std::string CellText(const Column& column, std::size_t row, const Table& table) {
  if (column.IsAbsentAt(row)) return "absent";
  switch (column.type()) {
    case CellType::kInteger:
      return std::to_string(column.IntegerAt(row));
    case CellType::kReal:
      return std::to_string(std::bit_cast<std::int64_t>(column.RealAt(row)));
    case CellType::kText:
      return std::string(table.strings()[column.TextAt(row)]);
  }
  return {};
}

bool IsCut(const Analysis& analysis, const std::string& table) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(), [&](const Remark& remark) {
    return remark.id == std::string(ranks::kCutRemark) + table;
  });
}

std::string RowText(const Table& table, std::size_t row) {
  std::string text;
  for (const Column& column : table.columns()) text += CellText(column, row, table) + " | ";
  return text;
}

/// Every row is one of `whole`, in their order; the longest gaps are there.
void ExpectRowsOf(const Table& table, const Table& whole) {
  EXPECT_LT(table.rows(), whole.rows()) << table.id();
  EXPECT_GE(table.rows(), 100u) << table.id();
  std::size_t at = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string text = RowText(table, row);
    while (at < whole.rows() && RowText(whole, at) != text) ++at;
    ASSERT_LT(at++, whole.rows()) << table.id() << ": " << text;
  }
  if (table.id() != "gaps") return;
  for (std::size_t row = 0; row < 100; ++row) EXPECT_EQ(RowText(table, row), RowText(whole, row));
  const auto long_ones = [](const Table& of) {
    const Column& length = *of.Find("duration");
    std::size_t count = 0;
    for (std::size_t row = 0; row < of.rows(); ++row) {
      count += length.IntegerAt(row) >= 1'000'000 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(long_ones(table), long_ones(whole));
}

/// Summaries give the numbers of the profiles, and leave out only the listed ones.
void ExpectEqual(const Analysis& recorded, const Analysis& summarized) {
  std::size_t left_out = 0;
  for (const Metric& metric : summarized.metrics) {
    const Metric& other = *recorded.Find(metric.spec->id);
    if (metric.absent_because.find("summaries do not contain it") != std::string::npos) {
      left_out += IsAbsent(other.value) ? 0 : 1;
      continue;
    }
    EXPECT_EQ(metric.value, other.value) << metric.spec->id;
    EXPECT_EQ(metric.absent_because, other.absent_because) << metric.spec->id;
    EXPECT_EQ(metric.note, other.note) << metric.spec->id;
    EXPECT_EQ(metric.low_confidence, other.low_confidence) << metric.spec->id;
    EXPECT_EQ(metric.may_be, other.may_be) << metric.spec->id;
  }
  EXPECT_EQ(left_out, 0u);
  EXPECT_EQ(summarized.iteration_source, recorded.iteration_source);
  EXPECT_EQ(summarized.iterations_selected, recorded.iterations_selected);
  EXPECT_EQ(summarized.iterations_total, recorded.iterations_total);
  EXPECT_EQ(summarized.window_end, recorded.window_end);
  for (const Remark& remark : recorded.remarks) {
    EXPECT_TRUE(std::any_of(summarized.remarks.begin(), summarized.remarks.end(),
                            [&](const Remark& kept) { return kept.text == remark.text; }))
        << remark.id << ": " << remark.text;
  }
  left_out = 0;
  for (const Table& table : summarized.tables) {
    const Table& other = *recorded.FindTable(table.id());
    if (table.columns().empty()) {
      left_out += other.columns().empty() ? 0 : 1;
      continue;
    }
    if (IsCut(summarized, table.id())) {
      ExpectRowsOf(table, other);
      continue;
    }
    ASSERT_EQ(table.rows(), other.rows()) << table.id();
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      for (std::size_t row = 0; row < table.rows(); ++row) {
        EXPECT_EQ(CellText(table.columns()[c], row, table),
                  CellText(other.columns()[c], row, other))
            << table.id() << " column " << c << " row " << row;
      }
    }
  }
  EXPECT_LE(left_out, 4u);  // launches, op_tree, ops_by_stack, slack
  ExpectEqualExposures(recorded, summarized);
}

std::string TextOf(const std::vector<breakdown::WorkSum>& sums) {
  std::string text;
  for (const breakdown::WorkSum& sum : sums) {
    text += fmt::format("{} | {} {} {} | {}\n", sum.name, sum.count, sum.gpu_time, sum.host_time,
                        fmt::join(sum.series, " "));
  }
  return text;
}

std::string TextOf(const breakdown::Attribution& attribution) {
  std::string text = fmt::format("{}\n{}\n{}\n", fmt::join(attribution.iteration_times, " "),
                                 attribution.shape_signature, attribution.gpu_models);
  for (const auto& [metric, shares] : attribution.iteration_shares) {
    text += fmt::format("{}: {}\n", metric, fmt::join(shares, " "));
  }
  for (const breakdown::TimePart& part : attribution.parts) {
    text += fmt::format("{} | {} | {} | {} | {} | {} | {} {} | {}\n", part.category, part.op_type,
                        part.op, part.shapes, part.kernel, part.position, part.count, part.time,
                        fmt::join(part.series, " "));
  }
  const breakdown::WorkSums& work = attribution.work;
  return text + fmt::format("{} {}\n", work.iterations, work.has_gpu) + TextOf(work.kernels) +
         TextOf(work.ops);
}

void ExpectSameAttribution(const std::vector<Profile>& recordings,
                           const std::vector<Profile>& summaries, const Selection& selection) {
  const auto recorded = breakdown::AttributeTime(recordings, selection);
  ASSERT_TRUE(recorded) << recorded.error().message;
  const auto summarized = breakdown::AttributeTime(summaries, selection);
  ASSERT_TRUE(summarized) << summarized.error().message;
  EXPECT_GT(recorded->parts.size(), 3u);
  EXPECT_EQ(TextOf(*summarized), TextOf(*recorded));
}

void ExpectSameRun(const std::vector<Profile>& recordings, const Selection& selection = {}) {
  const auto recorded = Analyze(recordings, selection);
  ASSERT_TRUE(recorded) << recorded.error().message;
  const auto summaries = ranks::SummarizeRanks(recordings, selection);
  ASSERT_TRUE(summaries) << summaries.error().message;
  std::vector<std::string> files;
  for (const Summary& summary : *summaries) files.push_back(WriteSummaries({summary}));
  const std::string whole = WriteSummaries(*summaries);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) EXPECT_EQ(MergedAtRandom(files, seed), whole);
  const auto summarized = Analyze(StandIns(ReadBack(whole)), selection);
  ASSERT_TRUE(summarized) << summarized.error().message;
  ExpectEqual(*recorded, *summarized);
  ExpectSameAttribution(recordings, StandIns(ReadBack(whole)), selection);
}

TEST(Summaries, EqualProfiles) {
  for (const Mesh mesh : {Mesh::kDp, Mesh::kTpDp, Mesh::kPpDp, Mesh::kEpDp}) {
    Plan plan;
    plan.mesh = mesh;
    plan.iterations = 3;
    plan.jitter = 30'000;
    plan.cause = profgauge::made::LateBy::kSlowGpu;
    plan.late = 5;
    plan.lost_rank = mesh == Mesh::kTpDp ? 3 : -1;
    plan.clock_offset = 1'000'000;
    const std::vector<Profile> recordings = Recordings(plan);
    ExpectSameRun(recordings);
    Selection later;
    later.warmup = 1;
    ExpectSameRun(recordings, later);
  }
}

TEST(Summaries, WholeGraphsStayUndecided) {
  Plan plan;
  plan.iterations = 3;
  std::vector<Profile> recordings = Recordings(plan);
  LaunchConfig whole;
  whole.is_whole_graph = true;
  for (Profile& rank : recordings) {
    const LaunchConfigId id{static_cast<std::uint32_t>(rank.launch_configs.size())};
    rank.launch_configs.push_back(whole);
    for (std::size_t row = 0; row < rank.device.size(); row += 5) {
      if (rank.device.kind[row] == DeviceKind::kKernel) rank.device.config.Set(row, id);
    }
  }
  ExpectSameRun(recordings);
  const auto analysis = Analyze(recordings, {});
  ASSERT_TRUE(analysis);
  EXPECT_TRUE(analysis->Find("gpu.idle.mean")->may_be.has_value());
  EXPECT_FALSE(IsAbsent(analysis->Find("coverage.kernel_share")->value));
}

TEST(Summaries, EqualTheRealDlrm) {
  const auto folder = std::filesystem::path(PROFGAUGE_SHARED_DIR) / "data/kineto/dlrm_8ranks";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no real profiles at hand";
  const auto run = readers::ReadRun({folder.string()}, {});
  ASSERT_TRUE(run) << run.error().message;
  ExpectSameRun(*run);
  const auto summaries = ranks::SummarizeRanks(*run, {});
  const auto summarized = Analyze(StandIns(*summaries), {});
  ASSERT_TRUE(summarized);
  EXPECT_GT(summarized->FindTable("ops_by_shape")->rows(), 500u);
  for (const Summary& summary : *summaries) {
    EXPECT_LT(WriteSummaries({summary}).size(), 150'000u);
  }
}

TEST(Summaries, EqualTheRealResNet) {
  const auto file = std::filesystem::path(PROFGAUGE_SHARED_DIR) /
                    "data/kineto/v100_resnet50/"
                    "resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no real profiles at hand";
  const auto run = readers::ReadRun({file.string()}, {});
  ASSERT_TRUE(run) << run.error().message;
  ExpectSameRun(*run);
}

// A rank of 500 kernel names and 1500 collectives stays small. If no name of a device shows the
// kind, the called runtime does; summaries keep no calls.
TEST(Summaries, KnowWhoseDevicesTheyAreOf) {
  Profile recording;
  recording.api.name = {recording.strings.Intern("hipLaunchKernel")};
  const std::vector<Profile> stand_ins = StandIns({BeginSummary(recording)});
  EXPECT_EQ(AcceleratorOf(stand_ins), Accelerator::kAmd);
}

// Rules advise by the visible facts of a profile.
TEST(Summaries, KnowTheProgramTheyAreOf) {
  Profile recording;
  for (const char* name :
       {"aten::mm", "gloo:all_reduce", "my nccl:range", "cudaStreamBeginCapture"}) {
    recording.strings.Intern(name);
  }
  const std::vector<Profile> stand_ins = StandIns({BeginSummary(recording)});
  std::vector<Sign> shown;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Sign::kCount_); ++i) {
    const auto sign = static_cast<Sign>(i);
    EXPECT_EQ(Shows(stand_ins.front(), sign), Shows(recording, sign)) << NameWith(sign);
    if (Shows(recording, sign)) shown.push_back(sign);
  }
  EXPECT_THAT(shown, ElementsAre(Sign::kPyTorch, Sign::kGraphCapture, Sign::kGloo));
}

TEST(Summaries, AreSmall) {
  Plan plan;
  plan.ranks = 4;
  plan.inner = 2;
  plan.iterations = 30;
  plan.layers = 50;
  plan.jitter = 30'000;
  std::vector<Profile> recordings = Recordings(plan);
  Profile& profile = recordings.front();
  std::size_t kernels = 0, collectives = 0;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    if (profile.device.kind[row] != DeviceKind::kKernel) continue;
    if (profile.device.collective[row].valid()) {
      ++collectives;
      continue;
    }
    const std::size_t number = kernels++ % 500;
    const StringId name = profile.strings.Intern(
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
        "std::array<char*, " +
        std::to_string(number * number) + ">>(int, at::native::FillFunctor<" +
        std::to_string(number) + ">, std::array<char*, 1ul>)");
    profile.device.name.Set(row, name);
  }
  EXPECT_GE(kernels, 500u);
  EXPECT_GE(collectives, 1'500u);
  const auto summaries = ranks::SummarizeRanks(recordings, {});
  ASSERT_TRUE(summaries);
  const std::size_t size = WriteSummaries({summaries->front()}).size();
  EXPECT_LT(size, 150'000u);
  RecordProperty("bytes", static_cast<int>(size));
}

// If a rank has more shapes of operators than fit, none is kept: a table of some would be wrong.
TEST(Summaries, KeepAllShapesOrNone) {
  Plan plan;
  plan.ranks = 2;
  plan.iterations = 40;
  plan.layers = 50;
  std::vector<Profile> recordings = Recordings(plan);
  const auto shape = [&](std::size_t different) {
    Profile& profile = recordings.front();
    std::size_t ops = 0;
    for (std::size_t row = 0; row < profile.host.size(); ++row) {
      if (profile.host.kind[row] != HostKind::kOp) continue;
      profile.host.input_shapes.Set(
          row, profile.strings.Intern(fmt::format("[[{}, 3]]", ops++ % different)));
    }
    EXPECT_GT(ops, different);
  };
  const auto summarized = [&] {
    return Analyze(StandIns(*ranks::SummarizeRanks(recordings, {})), {});
  };
  shape(100);
  const auto recorded = Analyze(recordings, {});
  const auto few = summarized();
  EXPECT_GE(few->FindTable("ops_by_shape")->rows(), 100u);
  ExpectEqual(*recorded, *few);
  shape(1'600);
  EXPECT_EQ(summarized()->FindTable("ops_by_shape")->rows(), 0u);
  EXPECT_THAT(summarized()->absent_tables.at("ops_by_shape"), HasSubstr("pass the profiles"));
}

// Files without times imply nothing, and nothing replaces a file's own statements.
TEST(Summaries, DoNotInventStatements) {
  Plan plan;
  plan.ranks = 2;
  std::vector<Profile> recordings = Recordings(plan);
  const ReportedMetric stated{metric::kMemoryPeakAllocated, std::int64_t{5}, {}};
  recordings.front().reported.metrics.push_back(stated);
  const auto reason = [&](std::string_view metric) {
    const auto summaries = ranks::SummarizeRanks(recordings, {});
    const auto run = Analyze(StandIns(*summaries), {});
    return run->Find(metric)->absent_because;
  };
  EXPECT_THAT(reason("memory.peak_allocated"), HasSubstr("pass the profiles"));
  EXPECT_EQ(reason("gpu.idle.mean"), "");
  recordings.back().has_timeline = false;
  EXPECT_THAT(reason("gpu.idle.mean"), HasSubstr("pass the profiles"));
  EXPECT_THAT(reason("kernel.short_share"), HasSubstr("pass the profiles"));
  const auto summaries = ranks::SummarizeRanks(recordings, {});
  const auto compared = breakdown::AttributeTime(StandIns(*summaries), {});
  ASSERT_FALSE(compared);
  EXPECT_EQ(compared.error().code, "summary/no-events");
}

// Recordings beside summaries: as if all were one or the other.
TEST(Summaries, MixWithProfiles) {
  Plan plan;
  plan.cause = profgauge::made::LateBy::kHost;
  const std::vector<Profile> recordings = Recordings(plan);
  const auto summaries = ranks::SummarizeRanks(recordings, {});
  ASSERT_TRUE(summaries);
  std::vector<Profile> mixed = StandIns(*summaries);
  std::vector<Profile> again = Recordings(plan);
  for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i] = std::move(again[i]);
  const auto analysis = Analyze(mixed, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  EXPECT_EQ(AsNumber(analysis->Find("rank.straggler")->value, -1), 1);
  EXPECT_THAT(analysis->absent_tables.at("op_tree"), HasSubstr("pass the profiles"));
}

// One rank among others: the run is another, and its iterations are that rank's.
TEST(Summaries, ComparesARankAmongOthers) {
  Plan plan;
  plan.jitter = 30'000;
  std::vector<Profile> recordings = Recordings(plan);
  Selection third;
  third.rank = 2;
  const auto summaries = ranks::SummarizeRanks(recordings, {});
  ASSERT_TRUE(summaries);
  ExpectSameAttribution(recordings, StandIns(*summaries), third);
  std::vector<Profile> mixed = StandIns(*summaries);
  std::vector<Profile> again = Recordings(plan);
  for (std::size_t i = 0; i < mixed.size(); i += 3) mixed[i] = std::move(again[i]);
  ExpectSameAttribution(recordings, mixed, {});
}

// However many iterations and operators there are: the largest parts keep theirs, the others are
// folded, and their total is unchanged.
TEST(Summaries, FoldSmallPartsOfManyIterations) {
  breakdown::AttributionFacts facts;
  constexpr std::int64_t kIterations = 500, kParts = 200;
  Ns whole = 0;
  std::int64_t events = 0;
  for (std::int64_t i = 0; i < kParts; ++i) {
    breakdown::RankPart& part = facts.parts.emplace_back();
    part.category = i % 2 == 0 ? Category::kCpu : Category::kOtherKernel;
    part.op_type = i % 3 == 0 ? "mm" : "add";
    part.op = "aten::" + std::to_string(i);
    for (std::int64_t at = 0; at < kIterations; ++at) {
      part.cells.push_back({at, 1, (kParts - i) * 10});
      whole += part.cells.back().time;
      ++events;
    }
    part.spans.push_back({0, kIterations - 1, 2});
    events += 2;
    breakdown::NameWork& work = facts.work.kernels.emplace_back();
    work.name = part.op;
    work.gpu_time = (kParts - i) * 10;
    for (std::int64_t at = 0; at < kIterations; ++at) work.series.emplace_back(at, 1);
  }
  breakdown::FoldSmall(facts);
  std::size_t cells = 0, series = 0;
  for (const breakdown::RankPart& part : facts.parts) {
    for (const breakdown::PartCell& cell : part.cells) {
      whole -= cell.time;
      events -= cell.count;
    }
    for (const breakdown::PartSpan& span : part.spans) events -= span.count;
    cells += part.cells.size();
  }
  EXPECT_EQ(whole, 0);
  EXPECT_EQ(events, 0);
  EXPECT_LE(cells, 24'000u);
  EXPECT_EQ(facts.parts.front().op, "aten::0");
  EXPECT_TRUE(facts.parts.back().is_folded);
  for (const breakdown::NameWork& work : facts.work.kernels) series += work.series.size();
  EXPECT_LE(series, 10'000u);
  EXPECT_TRUE(facts.work.kernels.front().has_series);
  EXPECT_FALSE(facts.work.kernels.back().has_series);
  // The run knows the whole and the category of the folded ones.
  std::vector<breakdown::RunIteration> iterations;
  iterations::Iterations of_rank;
  of_rank.all.resize(kIterations);
  of_rank.last = kIterations;
  for (std::size_t at = 0; at < kIterations; ++at) iterations.push_back({"", 0, at, 1'000'000});
  breakdown::RunAttribution run(iterations, true);
  run.AddRank(0, of_rank, facts);
  const breakdown::Attribution attribution = run.Take();
  Ns sum = 0;
  double share = 0;
  for (const breakdown::TimePart& part : attribution.parts) sum += part.time;
  for (const auto& [metric, shares] : attribution.iteration_shares) share += shares[7];
  EXPECT_EQ(sum, kIterations * 10 * kParts * (kParts + 1) / 2);
  EXPECT_NEAR(share * 1e6, 10.0 * kParts * (kParts + 1) / 2, 1e-3);
  EXPECT_TRUE(attribution.work.kernels.back().series.empty());
}

// For many launches only a limited number of different delays are kept, and the median states its
// possible error.
TEST(Summaries, KeepDelaysOfManyLaunches) {
  device::LaunchFacts few, many;
  std::mt19937 random(7);
  for (int i = 0; i < 1'000; ++i) few.delays.push_back(random() % 500);
  for (int i = 0; i < 100'000; ++i) many.delays.push_back(random() % 100'000'000);
  const auto median = [](const device::LaunchFacts& facts) {
    catalog::Output out;
    device::SetLaunchMetrics({facts}, out);
    return AsNumber(out.ValueOf(metric::kLaunchDelayMedian), -1);
  };
  device::LaunchFacts folded = few;
  device::FoldDelays(folded);
  EXPECT_LE(folded.delays.size(), 500u);
  EXPECT_EQ(folded.delay_error, 0);
  EXPECT_EQ(median(folded), median(few));
  folded = many;
  device::FoldDelays(folded);
  EXPECT_LE(folded.delays.size(), 16'384u);
  EXPECT_GT(folded.delay_error, 0);
  EXPECT_LE(median(folded), median(many));
  EXPECT_GE(median(folded), median(many) * 0.999);
  catalog::Output out;
  device::SetLaunchMetrics({folded}, out);
  Analysis analysis;
  out.MoveTo(analysis);
  EXPECT_THAT(analysis.Find("launch.delay.median")->note, HasSubstr("rounded down"));
}

}  // namespace
}  // namespace profgauge::analysis
