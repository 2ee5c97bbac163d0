// PyProf's table: all columns but those of its formulas equal its own output on real profiles.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/csv.h"
#include "exports/pyprof/prof.h"
#include "model/profile_builder.h"
#include "readers/load.h"
#include "readers/text/csv.h"

namespace profgauge::exports::pyprof {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// All but operator, parameters, Tensor Cores, FLOPs and bytes: there PyProf's formulas have its
// bugs (operator precedence, lists of kernel names), and ours are other on purpose.
constexpr int kAsInPyprof[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 17};

std::string Csv(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& cells : rows) {
    std::vector<std::string> kept;
    for (const int column : kAsInPyprof) kept.push_back(cells[static_cast<std::size_t>(column)]);
    AppendCsvRow(text, kept, CsvQuotes::kAll);
  }
  return text;
}

struct Golden {
  const char* input;
  const char* output;
};
// Names of tests must not hold values that differ from run to run, e.g. addresses.
void PrintTo(const Golden& row, std::ostream* out) { *out << row.input << " as " << row.output; }

class PyprofOracle : public ::testing::TestWithParam<Golden> {};

TEST_P(PyprofOracle, EqualsPyprofsOwnTable) {
  const std::string shared = PROFGAUGE_SHARED_DIR;
  const std::string input = shared + "/data/" + GetParam().input;
  if (!std::filesystem::exists(input)) GTEST_SKIP() << "no real files here";
  const auto profile = readers::ReadProfile(input, {});
  ASSERT_TRUE(profile) << profile.error().message;
  std::vector<std::vector<std::string>> theirs;
  readers::CsvCutter cutter(
      [&](std::span<const std::string> cells) { theirs.emplace_back(cells.begin(), cells.end()); });
  ASSERT_TRUE(cutter.Feed(ReadFile(shared + "/oracle/pyprof/" + GetParam().output)));
  ASSERT_TRUE(cutter.End(1));
  ASSERT_FALSE(theirs.empty());
  theirs.erase(theirs.begin());  // The line of heads.
  EXPECT_EQ(Csv(BuildKernelRows(*profile).cells), Csv(theirs));
}

INSTANTIATE_TEST_SUITE_P(
    All, PyprofOracle,
    ::testing::Values(Golden{"pyprof/josiahdavis_profiling-lm.net.sql",
                             "josiahdavis.prof_nvidia311_tolerant20.csv"},
                      Golden{"pyprof/josiahdavis_profiling-lm.net.dict",
                             "josiahdavis.prof_nvidia311_tolerant20.csv"},
                      Golden{"pyprof/synthetic_all_ops.net.dict",
                             "synthetic_all_ops.prof_nvidia311_tolerant20.csv"},
                      Golden{"nsight-systems/dlprof_dummynet_wrelu_nsys.sqlite",
                             "dummynet_wrelu.nsys_prof_nvidia311_tolerant20.csv"}));

// Kineto's operators have shapes, not markers: one operator's work is divided among its kernels, so
// that several of them do not repeat it.
TEST(Pyprof, OperatorsKernelsShareItsWork) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  Ns at = 0;
  std::int64_t correlation = 0;
  const auto op = [&](const char* name, const char* shapes, const char* types, const char* values,
                      std::initializer_list<const char*> kernels) {
    HostRow row;
    row.start = at;
    row.duration = 1000;
    row.name = builder.Intern(name);
    row.thread = thread;
    row.input_shapes = builder.Intern(shapes);
    row.input_dtypes = builder.Intern(types);
    if (*values != 0) row.concrete_inputs = builder.Intern(values);
    builder.AddHost(row);
    for (const char* kernel : kernels) {
      at += 100;
      ++correlation;
      builder.AddApi({.start = at,
                      .duration = 10,
                      .name = builder.Intern("cudaLaunchKernel"),
                      .kind = ApiKind::kLaunch,
                      .thread = thread,
                      .correlation = correlation});
      builder.AddDevice({.start = at + 50,
                         .duration = 40,
                         .name = builder.Intern(kernel),
                         .gpu = 0,
                         .stream = 7,
                         .correlation = correlation,
                         .config = {},
                         .collective = {}});
    }
    at += 1000;
  };
  op("aten::convolution_backward",
     "[[1, 6, 4, 4], [1, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], [], [], [], []]",
     "[float, float, float, ScalarList, ScalarList, ScalarList, ScalarList, Scalar, ScalarList, "
     "Scalar, ]",
     "[, , , [0], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False]]",
     {"cudnn_dgrad_implicit_gemm", "cudnn_wgrad_implicit_gemm", "elementwise_kernel"});
  op("aten::native_layer_norm_backward", "[[10, 8], [10, 8]]", "[float, float]", "",
     {"layer_norm_grad_input_kernel", "GammaBetaBackwardCUDAKernel"});
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  std::size_t flops = 0, bytes = 0;
  for (const ColumnName& column : AllColumns()) {
    if (std::string_view(column.header) == "FLOPs") break;
    ++flops;
  }
  bytes = flops + 1;
  const auto rows = BuildKernelRows(*profile).cells;
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(std::stod(rows[0][flops]) + std::stod(rows[1][flops]), 4.0 * 6 * 16 * 27);
  EXPECT_EQ(rows[2][flops], "0");
  EXPECT_EQ(std::stod(rows[3][flops]) + std::stod(rows[4][flops]), 14.0 * 80);
  EXPECT_EQ(std::stod(rows[3][bytes]) + std::stod(rows[4][bytes]), 3.0 * 4 * 80);
}

TEST(Pyprof, ShortNames) {
  EXPECT_EQ(ShortName("void at::native::(anonymous namespace)::foo<int>(int)"), "foo");
  EXPECT_EQ(ShortName("cudnn::gemm::computeOffsetsKernel(Params)"),
            "cudnn::gemm::computeOffsetsKernel");
  EXPECT_EQ(ShortName("volta_sgemm_128x64_nn"), "volta_sgemm_128x64_nn");
}

KernelRecord Record(std::vector<std::int64_t> ids, std::vector<std::string> ops,
                    bool backward = false) {
  KernelRecord record;
  record.seq_ids = std::move(ids);
  record.ops = std::move(ops);
  record.backward = backward;
  return record;
}

TEST(Pyprof, SequenceNumbers) {
  std::vector<KernelRecord> records = {
      Record({0, 7}, {"mm"}),      // 0 beside others is no number.
      Record({7}, {"mm"}),         // The second kernel of 7.
      Record({7, 8}, {"add"}),     // The first number after the last one.
      Record({3, 4, 5}, {"add"}),  // None is later: it stays with 8.
      Record({}, {"add"}),        Record({7, 9}, {"mm"}, true)  // Backward: the first.
  };
  NumberSequences(records);
  EXPECT_EQ(records[0].seq_ids, (std::vector<std::int64_t>{7}));
  EXPECT_EQ(records[1].sub_seq, 1);
  EXPECT_EQ(records[2].seq_ids, (std::vector<std::int64_t>{8}));
  EXPECT_EQ(records[2].alt_seq_ids, (std::vector<std::int64_t>{7}));
  // PyProf changes the list that it walks: 4 is never looked at.
  EXPECT_EQ(records[3].seq_ids, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(records[3].alt_seq_ids, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(records[4].sub_seq, 0);
  EXPECT_EQ(records[5].seq_ids, (std::vector<std::int64_t>{7}));
}

TEST(Pyprof, ABackwardKernelTakesItsForwardsMarkers) {
  std::vector<KernelRecord> records = {Record({1}, {"mm"}), Record({2}, {"relu"}),
                                       Record({1}, {"Mm"}, true), Record({9}, {"X"}, true)};
  records[0].markers = {"{'mod': 'torch', 'op': 'mm', 'args': []}"};
  records[0].layers = {"encoder"};
  CopyForwardToBackward(records);
  EXPECT_EQ(records[2].ops, (std::vector<std::string>{"mm"}));
  EXPECT_EQ(records[2].markers.size(), 1u);
  EXPECT_EQ(records[2].layers.size(), 1u);
  EXPECT_EQ(records[3].ops, (std::vector<std::string>{"X"}));
  EXPECT_TRUE(records[3].markers.empty());
}

}  // namespace
}  // namespace profgauge::exports::pyprof
