// Exports of Nsight Systems that are damaged, hostile or of another version.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "nsight_fixture.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

using ::testing::HasSubstr;

TEST_F(NsightTest, RefusesOtherDatabasesAndDamagedOnes) {
  Write("create table dictionary (x integer); create table db_version (x integer)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "dlprof/missing-table");
  std::filesystem::remove(path_);
  Write("create table rocpd_kernel_dispatch_1 (x integer)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "input/rocpd");
  std::filesystem::remove(path_);
  Write("create table recipes (x integer)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "input/sqlite");
  std::filesystem::remove(path_);
  Write(nsight_tables::kStringIds);
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "nsight/no-events");
  std::filesystem::remove(path_);
  std::ofstream(path_, std::ios::binary)
      << std::string("SQLite format 3\0", 16) << std::string(4096, 'x');
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "sqlite/damaged");
}

// Exports differ by version in nearly every column: none that is missing may break the reading, and
// required ones are refused by name.
TEST_F(NsightTest, AnyPartMayBeMissing) {
  const std::string rest =
      nsight_tables::kOsCalls + std::string("insert into OSRT_API values (600, 640, ") + kThread1 +
      ", 4);" + nsight_tables::kScheduling + "insert into SCHED_EVENTS values (100, 1, " +
      kThread1 + "), (400, 0, " + kThread1 + ");" + nsight_tables::kGraphTraces +
      "insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (2500, 2600, 0, 7, 14, 117440512, 1);" +
      nsight_tables::kGpuMetrics + "insert into GPU_METRICS values (1, 1500, 1, 40);" +
      nsight_tables::kGpuMetricNames +
      "insert into TARGET_INFO_GPU_METRICS values (1, 1, 'SMs Active');" + nsight_tables::kGpus +
      "insert into TARGET_INFO_GPU values (0, 'A100', 0, 108);";
  Write(Basic() + rest);
  std::vector<std::string> changes;
  {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInternal);
    auto columns = database->Prepare(
        "select m.name, c.name from sqlite_master m join pragma_table_info(m.name) c");
    ASSERT_TRUE(columns);
    while (*columns->Step()) {
      const std::string table(columns->Text(0)), column(columns->Text(1));
      changes.push_back("alter table " + table + " drop column \"" + column + "\"");
      changes.push_back("drop table if exists " + table);
      changes.push_back("alter table " + table + " add column fromTheFuture blob");
    }
  }
  EXPECT_GT(changes.size(), 150u);
  for (const std::string& change : changes) {
    SCOPED_TRACE(change);
    std::filesystem::remove(path_);
    Write(Basic() + rest + change);
    const auto profile = ReadProfile(path_, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_GT(profile->device.size() + profile->api.size(), 2u);
  }
}

// A query that finds work unfinished answers so; it has not failed.
TEST_F(NsightTest, PollingIsNoError) {
  Write(Basic() +
        "insert into StringIds values (20, 'cudaEventQuery_v3020'), (21, 'cudaMalloc_v3020');"
        "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (600, 601, " +
        kThread1 + ", 21, 20, 600), (602, 603, " + kThread1 + ", 22, 20, 700), (604, 605, " +
        kThread1 + ", 23, 21, 600);");
  const Profile profile = Read();
  // One is Basic()'s own.
  EXPECT_EQ(profile.log[Counter::api_errors], 3u);
  EXPECT_THAT(profile.log.Examples(Counter::api_errors),
              ::testing::UnorderedElementsAre("cudaMemcpyAsync", "cudaEventQuery", "cudaMalloc"));
}

// Impossible data is skipped: times whose sums would overflow, tables that are
// programs (this one never ends).
TEST_F(NsightTest, SkipsHostileTimesAndViews) {
  const std::string most = "9223372036854775807", least = "-9223372036854775808";
  Write(Basic() + "insert into CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) values (" + most +
        ", " + most + ", 0), (" + least + ", " + most + ", 0), (0, " + most +
        ", 0), ('x', x'00', 'y');"
        "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (" +
        least + ", " + most +
        ", -1, 1, 2, 0);"
        "insert into NVTX_EVENTS (start, end, eventType, text, globalTid) values (0, " +
        least + ", 59, 'x, seq = 99999999999999999999', " + kThread1 + "), (" + most +
        ", 5, 59, 'y', " + kThread1 +
        ");"
        "drop table CUPTI_ACTIVITY_KIND_MEMCPY;"
        "create view CUPTI_ACTIVITY_KIND_MEMCPY as with recursive r(start) as (select 1 union all "
        "select start + 1 from r) select start, start + 1 as end from r;");
  const Profile profile = Read();
  EXPECT_GE(profile.log[Counter::events_bad_time], 4u);
  EXPECT_LT(profile.last, 1'000'000);
  for (const DeviceKind kind : profile.device.kind) EXPECT_EQ(kind, DeviceKind::kKernel);
}

// A sum of 64-bit extremes is no duration; the reader must not even form it.
TEST_F(NsightTest, DurationsBeyond64BitsAreLeftOut) {
  const std::string most = "9223372036854775807", least = "-9223372036854775808";
  Write(Basic() + "insert into CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) values (" + least +
        ", " + most + ", 0), (" + most + ", " + least +
        ", 0);"
        "insert into NVTX_EVENTS (start, end, eventType, text, globalTid) values (" +
        least + ", " + most + ", 59, 'x', " + kThread1 + ");");
  const Profile profile = Read();
  EXPECT_EQ(profile.device.size(), 3u);
  EXPECT_EQ(profile.log[Counter::events_bad_time], 3u);
  EXPECT_LT(profile.last, 1'000'000);
}

// What 32 bits cannot hold is unknown: 2^32 is not GPU 0, nor a grid of 0 blocks.
TEST_F(NsightTest, NumbersBeyond32BitsAreUnknown) {
  Write(Basic() +
        "insert into CUPTI_ACTIVITY_KIND_KERNEL values (3000, 3500, 4294967296, 7, 14, 117440512, "
        "1, 1, 4294967297, 1, 1, 256, 1, 1, 4294967297, 9223372036854775807, 1);");
  const Profile profile = Read();
  ASSERT_EQ(profile.device.size(), 4u);
  EXPECT_EQ(profile.device.gpu[0], -1) << "rows are by GPU";
  const LaunchConfig& config = profile.launch_configs[profile.device.config[0].value];
  EXPECT_EQ(config.grid[0], 0);
  EXPECT_EQ(config.block[0], 256);
  EXPECT_EQ(config.registers, -1);
  EXPECT_EQ(config.shared_memory, -1);
}

TEST_F(NsightTest, DamagedFileHasSqlitesMessage) {
  Write(Basic());
  const auto size = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, size / 2);
  std::filesystem::resize_file(path_, size);
  const auto profile = ReadProfile(path_, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "sqlite/damaged");
  EXPECT_THAT(profile.error().notes.front(),
              ::testing::AllOf(HasSubstr("SQLite reports: database disk image is malformed"),
                               HasSubstr("(code 11)")));
}

}  // namespace
}  // namespace profgauge::readers
