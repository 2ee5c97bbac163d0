// Runs whose tables stay in memory, so that the next question about one is not read and judged
// again.
//
// A run is found again by a key of all that its tables depend on. The key has the size and time of
// every file in the folders of the run and of its policy, so a profile that is written anew is read
// anew; it has the day, since waivers expire.
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

/// The runs that were asked last.
class QueryCache {
 public:
  /// The run of `key`, which then counts as asked last; nullptr: it is unknown. The pointer is
  /// valid until the next Keep().
  QueryData* Find(const std::string& key);
  /// Keeps it; lets go of the one that was not asked for longest. REQUIRES: `key` is not kept yet.
  QueryData& Keep(std::string key, std::unique_ptr<QueryData> run);

 private:
  static constexpr std::size_t kMostRuns = 2;  // Each has a profile in memory.
  std::vector<std::pair<std::string, std::unique_ptr<QueryData>>> runs_;  // The last asked last.
};

/// The inputs of the tables of a run: its files with their sizes and times, the files beside them,
/// the policy, and the selection. Nothing where that is unknown: for several runs, for standard
/// input, in folders of too many files.
std::optional<std::string> KeyOfRun(const Options& options);

/// Whether the run is small enough to stay in memory beside others: an estimate by the sizes of its
/// files, a quarter of the memory to use.
bool MayKeep(const Options& options);

/// `query` with the tables of earlier questions.
Result<int> RunQuery(const Options& options, Console& console, QueryCache& cache);

}  // namespace profgauge::cli
