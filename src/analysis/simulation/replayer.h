// Simulations of a whole run, with one graph per rank, and the effect of changes.
//
// If all ranks of a group are recorded and matched, its collectives end when the last rank has
// arrived (analysis/simulation/joint.h). Otherwise the arrivals of other ranks stay as recorded.
// Not modeled: contention for bandwidth, caches, and reactions of the host to a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/simulation/critical_path.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/hiding.h"
#include "analysis/simulation/joint.h"
#include "analysis/simulation/keep_up.h"
#include "analysis/simulation/path_facts.h"
#include "analysis/simulation/scenario_changes.h"

namespace profgauge::analysis::simulation {

/// A row that a condition can select: an event of a rank.
struct ScenarioRow {
  std::uint32_t rank = 0;  ///< Position in the run.
  std::uint32_t row = 0;   ///< A row of the rank's host, api or device table.
};

/// Rows by rank, then ascending. Stored as ranges: conditions often select consecutive rows.
class ScenarioRows {
 public:
  /// Rows of one rank: [begin, end).
  struct Range {
    std::uint32_t rank = 0;
    std::uint32_t begin = 0, end = 0;
  };

  ScenarioRows() = default;
  ScenarioRows(std::initializer_list<ScenarioRow> rows) {
    for (const ScenarioRow& row : rows) push_back(row);
  }

  std::size_t size() const { return size_; }
  std::span<const Range> ranges() const { return ranges_; }
  /// REQUIRES: the row follows all rows so far, by rank and then by row.
  void push_back(ScenarioRow row) {
    ++size_;
    if (!ranges_.empty() && ranges_.back().rank == row.rank && ranges_.back().end == row.row) {
      ++ranges_.back().end;
    } else {
      ranges_.push_back({row.rank, row.row, row.row + 1});
    }
  }

  /// Finds rows by their positions, which must ascend.
  class Reader {
   public:
    explicit Reader(const ScenarioRows& rows) : at_(rows.ranges_.data()) {}
    ScenarioRow At(std::size_t position) {
      while (position - before_ >= at_->end - at_->begin) {
        before_ += at_->end - at_->begin;
        ++at_;
      }
      return {at_->rank, at_->begin + static_cast<std::uint32_t>(position - before_)};
    }

   private:
    const Range* at_;
    std::size_t before_ = 0;  // Rows of the ranges before.
  };

 private:
  std::vector<Range> ranges_;
  std::size_t size_ = 0;
};

/// One change: multiplies the time of the rows by a factor. A host range or call covers all events
/// within it on its thread, except calls that allocate or free memory: these are separate rows and
/// keep their time. Device work covers its duration. Idle time covers the work of threads in it,
/// except waiting for the device. A scaled call that waits takes its scaled time, independent of
/// the awaited work; with factor 0 it takes none.
struct Scaling {
  PathTable table = PathTable::kHost;
  ScenarioRows rows;
  double factor = 1;  ///< Not negative.
  /// Only for collectives: these rows do not wait for other ranks, except for data sent by one.
  bool without_waiting = false;
  /// Only for collectives, if all ranks are recorded and matched, instead of `factor`: speeds up
  /// their rank's own work just enough to arrive with the next to last rank.
  bool keeps_up = false;
  /// Only for kDevice, instead of `factor`: the rows are collectives, or copies and memsets, that
  /// overlap with the rank's own computation as far as possible (analysis/simulation/hiding.h).
  std::optional<Hidden> hides = std::nullopt;
  /// Only for kGap: the list into which its rows are positions.
  std::span<const HostGap> gaps = {};
  /// Only for kHost and kApi: the covered steps by rank, if FindSteps() has found them.
  std::shared_ptr<const std::vector<StepRanges>> steps = nullptr;
  /// By rank; set by FindSteps() if keeps_up. While null, the scaling changes nothing.
  std::shared_ptr<const RankPaces> paces = nullptr;
  /// By rank; set by FindSteps() if `hides`. While null, the scaling changes nothing.
  std::shared_ptr<const std::vector<HidingRoom>> rooms = nullptr;
};

/// A set of changes that are made together. Without changes a simulation returns exactly the
/// recorded times.
struct Scenario {
  std::vector<Scaling> scalings;
  bool without_waiting = false;  ///< Collectives last as long as on the rank that arrived last.
  /// All work of threads takes no time: the device never waits for the host.
  bool hidden_host = false;
  /// If several scalings cover a row, uses only the smallest factor, because they shorten the same
  /// time. Otherwise their factors are multiplied.
  bool by_smallest = false;
  /// Computation that other scalings shorten still hides as much as before, which is a lower bound.
  bool keeps_rooms = false;
};

/// The iteration time with and without the scenario, in ns; a mean over the same iterations.
struct Prediction {
  /// Mean over the iterations, each on its slowest rank. Includes pauses between iterations if
  /// these exceed 1 % of the time.
  double iteration_time = 0;
  double recorded_time = 0;  ///< The same mean as recorded.
  PathSums path{};           ///< The new critical path, summed over ranks; zeros unless requested.
  double gain_share() const { return recorded_time > 0 ? 1 - iteration_time / recorded_time : 0; }
};

/// Which parts of a prediction are needed. The path doubles the cost, and needs the times of all
/// steps in memory.
enum class PredictionOf : std::uint8_t { kTimes, kTimesAndPath };

using PathGraphs = tl::expected<std::vector<PathGraph>, std::string>;
/// Builds the graphs of all ranks, or returns the reason of the first rank without one. Does not
/// need MeasureContexts(). The graphs keep pointers to `ranks`.
PathGraphs BuildGraphs(std::span<const iterations::RankContext> ranks);

/// Simulates scenarios. It holds the graphs of all ranks, so one object is enough for all questions
/// about a run.
class Replayer {
 public:
  /// Builds the graphs of all ranks; why_not() has the reason of the first rank without one.
  explicit Replayer(std::shared_ptr<const std::vector<iterations::RankContext>> ranks)
      : Replayer(ranks, BuildGraphs(*ranks)) {}
  Replayer(std::shared_ptr<const std::vector<iterations::RankContext>> ranks, PathGraphs graphs);
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  const std::string& why_not() const { return why_not_; }
  bool can_replay() const { return why_not_.empty(); }
  std::span<const PathGraph> graphs() const { return graphs_; }
  std::span<const iterations::RankContext> ranks() const { return *ranks_; }
  /// By device row of that rank, the duration of its collective without waiting, -1 if unknown.
  /// Empty if all are unknown.
  std::span<const Ns> transfers(std::size_t rank) const { return transfers_[rank]; }
  /// Whether the collectives of the run's ranks could be matched, so that waiting is known.
  bool knows_waiting() const { return knows_waiting_; }
  /// Whether a rank that arrives earlier or later affects the other ranks.
  bool is_joint() const { return joint_ && joint_->joint_calls() > 0; }
  /// Whether nearly all time in collectives could be separated into waiting and transfer
  /// (path.matched_share), so that the part that can be hidden is known.
  bool knows_transfers() const { return is_joint() && knows_transfers_; }
  /// The target times of launches; empty without operators of known work.
  const LaunchTargets& targets() const { return targets_; }
  void SetTargets(LaunchTargets targets) { targets_ = std::move(targets); }
  /// Position of the rank that the others wait for; none without a straggler, or if it is unknown.
  std::optional<std::size_t> straggler() const { return straggler_; }
  void SetStraggler(std::optional<std::size_t> rank) { straggler_ = rank; }
  std::span<const HostGap> gaps() const { return gaps_; }
  void SetGaps(std::vector<HostGap> gaps) { gaps_ = std::move(gaps); }
  /// JointReplay::Slacks(). REQUIRES: is_joint().
  std::vector<std::vector<Ns>> JointSlacks() const { return joint_->Slacks(); }

  /// The recorded time of Predict() if it includes pauses between iterations; 0 without pauses.
  double TimeWithPauses() const;
  /// Predicts the effect of a scenario. No iteration gets shorter than the work of its busiest
  /// stream, which includes hidden work. O(steps + edges) for each rank. REQUIRES: can_replay(),
  /// and knows_waiting() if the scenario is without waiting.
  Prediction Predict(const Scenario& scenario,
                     PredictionOf wanted = PredictionOf::kTimesAndPath) const;

  /// Returns the scenario as it is simulated: scalings that hide have become scalings with factors.
  /// REQUIRES: FindSteps() was called for it.
  Scenario WithFactors(const Scenario& scenario) const;

  /// Sets `steps`, `paces` and `rooms` of a scenario's scalings, once for all of its simulations.
  /// Else each simulation finds the steps again, and `keeps_up` and `hides` have no effect.
  void FindSteps(Scenario& scenario) const;

  /// Whether SilentTimeOfPath() is so large a part of the recorded path that the graph may have
  /// missed waits of the host (path.silent_share): changes of the device may then save more than
  /// Predict() says.
  bool MayMissWaits() const;

  /// Returns an upper bound of the saving in ns per iteration, in any combination with other
  /// scenarios: the sum of the shortened times over all ranks. Infinite for scenarios that remove
  /// waits, because waits grow when other work gets faster. O(steps).
  double MostSaved(const Scenario& scenario) const;

  /// Rows for conditions: all events of `table` in the graphs ("host_op", "api_call", "launch" or
  /// "host_gap"), and their columns.
  struct Rows {
    PathTable table = PathTable::kHost;
    Table cells;
    ScenarioRows events;
  };
  Rows MakeRows(PathTable table) const;
  /// Fills the columns with these indices that are still empty.
  void FillColumns(std::span<const std::uint32_t> columns, Rows& rows) const;

 private:
  /// A replay of one rank.
  struct Replayed {
    std::vector<Span> iterations;
    PathSums path{};  // Zeros unless requested.
  };

  void MatchCalls();
  std::shared_ptr<const std::vector<HidingRoom>> RoomsOf(Hidden hidden) const;
  /// The longest work of a stream in the selected iterations, in ns, with hidden work as recorded.
  double BusiestStream(const Scenario& scenario) const;
  RankPaces PacesOf(const Scaling& scaling) const;
  std::vector<Replayed> ReplayJointly(const Scenario& scenario, PredictionOf wanted) const;
  Replayed ReplayAlone(const Scenario& scenario, std::uint32_t rank, PredictionOf wanted) const;

  std::shared_ptr<const std::vector<iterations::RankContext>> ranks_;
  std::vector<PathGraph> graphs_;
  std::vector<std::vector<Ns>> transfers_;
  std::optional<JointReplay> joint_;
  bool knows_waiting_ = false, knows_transfers_ = false;
  mutable std::mutex making_rooms_;
  mutable std::shared_ptr<const std::vector<HidingRoom>> rooms_[2];  // By Hidden; made when asked.
  LaunchTargets targets_;
  std::vector<HostGap> gaps_;
  std::optional<std::size_t> straggler_;
  std::string why_not_;
};

/// The columns of MakeRows' tables.
std::span<const ColumnSpec> ScenarioColumns(PathTable table);
/// "host_op", "api_call", "launch", "host_gap"
std::string_view ScenarioRowName(PathTable table);

/// The path facts by rank, as far as `out` wants tables with them; empty if there is no replay.
std::vector<PathFacts> PathFactsOf(const Replayer& replayer, const catalog::Output& out);
/// Sets critical.* and adds the tables critical_path and slack, if wanted. `paths`: the result of
/// PathFactsOf() for the replayer and `out`.
void AddCriticalPath(const Replayer& replayer, std::span<const PathFacts> paths,
                     catalog::Output& out);

// The critical path step by step with readable names, for the timeline's track.

/// One piece of the path with the names that a timeline prints.
struct PathMove {
  Span time;
  PathKind kind = PathKind::kUnknown;
  bool uses_tensor_core = false;
  std::string_view name;  ///< Like in the table critical_path: a kernel, an operator, a call.
  std::string_view op;    ///< The operator that launched it; may be empty.
  /// The event that contains it; for a step between a call and its work, the call. `row` is
  /// PathGraph::kNone if there is none.
  PathOwner in;
};

/// The longest pieces of a path, and the number of omitted pieces.
struct PathMoves {
  std::vector<PathMove> kept;  ///< In time order. On a whole path they touch.
  std::size_t left_out = 0;    ///< Number of omitted pieces.
};

/// The moves of one rank's path: all, or the longest, at most `most` (moves as short as the longest
/// omitted one are omitted, too). Names live as long as the replayer's profiles. REQUIRES:
/// replayer.can_replay().
PathMoves LongestPathMoves(const Replayer& replayer, std::size_t rank, std::size_t most);

}  // namespace profgauge::analysis::simulation
