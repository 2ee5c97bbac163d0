// Keeps the tables of runs in memory, so that the next question about a run need not read and judge
// it again.
//
// A run is found by a key of everything on which its tables depend: sizes and times of all files in
// the folders of the run and of its policy, so a changed profile is read again; and the day, since
// waivers expire.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/query_data.h"

namespace profgauge::cli {

/// The most recently used runs.
class QueryCache {
 public:
  /// The run of `key`, which becomes the most recently used one; nullptr if it is unknown. The
  /// pointer is valid until the next Keep().
  QueryData* Find(const std::string& key);
  /// Adds a run and drops the least recently used one. REQUIRES: `key` is new.
  QueryData& Keep(std::string key, std::unique_ptr<QueryData> run);

 private:
  static constexpr std::size_t kMostRuns = 2;  // Each has a profile in memory.
  std::vector<std::pair<std::string, std::unique_ptr<QueryData>>> runs_;  // The last asked last.
};

/// Describes the inputs of a run's tables: its files with sizes and times, the files beside them,
/// the policy, and the selection. nullopt if they cannot be described: for several runs, standard
/// input, and folders with too many files.
std::optional<std::string> KeyOfRun(const Options& options);

/// True if the run is small enough to keep in memory beside others: by the sizes of its files, it
/// needs at most a quarter of the memory limit.
bool MayKeep(const Options& options);

/// Runs `query` with the tables of earlier questions.
Result<int> RunQuery(const Options& options, Console& console, QueryCache& cache);

}  // namespace profgauge::cli
