// An export's messages about its capture, and its losses: messages by process, ranges without an
// end, a file that ends early.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/sqlite.h"
#include "nsight_tables.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t Global(std::int64_t process, std::int64_t thread) {
  return process << 24 | thread;
}

class NsightCaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "nsight_capture_" + std::to_string(::getpid()) + ".sqlite";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // Process 7 launches a kernel.
  void Write(const std::string& sql) {
    std::filesystem::remove(path_);
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    const Status status = database->Execute(nsight_tables::kStringIds +
                                            fmt::format(R"(
      insert into StringIds values (1, 'sgemm'), (2, 'cudaLaunchKernel_v7000');
      create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
        streamId integer, correlationId integer, globalPid integer, shortName integer);
      insert into CUPTI_ACTIVITY_KIND_KERNEL values (1000, 1500, 0, 7, 11, {}, 1);
      create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
        correlationId integer, nameId integer);
      insert into CUPTI_ACTIVITY_KIND_RUNTIME values (500, 600, {}, 11, 2);)",
                                                        Global(7, 0), Global(7, 1)) +
                                            sql);
    ASSERT_TRUE(status) << status.error().message;
  }
  Profile Read() {
    auto profile = ReadProfile(path_, {});
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? std::move(*profile) : Profile{};
  }
  static std::string Range(Ns start, const std::string& end, const std::string& name, int thread) {
    return fmt::format("insert into NVTX_EVENTS values ({}, {}, 59, '{}', {});", start, end, name,
                       Global(7, thread));
  }

  // nsys says that it lost events of a process, "null" where it does not say of which.
  static std::string Lost(const std::string& process) {
    return nsight_tables::kDiagnostics +
           fmt::format(
               "insert into DIAGNOSTIC_EVENT values "
               "(2, 'Not all CUDA events might have been collected.', {});",
               process);
  }

  inline static const std::string kRanges =
      std::string(nsight_tables::kNvtxTexts) +
      "create table ANALYSIS_DETAILS (startTime integer, stopTime integer);"
      "insert into ANALYSIS_DETAILS values (0, 9000);";
  std::string path_;
};

TEST_F(NsightCaptureTest, IgnoresLossOfProcessWithoutCuda) {
  const auto is_loss = [&](const std::string& process) {
    Write(Lost(process));
    return Read().log.HasDataLoss();
  };
  EXPECT_FALSE(is_loss(std::to_string(Global(8, 0))));
  EXPECT_EQ(Read().log[Counter::profiler_warnings], 1u);
  EXPECT_TRUE(is_loss(std::to_string(Global(7, 0))));
  EXPECT_TRUE(is_loss("null"));
  EXPECT_TRUE(is_loss("0"));
}

// One that marks ranges is no helper: all of its work may be lost.
TEST_F(NsightCaptureTest, CountsLossOfMarkingProcess) {
  for (const bool marks : {false, true}) {
    Write(kRanges +
          (marks ? "insert into NVTX_EVENTS values (100, 200, 59, 'step 1', " +
                       std::to_string(Global(8, 1)) + ");"
                 : "") +
          Lost(std::to_string(Global(8, 0))));
    EXPECT_EQ(Read().log.HasDataLoss(), marks);
  }
}

TEST_F(NsightCaptureTest, CountsLossWithoutAnyCuda) {
  Write("delete from CUPTI_ACTIVITY_KIND_KERNEL; delete from CUPTI_ACTIVITY_KIND_RUNTIME;" +
        kRanges + Range(100, "200", "step 1", 1) + Lost(std::to_string(Global(8, 0))));
  EXPECT_TRUE(Read().log.HasDataLoss());
}

// Each would otherwise last to the end of the capture, and the first hold all others.
TEST_F(NsightCaptureTest, UnclosedMarkerLastsToTheNext) {
  Write(kRanges + Range(100, "null", "epoch 1", 1) + Range(200, "null", "step 1", 1) +
        Range(1200, "1900", "step 2", 1) + Range(300, "null", "step 1", 2) +
        Range(2200, "null", "step 10", 1));
  const Profile profile = Read();
  // By thread and start: the epoch has not ended when the capture ends. The last step of those with
  // an end is of no length: it was not finished.
  EXPECT_THAT(profile.host.duration, ElementsAre(8900, 1000, 700, 0, 8700));
  EXPECT_EQ(profile.log[Counter::ranges_not_closed], 4u);
}

TEST_F(NsightCaptureTest, RefusesTruncatedFile) {
  Write("");
  const auto size = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, size - 1);
  const auto profile = ReadProfile(path_, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "sqlite/truncated");
  EXPECT_THAT(profile.error().message,
              HasSubstr(fmt::format("found {} bytes, expected {}", size - 1, size)));
  // More than it says is no loss: SQLite leaves pages that are free at the end.
  Write("");
  std::filesystem::resize_file(path_, size + 4096);
  EXPECT_TRUE(ReadProfile(path_, {}));
}

}  // namespace
}  // namespace profgauge::readers
