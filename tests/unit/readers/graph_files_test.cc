// Profiles of the capture of graphs: which files they are, which profile they belong to, and that
// they are no ranks.
#include "readers/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(GraphFiles, KnownByNamesAndFolders) {
  for (const char* path :
       {"t/capture_traces/graph_capture_rank_0.1773709742341309550.pt.trace.json.gz",
        "graph_capture_rank_3_encoder.177.pt.trace.json.gz",
        "t/capture_traces/bs_128_rank0.json.gz", "capture_traces/capture_trace_rank_0.json.gz",
        "p/graph_capture_profile/cuda_graph_capture-DecodeCudaGraphRunner-TP-0.json.gz"}) {
    EXPECT_TRUE(IsGraphCapture(path)) << path;
  }
  for (const char* path : {"rank0.pt.trace.json.gz", "profile_trace_rank_0.json.gz",
                           "capture_traces/notes.txt", "capture_traces", "-"}) {
    EXPECT_FALSE(IsGraphCapture(path)) << path;
  }
  EXPECT_EQ(RankOfCapture("graph_capture_rank_3_encoder.177.pt.trace.json.gz"), 3);
  EXPECT_EQ(RankOfCapture("c/bs_128_rank7.json.gz"), 7);
  EXPECT_EQ(RankOfCapture("cuda_graph_capture-Runner-TP-1.json.gz"), 1);
  EXPECT_EQ(RankOfCapture("c/bs_8.json.gz"), std::nullopt);
}

TEST(GraphFiles, TakenOutUnlessNothingElse) {
  std::vector<std::string> files = {"rank0.json", "graph_capture_rank_0.json"};
  EXPECT_THAT(TakeCaptures(files), ElementsAre("graph_capture_rank_0.json"));
  EXPECT_THAT(files, ElementsAre("rank0.json"));
  files = {"graph_capture_rank_0.json"};
  EXPECT_THAT(TakeCaptures(files), IsEmpty());
  EXPECT_THAT(files, ElementsAre("graph_capture_rank_0.json"));
}

constexpr const char* kCapture = R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 50,
 "args": {"Input Dims": [[2, 3], [3, 4]]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
 "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 5,
 "args": {"device": 0, "stream": 7, "correlation": 1}}]})";
constexpr const char* kReplay = R"({"traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
 "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 5,
 "args": {"device": 0, "stream": 7, "correlation": 1}}]})";

class GraphFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "graph_files_" + std::to_string(::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/capture_traces");
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, const char* text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  std::string folder_;
};

std::string OpOf(const Profile& profile) {
  const HostId op = profile.device.op[0];
  if (!op.valid()) return "";
  return std::string(profile.Name(profile.host.name[op.value])) + " " +
         std::string(profile.Name(profile.host.input_shapes[op.value]));
}

TEST_F(GraphFilesTest, BesideAProfileGiveItOperators) {
  const std::string replay = Write("rank0.json", kReplay);
  Write("capture_traces/graph_capture_rank_0.json", kCapture);
  Write("capture_traces/graph_capture_rank_1.json", "of another rank, and no JSON");
  for (const std::string& path : {replay, folder_}) {
    const auto run = LoadFiles({path}, {});
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->profiles.size(), 1u);
    const Profile& profile = run->profiles.front();
    EXPECT_EQ(OpOf(profile), "aten::mm [[2, 3], [3, 4]]");
    EXPECT_THAT(profile.facts,
                Contains(Pair("graphs with operators of their capture", "1 of 1 launches")));
  }
}

// ROCm's profiler names kernels at their launches, which did not run while they were captured.
TEST_F(GraphFilesTest, HipNamesKernelsAtLaunches) {
  std::string replayed = kReplay;
  replayed.replace(replayed.find("cudaGraphLaunch"), 15, "hipGraphLaunch");
  const std::string replay = Write("1785501977.97-TP-0.trace.json", replayed.c_str());
  Write("capture_traces/bs_24_rank0.json", R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 10, "dur": 50,
 "args": {"Input Dims": [[24, 3], [3, 4]]}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipStreamBeginCapture", "pid": 9, "tid": 9, "ts": 1, "dur": 1},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 9, "tid": 9, "ts": 20, "dur": 5,
 "args": {"correlation": 1, "kernel": "gemm", "grid": [4, 1, 1], "block": [64, 1, 1]}}]})");
  const auto run = LoadFiles({replay}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(OpOf(run->profiles.front()), "aten::mm [[24, 3], [3, 4]]");
  // A separate profile has work that ran outside.
  const auto alone = LoadFiles({folder_ + "/capture_traces/bs_24_rank0.json"}, {});
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->profiles.front().device.size(), 0u);
}

TEST_F(GraphFilesTest, NamedOnesAreNoRanks) {
  const std::string replay = Write("rank0.json", kReplay);
  fs::create_directories(folder_ + "/elsewhere");
  const std::string capture = Write("elsewhere/graph_capture_rank_0.json", kCapture);
  auto run = LoadFiles({replay, capture}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 1u);
  EXPECT_EQ(OpOf(run->profiles.front()), "aten::mm [[2, 3], [3, 4]]");
  Write("graph_capture_rank_0.json", kCapture);
  run = LoadFiles({folder_}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles.size(), 1u);
  EXPECT_THAT(RecordingsOf(folder_ + "/elsewhere"), ElementsAre(capture));
  // Without others it is read as a profile.
  run = LoadFiles({capture}, {});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->profiles.size(), 1u);
}

TEST_F(GraphFilesTest, UnmatchedOrUnreadableAreNotes) {
  std::string other = kReplay;
  other.replace(other.find("gemm"), 4, "conv");
  const std::string replay = Write("rank0.json", other.c_str());
  Write("capture_traces/bs_1_rank0.json", kCapture);
  Write("capture_traces/bs_2_rank0.json", "no JSON");
  const auto run = LoadFiles({replay}, {});
  ASSERT_TRUE(run) << run.error().message;
  const Profile& profile = run->profiles.front();
  EXPECT_EQ(OpOf(profile), "");
  EXPECT_THAT(profile.facts,
              Contains(Pair("graphs without operators",
                            "1 of 1 launches: no capture has this sequence of kernel names")));
  EXPECT_THAT(profile.facts,
              Contains(Pair("capture of graphs that is not read",
                            "bs_2_rank0.json: the file is not a profile of a known format")));
}

}  // namespace
}  // namespace profgauge::readers
