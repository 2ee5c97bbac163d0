// Facts on launches and idle time that conditions of scenarios use besides recorded columns; then
// the changes of a scenario in a graph.
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

/// Target times of launches, from the roofline of their operators.
struct LaunchTargets {
  /// A row of the roofline. Numbers are shares of the time of its kernels, at most 1; -1 unknown.
  struct Op {
    double roof = -1;           ///< Time at the roofline.
    double target = -1;         ///< Target time, as this device usually reaches.
    double matrix_target = -1;  ///< The same on matrix units, if it does not use them.
    std::string shapes, kind, trait;
  };
  std::vector<Op> ops;
  /// By rank and row of its device table, the index into `ops`; empty if no operator is known.
  std::vector<std::vector<std::uint32_t>> op_of;

  /// nullptr if the launch has no known operator.
  const Op* Find(std::size_t rank, std::uint32_t row) const {
    if (rank >= op_of.size() || row >= op_of[rank].size()) return nullptr;
    return op_of[rank][row] < ops.size() ? &ops[op_of[rank][row]] : nullptr;
  }
};

/// Position of the straggling rank. Needs the table `ranks` in `out`, else there is none.
std::optional<std::size_t> StragglerOf(const catalog::Output& out);

/// REQUIRES: AddRoofline() has filled `out` for this number of ranks. Moves its device rows out.
LaunchTargets LaunchTargetsOf(catalog::Output& out, std::size_t ranks);

/// A row of the table `gaps`.
struct HostGap {
  std::uint32_t rank = 0;  ///< Position in the run.
  Span time;
  std::string cause, doing, category;
  /// True if the host runs a Python function in the gap that could be moved: the one in the longest
  /// gap of the main cause, if it covers most of the idle time.
  bool leads = false;
};

/// The text of a cell; empty where it is absent.
std::string TextAt(const Table& table, const Column& cells, std::size_t row);
/// The gaps by rank, then start. REQUIRES: AddIdle() has filled `out`.
std::vector<HostGap> HostGapsOf(std::span<const iterations::RankContext> ranks,
                                const catalog::Output& out);

// The changes of a scenario in the graph of one rank: by how much its segments are shortened.

class JointReplay;
struct Scaling;
struct Scenario;

/// Rounds a factor to a multiple of 1/1000 from 0 to 1, so that there are few different factors.
/// NaN (unknown) becomes 1, which changes nothing.
double FactorInSteps(double factor);

/// The rows of a scaling on that rank; empty without any.
Flags NamedRows(const PathGraph& graph, const Scaling& scaling, std::uint32_t rank);
/// Steps of threads, [first, second), ascending.
using StepRanges = std::vector<std::pair<PathGraph::StepId, PathGraph::StepId>>;
/// The steps that a scaling of host ranges or calls shortens. O(steps of threads).
StepRanges CoveredSteps(const PathGraph& graph, const Scaling& scaling, std::uint32_t rank);

/// Decides which segments of a thread are in a list of its kept times. Queries are in step order.
class KeptSteps {
 public:
  KeptSteps(const PathGraph& graph, std::span<const Span> kept) : graph_(graph), kept_(kept) {}

  /// Whether the segment that ends in the step is in the list, by its recorded time. Ends that are
  /// on no chain have no segment.
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
  std::size_t next_ = 0;  // The first kept time that may end after the next segment begins.
};

/// By step, the number of its factor. There are few factors, so one byte is mostly enough.
struct StepFactors {
  std::vector<std::uint8_t> low;
  std::vector<std::uint32_t> high;  ///< In units of 256; empty while all numbers fit `low`.

  std::size_t size() const { return low.size(); }
  [[gnu::always_inline]] std::uint32_t Of(std::size_t step) const {
    return high.empty() ? low[step] : high[step] * 256 + low[step];
  }
  [[gnu::always_inline]] void Set(std::size_t step, std::uint32_t which) {
    if (which >= 256 && high.empty()) high.resize(low.size());
    low[step] = static_cast<std::uint8_t>(which % 256);
    if (!high.empty()) high[step] = which / 256;
  }
  /// Whether a quick check shows that all of these numbers are 0; false if it is uncertain.
  bool AreNone(std::size_t begin, std::size_t count) const;
  void Resize(std::size_t steps);  ///< New steps have 0.
  /// REQUIRES: AreNone() for these steps.
  void Fill(std::size_t begin, std::size_t count, std::uint32_t which);
};

/// The changes of a scenario in the graph of one rank. Stores one byte per step that may change,
/// and computes the change on demand.
class ScenarioChanges {
 public:
  using StepId = PathGraph::StepId;

  /// `transfers`: by device row, the duration of its collective without waiting, -1 unknown; may be
  /// empty. `joint`: null if ranks are simulated separately; if set, only the transfers of its
  /// calls are scaled. All arguments except the scenario must outlive it.
  ScenarioChanges(const Scenario& scenario, const PathGraph& graph, std::uint32_t rank,
                  std::span<const Ns> transfers, const JointReplay* joint);

  StepChange Of(StepId step) const {
    if (step >= which_.size()) return {};
    if (step >= graph_->device_steps()) return Covers(step) ? OfSegment(step) : StepChange{};
    if ((step & 1) == 0) return OfLaunch(step, graph_->RecordedAt(step));
    if (without_waiting_ && TransferOf(step) >= 0) return OfWaiting(step);
    return Covers(step) ? OfSegment(step) : StepChange{};
  }
  /// Whether a step from `begin` on may change; the steps are all of the device or all of threads.
  /// False only if a quick check shows it.
  bool MayChange(StepId begin, std::size_t count) const {
    if (begin >= which_.size()) return false;
    const bool is_launched =
        begin < graph_->device_steps() && (covers_threads_ || without_waiting_);
    return is_launched || !which_.AreNone(begin, count);
  }
  /// The change of a step that comes `move` after its only predecessor, the step before.
  [[gnu::always_inline]] StepChange OfMove(StepId step, Ns move) const {
    if (step >= which_.size()) return {};
    if (step < graph_->device_steps() && (without_waiting_ || joint_ != nullptr)) return Of(step);
    const std::uint32_t which = which_.Of(step);
    if (which == 0) return {};
    return {move - Scaled(move, factors_[which]), false};  // As OfSegment() returns here.
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
  /// The scaled time, rounded. The limit keeps sums of scaled times far below the largest Ns,
  /// whatever the profile and the factors are.
  static Ns Scaled(Ns time, double factor) {
    constexpr double kLongestAfterScaling = static_cast<double>(Ns{1} << 42);  // 73 minutes.
    const double scaled = static_cast<double>(time) * factor;
    // Both are non-negative.
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
  StepFactors which_;               // Indices into factors_, by step: of the device or all.
  std::vector<double> factors_{1};  // The first is for steps without a factor.
  Flags waits_not_;                 // By device work; empty: none.
};

}  // namespace profgauge::analysis::simulation
