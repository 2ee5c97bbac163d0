// The numbers of HolisticTraceAnalysis, within a microsecond, over the window that it chooses.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/idle.h"
#include "analysis/iterations/context.h"
#include "fixture.h"
#include "oracle.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

constexpr double kMicrosecond = 1000;

// HTA drops the last of several steps and all work launched from its start on; with one step or
// none it keeps everything. Work without a launch goes when it filters.
std::vector<bool> KeptByHta(const Profile& profile) {
  std::vector<Ns> steps;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] == HostKind::kIterationMarker) {
      steps.push_back(profile.host.start[row]);
    }
  }
  std::vector<bool> kept(profile.device.size(), true);
  if (steps.size() < 2) return kept;
  const Ns end = *std::max_element(steps.begin(), steps.end());
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    kept[row] = launch.valid() && profile.api.start[launch.value] < end;
  }
  return kept;
}

struct Temporal {
  Ns window = 0, busy = 0, compute = 0, communication = 0, overlap = 0;
};

// Our classes, our interval algebra, HTA's window.
Temporal Measure(const Profile& profile) {
  const std::vector<bool> kept = KeptByHta(profile);
  const classify::KernelClasses classes = classify::ClassifyDevice(profile);
  SpanCollector all, compute, communication;
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!kept[row]) continue;
    all.Add(device.start[row], device.duration[row]);
    if (device.kind[row] != DeviceKind::kKernel) continue;
    (classes[row].collective ? communication : compute)
        .Add(device.start[row], device.duration[row]);
  }
  const auto spans = all.Take();
  const auto compute_spans = compute.Take();
  const auto communication_spans = communication.Take();
  Temporal out;
  if (spans.empty()) return out;
  out.window = spans.back().end - spans.front().start;
  out.busy = Length(spans);
  out.compute = Length(compute_spans);
  out.communication = Length(communication_spans);
  out.overlap = OverlapLength(compute_spans, communication_spans);
  return out;
}

struct HtaCase {
  const char* trace;
  const char* oracle;
  int rank;
};
void PrintTo(const HtaCase& c, std::ostream* out) { *out << c.oracle << " rank " << c.rank; }

class Hta : public testing::TestWithParam<HtaCase> {};

TEST_P(Hta, TemporalBreakdownAndOverlap) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const auto ranks = ReadTrace(std::string("data/kineto/") + GetParam().trace);
  ASSERT_FALSE(ranks.empty());
  const Temporal ours = Measure(ranks.front());
  const std::string folder = std::string("oracle/hta/") + GetParam().oracle;
  bool found = false;
  for (const auto& row : ReadCsv(SharedPath(folder + "/temporal_breakdown.csv"))) {
    if (row[0] != std::to_string(GetParam().rank)) continue;
    found = true;
    EXPECT_NEAR(static_cast<double>(ours.window - ours.busy), std::stod(row[1]) * 1000,
                kMicrosecond);
    EXPECT_NEAR(static_cast<double>(ours.compute), std::stod(row[2]) * 1000, kMicrosecond);
    EXPECT_NEAR(static_cast<double>(ours.busy - ours.compute), std::stod(row[3]) * 1000,
                kMicrosecond);
    EXPECT_NEAR(static_cast<double>(ours.window), std::stod(row[4]) * 1000, kMicrosecond);
  }
  EXPECT_TRUE(found);
  for (const auto& row : ReadCsv(SharedPath(folder + "/comm_comp_overlap.csv"))) {
    if (row[0] != std::to_string(GetParam().rank) || row[1].empty()) continue;
    ASSERT_GT(ours.communication, 0);
    EXPECT_NEAR(100.0 * static_cast<double>(ours.overlap) / static_cast<double>(ours.communication),
                std::stod(row[1]), 0.005001);
  }
}

TEST_P(Hta, SumsPerKernelName) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const std::string csv =
      std::string("oracle/hta/") + GetParam().oracle + "/kernel_breakdown_all.csv";
  if (!std::filesystem::exists(SharedPath(csv))) GTEST_SKIP() << "not recorded for this trace";
  const auto ranks = ReadTrace(std::string("data/kineto/") + GetParam().trace);
  ASSERT_FALSE(ranks.empty());
  const Profile& profile = ranks.front();
  const std::vector<bool> kept = KeptByHta(profile);
  struct Sums {
    Ns sum = 0, min = 0, max = 0;
  };
  std::map<std::string, Sums, std::less<>> ours;
  for (std::size_t row = 0; row < kept.size(); ++row) {
    if (!kept[row]) continue;
    const Ns duration = profile.device.duration[row];
    const auto [place, is_new] =
        ours.try_emplace(std::string(profile.Name(profile.device.name[row])));
    Sums& sums = place->second;
    sums.sum += duration;
    sums.min = is_new ? duration : std::min(sums.min, duration);
    sums.max = std::max(sums.max, duration);
  }
  const auto rows = ReadCsv(SharedPath(csv));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& row = rows[i];
    if (row.back() != std::to_string(GetParam().rank)) continue;
    const auto found = ours.find(row[0]);
    if (found == ours.end()) {
      ADD_FAILURE() << "no kernel " << row[0];
      continue;
    }
    EXPECT_NEAR(static_cast<double>(found->second.sum), std::stod(row[1]) * 1000, kMicrosecond);
    EXPECT_NEAR(static_cast<double>(found->second.max), std::stod(row[2]) * 1000, kMicrosecond);
    EXPECT_NEAR(static_cast<double>(found->second.min), std::stod(row[3]) * 1000, kMicrosecond);
  }
}

constexpr HtaCase kCases[] = {
    {"hta/df_index_resolver/df_index_resolver.json.gz", "hta_df_index_resolver", 0},
    {"hta/nccl_parser_config/nccl_data.json.gz", "hta_nccl_parser_config", 0},
    {"hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", "hta_ns_resolution",
     0},
    {"hta/trace_filter/sampled_rank-0.json.gz", "hta_sampled_2rank", 0},
    {"hta/trace_filter/sampled_rank-1.json.gz", "hta_sampled_2rank", 1},
    {"hta/trace_diff/control/control.json.gz", "hta_trace_diff_control", 0},
    {"hta/trace_diff/test/test.json.gz", "hta_trace_diff_test", 0},
    {"h100/gaunernst_bert-small-uncased__1016001.json.gz", "tl_h100_bert", 0},
    {"h100/Falconsai_nsfw_image_detection__1016002.json.gz", "tl_h100_falconsai", 0},
    {"h100/google_owlv2-large-patch14-ensemble__1016001.json.gz", "tl_h100_owlv2", 0},
    {"h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "tl_h100_qwen", 0},
    {"mi210/gpu_only_trace.json.gz", "tl_mi210_gpu_only", 0},
    {"mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "tl_mi300_qwen", 0},
};

INSTANTIATE_TEST_SUITE_P(Kineto, Hta, testing::ValuesIn(kCases), [](const auto& test) {
  return std::string(test.param.oracle) + "_rank" + std::to_string(test.param.rank);
});

}  // namespace
}  // namespace profgauge::analysis
