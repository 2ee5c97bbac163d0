// Runs whose tables stay in memory, so that the next question about one is not read and judged
// again.
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
  /// nullptr: it is unknown.
  QueryData* Find(const std::string& key);
  /// Keeps it; lets go of the one that was not asked for longest.
  QueryData& Keep(std::string key, std::unique_ptr<QueryData> run);

 private:
  static constexpr std::size_t kMostRuns = 2;  // Each has a profile in memory.
  std::vector<std::pair<std::string, std::unique_ptr<QueryData>>> runs_;  // The last asked last.
};

/// The inputs of the tables of a run: its files with their sizes and times, the files beside them,
/// the policy, and the selection. Nothing where that is unknown: for several runs, for standard
/// input, in folders of too many files.
std::optional<std::string> KeyOfRun(const Options& options);

/// Whether the run is small enough to stay in memory beside others. Looks into its files.
bool MayKeep(const Options& options);

/// `query` with the tables of earlier questions.
Result<int> RunQuery(const Options& options, Console& console, QueryCache& cache);

}  // namespace profgauge::cli
