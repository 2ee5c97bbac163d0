// The numbers of the TensorBoard plug-in, on its own examples and on real V100 traces.
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/breakdown/breakdown.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/utilization.h"
#include "breakdowns.h"
#include "fixture.h"
#include "oracle.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

namespace json = boost::json;

constexpr const char* kV100[] = {
    "resnet50_num_workers_0__worker0.1623143089861.pt.trace.json",
    "resnet50_num_workers_0__worker0.1623143566756.pt.trace.json",
    "resnet50_num_workers_4__worker0.1623212756351.pt.trace.json",
    "resnet50_num_workers_4__worker0.1623213129365.pt.trace.json",
};

Ns Microseconds(const json::value& value) {
  return static_cast<Ns>(std::llround(value.to_number<double>() * 1000));
}

std::int64_t IntegerOrZero(const Table& table, std::size_t row, std::string_view column) {
  // Where a trace has no device events, the plug-in says 0 and we say nothing.
  return static_cast<std::int64_t>(AsNumber(table.At(row, column), 0));
}

void ExpectSteps(const Analysis& analysis, const json::array& steps) {
  const Table& table = *analysis.FindTable("iterations");
  ASSERT_EQ(table.rows(), steps.size());
  for (std::size_t row = 0; row < steps.size(); ++row) {
    const json::object& step = steps[row].as_object();
    SCOPED_TRACE(std::string(step.at("name").as_string()));
    EXPECT_EQ(TextAt(table, row, "name"), step.at("name").as_string());
    EXPECT_EQ(
        IntegerOrZero(table, row, "tensor_core_kernel") + IntegerOrZero(table, row, "other_kernel"),
        Microseconds(step.at("Kernel")));
    EXPECT_EQ(IntegerOrZero(table, row, "memcpy"), Microseconds(step.at("Memcpy")));
    EXPECT_EQ(IntegerOrZero(table, row, "memset"), Microseconds(step.at("Memset")));
    EXPECT_EQ(IntegerOrZero(table, row, "communication"), Microseconds(step.at("Communication")));
    EXPECT_EQ(IntegerOrZero(table, row, "dataloader"), Microseconds(step.at("DataLoader")));
    EXPECT_EQ(IntegerOrZero(table, row, "cpu"), Microseconds(step.at("CpuOp")));
    // Waits for work from before the profile, and the profiler's own stop, are the program's
    // runtime calls and idleness to the plug-in. The profile does not show their kind, and lengths
    // do not count them.
    const std::int64_t unobserved = IntegerOrZero(table, row, "unobserved");
    EXPECT_EQ(
        IntegerOrZero(table, row, "runtime") + IntegerOrZero(table, row, "other") + unobserved,
        Microseconds(step.at("Runtime")) + Microseconds(step.at("Other")));
    if (unobserved == 0) {
      EXPECT_EQ(IntegerOrZero(table, row, "runtime"), Microseconds(step.at("Runtime")));
    }
    EXPECT_EQ(IntegerOrZero(table, row, "duration"), Microseconds(step.at("Total")));
  }
}

// Name and shapes to calls, device self and total, host self and total.
using OpRows = std::map<std::pair<std::string, std::string>, std::array<Ns, 5>>;

std::string WithoutBlanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

// The plug-in writes [] for a call without recorded shapes.
std::string ShapesOf(const Table& table, std::size_t row) {
  const std::string shapes = WithoutBlanks(TextAt(table, row, "input_shapes"));
  return shapes.empty() ? "[]" : shapes;
}

OpRows RowsOf(const Table& table, bool by_shape) {
  OpRows rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rows[{TextAt(table, row, "name"), by_shape ? ShapesOf(table, row) : std::string()}] = {
        IntegerOrZero(table, row, "calls"), IntegerOrZero(table, row, "device_self"),
        IntegerOrZero(table, row, "device_total"), IntegerOrZero(table, row, "host_self"),
        IntegerOrZero(table, row, "host_total")};
  }
  return rows;
}

OpRows RowsOf(const json::array& oracle) {
  OpRows rows;
  for (const json::value& value : oracle) {
    const json::object& row = value.as_object();
    const auto* shape = row.if_contains("input_shape");
    const auto time = [&](const char* id) {
      const auto* cell = row.if_contains(id);
      return cell == nullptr ? Ns{0} : Microseconds(*cell);
    };
    rows[{std::string(row.at("name").as_string()),
          shape == nullptr ? std::string() : WithoutBlanks(shape->as_string())}] = {
        row.at("calls").to_number<std::int64_t>(), time("device_self_duration"),
        time("device_total_duration"), time("host_self_duration"), time("host_total_duration")};
  }
  return rows;
}

// The plug-in counts no call inside of one of the same name that has no other operator in it.
void ExpectSameRows(const OpRows& ours, const OpRows& oracle) {
  EXPECT_EQ(ours.size(), oracle.size());
  for (auto [key, values] : oracle) {
    const auto found = ours.find(key);
    if (found == ours.end()) {
      ADD_FAILURE() << key.first << " " << key.second << " is missing";
      continue;
    }
    const bool has_inner = key.first == "aten::div" || key.first == "aten::mm";
    if (has_inner) values[0] = std::max(values[0], found->second[0]);
    EXPECT_EQ(found->second, values) << key.first << " " << key.second;
  }
}

class V100 : public testing::TestWithParam<const char*> {};

TEST_P(V100, EqualsThePlugin) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const auto ranks = ReadTrace(std::string("data/kineto/v100_resnet50/") + GetParam() + ".gz");
  ASSERT_FALSE(ranks.empty());
  const json::value oracle = ReadOracle(std::string("oracle/kineto/kineto__") + GetParam());
  const auto analysis = Analyze(ranks, {});
  ASSERT_TRUE(analysis.has_value());
  ExpectSteps(*analysis, oracle.at("steps").as_array());

  const json::object& gpu = oracle.at("gpus").at("0").as_object();
  EXPECT_NEAR(NumberOf(*analysis, "gpu.utilization.mean"),
              gpu.at("gpu_utilization").to_number<double>(), 1e-12);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.sm_efficiency"),
              gpu.at("est_sm_efficiency").to_number<double>(), 1e-9);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.occupancy"),
              gpu.at("est_achieved_occupancy").to_number<double>() / 100, 1e-9);

  ExpectSameRows(RowsOf(*analysis->FindTable("ops"), false),
                 RowsOf(oracle.at("operator_table").as_array()));
  ExpectSameRows(RowsOf(*analysis->FindTable("ops_by_shape"), true),
                 RowsOf(oracle.at("operator_table_by_input").as_array()));
}

INSTANTIATE_TEST_SUITE_P(Kineto, V100, testing::ValuesIn(kV100),
                         [](const auto& name) { return "Trace" + std::to_string(name.index); });

// Breakdown of the only iteration in microseconds: Tensor Core kernel … other, in the order of
// Category.
std::vector<Ns> OnlyBreakdown(const Analysis& analysis) {
  const Table& table = *analysis.FindTable("iterations");
  EXPECT_EQ(table.rows(), 1U);
  std::vector<Ns> parts;
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    parts.push_back(IntegerOrZero(table, 0, CategoryId(static_cast<Category>(i))) / 1000);
  }
  return parts;
}

void ExpectGpus(const std::vector<Profile>& profiles, const json::value& oracle) {
  if (!oracle.is_object()) return;
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  const auto uses = iterations::MeasureGpus(ranks->front());
  ASSERT_EQ(uses.size(), oracle.as_object().size());
  for (const iterations::GpuUse& use : uses) {
    const json::object& gpu = oracle.at(std::to_string(use.gpu)).as_object();
    EXPECT_NEAR(use.utilization(), gpu.at("gpu_utilization").to_number<double>(), 1e-12);
    const json::value& efficiency = gpu.at("est_sm_efficiency");
    if (efficiency.is_null()) {
      // No kernel in the window: we say 0, as for the utilization.
      EXPECT_EQ(use.sm_efficiency.value_or(0), 0);
    } else {
      EXPECT_NEAR(use.sm_efficiency.value(), efficiency.to_number<double>(), 1e-12);
    }
    const json::value& occupancy = gpu.at("est_achieved_occupancy");
    ASSERT_EQ(use.occupancy.has_value(), !occupancy.is_null());
    if (!use.occupancy) continue;
    EXPECT_NEAR(*use.occupancy, occupancy.to_number<double>() / 100, 1e-12);
  }
}

// The numbers of an example that equal the plug-in's; the rest is pinned below with its reason.
struct MicroCase {
  const char* name;
  bool steps = true;
  bool ops = true;
  bool window = true;
};

void PrintTo(const MicroCase& c, std::ostream* out) { *out << c.name; }

class Micro : public testing::TestWithParam<MicroCase> {};

// Without recorded calls the plug-in's operators have no time on the device, although its view of
// collectives finds kernels by external id. Ours have the kernels of that id.
OpRows OnHost(OpRows rows, const Profile& profile) {
  if (profile.api.size() > 0) return rows;
  for (auto& [key, values] : rows) std::get<1>(values) = std::get<2>(values) = 0;
  return rows;
}

TEST_P(Micro, EqualsThePlugin) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const std::string base = std::string("data/kineto/micro/") + GetParam().name;
  const auto ranks = ReadTrace(base + ".trace.json");
  ASSERT_FALSE(ranks.empty());
  const json::value oracle = ReadOracle(base + ".expected.json");
  const auto analysis = Analyze(ranks, {});
  ASSERT_TRUE(analysis.has_value());
  if (GetParam().steps) ExpectSteps(*analysis, oracle.at("steps").as_array());
  if (GetParam().window) ExpectGpus(ranks, oracle.at("gpus"));
  if (!GetParam().ops) return;
  if (const Table* ops = analysis->FindTable("ops"); !ops->columns().empty()) {
    ExpectSameRows(OnHost(RowsOf(*ops, false), ranks.front()),
                   RowsOf(oracle.at("operator_table").as_array()));
  }
  if (const Table* ops = analysis->FindTable("ops_by_shape"); !ops->columns().empty()) {
    ExpectSameRows(OnHost(RowsOf(*ops, true), ranks.front()),
                   RowsOf(oracle.at("operator_table_by_input").as_array()));
  }
}

constexpr MicroCase kMicro[] = {
    {"test_all_categories", true, true},
    {"test_build_module_hierarchy", true, true},
    {"test_datapipe", false, true},
    {"test_distributed_gloo_cpu", false, true},
    {"test_distributed_gloo_cpu.2", false, true},
    // The host goes on after the last kernel; the window does not.
    {"test_distributed_gloo_gpu", false, true, false},
    {"test_distributed_gloo_gpu.2", false, true, false},
    // Kernels without launches run on after the host, which the plug-in's window leaves out.
    {.name = "test_distributed_nccl", .steps = false, .ops = true, .window = false},
    {.name = "test_distributed_nccl.2", .steps = false, .ops = true, .window = false},
    {"test_distributed_nccl_user_annotation_has_communication", false, true},
    {"test_external_id", false, true, false},
    {"test_gpu_utilization", true, true},
    {"test_group_by_kernel_columns", false, false, false},
    {"test_group_by_kernel_columns_invalid_input", true, false},
    {"test_last_steps_no_kernel", true, true},
    {"test_memory_curve_no_step_plot", false, true},
    {"test_memory_curve_step_plot", false, true},
    {"test_memory_view", true, false},
    {"test_multiple_profilersteps_no_overlap", true, true},
    {"test_multiple_profilersteps_with_overlap", true, true},
    {"test_no_profilerstep", true, true},
    {"test_operator_relation", true, true},
    {"test_operator_relation.2", true, true},
    {"test_pure_cpu", true, true},
    {"test_remove_dup_nodes", false, true, false},
    {"test_runtime_called_by_profilerstep", true, true},
    {"test_runtime_launch_multipe_kernels", false, true},
    {"test_self_time", true, true},
    {"test_tensor_core", false, true, false},
    {"test_top_level_runtime", false, true, false},
};

INSTANTIATE_TEST_SUITE_P(Kineto, Micro, testing::ValuesIn(kMicro), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

Analysis AnalyzeMicro(const char* name) {
  const auto ranks = ReadTrace(std::string("data/kineto/micro/") + name + ".trace.json");
  auto analysis = Analyze(ranks, {});
  EXPECT_TRUE(analysis.has_value());
  return std::move(*analysis);
}

// Without iterations the device is judged where it is observable. Here its first kernel starts 70
// us after its launch, so earlier device work is unknown; the plug-in counts it as idle.
TEST(PluginDiffers, WindowBeginsWithObservableDevice) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  for (const char* name : {"test_remove_dup_nodes", "test_top_level_runtime"}) {
    const Analysis analysis = AnalyzeMicro(name);
    EXPECT_EQ(analysis.window_end - analysis.window_start, 8'000) << name;
    EXPECT_EQ(NumberOf(analysis, "gpu.utilization.mean"), 1) << name;
  }
}

// Without iterations the window ends with the last device work. The plug-in's holds what the host
// does after it.
TEST(PluginDiffers, WindowEndsWithLastWork) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const std::pair<const char*, Ns> tails[] = {{"test_distributed_gloo_gpu", 25'000},
                                              {"test_distributed_gloo_gpu.2", 6'000},
                                              {"test_external_id", 62'000},
                                              {"test_group_by_kernel_columns", 143'000},
                                              {"test_tensor_core", 65'000}};
  for (const auto& [name, tail] : tails) {
    const Analysis analysis = AnalyzeMicro(name);
    EXPECT_EQ(NumberOf(analysis, "coverage.tail_time"), tail) << name;
    const std::string expected = std::string("data/kineto/micro/") + name + ".expected.json";
    const json::value plugin = ReadOracle(expected);
    EXPECT_EQ(analysis.window_end - analysis.window_start + tail,
              Microseconds(plugin.at("steps").at(0).at("Total")))
        << name;
  }
}

// The plug-in starts over when the free time is used up, and calls the 23 us of the DataPipe
// "Other" once more.
TEST(PluginDiffers, CategoriesDoNotStartOver) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_datapipe")),
            (std::vector<Ns>{0, 0, 0, 0, 0, 0, 23, 0, 0}));
}

// The plug-in takes the host range `nccl:…` for the time in the collective; here it is the kernel
// (162..1718, less the part that the other kernel hides), and the range is the host's work. The
// plug-in ends at 235, where the host does: nothing recorded which launch a kernel follows from.
TEST(PluginDiffers, CollectivesAreTheirKernels) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_distributed_nccl")),
            (std::vector<Ns>{0, 161, 1443, 0, 0, 0, 0, 79, 35}));
  // Worker 1, where the plug-in's parts add up to 470 of 235 us.
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_distributed_nccl.2")),
            (std::vector<Ns>{0, 161, 1080, 0, 0, 0, 0, 52, 327}));
}

// Without a device, operators that run beside a collective hide it, as its share of overlap (74 of
// 109 us, and 64 of 98) says; to the plug-in's breakdown all of it is communication.
TEST(PluginDiffers, OperatorsHideCollectivesOfTheHost) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_distributed_gloo_cpu")),
            (std::vector<Ns>{0, 0, 35, 0, 0, 0, 0, 121, 0}));
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_distributed_gloo_cpu.2")),
            (std::vector<Ns>{0, 0, 34, 0, 0, 0, 0, 100, 12}));
}

// A kernel named nccl… is communication whatever operator it belongs to.
TEST(PluginDiffers, NcclKernelsAreNoComputation) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const Analysis analysis = AnalyzeMicro("test_runtime_launch_multipe_kernels");
  EXPECT_EQ(OnlyBreakdown(analysis)[static_cast<std::size_t>(Category::kCommunication)], 132810);
}

// The plug-in's categories with its own roles: the same partition gives its numbers.
TEST(PluginDiffers, ThePartitionWithThePluginsRoles) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const auto ranks = ReadTrace("data/kineto/micro/test_distributed_nccl.trace.json");
  const Profile& profile = ranks.front();
  const auto contexts = iterations::BuildRankContexts(ranks, {});
  breakdown::Roles roles = breakdown::CollectRoles(profile, contexts->front().classes);
  std::vector<Span> communication = roles[static_cast<std::size_t>(Category::kCommunication)];
  std::vector<Span> cpu;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const Span span{profile.host.start[row], profile.host.start[row] + profile.host.duration[row]};
    const bool nccl = profile.Name(profile.host.name[row]).starts_with("nccl:");
    (nccl ? communication : cpu).push_back(span);
  }
  roles[static_cast<std::size_t>(Category::kCommunication)] = Merge(communication);
  roles[static_cast<std::size_t>(Category::kCpu)] = Merge(cpu);
  std::vector<CategoryEvent> events;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    for (const Span span : roles[i]) events.emplace_back(static_cast<Category>(i), span);
  }
  // The plug-in's window is the host's.
  Span window = contexts->front().window();
  window.end = window.start + 235'000;
  breakdown::BreakdownSums sums(std::span(&window, 1));
  VisitCategoriesOf(events,
                    [&sums](Span stretch, breakdown::CategorySet set) { sums.Add(stretch, set); });
  EXPECT_EQ(sums.Take().front(),
            (breakdown::Breakdown{0, 105'000, 75'000, 0, 0, 0, 0, 20'000, 35'000}));
}

// The examples name an op of another thread as the launching one. A launch belongs to the op that
// it is in; on real traces, ids that say otherwise are collisions (26 to 39 % of kernel time).
TEST(PluginDiffers, OtherThreadsIdIsNoLink) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  struct Case {
    const char* trace;
    const char* op;
  };
  for (const Case& c : {Case{"test_group_by_kernel_columns", "op1"},
                        Case{"test_group_by_kernel_columns_invalid_input", "op1"},
                        Case{"test_memory_view", "aten::nll_loss_backward"}}) {
    const Analysis analysis = AnalyzeMicro(c.trace);
    const OpRows rows = RowsOf(*analysis.FindTable("ops"), false);
    const auto& [calls, device_self, device_total, host_self, host_total] = rows.at({c.op, ""});
    EXPECT_EQ(device_self, 0) << c.trace;
    EXPECT_EQ(device_total, 0) << c.trace;
    EXPECT_EQ(host_self, host_total) << c.trace;
  }
}

// Without operators the plug-in's step is minus 2^64 microseconds long.
TEST(PluginDiffers, NoStepIsNegative) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_memory_curve_step_plot")), std::vector<Ns>(9, 0));
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_memory_curve_no_step_plot")), std::vector<Ns>(9, 0));
  EXPECT_EQ(OnlyBreakdown(AnalyzeMicro("test_distributed_nccl_user_annotation_has_communication")),
            (std::vector<Ns>{0, 0, 0, 0, 0, 0, 0, 0, 71}));
}

}  // namespace
}  // namespace profgauge::analysis
