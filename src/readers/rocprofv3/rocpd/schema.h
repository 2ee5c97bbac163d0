// Finds the tables of a rocpd database and checks whether their layout is known. Version numbers do
// not show it: "3" is used for several layouts and "4" for three incompatible ones.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"
#include "profgauge/error.h"

namespace profgauge::readers::rocpd {

/// The name of a process's table: "rocpd_BASE" and the suffix of the process, mostly an id.
std::string TableOf(std::string_view base, const std::string& suffix);

/// The suffixes of the processes in a database, in order; empty if it is no rocpd database. Only
/// those of letters, digits, `_` and `-`, because suffixes become part of SQL statements.
std::vector<std::string> SuffixesOf(const std::set<std::string>& tables);

/// Tables with rows that are in no known version, with their columns: "hip_event (id, name_id)".
/// Returns at most eight.
Result<std::vector<std::string>> UnknownTables(sqlite::Database& database,
                                               const std::set<std::string>& tables,
                                               const std::string& suffix);

/// The writer's metadata of a process's tables.
struct Metadata {
  std::string version;      ///< "3"; empty if it is missing.
  std::string compression;  ///< Compression of texts; empty: none.
  bool is_of_rocprof_sys = false;
};
Result<Metadata> ReadMetadata(sqlite::Database& database, const std::string& suffix);

/// Checks that the layout can be read. Errors: kInput "rocpd/compressed"; "rocpd/unknown-schema" if
/// a table of rows has no times (as in drafts, where rows refer to times), or if there is no such
/// table.
Status CheckLayout(sqlite::Database& database, const std::vector<std::string>& suffixes);

// The rank of a process and the traced kinds, from its environment. Only the variables listed here
// are read, because the database contains the whole environment, including tokens.

struct Environment {
  std::int64_t rank = -1, world_size = -1;  ///< -1: not stated.
  /// True if the profiler's own variables state the traced kinds.
  bool says_traced = false;
  bool kernels_traced = false, copies_traced = false;
  std::string traced;  ///< "kernels, copies, HIP calls"
};

/// Reads a JSON object of texts; other JSON gives nothing. The rank is that of the first known
/// launcher that set one: torchrun, Open MPI, PMIx, PMI, MVAPICH, Slurm.
Environment EnvironmentOf(std::string_view json);

/// A JSON object of only these variables, for copies. The value of a set filter becomes "hidden".
std::string ScrubbedEnvironment(std::string_view json);

}  // namespace profgauge::readers::rocpd
