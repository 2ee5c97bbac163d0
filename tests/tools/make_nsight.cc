// Writes a synthetic Nsight Systems export: KERNELS kernels in steps of 1000, each launched by a
// call inside one of 100 NVTX ranges of its step. Same number, same contents.
//
//   make_nsight big.sqlite 10000000
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/sqlite.h"

namespace profgauge {
namespace {

constexpr std::int64_t kThread = (7LL << 24) | 7;
constexpr std::int64_t kProcess = 7LL << 24;
constexpr std::int64_t kNames = 200;

const char* const kSchema = R"(
  pragma journal_mode = off; pragma synchronous = off;
  create table StringIds (id integer primary key, value text);
  create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
    streamId integer, correlationId integer, globalPid integer, demangledName integer,
    shortName integer, gridX integer, gridY integer, gridZ integer, blockX integer,
    blockY integer, blockZ integer, registersPerThread integer);
  create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
    correlationId integer, nameId integer, returnValue integer);
  create table NVTX_EVENTS (start integer, end integer, eventType integer, text text,
    globalTid integer, domainId integer);
  create table TARGET_INFO_GPU (id integer, name text, cuDevice integer, smCount integer,
    computeMajor integer, computeMinor integer);
  insert into TARGET_INFO_GPU values (0, 'A100', 0, 108, 8, 0);
  insert into StringIds values (1, 'cudaLaunchKernel_v7000');
  begin;)";

Status Write(const std::string& path, std::int64_t kernels) {
  PROFGAUGE_TRY(auto database,
                sqlite::Database::Open(path, sqlite::Mode::kReadWrite, ErrorKind::kOutput));
  PROFGAUGE_CHECK(database.Execute(kSchema));
  for (std::int64_t i = 0; i < kNames; ++i) {
    PROFGAUGE_CHECK(database.Execute("insert into StringIds values (" + std::to_string(i + 2) +
                                     ", 'void kernel_" + std::to_string(i) + "<float>(float*)')"));
  }
  PROFGAUGE_TRY(auto kernel, database.Prepare("insert into CUPTI_ACTIVITY_KIND_KERNEL values (?1, "
                                              "?2, 0, 7, ?3, ?4, ?5, ?5, ?6, 1, 1, 256, "
                                              "1, 1, 32)"));
  PROFGAUGE_TRY(
      auto call,
      database.Prepare("insert into CUPTI_ACTIVITY_KIND_RUNTIME values (?1, ?2, ?3, ?4, 1, 0)"));
  PROFGAUGE_TRY(auto range,
                database.Prepare("insert into NVTX_EVENTS values (?1, ?2, 59, ?3, ?4, 0)"));
  for (std::int64_t i = 0; i < kernels; ++i) {
    const std::int64_t at = i * 10'000;
    if (i % 1000 == 0) {
      range.Bind(1, at).Bind(2, at + 9'999'000).Bind(3, "step " + std::to_string(i / 1000));
      PROFGAUGE_CHECK(range.Bind(4, kThread).Run());
      range.Reset();
    }
    if (i % 10 == 0) {
      range.Bind(1, at + 100).Bind(2, at + 99'000);
      range.Bind(3,
                 "aten::op" + std::to_string(i / 10 % 100) + ", seq = " + std::to_string(i / 10));
      PROFGAUGE_CHECK(range.Bind(4, kThread).Run());
      range.Reset();
    }
    PROFGAUGE_CHECK(call.Bind(1, at + 1'000).Bind(2, at + 4'000).Bind(3, kThread).Bind(4, i).Run());
    call.Reset();
    const std::int64_t start = at + 6'000;
    kernel.Bind(1, start).Bind(2, start + 2'000 + i % 7 * 300).Bind(3, i).Bind(4, kProcess);
    PROFGAUGE_CHECK(kernel.Bind(5, 2 + i % kNames).Bind(6, 1 + i % 64).Run());
    kernel.Reset();
  }
  return database.Execute("commit");
}

}  // namespace
}  // namespace profgauge

int main(int argc, char** argv) {
  if (argc != 3 || argv[1][0] == '-') {
    std::cerr << "usage: make_nsight FILE KERNELS\n";
    return 2;
  }
  const auto written = profgauge::Write(argv[1], std::atoll(argv[2]));
  if (written) return 0;
  std::cerr << written.error().message << '\n';
  return 1;
}
