// Kernels, launches, queues and copies against HolisticTraceAnalysis, in its window: with several
// profiler steps everything from the start of the last one on is left out, and device work counts
// when its launch does; with one step everything counts.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <set>

#include "analysis/classify/kernel_class.h"
#include "analysis/device/queue.h"
#include "base/interval.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

namespace json = boost::json;

struct Trace {
  std::string_view oracle, path;
};
constexpr Trace kTraces[] = {
    {"hta_df_index_resolver", "hta/df_index_resolver"},
    {"hta_trace_diff_control", "hta/trace_diff/control"},
    {"hta_ns_resolution", "hta/ns_resolution_trace"},
    {"tl_h100_bert", "h100/gaunernst_bert-small-uncased__1016001.json.gz"},
    {"tl_h100_falconsai", "h100/Falconsai_nsfw_image_detection__1016002.json.gz"},
    {"tl_h100_owlv2", "h100/google_owlv2-large-patch14-ensemble__1016001.json.gz"},
    {"tl_h100_qwen", "h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"},
    {"tl_mi300_qwen", "mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"},
};

// Names of tests must not hold values that differ from run to run, such as addresses.
void PrintTo(const Trace& row, std::ostream* out) { *out << row.oracle; }

class DeviceHta : public testing::TestWithParam<Trace> {
 protected:
  void SetUp() override {
    const std::string path = SharedPath("data/kineto/" + std::string(GetParam().path));
    folder_ = SharedPath("oracle/hta/" + std::string(GetParam().oracle) + "/");
    PROFGAUGE_NEEDS(path);
    PROFGAUGE_NEEDS(folder_);
    profiles_ = ReadShared(path);
    classes_ = classify::ClassifyDevice(profile());
    std::vector<Ns> steps;
    for (std::size_t i = 0; i < profile().host.size(); ++i) {
      if (profile().host.kind[i] != HostKind::kIterationMarker) continue;
      steps.push_back(profile().host.start[i]);
    }
    if (steps.size() >= 2) last_step_ = *std::max_element(steps.begin(), steps.end());
  }
  const Profile& profile() const { return profiles_.front(); }

  bool Counts(std::size_t row) const {
    if (last_step_ < 0) return true;
    const ApiId launch = profile().device.launch[row];
    return launch.valid() && profile().api.start[launch.value] < last_step_;
  }
  bool IsKernel(std::size_t row) const { return profile().device.kind[row] == DeviceKind::kKernel; }
  std::string_view CallOf(std::size_t row) const {
    const ApiId launch = profile().device.launch[row];
    return launch.valid() ? profile().Name(profile().api.name[launch.value]) : std::string_view{};
  }

  // When kernels compute, collectives run, and memory is copied or set.
  std::array<std::vector<Span>, 3> TypeSpans() const {
    SpanCollector collectors[3];
    const DeviceTable& device = profile().device;
    for (std::size_t i = 0; i < device.size(); ++i) {
      if (!Counts(i)) continue;
      const std::size_t type = !IsKernel(i) ? 2 : classes_[i].collective ? 1 : 0;
      collectors[type].Add(device.start[i], device.duration[i]);
    }
    return {collectors[0].Take(), collectors[1].Take(), collectors[2].Take()};
  }
  bool WholeMicroseconds() const {
    const auto& durations = profile().device.duration;
    return std::all_of(durations.begin(), durations.end(), [](Ns ns) { return ns % 1000 == 0; });
  }

  std::string folder_;
  std::vector<Profile> profiles_;
  classify::KernelClasses classes_;
  Ns last_step_ = -1;
};

double InMicroseconds(Ns ns) { return static_cast<double>(ns) / 1000; }

// As pandas: linear between neighbors.
double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_P(DeviceHta, KernelSumsByName) {
  struct Sums {
    Ns sum = 0, max = 0, min = 0;
  };
  std::map<std::string, Sums> sums;
  const DeviceTable& device = profile().device;
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (!IsKernel(i) || !Counts(i)) continue;
    const auto [at, is_new] = sums.try_emplace(std::string(profile().Name(device.name[i])));
    Sums& row = at->second;
    row.min = is_new ? device.duration[i] : std::min(row.min, device.duration[i]);
    row.max = std::max(row.max, device.duration[i]);
    row.sum += device.duration[i];
  }
  std::size_t compared = 0;
  const std::string all = folder_ + "kernel_breakdown_all.csv";
  if (!std::filesystem::exists(all)) GTEST_SKIP() << "HTA listed its ten longest kernels alone";
  for (const std::vector<std::string>& row : ReadCsv(all)) {
    if (row[6] != "COMPUTATION" && row[6] != "COMMUNICATION") continue;
    ASSERT_TRUE(sums.contains(row[0])) << row[0];
    const Sums& ours = sums[row[0]];
    EXPECT_NEAR(InMicroseconds(ours.sum), std::stod(row[1]), 1) << row[0];
    EXPECT_NEAR(InMicroseconds(ours.max), std::stod(row[2]), 1) << row[0];
    EXPECT_NEAR(InMicroseconds(ours.min), std::stod(row[3]), 1) << row[0];
    ++compared;
  }
  EXPECT_EQ(compared, sums.size());
}

TEST_P(DeviceHta, ComputeAndIdleTime) {
  const auto spans = TypeSpans();
  std::vector<Span> all;
  for (const std::vector<Span>& type : spans) all.insert(all.end(), type.begin(), type.end());
  all = Merge(std::move(all));
  const Ns busy = Length(all), compute = Length(spans[0]),
           window = all.back().end - all.front().start;
  const std::vector<std::string> row = ReadCsv(folder_ + "temporal_breakdown.csv").at(1);
  EXPECT_NEAR(InMicroseconds(window - busy), std::stod(row[1]), 1);
  EXPECT_NEAR(InMicroseconds(compute), std::stod(row[2]), 1);
  EXPECT_NEAR(InMicroseconds(busy - compute), std::stod(row[3]), 1);
  EXPECT_NEAR(InMicroseconds(window), std::stod(row[4]), 1);
}

// Time by the kinds that run together, as an exclusive partition of the busy time. HTA cuts every
// event to whole microseconds here, so only traces that have no others can be compared.
TEST_P(DeviceHta, KernelTypes) {
  if (!WholeMicroseconds()) GTEST_SKIP() << "the trace has fractions of microseconds";
  const auto spans = TypeSpans();
  const char* const names[] = {"COMPUTATION", "COMMUNICATION", "MEMORY"};
  std::map<std::string, double> ours;
  for (unsigned mask = 1; mask < 8; ++mask) {
    std::vector<Span> part = {{-1, std::numeric_limits<Ns>::max() / 2}};
    std::string name;
    for (unsigned type = 0; type < 3; ++type) {
      if ((mask >> type & 1) == 0) {
        part = Subtract(part, spans[type]);
        continue;
      }
      part = Intersect(part, spans[type]);
      name += (name.empty() ? "" : " overlapping ") + std::string(names[type]);
    }
    ours[name] = InMicroseconds(Length(part));
  }
  std::size_t compared = 0;
  for (const std::vector<std::string>& row : ReadCsv(folder_ + "kernel_type_breakdown.csv")) {
    if (!ours.contains(row[0])) continue;
    EXPECT_NEAR(ours[row[0]], std::stod(row[1]), 1) << row[0];
    ++compared;
  }
  EXPECT_GE(compared, 2U);
}

// cuda_kernel_launch_stats joins four runtime calls with their work.
TEST_P(DeviceHta, LaunchStatistics) {
  const std::set<std::string_view> calls = {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                            "cudaMemcpyAsync", "cudaMemsetAsync"};
  const DeviceTable& device = profile().device;
  std::map<std::string, std::vector<double>> values;
  std::int64_t count = 0, runtime_outliers = 0, delay_outliers = 0, short_kernels = 0;
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (!Counts(i) || !calls.contains(CallOf(i))) continue;
    const std::uint32_t call = device.launch[i].value;
    const Ns cpu = profile().api.duration[call];
    const Ns delay = std::max<Ns>(0, device.start[i] - profile().api.start[call] - cpu);
    ++count;
    values["cpu_duration"].push_back(InMicroseconds(cpu));
    values["gpu_duration"].push_back(InMicroseconds(device.duration[i]));
    values["launch_delay"].push_back(InMicroseconds(delay));
    runtime_outliers += cpu > 50'000;
    delay_outliers += delay > 100'000;
    short_kernels += cpu <= 50'000 && device.duration[i] < cpu;
  }
  if (count == 0) GTEST_SKIP() << "HTA knows no HIP calls here";
  const json::value all = ReadJson(folder_ + "cuda_kernel_launch_stats.json");
  const json::object& expected = all.as_object().begin()->value().as_object();
  ASSERT_EQ(count, expected.at("n").to_number<std::int64_t>());
  EXPECT_EQ(short_kernels, expected.at("short_kernels(cpu<=50&gpu<cpu)").to_number<std::int64_t>());
  EXPECT_EQ(runtime_outliers, expected.at("runtime_outliers(cpu>50)").to_number<std::int64_t>());
  EXPECT_EQ(delay_outliers, expected.at("launch_delay_outliers(>100)").to_number<std::int64_t>());
  for (const auto& [name, list] : values) {
    const json::object& of = expected.at(name).as_object();
    EXPECT_NEAR(Mean(list), of.at("mean").to_number<double>(), 1) << name;
    EXPECT_NEAR(Quantile(list, 0.5), of.at("50%").to_number<double>(), 1) << name;
    EXPECT_NEAR(Quantile(list, 0.95), of.at("95%").to_number<double>(), 1) << name;
    EXPECT_NEAR(Quantile(list, 1), of.at("max").to_number<double>(), 1) << name;
  }
}

TEST_P(DeviceHta, QueueLengths) {
  const DeviceTable& device = profile().device;
  std::map<std::int64_t, std::vector<device::QueueItem>> streams;
  for (std::size_t i = 0; i < device.size(); ++i) {
    const ApiId launch = device.launch[i];
    // HTA does not know hipModuleLaunchKernel.
    if (!Counts(i) || !launch.valid() || CallOf(i) == "hipModuleLaunchKernel") continue;
    streams[device.stream[i]].push_back({profile().api.start[launch.value], device.start[i]});
  }
  const auto rows = ReadCsv(folder_ + "queue_length_summary.csv");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::int64_t stream = std::stoll(rows[i][1]);
    SCOPED_TRACE("stream " + rows[i][1]);
    std::vector<double> lengths;
    device::ForEachEvent(streams[stream], [&](device::QueueEvent event) {
      lengths.push_back(static_cast<double>(event.length));
    });
    ASSERT_EQ(static_cast<double>(lengths.size()), std::stod(rows[i][2]));
    // Events of the same time come in any order there, which moves the mean a little.
    EXPECT_NEAR(Mean(lengths), std::stod(rows[i][3]), 0.05);
    EXPECT_NEAR(Quantile(lengths, 0.5), std::stod(rows[i][7]), 1);
    EXPECT_NEAR(Quantile(lengths, 1), std::stod(rows[i][9]), 1);
  }
}

// Copies by name: how many, and the mean of their bandwidths (bytes / duration, GB/s).
TEST_P(DeviceHta, MemoryBandwidth) {
  const DeviceTable& device = profile().device;
  std::map<std::string, std::vector<double>> values;
  const auto name_of = [&](std::size_t i) -> std::string {
    if (device.kind[i] == DeviceKind::kMemset) return "Memset";
    switch (device.copy[i]) {
      case CopyKind::kHostToDevice:
        return "Memcpy HtoD";
      case CopyKind::kDeviceToHost:
        return "Memcpy DtoH";
      case CopyKind::kDeviceToDevice:
        return "Memcpy DtoD";
      default:
        return "other";
    }
  };
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (IsKernel(i) || !Counts(i) || device.bytes[i] <= 0) continue;
    const double ns = static_cast<double>(std::max<Ns>(device.duration[i], 1));
    values[name_of(i)].push_back(static_cast<double>(device.bytes[i]) / ns);
  }
  const auto rows = ReadCsv(folder_ + "memory_bw_summary.csv");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<double>& list = values[rows[i][1]];
    ASSERT_EQ(static_cast<double>(list.size()), std::stod(rows[i][2])) << rows[i][1];
    // HTA takes the profiler's own bandwidth, from the duration before it was cut to microseconds.
    if (WholeMicroseconds()) continue;
    EXPECT_NEAR(Mean(list) / std::stod(rows[i][3]), 1, 0.01) << rows[i][1];
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, DeviceHta, testing::ValuesIn(kTraces),
                         [](const auto& trace) { return std::string(trace.param.oracle); });

}  // namespace
}  // namespace profgauge::analysis
