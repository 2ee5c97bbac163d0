// Degenerate exports of Nsight Systems, as SQLite: shapes that a trace in JSON cannot have, since
// readers of databases put ranges, devices and names together. `count` launches of a kernel on one
// thread, 10 µs apart, in the shape that is asked for.
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace profgauge::shapes {

/// As SQL, in which `i` is the number of the launch, from 0, and `n` how many there are.
struct DatabaseShape {
  std::string_view name;
  std::string_view gpu = "0", kernel = "1";  // Device, and number of the kernel's name.
  // Times of a range that the program marks; none where equal.
  std::string_view start = "0", end = "0";
};

constexpr std::array<DatabaseShape, 4> kDatabaseShapes = {
    {{"gpus", "i", "1", "0", "0"},                          // Each kernel on a separate device.
     {"kernels", "0", "i+3", "0", "0"},                     // Each has a different name.
     {"nested", "0", "1", "i*1000", "(10*n-i)*1000"},       // Ranges inside one another.
     {"crossing", "0", "1", "i*10000", "(i+n/2)*10000"}}};  // Each over half of the profile.

constexpr std::string_view kStatements =
    "begin;"
    "create table counted as with recursive c(i, n) as "
    "(select 0, {count} union all select i+1, n from c where i+1 < n) select * from c;"
    "create table StringIds as select 1 id, 'gemm' value union all select 2, "
    "'cudaLaunchKernel_v7000'"
    " union all select i+3, 'kernel_' || i from counted;"
    "create table META_DATA_EXPORT as select 'EXPORT_SCHEMA_VERSION' name, '3.24.18' value;"
    "create table CUPTI_ACTIVITY_KIND_KERNEL as select i*10000+3000 start, i*10000+9000 end, "
    "{gpu} deviceId, 1 contextId, 7 streamId, i+1 correlationId, 117440512 globalPid, "
    "{kernel} shortName from counted;"
    "create table CUPTI_ACTIVITY_KIND_RUNTIME as select i*10000+1000 start, i*10000+2000 end, "
    "117440513 globalTid, i+1 correlationId, 2 nameId from counted;"
    "create table NVTX_EVENTS as select {start} start, {end} end, 59 eventType, 'range' text, "
    "117440513 globalTid from counted where {start} < {end};"
    "drop table counted; commit; vacuum;";

inline const DatabaseShape* FindDatabaseShape(std::string_view name) {
  for (const DatabaseShape& shape : kDatabaseShapes) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

/// False where the file, which is replaced, cannot be written.
inline bool WriteDatabase(const DatabaseShape& shape, std::int64_t count, const std::string& path) {
  std::remove(path.c_str());
  sqlite3* database = nullptr;
  const std::string text = fmt::format(fmt::runtime(kStatements), fmt::arg("count", count),
                                       fmt::arg("gpu", shape.gpu), fmt::arg("kernel", shape.kernel),
                                       fmt::arg("start", shape.start), fmt::arg("end", shape.end));
  const bool is_whole =
      sqlite3_open(path.c_str(), &database) == SQLITE_OK &&
      sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  return sqlite3_close(database) == SQLITE_OK && is_whole;
}

}  // namespace profgauge::shapes
