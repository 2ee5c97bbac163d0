// The time of each kernel, copy and op in the selected iterations: plain sums, in which parallel
// work counts several times. (analysis/breakdown/attribution.h attributes the wall time.) Baselines
// store them, so that comparisons can name kernels whose own time changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::breakdown {

/// The total of one name over the selected iterations. Concurrent events count separately.
struct WorkSum {
  std::string name;
  std::int64_t count = 0;  ///< Launches of a kernel or copy; calls of an op.
  Ns gpu_time = 0;         ///< Sum of durations; for an op, of the work it launched directly.
  Ns host_time = 0;        ///< For an op: self time. 0 for kernels.
  /// By iteration of the run, on its slowest rank: GPU time, or host time if no rank has GPU work.
  /// Empty for small names.
  std::vector<Ns> series;
};

/// Work counts for the iteration that launched it, ops for the one in which they start. Each list
/// has at most 500 names; the rest is one sum named "(smaller)".
struct WorkSums {
  std::int64_t iterations = 0;       ///< Number over all ranks: divide by this.
  bool has_gpu = false;              ///< Whether some rank has GPU work.
  std::vector<WorkSum> kernels;      ///< Includes copies and memsets; longest first.
  std::vector<WorkSum> ops;          ///< By GPU time, then host time.
  std::vector<WorkSum> collectives;  ///< By kind and group size: "all_reduce of 8".
  std::vector<WorkSum> modules;      ///< By path, without inner modules.
  /// Benchmarks of a file of times, in its order: `count` values each, of no iteration. Times are
  /// in picoseconds, since one instruction may take less than a nanosecond.
  std::vector<WorkSum> benchmarks;
};

/// Pairs of an iteration of the run and a time.
using Points = std::vector<std::pair<std::size_t, Ns>>;
/// Returns one time for each of `iterations`: the sum of the points at its position, 0 if there are
/// none. REQUIRES: positions are below `iterations`.
std::vector<Ns> SeriesOf(const Points& points, std::size_t iterations);

/// Like WorkSum, for one rank. `series` is sorted by position and omits zeros.
struct NameWork {
  std::string name;
  std::int64_t count = 0;
  Ns gpu_time = 0, host_time = 0;
  /// By position of the selected iteration: GPU time, or host time if the rank has no GPU work.
  std::vector<std::pair<std::int64_t, Ns>> series;
  bool has_series = true;  ///< False: it was too long to store.
};

/// The sums of one rank.
struct RankWork {
  bool has_gpu = false;
  std::vector<NameWork> kernels, ops;  ///< By name.
  /// By name; set by later analyses.
  std::vector<NameWork> collectives, modules;
  /// By metric id, for metrics that are sums over iterations: the time in each iteration.
  std::vector<NameWork> sums;
};
/// Walks the device and the host table once. Fills `kernels` and `ops`; other analyses fill the
/// other lists.
RankWork RankWorkOf(const iterations::RankContext& rank);

/// Sums by name and selected iteration, for analyses whose names are not in the profile:
/// collectives by kind and size, modules by path.
class NamedWork {
 public:
  explicit NamedWork(const iterations::RankContext& rank) : rank_(rank) {}
  /// Ignored if `iteration` is not selected.
  void Add(const std::string& name, std::uint32_t iteration, Ns gpu_time, Ns host_time = 0);
  std::vector<NameWork> Take();  ///< By name.

 private:
  const iterations::RankContext& rank_;
  std::map<std::string, NameWork, std::less<>> names_;
};

/// Keeps the series of the largest names while they fit into `most` numbers. Drops the first that
/// does not fit and all smaller ones: their has_series becomes false. Sums stay.
void DropSmallSeries(std::size_t most, std::vector<NameWork>& names);

/// Maximum number of names with a series, and the least share of the run of each: keeps summaries
/// small.
inline constexpr std::size_t kMostSeries = 64;
inline constexpr double kLeastWithSeries = 0.005;

/// Sums over ranks, which may be added in any order: counts, times and series are added.
class WorkCollector {
 public:
  static constexpr std::size_t kNotSlowest = static_cast<std::size_t>(-1);

  /// `iterations`: their number in the run. `has_gpu`: whether any rank has GPU work.
  WorkCollector(std::size_t iterations, bool has_gpu);

  /// `run_positions`: for each selected iteration of the rank, its position in the run, or
  /// kNotSlowest.
  void AddRank(const RankWork& work, const std::vector<std::size_t>& run_positions);

  /// `whole`: the sum of the run's iteration times; small shares of it get no series.
  WorkSums Take(Ns whole);

 private:
  /// The sum of one name while ranks are added.
  struct Sum {
    WorkSum sum;  ///< Without series.
    Points points;
    bool has_series = true;
  };
  using Sums = std::map<std::string, Sum, std::less<>>;

  void Add(const NameWork& work, bool has_gpu, const std::vector<std::size_t>& run_positions,
           Sums& sums) const;
  std::vector<WorkSum> Sorted(Sums& sums, Ns whole) const;

  std::size_t length_;
  WorkSums out_;
  Sums kernels_, ops_, collectives_, modules_;
};

}  // namespace profgauge::analysis::breakdown
