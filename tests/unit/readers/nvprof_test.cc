#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/sqlite.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

class NvprofTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "nvprof_" + std::to_string(::getpid()) + ".nvvp";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void Write(const std::string& sql) {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    const Status status = database->Execute(sql);
    ASSERT_TRUE(status) << status.error().message;
  }
  Profile Read() {
    auto profile = ReadProfile(path_, {});
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? std::move(*profile) : Profile{};
  }

  static std::string Strings() {
    return R"(
      create table StringTable (_id_ integer primary key, value text);
      insert into StringTable values (1, '_Z6vecAddPfS_i'), (2, 'Tesla V100'),
        (3, 'aten::mm, seq = 4'), (4, 'layers'), (5, 'step 1');)";
  }
  static std::string Kernels(const std::string& table, const std::string& rows) {
    return "create table " + table +
           " (start int, end int, deviceId int, streamId int, correlationId int, name int, "
           "gridX int, gridY int, gridZ int, blockX int, blockY int, blockZ int, "
           "registersPerThread int, staticSharedMemory int, dynamicSharedMemory int);" +
           (rows.empty() ? "" : "insert into " + table + " values " + rows + ";");
  }
  static std::string Calls(const std::string& rows) {
    return "create table CUPTI_ACTIVITY_KIND_RUNTIME (cbid int, start int, end int, processId int, "
           "threadId int, correlationId int, returnValue int);"
           "insert into CUPTI_ACTIVITY_KIND_RUNTIME values " +
           rows + ";";
  }
  static std::string Copies(const std::string& rows) {
    return "create table CUPTI_ACTIVITY_KIND_MEMCPY (start int, end int, deviceId int, "
           "streamId int, correlationId int, bytes int, copyKind int, srcKind int, dstKind int);"
           "insert into CUPTI_ACTIVITY_KIND_MEMCPY values " +
           rows + ";";
  }
  static std::string Markers(const std::string& rows) {
    return "create table CUPTI_ACTIVITY_KIND_MARKER (flags int, timestamp int, id int, "
           "objectKind int, objectId blob, name int, domain int);"
           "insert into CUPTI_ACTIVITY_KIND_MARKER values " +
           rows + ";";
  }

  std::string path_;
};

constexpr const char* kConcurrent = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL";
constexpr const char* kThreeCalls =
    "(211, 1500, 1600, 7, -2, 21, 0), (9999, 1700, 1710, 7, -2, 22, 0), "
    "(41, 1800, 1900, 7, -2, 23, 0)";

TEST_F(NvprofTest, ReadsKernelsCopiesCallsAndMarkers) {
  // The thread of a marker is a BLOB: process 7 in 32 bits, thread -2 in 64.
  Write(Strings() +
        Kernels(kConcurrent, "(2000, 2500, 0, 7, 21, 1, 40, 1, 1, 256, 1, 1, 32, 8, 8)") +
        Calls(kThreeCalls) +
        Copies("(2600, 2700, 0, 7, 23, 64, 1, 2, 3), (2800, 2900, 0, 7, 99, 32, 2, 3, 1)") + R"(
      create table CUPTI_ACTIVITY_KIND_DEVICE (id int, name int, globalMemorySize int,
        numMultiprocessors int, computeCapabilityMajor int, computeCapabilityMinor int,
        numThreadsPerWarp int, maxWarpsPerMultiprocessor int);
      insert into CUPTI_ACTIVITY_KIND_DEVICE values (0, 2, 1000, 80, 7, 0, 32, 64);)" +
        Markers("(2, 1400, 1, 2, x'07000000FEFFFFFFFFFFFFFF', 3, 0), "
                "(2, 1000, 2, 2, x'07000000FEFFFFFFFFFFFFFF', 5, 0), "
                "(1, 1450, 9, 2, x'07000000FEFFFFFFFFFFFFFF', 4, 0), "
                "(4, 1650, 1, 2, x'07000000FEFFFFFFFFFFFFFF', 0, 0), "
                "(4, 3000, 2, 2, x'07000000FEFFFFFFFFFFFFFF', 0, 0)"));
  const Profile profile = Read();
  EXPECT_TRUE(profile.gpus_by_process);
  EXPECT_EQ(profile.source.format, "nvprof");
  ASSERT_EQ(profile.device.size(), 3u);
  EXPECT_EQ(profile.Name(profile.device.name[0]), "vecAdd(float*, float*, int)");
  EXPECT_EQ(profile.device.duration[0], 500);
  const LaunchConfig& config = profile.launch_configs[profile.device.config[0].value];
  EXPECT_EQ(config.blocks_per_sm, 0.5);
  EXPECT_EQ(config.shared_memory, 16);
  const HostId op = profile.device.op[0];
  ASSERT_TRUE(op.valid());
  EXPECT_EQ(profile.Name(profile.host.name[op.value]), "aten::mm");
  EXPECT_EQ(profile.host.sequence[op.value], 4);
  EXPECT_EQ(profile.host.kind[profile.host.parent[op.value].value], HostKind::kIterationMarker);
  // CUPTI's memory kinds, one above those of Nsight Systems.
  EXPECT_EQ(profile.device.copy[1], CopyKind::kHostToDevice);
  EXPECT_EQ(profile.device.host_memory[1], HostMemory::kPinned);
  EXPECT_EQ(profile.device.host_memory[2], HostMemory::kPageable);
  ASSERT_EQ(profile.api.size(), 3u);
  EXPECT_EQ(profile.Name(profile.api.name[0]), "cudaLaunchKernel");
  EXPECT_EQ(profile.Name(profile.api.name[1]), "cbid#9999");
  EXPECT_EQ(profile.Name(profile.api.name[2]), "cudaMemcpyAsync");
  ASSERT_EQ(profile.gpus.size(), 1u);
  EXPECT_EQ(profile.gpus[0].name, "Tesla V100");
  EXPECT_EQ(profile.gpus[0].max_threads_per_sm, 2048);
  EXPECT_EQ(profile.log[Counter::events_ignored_kind], 1u);  // The instantaneous marker.
}

TEST_F(NvprofTest, CountsLostRecordsAndMissingNames) {
  Write(Strings() + Kernels(kConcurrent,
                            "(0, 0, 0, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0), "
                            "(100, 200, 0, 7, 2, 77, 1, 1, 1, 1, 1, 1, 1, 0, 0)"));
  const Profile profile = Read();
  ASSERT_EQ(profile.device.size(), 1u);
  EXPECT_EQ(profile.Name(profile.device.name[0]), "(unnamed kernel 77)");
  EXPECT_EQ(profile.log[Counter::events_bad_time], 1u);
}

// nvprof lets kernels run one by one, or again, to read counters: when they ran is its doing.
TEST_F(NvprofTest, CountersAndSerializedKernelsAreReported) {
  const std::string kernel = "(2000, 2500, 0, 7, 21, 1, 40, 1, 1, 256, 1, 1, 32, 8, 8)";
  const auto counters = [](const std::string& table, bool any) {
    const std::string name = "CUPTI_ACTIVITY_KIND_" + table;
    return "create table " + name + " (_id_ integer primary key, value int);" +
           (any ? "insert into " + name + " values (1, 2);" : "");
  };
  const std::pair<std::string, std::uint64_t> kRows[] = {
      {Kernels(kConcurrent, kernel) + counters("METRIC_INSTANCE", false), 0},
      {Kernels(kConcurrent, kernel) + counters("METRIC_INSTANCE", true), 1},
      {Kernels(kConcurrent, kernel) + counters("EVENT_INSTANCE", true), 1},
      {Kernels(kConcurrent, kernel) + counters("PC_SAMPLING", true), 1},
      {Kernels("CUPTI_ACTIVITY_KIND_KERNEL", kernel), 1},
  };
  for (const auto& [tables, serialized] : kRows) {
    std::filesystem::remove(path_);
    Write(Strings() + tables);
    EXPECT_EQ(Read().log[Counter::kernels_serialized], serialized) << tables;
  }
}

// Three among many are a glitch, and all that a profile has of its copies.
TEST_F(NvprofTest, CopiesWithoutTheirTimesAreLost) {
  for (const int lost : {0, 1, 3}) {
    std::filesystem::remove(path_);
    std::string copies;
    for (int i = 0; i < 3; ++i) {
      copies += fmt::format("{}(100, {}, 0, 7, {}, 64, 1, 1, 2)", i > 0 ? ", " : "",
                            i < lost ? 0 : 200, 10 + i);
    }
    std::string kernels;
    for (int i = 0; i < 1000; ++i) {
      kernels += fmt::format("{}({}, {}, 0, 7, {}, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)",
                             i > 0 ? ", " : "", 1000 * i + 300, 1000 * i + 400, 100 + i);
    }
    Write(Strings() + Kernels(kConcurrent, kernels) + Copies(copies));
    const Profile profile = Read();
    EXPECT_EQ(profile.device.size(), 1003u - static_cast<std::size_t>(lost));
    EXPECT_EQ(profile.log.HasDataLoss(), lost == 3);
    if (lost < 3) continue;
    EXPECT_THAT(profile.log.Examples(Counter::rows_unusable),
                ::testing::ElementsAre("3 of 3 copies"));
  }
}

TEST_F(NvprofTest, SerializedRunsUseOtherTable) {
  const std::string row = "(100, 200, 0, 7, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)";
  Write(Strings() + Kernels(kConcurrent, "") + Kernels("CUPTI_ACTIVITY_KIND_KERNEL", row));
  EXPECT_EQ(Read().device.size(), 1u);
  std::filesystem::remove(path_);
  // Both filled: the concurrent one counts.
  Write(Strings() + Kernels(kConcurrent, row) + Kernels("CUPTI_ACTIVITY_KIND_KERNEL", row));
  EXPECT_EQ(Read().device.size(), 1u);
}

TEST_F(NvprofTest, UnclosedAndCrossThreadRanges) {
  Write(Strings() + Kernels(kConcurrent, "(100, 200, 0, 7, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)") +
        Markers("(2, 50, 1, 2, x'070000000100000000000000', 4, 0), "
                "(2, 60, 2, 2, x'070000000100000000000000', 4, 0), "
                "(4, 90, 2, 2, x'070000000200000000000000', 0, 0)") +
        Copies("(300, 300, 0, 7, 99, 32, 2, 3, 1)"));
  const Profile profile = Read();
  ASSERT_EQ(profile.host.size(), 1u);
  EXPECT_EQ(profile.host.duration[0], 40);
  EXPECT_EQ(profile.log[Counter::ranges_not_closed], 1u);
  EXPECT_EQ(profile.log[Counter::ranges_across_threads], 1u);
  // Only a repaired length makes a copy without one suspect, and a range has none of a copy's.
  EXPECT_EQ(profile.log[Counter::events_missing_dur], 0u);
  EXPECT_FALSE(profile.log.HasDataLoss());
}

// Where a profiler lost all ends, each would otherwise hold all that follow it.
TEST_F(NvprofTest, UnclosedMarkerLastsToTheNext) {
  Write(Strings() + "insert into StringTable values (6, 'step 2'), (7, 'step 10');" +
        Kernels(kConcurrent, "(100, 200, 0, 7, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)") +
        Markers("(2, 50, 1, 2, x'070000000100000000000000', 5, 0), "
                "(2, 150, 2, 2, x'070000000100000000000000', 6, 0), "
                "(2, 350, 3, 2, x'070000000100000000000000', 7, 0), "
                "(1, 400, 4, 2, x'070000000100000000000000', 4, 0)"));
  const Profile profile = Read();
  EXPECT_THAT(profile.host.duration, ::testing::ElementsAre(100, 200, 50));
  EXPECT_EQ(profile.log[Counter::ranges_not_closed], 3u);
}

// Rows of a table have no order.
TEST_F(NvprofTest, PairsMarkersOfAnyRows) {
  const std::vector<std::string> rows = {"(2, 50, 1, 2, x'070000000100000000000000', 5, 0)",
                                         "(2, 50, 2, 2, x'070000000100000000000000', 4, 0)",
                                         "(4, 50, 2, 2, x'070000000100000000000000', 0, 0)",
                                         "(4, 90, 1, 2, x'070000000100000000000000', 0, 0)"};
  for (const bool reversed : {false, true}) {
    auto ordered = rows;
    if (reversed) std::reverse(ordered.begin(), ordered.end());
    std::filesystem::remove(path_);
    Write(Strings() + Kernels(kConcurrent, "(100, 200, 0, 7, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)") +
          Markers(fmt::format("{}", fmt::join(ordered, ", "))));
    const Profile profile = Read();
    EXPECT_THAT(profile.host.duration, ::testing::ElementsAre(40, 0));
    EXPECT_EQ(profile.log[Counter::ranges_not_closed], 0u);
    EXPECT_EQ(profile.log[Counter::events_ignored_kind], 0u);
  }
}

// PyProf writes the stack around a forward operator only.
TEST_F(NvprofTest, GradientsHaveTheLineOfTheirForwardOperator) {
  const std::string stacks =
      R"(insert into StringTable values (6, "{'traceMarker': ['net.py:12']}"),
      (7, 'mm, seq = 72'), (8, 'MmBackward, seq = 72'), (9, 'mm, seq = 0'), (10, 'TBackward, seq = 71');)";
  const auto range = [](int id, int name, int from, int to) {
    return fmt::format(
        "(2, {}, {}, 2, x'070000000100000000000000', {}, 0), "
        "(4, {}, {}, 2, x'070000000100000000000000', 0, 0)",
        from, id, name, to, id);
  };
  Write(Strings() + stacks +
        Kernels(kConcurrent, "(100, 200, 0, 7, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)") +
        Markers(fmt::format("{}, {}, {}, {}, {}", range(1, 6, 10, 40), range(2, 7, 20, 30),
                            range(3, 8, 50, 70), range(4, 9, 55, 65), range(5, 10, 80, 90))));
  const Profile profile = Read();
  std::map<std::string, std::string> stack_of;
  for (std::size_t i = 0; i < profile.host.size(); ++i) {
    const StringId stack = profile.host.call_stack[i];
    stack_of[std::string(profile.Name(profile.host.name[i]))] +=
        stack.valid() ? profile.Name(stack) : "-";
  }
  EXPECT_EQ(stack_of["mm"], "net.py(12)net.py(12)") << "forward and in the gradient";
  EXPECT_EQ(stack_of["MmBackward"], "net.py(12)");
  EXPECT_EQ(stack_of["TBackward"], "-") << "its forward operator was not recorded";
}

// Calls of a later CUDA have unknown numbers; kernels show their kind.
TEST_F(NvprofTest, UnknownLaunchingCallIsALaunch) {
  const auto read = [&](int lost) {
    std::string kernels, calls;
    for (int i = 0; i < 100; ++i) {
      calls += fmt::format("{}(9999, {}, {}, 7, 1, {}, 0)", i == 0 ? "" : ", ", 1000 + 10 * i,
                           1005 + 10 * i, i);
      if (i < lost) continue;
      kernels += fmt::format("{}({}, {}, 0, 7, {}, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)",
                             i == lost ? "" : ", ", 2000 + 10 * i, 2008 + 10 * i, i);
    }
    std::filesystem::remove(path_);
    Write(Strings() + Kernels(kConcurrent, kernels) +
          Calls("(8888, 10, 20, 7, 1, 200, 0), " + calls));
    return Read();
  };
  const Profile whole = read(0);
  EXPECT_EQ(whole.api.kind[0], ApiKind::kOther);
  EXPECT_EQ(whole.api.kind[1], ApiKind::kLaunch);
  EXPECT_EQ(whole.Name(whole.api.name[1]), "cbid#9999");
  EXPECT_FALSE(whole.log.HasDataLoss());
  EXPECT_TRUE(read(30).log.HasDataLoss());
}

TEST_F(NvprofTest, RefusesFilesWithoutGpuActivity) {
  Write(Kernels(kConcurrent, ""));
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "nvprof/no-strings");
  std::filesystem::remove(path_);
  Write(Strings() + Calls(kThreeCalls));
  const auto error = ReadProfile(path_, {}).error();
  EXPECT_EQ(error.code, "nvprof/no-gpu-activity");
  EXPECT_THAT(error.notes, ::testing::ElementsAre(::testing::HasSubstr("--print-api-trace only?")));
}

TEST_F(NvprofTest, ReadsRealFiles) {
  const std::string folder = PROFGAUGE_SHARED_DIR "/data/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no real files here";
  const auto t4 = ReadProfile(folder + "nvprof/lianhang_vectoradd_normal_1M.nvvp", {});
  ASSERT_TRUE(t4) << t4.error().message;
  EXPECT_EQ(t4->device.size(), 4u);
  EXPECT_EQ(t4->api.size(), 122u);
  const auto v100 = ReadProfile(folder + "pyprof/josiahdavis_profiling-lm.net.sql", {});
  ASSERT_TRUE(v100) << v100.error().message;
  EXPECT_EQ(v100->device.size(), 189u);  // 160 kernels, 21 copies, 8 sets.
  EXPECT_EQ(v100->api.size(), 1968u);
  EXPECT_EQ(v100->host.size(), 683u);  // From 1366 markers.
  EXPECT_EQ(v100->log[Counter::kernels_without_launch], 0u);
}

}  // namespace
}  // namespace profgauge::readers
