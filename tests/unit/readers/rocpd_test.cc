#include "readers/rocprofv3/rocpd/rocpd_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "readers/database/sqlite_table.h"
#include "readers/load.h"
#include "rocpd_tables.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using rocpd_tables::kSchema3;
using rocpd_tables::Of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RocpdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "rocpd_" + std::to_string(::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ + "/41_results.db";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void Write(const std::string& path, const std::string& sql) {
    auto database = sqlite::Database::Open(path, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    const Status status = database->Execute("pragma synchronous = off; begin;" + sql + "; commit");
    ASSERT_TRUE(status) << status.error().message;
  }
  static std::string Process(std::string_view suffix, std::string_view rank = "1") {
    std::string sql = Of(std::string(kSchema3) + std::string(rocpd_tables::kRows), suffix);
    const std::string_view kRank = "\"RANK\": \"1\"";
    return sql.replace(sql.find(kRank), kRank.size(), "\"RANK\": \"" + std::string(rank) + "\"");
  }
  Profile Read() {
    auto profile = ReadProfile(path_, {});
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? std::move(*profile) : Profile{};
  }
  std::string CodeOf(const std::string& sql) {
    fs::remove(path_);
    Write(path_, sql);
    const auto profile = ReadProfile(path_, {});
    return profile ? "" : profile.error().code;
  }

  std::string folder_, path_;
};

void ExpectRun(const Profile& profile) {
  const auto& device = profile.device;
  ASSERT_EQ(device.size(), 3);
  EXPECT_EQ(profile.Name(device.name[0]), "gemm<float>(int)");
  EXPECT_EQ(profile.Name(device.name[1]), "MEMORY_COPY_HOST_TO_DEVICE");
  EXPECT_EQ(profile.Name(device.name[2]), "(unnamed kernel 77)");
  EXPECT_THAT(device.stream, ElementsAre(6, 6, 6));
  EXPECT_THAT(device.duration, ElementsAre(300, 30, 0));
  EXPECT_THAT(device.gpu, ElementsAre(0, 0, 0));
  EXPECT_EQ(device.copy[1], CopyKind::kHostToDevice);
  EXPECT_EQ(device.bytes[1], 4096);
  EXPECT_EQ(profile.Name(profile.api.name[device.launch[0].value]), "hipLaunchKernel");
  EXPECT_EQ(profile.Name(profile.api.name[device.launch[1].value]), "hipMemcpyAsync");
  EXPECT_FALSE(device.launch[2].valid());
  const auto op = device.op[0].value;
  EXPECT_EQ(profile.Name(profile.host.name[op]), "aten::mm");
  EXPECT_EQ(profile.Name(profile.host.input_shapes[op]), "[[8, 8], [8, 8]]");
  const auto& config = profile.launch_configs[device.config[0].value];
  EXPECT_THAT(config.grid, ElementsAre(10, 2, 1));
  EXPECT_EQ(config.registers, 32);
  ASSERT_EQ(profile.gpus.size(), 1);
  EXPECT_EQ(profile.gpus[0].sms, 304);
  EXPECT_TRUE(profile.Has(Capability::kIterationMarkers));
}

TEST_F(RocpdTest, ReadsKernelsCopiesCallsAndRanges) {
  Write(path_, Process("_a"));
  const Profile profile = Read();
  ExpectRun(profile);
  EXPECT_EQ(profile.source.format, "rocprofv3");
  EXPECT_EQ(profile.source.dialect, "rocpd 3");
  EXPECT_EQ(profile.source.accelerator, "amd");
  EXPECT_EQ(profile.distributed.rank, 1);
  EXPECT_EQ(profile.distributed.world_size, 2);
  EXPECT_EQ(profile.copies_unknown, "");
  // A call of no length lost its name; a page fault, an allocation and a mark that is none are not
  // measured; a kernel has no times, another ends before it starts.
  std::vector<std::string_view> calls, ranges;
  for (const StringId name : profile.api.name) calls.push_back(profile.Name(name));
  for (const StringId name : profile.host.name) ranges.push_back(profile.Name(name));
  EXPECT_THAT(calls, ElementsAre("hipLaunchKernel", "hipMemcpyAsync", "hipStreamSynchronize",
                                 "(unnamed call)"));
  EXPECT_THAT(ranges, ElementsAre("step 3", "aten::mm", "ncclAllReduce", "a \"mark\""));
  EXPECT_EQ(profile.log[Counter::events_read], 15);
  EXPECT_EQ(profile.log[Counter::events_ignored_kind], 3);
  EXPECT_EQ(profile.log[Counter::events_bad_time], 1);
  EXPECT_EQ(profile.log[Counter::events_negative_dur], 1);
}

TEST_F(RocpdTest, TakesNothingOfTheUsersOwn) {
  Write(path_, Process("_a"));
  const Profile profile = Read();
  for (const auto& [name, value] : profile.facts)
    EXPECT_THAT(value, ::testing::Not(HasSubstr("not-to-be-told")));
  for (std::uint32_t i = 0; i < profile.strings.size(); ++i) {
    EXPECT_THAT(std::string(profile.Name(StringId{i})),
                ::testing::Not(HasSubstr("not-to-be-told")));
  }
}

TEST_F(RocpdTest, FindsProcessesByTheirSuffix) {
  for (const char* suffix :
       {"", "_00ecde8307b8_SCHEMA_3_0_0", "_00006409_00d1_70d1_a5cb_b5ab88214544"}) {
    fs::remove(path_);
    Write(path_, Process(suffix));
    ExpectRun(Read());
  }
}

TEST_F(RocpdTest, ReadsEachProcessOfAMergedFile) {
  Write(path_, Process("_b", "0") + Process("_a", "1") + "; create view rocpd_region as select 1");
  const auto run = LoadRun({path_}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(run->profiles[rank].distributed.rank, static_cast<std::int64_t>(rank));
    ExpectRun(run->profiles[rank]);
  }
}

TEST_F(RocpdTest, TakesRanksOfHostsBelowAFolder) {
  fs::create_directories(folder_ + "/out/node01");
  fs::create_directories(folder_ + "/out/node02");
  fs::create_directories(folder_ + "/out/pass_2");
  Write(folder_ + "/out/node01/41_results.db", Process("_a", "0"));
  Write(folder_ + "/out/node02/41_results.db", Process("_a", "1"));
  Write(folder_ + "/out/pass_2/41_results.db", Process("_a", "1"));
  // A launcher inherits the rank; JSON of a process that also has a database says less.
  Write(folder_ + "/out/node01/40_results.db",
        Process("_a", "0") +
            "; delete from rocpd_kernel_dispatch_a; delete from rocpd_memory_copy_a;"
            "delete from rocpd_region_a where id <> 5; delete from rocpd_sample_a");
  std::ofstream(folder_ + "/out/node02/41_results.json") << "{\"rocprofiler-sdk-tool\": []}";
  const auto run = LoadRun({folder_ + "/out"}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 2);
  EXPECT_THAT(run->skipped, Contains(HasSubstr("40_results.db: a process without kernels")));
  EXPECT_THAT(run->skipped, Contains(HasSubstr("41_results.db has the same data and more")));
}

TEST_F(RocpdTest, RefusesWithAReason) {
  EXPECT_EQ(CodeOf(Process("_a") + "; insert into rocpd_metadata_a (tag, value) values "
                                   "('compression', 'lz4-frame-v1')"),
            "rocpd/compressed");
  EXPECT_EQ(
      CodeOf(Process("_a") + "; alter table rocpd_kernel_dispatch_a rename start to start_id"),
      "rocpd/unknown-schema");
  EXPECT_EQ(CodeOf("create table rocpd_info_node_a (id integer)"), "rocpd/unknown-schema");
  EXPECT_EQ(CodeOf(Of(kSchema3, "_a")), "rocprofv3/no-events");
  EXPECT_EQ(CodeOf("create table rocpd_api (id integer); create table rocpd_op (id integer)"),
            "input/rpd");
  // A suffix becomes part of statements.
  EXPECT_EQ(CodeOf("create table \"rocpd_info_node_a\"\"; drop\" (id integer)"), "input/rocpd");
  std::string many;
  for (int i = 0; i < 1025; ++i) {
    many += "create table rocpd_info_node_" + std::to_string(i) + " (id integer);";
  }
  EXPECT_EQ(CodeOf(many), "rocpd/too-many");
}

TEST_F(RocpdTest, RefusesAFileThatIsHalfWritten) {
  Write(path_, Process("_a"));
  std::ofstream(path_ + "-journal") << std::string("\xD9\xD5\x05\xF9\x20\xA1\x63\xD7 and pages");
  const auto profile = ReadProfile(path_, {.allow_incomplete = true, .progress = {}});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "rocpd/interrupted");
  EXPECT_THAT(profile.error().message, HasSubstr("41_results.db-journal exists"));
  // One that was finished is of zeros or empty.
  std::ofstream(path_ + "-journal") << std::string(8, '\0');
  EXPECT_TRUE(ReadProfile(path_, {}));
}

TEST_F(RocpdTest, AnyPartMayBeMissing) {
  const std::set<std::string> kAllowed = {"", "rocpd/unknown-schema", "rocprofv3/no-events",
                                          "input/rocpd", "input/sqlite"};
  std::vector<std::string> changes;
  Write(path_, Process("_a"));
  {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    const auto tables = readers::TableNames(*database);
    ASSERT_TRUE(tables);
    for (const std::string& table : *tables) {
      if (!table.starts_with("rocpd_")) continue;
      changes.push_back("drop table " + table);
      changes.push_back("delete from " + table);
      auto columns = database->Prepare("select name from pragma_table_info(?)");
      columns->Bind(1, table);
      while (*columns->Step()) {
        const std::string column(columns->Text(0));
        changes.push_back("alter table " + table + " rename \"" + column + "\" to gone");
        if (column != "id") changes.push_back("update " + table + " set \"" + column + "\" = null");
        if (column != "id") changes.push_back("update " + table + " set \"" + column + "\" = 'x'");
        if (column != "id") {
          changes.push_back("update " + table + " set \"" + column + "\" = 9223372036854775807");
        }
      }
    }
  }
  ASSERT_GT(changes.size(), 100);
  for (const std::string& change : changes) {
    EXPECT_THAT(kAllowed, Contains(CodeOf(Process("_a") + ";" + change))) << change;
  }
}

TEST_F(RocpdTest, SaysThatKernelsAreMissing) {
  Write(path_, Process("_a") +
                   "; delete from rocpd_kernel_dispatch_a; delete from "
                   "rocpd_memory_copy_a");
  const Profile profile = Read();
  EXPECT_THAT(profile.log.Examples(Counter::profiler_warnings),
              Contains(HasSubstr("kernels were launched and traced, but none is in the file")));
}

TEST_F(RocpdTest, TakesRankOfTheLauncher) {
  const std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> kCases = {
      {R"({"RANK": "3", "WORLD_SIZE": "8", "SLURM_PROCID": "0"})", {3, 8}},
      {R"({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"})", {2, 4}},
      {R"({"SLURM_PROCID": "5", "SLURM_NTASKS": "6"})", {5, 6}},
      {R"({"RANK": "8", "WORLD_SIZE": "8"})", {-1, 8}},
      {R"({"RANK": "-1", "WORLD_SIZE": "0"})", {-1, -1}},
      {R"({"RANK": "one"})", {-1, -1}},
      {R"(not JSON)", {-1, -1}},
      {R"([{"RANK": "1"}])", {-1, -1}}};
  for (const auto& [environment, expected] : kCases) {
    fs::remove(path_);
    Write(path_,
          Process("_a") + "; update rocpd_info_process_a set environment = '" + environment + "'");
    const Profile profile = Read();
    EXPECT_EQ(profile.distributed.rank, expected.first) << environment;
    EXPECT_EQ(profile.distributed.world_size, expected.second) << environment;
  }
}

TEST_F(RocpdTest, ReportsFilterWithoutItsText) {
  Write(path_, Process("_a") +
                   "; update rocpd_info_process_a set environment = '{\"ROCPROF_KERNEL_TRACE\": "
                   "\"1\", \"ROCPROF_KERNEL_FILTER_INCLUDE_REGEX\": \"secret.*\"}'");
  const Profile profile = Read();
  EXPECT_THAT(profile.facts, Contains(std::pair<std::string, std::string>(
                                 "traced", "kernels, only kernels of a filter")));
}

TEST_F(RocpdTest, NamesDataMissingInRocm7) {
  Write(path_, Of(kSchema3, "_a") +
                   "; insert into rocpd_metadata_a (tag, value) values ('upid', '1'), "
                   "('schema_version', '3')");
  const auto profile = ReadProfile(path_, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "rocprofv3/no-events");
  EXPECT_THAT(profile.error().message, HasSubstr("database of rocprof-sys has no kernels"));
}

TEST_F(RocpdTest, FindsRocprofSysFilesByProcess) {
  for (const std::string rank : {"0", "1"}) {
    const std::string folder = folder_ + "/out/2026-01-0" + rank;
    fs::create_directories(folder);
    Write(folder + "/rocpd-4100" + rank + ".db", Process("_" + rank, rank));
  }
  const auto run = LoadRun({folder_ + "/out"}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles.size(), 2);
}

// Schema 4.1 names a track in each row, and categories have a separate table.
TEST_F(RocpdTest, ReadsTracks) {
  std::string sql = Process("_a");
  for (const char* table : {"region", "kernel_dispatch", "memory_copy"}) {
    const std::string name = std::string("rocpd_") + table + "_a";
    sql += "; alter table " + name + " add track_id integer; update " + name + " set track_id = 7";
  }
  for (const char* column :
       {"region_a drop column pid", "region_a drop column tid",
        "kernel_dispatch_a drop column agent_id", "kernel_dispatch_a drop column queue_id",
        "kernel_dispatch_a drop column stream_id", "memory_copy_a drop column stream_id"}) {
    sql += std::string("; alter table rocpd_") + column;
  }
  sql += R"(; alter table rocpd_track_a add agent_id integer; alter table rocpd_track_a add queue_id
    integer; alter table rocpd_track_a add stream_id integer; insert into rocpd_track_a (id, pid, tid,
    agent_id, queue_id, stream_id) values (7, 41, 5, 71, 2, 6); create table rocpd_info_category_a
    (id integer, name text); insert into rocpd_info_category_a select id, string from rocpd_string_a;
    delete from rocpd_string_a where id < 6)";
  Write(path_, sql);
  const Profile profile = Read();
  ExpectRun(profile);
  EXPECT_THAT(profile.facts,
              Contains(::testing::Pair("rocpd_layout",
                                       HasSubstr("streams by track; a table of categories"))));
}

}  // namespace
}  // namespace profgauge::readers
