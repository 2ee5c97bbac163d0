// Exports of Nsight Systems in a few lines of SQL, with the oldest columns.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/sqlite.h"
#include "nsight_tables.h"
#include "readers/load.h"

namespace profgauge::readers {

// Process 7, threads 1 and 2: pid << 24 | tid.
inline constexpr const char* kThread1 = "117440513";
inline constexpr const char* kThread2 = "117440514";

class NsightTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "nsight_" + std::to_string(::getpid()) + ".sqlite";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void Write(const std::string& sql) {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    // No waiting for the disk.
    const Status status = database->Execute("pragma synchronous = off; begin;" + sql + "; commit");
    ASSERT_TRUE(status) << status.error().message;
  }

  Profile Read() {
    auto profile = ReadProfile(path_, {});
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? std::move(*profile) : Profile{};
  }

  // A small export: one op launches a kernel and a copy; the oldest columns only.
  static std::string Basic() {
    return std::string(nsight_tables::kStringIds) + nsight_tables::kRuntimeCalls + R"(
      insert into StringIds values (1, 'volta_sgemm_128x64'), (2, 'cudaLaunchKernel_v7000_ptsz'),
        (3, 'cudaMemcpyAsync_v3020'), (4, 'layer one');
      create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
        streamId integer, correlationId integer, globalPid integer, demangledName integer,
        shortName integer, gridX integer, gridY integer, gridZ integer, blockX integer,
        blockY integer, blockZ integer, registersPerThread integer, staticSharedMemory integer,
        dynamicSharedMemory integer);
      insert into CUPTI_ACTIVITY_KIND_KERNEL values
        (1000, 1500, 0, 7, 11, 117440512, 1, 1, 40, 1, 1, 256, 1, 1, 32, 1024, 1024),
        (9000, 8000, 0, 7, 12, 117440512, 99, 98, 1, 1, 1, 1, 1, 1, 1, 0, 0);
      create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer, end integer, deviceId integer,
        streamId integer, correlationId integer, globalPid integer, bytes integer,
        copyKind integer, srcKind integer, dstKind integer);
      insert into CUPTI_ACTIVITY_KIND_MEMCPY values
        (2000, 2100, 0, 7, 13, 117440512, 4096, 1, 0, 2);
      insert into CUPTI_ACTIVITY_KIND_RUNTIME values (500, 600, )" +
           kThread1 + ", 11, 2, 0), (700, 800, " + kThread1 + R"(, 13, 3, 2);
      create table NVTX_EVENTS (start integer, end integer, eventType integer, text text,
        textId integer, globalTid integer, endGlobalTid integer, domainId integer);
      insert into NVTX_EVENTS values
        (-5, null, 75, 'TensorRT', null, )" +
           kThread1 + R"(, null, 3),
        (400, 900, 59, 'aten::mm, seq = 3, sizes = [[2, 3], [3, 4]]', null, )" +
           kThread1 +
           R"(, null, 0),
        (100, 950, 59, null, 4, )" +
           kThread1 + R"(, null, 3),
        (50, 990, 60, 'step 12', null, )" +
           kThread1 + ", " + kThread1 + R"(, 0),
        (60, 70, 60, 'elsewhere', null, )" +
           kThread1 + ", " + kThread2 + ", 0);";
  }

  std::string path_;
};

}  // namespace profgauge::readers
