// The time of each kernel, copy and op in the selected iterations: plain sums, in which parallel
// work counts each time. (analysis/breakdown/attribution.h attributes the wall time.) Baselines
// keep them: a comparison of two runs names the kernels whose own time changed.
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

/// The total of one name over the selected iterations. Concurrent work counts each time.
struct WorkSum {
  std::string name;
  std::int64_t count = 0;  ///< Launches of a kernel or copy; calls of an op.
  Ns gpu_time = 0;         ///< Sum of durations; of an op: of the work that it launched itself.
  Ns host_time = 0;        ///< For an op: self time. 0 for kernels.
  /// GPU time by iteration of the run, on its slowest rank; host time where no rank has GPU work.
  /// Empty for small ones.
  std::vector<Ns> series;
};

/// Work counts for the iteration that launched it, ops for the one in which they start. In each
/// list at most 500 names are kept; the rest is summed up as "(smaller)".
struct WorkSums {
  std::int64_t iterations = 0;       ///< Selected iterations of all ranks together: divide by this.
  bool has_gpu = false;              ///< Whether some rank has GPU work.
  std::vector<WorkSum> kernels;      ///< With copies and sets; longest first.
  std::vector<WorkSum> ops;          ///< By GPU time, then host time.
  std::vector<WorkSum> collectives;  ///< By kind and group size: "all_reduce of 8".
  std::vector<WorkSum> modules;      ///< By path, without the modules inside.
  /// Of a file of times: `count` values, whose times are in picoseconds, as a benchmark of one
  /// instruction takes no whole nanoseconds. In the file's order; of no iteration.
  std::vector<WorkSum> benchmarks;
};

/// Times by iteration of the run, where there are any.
using Points = std::vector<std::pair<std::size_t, Ns>>;
/// One time for each of `iterations`, 0 without a point; points of one position add up. REQUIRES:
/// positions are below `iterations`.
std::vector<Ns> SeriesOf(const Points& points, std::size_t iterations);

/// As WorkSum, of one rank. `series` is by ascending position and leaves out zeros.
struct NameWork {
  std::string name;
  std::int64_t count = 0;
  Ns gpu_time = 0, host_time = 0;
  /// GPU time by position of the selected iteration; host time where the rank has no GPU work.
  std::vector<std::pair<std::int64_t, Ns>> series;
  bool has_series = true;  ///< False: it was too much to be kept.
};

/// The sums of one rank.
struct RankWork {
  bool has_gpu = false;
  std::vector<NameWork> kernels, ops;  ///< By name.
  /// The same; made in later rooms.
  std::vector<NameWork> collectives, modules;
  /// Metrics that are sums over iterations, by id: a time of each iteration.
  std::vector<NameWork> sums;
};
/// One walk over the device and the host table. Fills `kernels` and `ops`; the other lists are
/// their rooms'.
RankWork RankWorkOf(const iterations::RankContext& rank);

/// Sums by name and selected iteration, of names that are given whole, for rooms whose things have
/// no name in the profile: collectives by kind and size, modules by path.
class NamedWork {
 public:
  explicit NamedWork(const iterations::RankContext& rank) : rank_(rank) {}
  /// Nothing where `iteration` is not selected.
  void Add(const std::string& name, std::uint32_t iteration, Ns gpu_time, Ns host_time = 0);
  std::vector<NameWork> Take();  ///< By name.

 private:
  const iterations::RankContext& rank_;
  std::map<std::string, NameWork, std::less<>> names_;
};

/// Keeps the series of the largest names while `most` numbers have room for them, and drops all
/// smaller ones' from the first that does not fit; has_series becomes false for these. Sums stay.
void DropSmallSeries(std::size_t most, std::vector<NameWork>& names);

/// Maximum number of parts whose sums by iteration are kept: summaries stay small.
inline constexpr std::size_t kMostSeries = 64;

/// Sums over ranks, which may be added in any order: counts and times are the same, and series add
/// up by position.
class WorkCollector {
 public:
  static constexpr std::size_t kNotSlowest = static_cast<std::size_t>(-1);

  /// `iterations`: how many the run has. `has_gpu`: some rank has GPU work.
  WorkCollector(std::size_t iterations, bool has_gpu);

  /// `run_positions`: for each selected iteration of the rank, which of the run it is, or
  /// kNotSlowest.
  void AddRank(const RankWork& work, const std::vector<std::size_t>& run_positions);

  /// `whole`: the run's iteration times together, of which a name needs a share to keep its series.
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
