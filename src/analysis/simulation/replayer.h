// Simulations of a whole run: a graph per rank, and the effect of a change.
//
// With all ranks of a group recorded and matched, its collectives end when the last has come
// (analysis/simulation/joint.h); else the arrivals of others stay as they were recorded. Not
// modeled: contention for bandwidth, caches, and the host's own reaction to a change.
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

/// One row that a condition may look at: an event of a rank.
struct ScenarioRow {
  std::uint32_t rank = 0;  ///< Position in the run.
  std::uint32_t row = 0;   ///< A row of the rank's host, api or device table.
};

/// Rows by rank, then ascending. Stored as ranges: conditions select many that follow each other.
class ScenarioRows {
 public:
  /// Covered steps of one rank: [begin, end).
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
  /// REQUIRES: after all rows so far, by rank and then by row.
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

/// One change: the time of these rows is multiplied by a factor. For a host range or call, that
/// covers everything in it on its thread, except calls that allocate or free memory (separate
/// rows), which keep their time in host ranges. For device work it covers the duration. For idle
/// time it covers the work of threads in it, except waiting for the device. A call that waits then
/// takes that long, whatever it waited for: by 0 it is not there.
struct Scaling {
  PathTable table = PathTable::kHost;
  ScenarioRows rows;
  double factor = 1;  ///< Not negative.
  /// Only for collectives: these rows do not wait for other ranks either, but for what one sends.
  bool without_waiting = false;
  /// Only for collectives: instead, their rank does its own work as fast as it needs to, to arrive
  /// with the next to last rank. Where all ranks are recorded and matched.
  bool keeps_up = false;
  /// Only for kDevice: instead of `factor`, the rows are collectives, or copies and memsets, that
  /// run beside the rank's own computation as far as it has any (analysis/simulation/hiding.h).
  std::optional<Hidden> hides = std::nullopt;
  /// Only for kGap: the list that its rows are positions in.
  std::span<const HostGap> gaps = {};
  /// Only for kHost and kApi: the covered steps by rank, if they were found before (FindSteps()).
  std::shared_ptr<const std::vector<StepRanges>> steps = nullptr;
  /// By rank; set by FindSteps() where it keeps up. Without them it changes nothing.
  std::shared_ptr<const RankPaces> paces = nullptr;
  /// By rank; set by FindSteps() where it hides. Without them it changes nothing.
  std::shared_ptr<const std::vector<HidingRoom>> rooms = nullptr;
};

/// A set of changes that are made together. Without changes a simulation gives the recorded times
/// exactly.
struct Scenario {
  std::vector<Scaling> scalings;
  bool without_waiting = false;  ///< Collectives last as long as on the rank that came last.
  /// Nothing that threads do takes any time: the device waits for no host.
  bool hidden_host = false;
  /// If several scalings cover a row, the smallest of their factors counts: two ways to shorten one
  /// thing shorten it once. Else their factors multiply.
  bool by_smallest = false;
  /// Computation that other scalings shorten hides as much as it did: for the least possible time.
  bool keeps_rooms = false;
};

/// The iteration time with and without the scenario. Both are ns and mean over the same iterations.
struct Prediction {
  /// ns, mean over the iterations, each on its slowest rank; up to the start of the next where over
  /// 1 % of the time passes between them.
  double iteration_time = 0;
  double recorded_time = 0;  ///< The same of the profile.
  PathSums path{};           ///< The new critical path, summed over ranks; zeros unless wanted.
  double gain_share() const { return recorded_time > 0 ? 1 - iteration_time / recorded_time : 0; }
};

/// The wanted parts of a prediction. The path costs as much as the times, and the memory for those
/// of all steps.
enum class PredictionOf : std::uint8_t { kTimes, kTimesAndPath };

using PathGraphs = tl::expected<std::vector<PathGraph>, std::string>;
/// The graphs of all ranks, or the reason of the first rank that has none. Needs nothing that
/// MeasureContexts() adds; the graphs keep pointers to `ranks`.
PathGraphs BuildGraphs(std::span<const iterations::RankContext> ranks);

/// Answers scenarios. It holds the graphs of all ranks, so one object serves all questions about a
/// run.
class Replayer {
 public:
  /// With the graphs of all ranks, or in why_not() the reason of the first that has none.
  explicit Replayer(std::shared_ptr<const std::vector<iterations::RankContext>> ranks)
      : Replayer(ranks, BuildGraphs(*ranks)) {}
  Replayer(std::shared_ptr<const std::vector<iterations::RankContext>> ranks, PathGraphs graphs);
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  const std::string& why_not() const { return why_not_; }
  bool can_replay() const { return why_not_.empty(); }
  std::span<const PathGraph> graphs() const { return graphs_; }
  std::span<const iterations::RankContext> ranks() const { return *ranks_; }
  /// Per device row of that rank: how long its collective takes without waiting; -1 unknown.
  /// Empty when nothing is known.
  std::span<const Ns> transfers(std::size_t rank) const { return transfers_[rank]; }
  /// Whether the collectives of the run's ranks could be matched, so that waiting is known.
  bool knows_waiting() const { return knows_waiting_; }
  /// Whether a rank that comes earlier or later takes the others with it.
  bool is_joint() const { return joint_ && joint_->joint_calls() > 0; }
  /// Whether the time of nearly all collectives could be separated into waiting and transfer
  /// (path.matched_share), so that what can be hidden of them is known.
  bool knows_transfers() const { return is_joint() && knows_transfers_; }
  /// The target times of its launches; empty without operators of known work.
  const LaunchTargets& targets() const { return targets_; }
  void SetTargets(LaunchTargets targets) { targets_ = std::move(targets); }
  /// Position of the rank that the others wait for; none if nobody straggles, or it is unknown.
  std::optional<std::size_t> straggler() const { return straggler_; }
  void SetStraggler(std::optional<std::size_t> rank) { straggler_ = rank; }
  std::span<const HostGap> gaps() const { return gaps_; }
  void SetGaps(std::vector<HostGap> gaps) { gaps_ = std::move(gaps); }
  /// JointReplay::Slacks(). REQUIRES: is_joint().
  std::vector<std::vector<Ns>> JointSlacks() const { return joint_->Slacks(); }

  /// No iteration gets shorter than the work of its busiest stream; hidden work runs all the same.
  /// REQUIRES: can_replay(), and knows_waiting() where the scenario is without waiting.
  /// O(steps + edges) for each rank.
  Prediction Predict(const Scenario& scenario,
                     PredictionOf wanted = PredictionOf::kTimesAndPath) const;

  /// What is simulated: each scaling that hides as scalings by factors.
  /// REQUIRES: FindSteps() has seen it.
  Scenario WithFactors(const Scenario& scenario) const;

  /// Finds the covered steps, paces and rooms once for all simulations of this scenario. Without it
  /// each simulation finds the steps anew, and nothing keeps up or hides.
  void FindSteps(Scenario& scenario) const;

  /// The part of the recorded critical path that is SilentTimeOfPath(). Where that is much, a
  /// simulation that saves nothing may only miss a wait.
  double SilentShare() const;

  /// The largest possible saving of the scenario, in ns per iteration, in any order with other
  /// scenarios: the sum of the shortened times, over all ranks. Infinite where it takes waits away,
  /// which grow when others get faster. O(steps).
  double MostSaved(const Scenario& scenario) const;

  /// Rows for conditions: all events of `table` in the graphs ("host_op", "api_call", "launch" or
  /// "host_gap"), and their columns. Built anew with each call, its columns empty.
  struct Rows {
    PathTable table = PathTable::kHost;
    Table cells;
    ScenarioRows events;
  };
  Rows MakeRows(PathTable table) const;
  /// Fills those of these columns, by their numbers, that are empty.
  void FillColumns(std::span<const std::uint32_t> columns, Rows& rows) const;

 private:
  /// A replay of one rank.
  struct Replayed {
    std::vector<Span> iterations;
    PathSums path{};  // Zeros unless wanted.
  };

  void MatchCalls();
  std::shared_ptr<const std::vector<HidingRoom>> RoomsOf(Hidden hidden) const;
  /// ns: the longest work of a stream in the selected iterations, hidden work as recorded.
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

/// By rank, with what the tables that `out` wants need; none where it cannot replay.
std::vector<PathFacts> PathFactsOf(const Replayer& replayer, const catalog::Output& out);
/// Sets critical.* and adds the tables critical_path and slack, if wanted. `paths`: PathFactsOf()
/// of the replayer and `out`.
void AddCriticalPath(const Replayer& replayer, std::span<const PathFacts> paths,
                     catalog::Output& out);

// The critical path step by step, in words: the timeline's track.

/// One piece of the path with the names that a timeline prints.
struct PathMove {
  Span time;
  PathKind kind = PathKind::kUnknown;
  bool uses_tensor_core = false;
  std::string_view name;  ///< Like in the table critical_path: a kernel, an operator, a call.
  std::string_view op;    ///< That launched it; may be empty.
  /// The event that it is in: of a step between a call and its work, the call. `row` is
  /// PathGraph::kNone where there is none.
  PathOwner in;
};

/// The longest pieces of a path, with the number of the others.
struct PathMoves {
  std::vector<PathMove> kept;  ///< In time order. On a whole path they touch.
  std::size_t left_out = 0;    ///< Shorter ones.
};

/// The path of one rank, or of a longer one the longest moves, at most `most` (moves as
/// short as the longest omitted one are omitted, too). Names live as long as the replayer's
/// profiles. REQUIRES: replayer.can_replay().
PathMoves LongestPathMoves(const Replayer& replayer, std::size_t rank, std::size_t most);

}  // namespace profgauge::analysis::simulation
