// The tables of a rocpd database, and whether their layout is known. Versions are no
// evidence: "3" names several layouts and "4" three that exclude each other.
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

/// "rocpd_BASE" and the suffix in the names of one process' tables: mostly an id.
std::string TableOf(std::string_view base, const std::string& suffix);

/// The suffixes of the processes that a database is of, in order; none: it is no rocpd.
/// Only of letters, digits, `_` and `-`: they become part of statements.
std::vector<std::string> SuffixesOf(const std::set<std::string>& tables);

/// Tables of rows that no version known here has, with their columns: "hip_event (id, name_id)".
/// At most eight.
Result<std::vector<std::string>> UnknownTables(sqlite::Database& database,
                                               const std::set<std::string>& tables,
                                               const std::string& suffix);

/// The writer's data about a process' tables.
struct Metadata {
  std::string version;      ///< "3"; empty where it does not say.
  std::string compression;  ///< Compression of texts; empty: none.
  bool is_of_rocprof_sys = false;
};
Result<Metadata> ReadMetadata(sqlite::Database& database, const std::string& suffix);

/// Errors: kInput "rocpd/compressed" and "rocpd/unknown-schema", the latter where a table of
/// rows has no times, as those of drafts that name rows of times, and where there is no such table.
Status CheckLayout(sqlite::Database& database, const std::vector<std::string>& suffixes);

// The rank of a process and the traced kinds, from its environment. The database holds all of
// the environment, with tokens: only the variables named here are read.

struct Environment {
  std::int64_t rank = -1, world_size = -1;  ///< -1: not said.
  /// Whether the profiler's own variables state the traced kinds.
  bool says_traced = false;
  bool kernels_traced = false, copies_traced = false;
  std::string traced;  ///< "kernels, copies, HIP calls"
};

/// `json` is an object of texts; nothing is taken of anything else.
/// The rank is that of the first known launcher that set one: torchrun, Open MPI, PMIx, PMI,
/// MVAPICH, Slurm.
Environment EnvironmentOf(std::string_view json);

/// The JSON of these variables alone; a filter that is set is "hidden".
std::string ScrubbedEnvironment(std::string_view json);

}  // namespace profgauge::readers::rocpd
