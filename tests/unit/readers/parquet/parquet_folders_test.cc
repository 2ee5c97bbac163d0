// Folders of Parquet tables as tools write them: neuron-explorer's and nsys'.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/neuron.h"
#include "parquet_writer.h"
#include "readers/builtin.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_parquet::ParquetText;
using testing_parquet::WrittenColumn;

WrittenColumn Numbers(std::string name, std::vector<std::optional<std::int64_t>> numbers) {
  return {.name = std::move(name), .numbers = std::move(numbers)};
}
WrittenColumn Texts(std::string name, std::vector<std::optional<std::string>> texts) {
  return {.name = std::move(name), .type = 6, .texts = std::move(texts), .converted = 0};
}

class ParquetFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("profgauge_parquet_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  static std::string Table(std::initializer_list<WrittenColumn> columns) {
    ParquetText text;
    for (const WrittenColumn& column : columns) text.Add(column);
    return text.Whole();
  }
  static void Write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::absolute(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  /// Instructions of the Vector Engine, 100 ns each, from `first` on.
  static std::string Instructions(std::int64_t first, std::size_t count) {
    std::vector<std::optional<std::int64_t>> ids, starts, lengths;
    std::vector<std::optional<std::string>> engines, opcodes;
    for (std::size_t i = 0; i < count; ++i) {
      ids.emplace_back(first + static_cast<std::int64_t>(i));
      starts.emplace_back(1000 * (first + static_cast<std::int64_t>(i)));
      lengths.emplace_back(100);
      engines.emplace_back("vector");
      opcodes.emplace_back("TENSOR_TENSOR");
    }
    return Table({Numbers("id", ids), Numbers("start_ts", starts), Numbers("duration_ns", lengths),
                  Texts("engine", engines), Texts("opcode", opcodes)});
  }
  static std::string Metadata(const std::string& version, std::int64_t device, std::int64_t core) {
    return Table({Texts("profile_schema_version", {version}),
                  Texts("instance_type", {"trn1.2xlarge"}), Numbers("neuron_device_idx", {device}),
                  Numbers("neuroncore_idx", {core}), Texts("driver_version", {"2.25.0 ()"})});
  }
  static Profile Only(const std::string& path, const ReadOptions& options = {}) {
    auto run = LoadRun({path}, options);
    EXPECT_TRUE(run) << run.error().message;
    if (!run) return {};
    EXPECT_EQ(run->profiles.size(), 1u);
    return std::move(run->profiles.front());
  }
  static std::string CodeOf(const std::string& path, const ReadOptions& options = {}) {
    const auto run = LoadRun({path}, options);
    return run ? "" : run.error().code;
  }
  static std::string FactOf(const Profile& profile, std::string_view name) {
    for (const auto& [key, value] : profile.facts) {
      if (key == name) return value;
    }
    return "none";
  }
  fs::path folder_;
};

TEST_F(ParquetFolders, NeuronsTablesAreOneProfile) {
  Write("run/Instruction.parquet", Instructions(1, 5));
  Write("run/Metadata.parquet", Metadata("7.4.0", 0, 1));
  Write("run/StackFrame.parquet", Instructions(1, 1));
  Write("run/NewTable.parquet", Instructions(1, 1));
  const Profile profile = Only("run");
  ASSERT_NE(profile.neuron, nullptr);
  EXPECT_EQ(profile.neuron->instructions.size(), 5u);
  EXPECT_EQ(profile.source.path, "run");
  EXPECT_EQ(profile.source.dialect, "tables as Parquet");
  EXPECT_EQ(FactOf(profile, "driver_version"), "2.25.0");
  EXPECT_EQ(FactOf(profile, "parquet_form"), "ProfGauge's tests; PLAIN");
  EXPECT_THAT(profile.log.Examples(Counter::tables_unread), ElementsAre("NewTable", "StackFrame"));
  EXPECT_THAT(std::string(WhatToCheckFirst(profile.source)), HasSubstr("neuron-explorer"));
}

TEST_F(ParquetFolders, ReadsTablePartsByNumber) {
  for (int part = 0; part < 11; ++part) {
    Write(fmt::format("run/Instruction_{}.parquet", part), Instructions(10 * part + 1, 3));
  }
  const Profile whole = Only("run");
  EXPECT_EQ(whole.neuron->instructions.size(), 33u);
  EXPECT_EQ(whole.log[Counter::rows_unusable], 0u);
  fs::remove("run/Instruction_4.parquet");
  fs::remove("run/Instruction_5.parquet");
  const Profile gap = Only("run");
  EXPECT_THAT(gap.log.Examples(Counter::rows_unusable),
              ElementsAre("Instruction: part 4 is missing", "Instruction: part 5 is missing"));
}

TEST_F(ParquetFolders, RefusesTwoExportsInAFolder) {
  Write("run/Instruction.parquet", Instructions(1, 3));
  Write("run/Instruction_0.parquet", Instructions(1, 3));
  EXPECT_EQ(CodeOf("run"), "neuron/two-exports");
}

TEST_F(ParquetFolders, ParquetWinsOverCsv) {
  Write("run/Instruction.parquet", Instructions(1, 3));
  Write("run/Instruction.csv",
        "evt_wait_time_ns,opcode,start_ts,duration_ns,engine\n0,ACTIVATE,1,2,scalar\n");
  const auto run = LoadRun({"run"}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles.front().neuron->instructions.size(), 3u);
  EXPECT_THAT(run->skipped, ElementsAre("run/Instruction.csv: its Parquet table is used"));
}

TEST_F(ParquetFolders, RefusesTableWithoutTimes) {
  Write("run/Instruction.parquet", Table({Numbers("id", {1}), Numbers("begin_ts", {1})}));
  Write("run/Metadata.parquet", Metadata("12.0.1", 0, 0));
  const auto run = LoadRun({"run"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "neuron/columns");
  EXPECT_THAT(run.error().message, HasSubstr("no column `start_ts`, in schema 12.0.1"));
  Write("run/Instruction.parquet",
        Table({Numbers("id", {1}), Numbers("start_ts", {1}), Numbers("duration_ns", {1})}));
  const auto waits = LoadRun({"run"}, {});
  ASSERT_FALSE(waits);
  EXPECT_THAT(waits.error().message, HasSubstr("no column `opcode`"));
}

TEST_F(ParquetFolders, ReadsLaterSchemaWithNote) {
  Write("run/Instruction.parquet", Instructions(1, 3));
  Write("run/Metadata.parquet", Metadata("12.0.1", 0, 0));
  const Profile profile = Only("run");
  EXPECT_EQ(profile.log[Counter::version_untested], 1u);
  EXPECT_EQ(profile.neuron->instructions.size(), 3u);
}

// A renamed column is named, with the one that looks like it, and never used.
TEST_F(ParquetFolders, NamesColumnsOfAnotherSchema) {
  Write("run/Instruction.parquet",
        Table({Numbers("id", {1}), Numbers("start_ts", {1}), Numbers("duration_ns", {2}),
               Texts("engine", {"scalar"}), Texts("opcode", {"ACTIVATE"}),
               Numbers("evt_wait_times_ns", {1}), Texts("operands", {"x"})}));
  Write("run/Metadata.parquet", Metadata("12.0.1", 0, 0));
  const Profile profile = Only("run");
  EXPECT_THAT(profile.log.Examples(Counter::columns_unknown),
              testing::Contains("`Instruction.evt_wait_time_ns` is missing (schema 12.0.1): waits "
                                "of engines are absent; the table has `evt_wait_times_ns`"));
  EXPECT_EQ(profile.neuron->instructions.front().wait, 0);
  using profgauge::neuron::Part;
  const auto has = [&](Part part) {
    return std::ranges::count(profile.neuron->missing_columns, part,
                              &profgauge::neuron::MissingColumn::part) == 1;
  };
  EXPECT_TRUE(has(Part::kWaits));
  EXPECT_TRUE(has(Part::kFlops));
  EXPECT_FALSE(has(Part::kSemaphores));
  EXPECT_FALSE(has(Part::kPacketBytes)) << "the file has no such table";
}

TEST_F(ParquetFolders, TruncatedTableIsNamedOrSkipped) {
  const std::string whole = Instructions(1, 3);
  Write("run/Instruction.parquet", whole);
  Write("run/DmaPacket.parquet", whole.substr(0, whole.size() / 2));
  const auto run = LoadRun({"run"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "parquet/truncated");
  EXPECT_EQ(run.error().where.file, "run/DmaPacket.parquet");
  ReadOptions incomplete;
  incomplete.allow_incomplete = true;
  const Profile profile = Only("run", incomplete);
  EXPECT_EQ(profile.neuron->instructions.size(), 3u);
  EXPECT_EQ(profile.log[Counter::truncated], 1u);
  EXPECT_THAT(profile.log.Examples(Counter::rows_unusable),
              ElementsAre("DmaPacket: its file ends early"));
}

TEST_F(ParquetFolders, OneDataFoldersProfilesAreCores) {
  for (int core = 0; core < 3; ++core) {
    const std::string folder = fmt::format("data/profiles/global/core {}@latest", core);
    Write(folder + "/Instruction.parquet", Instructions(1, 3 + static_cast<std::size_t>(core)));
    Write(folder + "/Metadata.parquet", Metadata("7.4.0", core / 2, core % 2));
  }
  for (const char* given : {"data", "data/profiles/global"}) {
    const auto run = LoadRun({given}, {});
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->profiles.size(), 3u) << given;
  }
  // The same core twice: nothing says that they are of one run.
  Write("data/profiles/global/core 2@latest/Metadata.parquet", Metadata("7.4.0", 0, 1));
  EXPECT_EQ(CodeOf("data"), "input/ranks-unknown");
}

TEST_F(ParquetFolders, LinksWorkByFlow) {
  Write("run/SystemProfileEvents.parquet",
        Table({Numbers("id", {1, 2, 3, 4, 5}),
               Texts("name", {"nrt_tensor_write", "nrt_execute", "nc_exec_running",
                              "nc_exec_running", "nrt_execute"}),
               Numbers("start_ts", {1000, 2000, 3000, 9000, 20000}),
               Numbers("duration_ns", {100, 500, 700, 100, 100}),
               Texts("trace_event_source",
                     {"neuron_rt", "neuron_rt", "neuron_hw", "neuron_hw", "neuron_rt"}),
               Texts("flow_id", {"7", "7, 8", "7", std::nullopt, "7"}),
               Texts("extra_attributes_json", {std::nullopt, std::nullopt, std::nullopt,
                                               "{\"parent_id\": 2}", std::nullopt}),
               Texts("process_id", {"1", "1", "1", "1", "1"}),
               Texts("thread_id", {"1", "1", "1", "1", "1"})}));
  const Profile profile = Only("run");
  ASSERT_EQ(profile.device.size(), 2u);
  for (std::size_t i = 0; i < profile.device.size(); ++i) {
    ASSERT_TRUE(profile.device.launch[i].valid());
    EXPECT_EQ(profile.api.start[profile.device.launch[i].value] - profile.api.start[0], 1000);
  }
}

std::string Strings(const std::vector<std::pair<std::int64_t, std::string>>& strings) {
  std::vector<std::optional<std::int64_t>> ids;
  std::vector<std::optional<std::string>> values;
  for (const auto& [id, value] : strings) {
    ids.emplace_back(id);
    values.emplace_back(value);
  }
  ParquetText text;
  text.Add(Numbers("id", ids));
  text.Add(Texts("value", values));
  return text.Whole();
}

constexpr std::int64_t kThread = 117440513;  // Process 7, thread 1: pid << 24 | tid.

void WriteNsys(const std::string& folder,
               const std::function<void(const std::string&, const std::string&)>& write,
               const std::string& kernel) {
  write(folder + "/StringIds.parquet", Strings({{1, kernel}, {2, "cudaLaunchKernel_v7000"}}));
  ParquetText kernels;
  kernels.Add(Numbers("start", {100, 300}));
  kernels.Add(Numbers("end", {200, 350}));
  kernels.Add(Numbers("deviceId", {0, 0}));
  kernels.Add(Numbers("streamId", {7, 7}));
  kernels.Add(Numbers("correlationId", {1, 2}));
  kernels.Add(Numbers("globalPid", {kThread, kThread}));
  kernels.Add(Numbers("demangledName", {1, std::nullopt}));
  write(folder + "/CUPTI_ACTIVITY_KIND_KERNEL.parquet", kernels.Whole());
  ParquetText calls;
  calls.Add(Numbers("start", {10, 250}));
  calls.Add(Numbers("end", {20, 260}));
  calls.Add(Numbers("globalTid", {kThread, kThread}));
  calls.Add(Numbers("correlationId", {1, 2}));
  calls.Add(Numbers("nameId", {2, 2}));
  write(folder + "/CUPTI_ACTIVITY_KIND_RUNTIME.parquet", calls.Whole());
  ParquetText ranges;  // One domain, one range in it, and a text that is no UTF-8.
  ranges.Add(Numbers("start", {std::nullopt, 5, 6}));
  ranges.Add(Numbers("end", {std::nullopt, 400, 7}));
  ranges.Add(Numbers("eventType", {75, 59, 59}));
  ranges.Add(Texts("text", {"lib", "step", "a\xFFz"}));
  ranges.Add(Numbers("globalTid", {kThread, kThread, kThread}));
  ranges.Add(Numbers("domainId", {3, 3, 0}));
  write(folder + "/NVTX_EVENTS.parquet", ranges.Whole());
}

TEST_F(ParquetFolders, NsysTablesEqualSqlite) {
  WriteNsys("report_pqtdir", Write, "gemm");
  const Profile profile = Only("report_pqtdir");
  EXPECT_EQ(profile.source.format, "nsight_systems");
  EXPECT_EQ(profile.source.dialect, "Parquet export");
  ASSERT_EQ(profile.device.size(), 2u);
  EXPECT_EQ(profile.Name(profile.device.name[0]), "gemm");
  EXPECT_EQ(profile.device.duration[1], 50);
  EXPECT_EQ(profile.log[Counter::kernels_without_launch], 0u);
  ASSERT_EQ(profile.host.size(), 2u);
  EXPECT_EQ(profile.Name(profile.host.domain[0]), "lib");
  EXPECT_EQ(profile.Name(profile.host.name[1]), "a\xFFz");  // Repaired where it is shown.
}

TEST_F(ParquetFolders, NsysFoldersAreRanksByName) {
  WriteNsys("run/rank0_pqtdir", Write, "gemm");
  WriteNsys("run/rank1_pqtdir", Write, "other");
  const auto run = LoadRun({"run"}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 2u);
  EXPECT_EQ(run->profiles[1].distributed.rank, 1);
}

TEST_F(ParquetFolders, NsysExportsThatWereBrokenOff) {
  WriteNsys("run", Write, "gemm");
  Write("run/CUPTI_ACTIVITY_KIND_MEMCPY.parquet", "PAR1");
  EXPECT_EQ(CodeOf("run"), "parquet/truncated");
  ReadOptions incomplete;
  incomplete.allow_incomplete = true;
  const Profile profile = Only("run", incomplete);
  EXPECT_THAT(profile.log.Examples(Counter::rows_unusable),
              ElementsAre("CUPTI_ACTIVITY_KIND_MEMCPY: its file ends early"));
  Write("names/StringIds.parquet", Strings({{1, "a"}}));
  Write("names/META_DATA_EXPORT.parquet",
        Table({Texts("name", {"EXPORT_SCHEMA_VERSION"}), Texts("value", {"3.20"})}));
  EXPECT_EQ(CodeOf("names"), "nsight/no-events");
}

TEST_F(ParquetFolders, AnyNsysTableMayBeMissing) {
  WriteNsys("run", Write, "gemm");
  for (const auto& entry : fs::directory_iterator("run")) {
    fs::copy("run", "less");
    fs::remove("less" / entry.path().filename());
    EXPECT_EQ(CodeOf("less"), "") << entry.path();
    fs::remove_all("less");
  }
}

}  // namespace
}  // namespace profgauge::readers
