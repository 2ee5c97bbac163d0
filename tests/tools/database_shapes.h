// Degenerate exports of Nsight Systems, as SQLite: what a trace in JSON cannot show, since readers
// of databases put ranges, devices and names together on their own. `count` launches of a kernel on
// one thread, 10 µs apart, in the shape that is asked for.
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace profgauge::shapes {

/// Statements for one i of 0..count-1; `{0}` is i, `{1}` is `count`.
struct DatabaseShape {
  std::string_view name;
  std::string_view rows;
};

#define PROFGAUGE_SHAPE_KERNEL(gpu, name)                                                       \
  "insert into CUPTI_ACTIVITY_KIND_KERNEL values ({0}*10000+3000, {0}*10000+9000, " gpu         \
  ", 1, "                                                                                       \
  "7, {0}+1, 117440512, " name                                                                  \
  ");"                                                                                          \
  "insert into CUPTI_ACTIVITY_KIND_RUNTIME values ({0}*10000+1000, {0}*10000+2000, 117440513, " \
  "{0}+1, 2);"

constexpr std::array<DatabaseShape, 4> kDatabaseShapes = {{
    // Each kernel on a device of its own.
    {"gpus", PROFGAUGE_SHAPE_KERNEL("{0}", "1")},
    // Each of its own name.
    {"kernels",
     "insert into StringIds values ({0}+10, 'kernel_{0}');" PROFGAUGE_SHAPE_KERNEL("0", "{0}+10")},
    // Ranges inside one another.
    {"nested", PROFGAUGE_SHAPE_KERNEL("0", "1") "insert into NVTX_EVENTS values ({0}*1000, "
                                                "({1}*10-{0})*1000, 59, 'range', 117440513);"},
    // Ranges that each reach over half of the recording.
    {"crossing", PROFGAUGE_SHAPE_KERNEL("0", "1") "insert into NVTX_EVENTS values ({0}*10000, "
                                                  "({0}+{1}/2)*10000, 60, 'range', 117440513);"},
}};

#undef PROFGAUGE_SHAPE_KERNEL

constexpr std::string_view kTables =
    "create table StringIds (id integer primary key, value text);"
    "insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000');"
    "create table META_DATA_EXPORT (name text, value text);"
    "insert into META_DATA_EXPORT values ('EXPORT_SCHEMA_VERSION', '3.24.18');"
    "create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, "
    "contextId integer, streamId integer, correlationId integer, globalPid integer, "
    "shortName integer);"
    "create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer, "
    "correlationId integer, nameId integer);"
    "create table NVTX_EVENTS (start integer, end integer, eventType integer, text text, "
    "globalTid integer);";

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
  bool is_whole = sqlite3_open(path.c_str(), &database) == SQLITE_OK;
  const auto run = [&](const std::string& text) {
    is_whole =
        is_whole && sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  };
  run("begin;" + std::string(kTables));
  for (std::int64_t i = 0; i < count; ++i) run(fmt::format(fmt::runtime(shape.rows), i, count));
  run("commit;");
  return sqlite3_close(database) == SQLITE_OK && is_whole;
}

}  // namespace profgauge::shapes
