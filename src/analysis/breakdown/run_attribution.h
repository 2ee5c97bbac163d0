// The attribution of the run, computed from the facts of one rank after another.
//
// An iteration of the run is that of its slowest rank, whose parts add up to it. The other ranks
// contribute only sums of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/breakdown/attribution.h"
#include "analysis/breakdown/rank_attribution.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/breakdown/work_sums.h"
#include "analysis/iterations/iterations.h"

namespace profgauge::analysis::breakdown {

/// Call AddRank() once for each rank, in any order, then Take(). Only the facts of one rank need to
/// be in memory.
class RunAttribution {
 public:
  /// `run`: PoolIterations() of the ranks. `has_gpu`: whether any rank has GPU work.
  RunAttribution(std::vector<RunIteration> run, bool has_gpu);

  /// Which of the rank's selected iterations are in the run, so that only their parts are needed.
  /// `rank`: its position in the run (RunIteration::rank).
  std::vector<bool> OwnIterations(std::size_t rank, const iterations::Iterations& iterations) const;

  /// `facts` contain at least the parts of the rank's own iterations (OwnIterations()). Parts in
  /// other iterations are ignored; sums of work count completely.
  void AddRank(std::size_t rank, const iterations::Iterations& iterations,
               const AttributionFacts& facts);

  /// Merges small parts, sets shares and sorts. The object is empty afterwards.
  Attribution Take();

 private:
  using Names = std::tuple<std::string, std::string, std::string, std::string, std::int64_t>;

  /// A part of the run while ranks are added.
  struct Part {
    TimePart sum;  ///< Without series.
    Points points;
    bool is_alone = true;  ///< Not a merged part.
  };
  /// Positions among a rank's selected iterations.
  struct OwnPositions {
    std::vector<std::size_t> of_run;    ///< Position in the run, or kNotSlowest.
    std::vector<std::size_t> next_own;  ///< By position: the first one from there on in the run.
    std::int64_t own = 0;               ///< Number of those in the run.
  };

  OwnPositions PositionsOf(std::size_t rank, const iterations::Iterations& iterations) const;
  static std::int64_t CountOf(const RankPart& part, const OwnPositions& positions);
  void AddSums(const std::vector<NameWork>& sums, std::size_t iterations);
  void AddShapes(const std::vector<std::int64_t>& shapes);
  void AddPart(const RankPart& part, const OwnPositions& positions);
  void Fold();
  void SetShares();

  std::vector<RunIteration> run_;
  WorkCollector work_;
  Attribution out_;
  std::vector<Ns> observed_;  ///< Sum of the parts of each iteration.
  Ns whole_ = 0;
  std::map<Names, Part> parts_;
  std::map<std::pair<std::string, std::string>, Part> folded_;  ///< By category and op type.
  bool lacks_sums_ = false;                                     ///< A rank has other iterations.
  std::set<std::string, std::less<>> lost_sums_;                ///< Too long on a rank.
  bool has_shapes_ = false;
  bool lacks_iteration_shapes_ = false;  ///< A rank has no shapes.
  std::set<std::string> shape_lines_;
  std::set<std::string> gpu_models_;
};

}  // namespace profgauge::analysis::breakdown
