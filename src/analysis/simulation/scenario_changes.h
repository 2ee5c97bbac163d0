// Columns that conditions of scenarios have for launches and for idle time, besides the recorded
// ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/simulation/graph.h"
#include "base/interval.h"

namespace profgauge::analysis::simulation {

/// Target times of launches, by the roofline of their operators.
struct LaunchTargets {
  /// A row of the roofline. Numbers are parts of the time that its kernels took, at most 1; -1
  /// unknown.
  struct Op {
    double roof = -1;           ///< Its roof.
    double target = -1;         ///< Its target time, by this device's reach.
    double matrix_target = -1;  ///< The same on matrix units, where it uses none.
    std::string shapes, kind, trait;
  };
  std::vector<Op> ops;
  /// By rank and row of its device table, which of `ops`; empty where no operator is known.
  std::vector<std::vector<std::uint32_t>> op_of;

  /// nullptr: nothing is known of the launch.
  const Op* Find(std::size_t rank, std::uint32_t row) const {
    if (rank >= op_of.size() || row >= op_of[rank].size()) return nullptr;
    return op_of[rank][row] < ops.size() ? &ops[op_of[rank][row]] : nullptr;
  }
};

/// Position of the rank that straggles. REQUIRES: its table `ranks` was added, else there is none.
std::optional<std::size_t> StragglerOf(const catalog::Output& out);

/// REQUIRES: AddRoofline() has filled `out`, of that many ranks. Takes its rows of the device.
LaunchTargets LaunchTargetsOf(catalog::Output& out, std::size_t ranks);

/// A row of the table `gaps`.
struct HostGap {
  std::uint32_t rank = 0;  ///< Position in the run.
  Span time;
  std::string cause, doing, category;
  /// The host runs the user's own code in it, and idle devices wait for that code most: it is in
  /// the longest gap of the main cause, and covers most of the idle time.
  bool leads = false;
};

/// The text of a cell; empty where it is absent.
std::string TextAt(const Table& table, const Column& cells, std::size_t row);
/// By rank, then start. REQUIRES: AddIdle() has filled `out`.
std::vector<HostGap> HostGapsOf(std::span<const iterations::RankContext> ranks,
                                const catalog::Output& out);

// The changes of a scenario in the graph of one rank: how much shorter its segments are.

class JointReplay;
struct Scaling;
struct Scenario;

/// A factor by which rows are gathered: of some values from 0 to 1, so that there are few. One that
/// is NaN, unknown, changes nothing.
/// In steps of 1/1000; below 0 it is 0, above 1 it is 1.
double FactorInSteps(double factor);

/// The rows of a scaling that are of that rank; empty without any.
Flags NamedRows(const PathGraph& graph, const Scaling& scaling, std::uint32_t rank);
/// Steps of threads, [first, second), ascending.
using StepRanges = std::vector<std::pair<PathGraph::StepId, PathGraph::StepId>>;
/// Those that a scaling of host ranges or calls shortens. O(steps of threads).
StepRanges CoveredSteps(const PathGraph& graph, const Scaling& scaling, std::uint32_t rank);

/// Which segments of a thread are in a list of its kept times, in the order of its steps.
class KeptSteps {
 public:
  KeptSteps(const PathGraph& graph, std::span<const Span> kept) : graph_(graph), kept_(kept) {}

  /// Of the segment that ends in the step, by its recorded time. Ends that are off their thread's
  /// chain have none.
  [[gnu::always_inline]] bool Has(PathGraph::StepId step, Span segment) {
    return next_ < kept_.size() && kept_[next_].start < segment.end &&
           graph_.Before(step) != PathGraph::kNone && IsNear(segment.start, segment.end);
  }

 private:
  bool IsNear(Ns start, Ns end) {
    while (next_ < kept_.size() && kept_[next_].end <= start) ++next_;
    return next_ < kept_.size() && kept_[next_].start < end;
  }

  const PathGraph& graph_;
  std::span<const Span> kept_;
  std::size_t next_ = 0;  // Ends after the segment that was asked for last begins, or later.
};

/// The factor of each step: there are few, so that a byte mostly suffices.
struct StepFactors {
  std::vector<std::uint8_t> low;
  std::vector<std::uint32_t> high;  ///< In units of 256; empty as long as there are no more.

  std::size_t size() const { return low.size(); }
  [[gnu::always_inline]] std::uint32_t Of(std::size_t step) const {
    return high.empty() ? low[step] : high[step] * 256 + low[step];
  }
  [[gnu::always_inline]] void Set(std::size_t step, std::uint32_t which) {
    if (which >= 256 && high.empty()) high.resize(low.size());
    low[step] = static_cast<std::uint8_t>(which % 256);
    if (!high.empty()) high[step] = which / 256;
  }
  /// Whether all of these are quickly known to be 0.
  bool AreNone(std::size_t begin, std::size_t count) const;
  void Resize(std::size_t steps);  ///< Those of further steps are 0.
  /// REQUIRES: AreNone() of these.
  void Fill(std::size_t begin, std::size_t count, std::uint32_t which);
};

/// The changes of a scenario in the graph of one rank. A byte per step that may change is kept, the
/// change itself is computed when it is asked for.
class ScenarioChanges {
 public:
  using StepId = PathGraph::StepId;

  /// `transfers`: per device row how long its collective takes without waiting, -1 unknown; may be
  /// empty. `joint`: set where the replay is joint; then only the transfer of its calls is scaled.
  /// All but the scenario must outlive it.
  ScenarioChanges(const Scenario& scenario, const PathGraph& graph, std::uint32_t rank,
                  std::span<const Ns> transfers, const JointReplay* joint);

  StepChange Of(StepId step) const {
    if (step >= which_.size()) return {};
    if (step >= graph_->device_steps()) return Covers(step) ? OfSegment(step) : StepChange{};
    if ((step & 1) == 0) return OfLaunch(step, graph_->RecordedAt(step));
    if (without_waiting_ && TransferOf(step) >= 0) return OfWaiting(step);
    return Covers(step) ? OfSegment(step) : StepChange{};
  }
  /// Whether steps from `begin` on, all of the device or all of threads, may change. False where
  /// that is quickly known.
  bool MayChange(StepId begin, std::size_t count) const {
    if (begin >= which_.size()) return false;
    const bool is_launched =
        begin < graph_->device_steps() && (covers_threads_ || without_waiting_);
    return is_launched || !which_.AreNone(begin, count);
  }
  /// Of a step that comes `move` after the step before as recorded, and follows no other.
  [[gnu::always_inline]] StepChange OfMove(StepId step, Ns move) const {
    if (step >= which_.size()) return {};
    if (step < graph_->device_steps() && (without_waiting_ || joint_ != nullptr)) return Of(step);
    const std::uint32_t which = which_.Of(step);
    if (which == 0) return {};
    return {move - Scaled(move, factors_[which]), false};  // As OfSegment() of such.
  }

 private:
  friend class Coverer;

  bool Covers(StepId step) const { return which_.Of(step) != 0; }
  double FactorOf(StepId step) const { return factors_[which_.Of(step)]; }
  bool StopsWaiting(StepId step) const {
    return step / 2 < waits_not_.size() && (step & 1) != 0 && waits_not_[step / 2];
  }
  Ns TransferOf(StepId end) const {
    return transfers_.empty() ? -1 : transfers_[graph_->OwnerOf(end).row];
  }
  bool WaitsForRoom(StepId end, StepId waits_for) const;
  StepChange OfSegment(StepId step) const;
  StepChange OfLaunch(StepId start, Ns recorded) const;
  /// The time of a segment under a factor, to the nearest. Sums of scaled times stay far from the
  /// largest time, whatever the profile and the factors are.
  static Ns Scaled(Ns time, double factor) {
    constexpr double kLongestAfterScaling = static_cast<double>(Ns{1} << 42);  // 73 minutes.
    const double scaled = static_cast<double>(time) * factor;
    // Neither is negative.
    return static_cast<Ns>(
        std::min(scaled, std::max(static_cast<double>(time), kLongestAfterScaling)) + 0.5);
  }
  StepChange OfWaiting(StepId end) const;

  const PathGraph* graph_;
  std::uint32_t rank_;
  std::span<const Ns> transfers_;
  const JointReplay* joint_;
  bool without_waiting_, by_smallest_;
  bool covers_threads_ = false;
  StepFactors which_;               // By step, of factors_: the device's steps, or all.
  std::vector<double> factors_{1};  // The first: of steps without a factor.
  Flags waits_not_;                 // By work of the device; empty: none.
};

}  // namespace profgauge::analysis::simulation
