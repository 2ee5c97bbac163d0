#include "analysis/path/scenario_changes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/path/replayer.h"
#include "base/parallel.h"

namespace profgauge {
namespace {

using StepId = PathGraph::StepId;

constexpr StepId kAtOnce = 1u << 18;  // Steps whose cuts one thread computes.
constexpr double kMostFactor = 1e6;   // Of several scalings together.

// Sums of what grew stay far from the largest time, whatever the recording and the factors hold.
Ns Scaled(Ns time, double factor) {
  constexpr double kMost = static_cast<double>(Ns{1} << 42);  // 73 minutes.
  const double scaled = static_cast<double>(time) * factor;
  // To the nearest: neither is negative.
  return static_cast<Ns>(std::min(scaled, std::max(static_cast<double>(time), kMost)) + 0.5);
}

std::size_t RowsOf(const Profile& profile, PathTable table) {
  switch (table) {
    case PathTable::kHost:
      return profile.host.size();
    case PathTable::kApi:
      return profile.api.size();
    case PathTable::kDevice:
      break;
  }
  return profile.device.size();
}

// The factors of all segments that scalings cover. Of each step which one: there are few.
class Factors {
 public:
  Factors(const PathGraph& graph, StepFactors& which) : graph_(graph), which_(which) {
    which_.Resize(0);
    which_.Resize(graph.device_steps());
  }

  void Add(const Scaling& scaling, std::uint32_t rank) {
    std::vector<bool> named(RowsOf(*graph_.rank().profile, scaling.table));
    bool any = false;
    for (const ScenarioRow& row : scaling.rows) {
      if (row.rank != rank || row.row >= named.size()) continue;
      named[row.row] = any = true;
    }
    if (!any || (scaling.factor == 1 && !scaling.without_waiting)) return;
    times_this_.assign(factors_.size(), kNotYet);
    if (scaling.table == PathTable::kDevice) {
      CoverDevice(named, scaling.factor);
      if (scaling.without_waiting) StopWaiting(named);
    } else {
      which_.Resize(graph_.size());
      CoverThreads(named, scaling.table, scaling.factor);
    }
  }

  /// Steps that may change are [0, size()): the device's, or all.
  StepId size() const { return static_cast<StepId>(which_.size()); }
  bool Covers(StepId step) const { return which_.Of(step) != kNotYet; }
  double Of(StepId step) const { return factors_[which_.Of(step)]; }
  bool StopsWaiting(StepId step) const {
    return step / 2 < waits_not_.size() && (step & 1) != 0 && waits_not_[step / 2];
  }
  bool any() const { return factors_.size() > 1; }
  bool covers_threads() const { return covers_threads_; }

 private:
  static constexpr std::uint32_t kNotYet = 0;

  void Cover(StepId step, double factor) { which_.Set(step, Product(which_.Of(step), factor)); }

  std::uint32_t Product(std::uint32_t which, double factor) {
    std::uint32_t& product = times_this_[which];
    if (product == kNotYet) {
      product = static_cast<std::uint32_t>(factors_.size());
      factors_.push_back(std::min(factors_[which] * factor, kMostFactor));
    }
    return product;
  }

  void CoverDevice(const std::vector<bool>& named, double factor) {
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) Cover(end, factor);
    }
  }

  void StopWaiting(const std::vector<bool>& named) {
    waits_not_.resize(graph_.device_steps() / 2);
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) waits_not_[end / 2] = true;
    }
  }

  // When the call that gives or takes memory ends which begins here.
  Ns MemoryUntil(PathOwner owner) const {
    const ApiTable& api = graph_.rank().profile->api;
    const bool begins =
        owner.table == PathTable::kApi && !owner.is_end && api.kind[owner.row] == ApiKind::kMemory;
    return begins ? api.start[owner.row] + api.duration[owner.row] : std::numeric_limits<Ns>::min();
  }

  // Segments that lie in a named range; of one that ends off its thread's chain, its end alone.
  void CoverThreads(const std::vector<bool>& named, PathTable table, double factor) {
    std::vector<bool> detached;
    for (auto step = static_cast<StepId>(graph_.size()); step-- > graph_.device_steps();) {
      const PathOwner owner = graph_.OwnerOf(step);  // Such ends stand last.
      if (!owner.is_end || graph_.Before(step) != PathGraph::kNone) break;
      if (owner.table != table) continue;
      if (detached.empty()) detached.resize(named.size());
      detached[owner.row] = true;
    }
    // Threads apart, as long as the factors that they may meet are few enough to be known before.
    constexpr std::size_t kFew = 64;
    const std::size_t known = factors_.size();
    const auto begins = graph_.thread_begins();
    const auto cover = [&](std::size_t i) {
      const StepId begin = i < begins.size() ? begins[i] : graph_.device_steps();
      const StepId end = i + 1 < begins.size() ? begins[i + 1] : static_cast<StepId>(graph_.size());
      CoverThread(begin, end, {named, detached, table, factor});
    };
    if (known > kFew) {
      for (std::size_t i = 0; i < begins.size(); ++i) cover(i);
    } else {
      for (std::uint32_t which = 0; which < known; ++which) Product(which, factor);
      ForEachAtOnce(begins.size(), cover);
    }
    covers_threads_ = true;
  }

  struct Wanted {
    const std::vector<bool>& named;
    const std::vector<bool>& detached;
    PathTable table;
    double factor;
  };

  void CoverThread(StepId begin, StepId end, const Wanted& wanted) {
    constexpr Ns kLongAgo = std::numeric_limits<Ns>::min();
    std::size_t depth = 0;
    Ns kept_until = kLongAgo;
    for (StepId step = begin; step < end; ++step) {
      if (graph_.Before(step) == PathGraph::kNone) {
        depth = 0;
        kept_until = kLongAgo;
      }
      const PathOwner owner = graph_.OwnerOf(step);
      const bool is_named = owner.table == wanted.table && wanted.named[owner.row];
      if ((depth > 0 || (is_named && owner.is_end)) && graph_.RecordedAt(step) > kept_until) {
        Cover(step, wanted.factor);
      }
      if (depth > 0 && wanted.table == PathTable::kHost) {
        kept_until = std::max(kept_until, MemoryUntil(owner));
      }
      if (!is_named || (!wanted.detached.empty() && wanted.detached[owner.row])) continue;
      if (!owner.is_end) {
        ++depth;
      } else if (depth > 0) {
        --depth;
      }
    }
  }

  const PathGraph& graph_;
  StepFactors& which_;                     // By step, of factors_.
  std::vector<double> factors_{1};         // The first: of what nothing covers.
  std::vector<std::uint32_t> times_this_;  // By factor: which one it is times the present one.
  std::vector<bool> waits_not_;            // By work of the device; empty: none.
  bool covers_threads_ = false;
};

class Cutter {
 public:
  Cutter(const PathGraph& graph, std::uint32_t rank, std::span<const Ns> transfers,
         const JointReplay* joint, ScenarioChanges& out)
      : graph_(graph), rank_(rank), transfers_(transfers), joint_(joint), out_(out) {}

  void Run(const Factors& factors, bool without_waiting) {
    const StepId steps = factors.any() || without_waiting ? factors.size() : 0;
    out_.cuts.reserve(graph_.size());  // The times of all steps may follow there.
    out_.cuts.resize(steps);           // Each is set below.
    out_.alone.assign(steps, 0);
    ForEachAtOnce((steps + kAtOnce - 1) / kAtOnce, [&](std::size_t i) {
      const auto begin = static_cast<StepId>(i * kAtOnce);
      for (StepId step = begin; step < std::min(begin + kAtOnce, steps); ++step) {
        if (factors.Covers(step)) {
          CutSegment(step, factors);
        } else {
          out_.cuts[step] = 0;
        }
      }
    });
    if (factors.covers_threads()) CutLaunches(factors);
    if (without_waiting) CutWaiting(factors);
  }

 private:
  Ns TransferOf(StepId end) const {
    return transfers_.empty() ? -1 : transfers_[graph_.OwnerOf(end).row];
  }

  // A call that launches work waits for other work because the queue is full, however fast the
  // host is; what waits for its own copy, or launches nothing, would wait less.
  bool WaitsForRoom(StepId end, StepId waits_for) const {
    const PathOwner owner = graph_.OwnerOf(end);
    if (owner.table != PathTable::kApi) return false;
    const Profile& profile = *graph_.rank().profile;
    const ApiKind kind = profile.api.kind[owner.row];
    if (kind == ApiKind::kLaunch) return true;
    return (kind == ApiKind::kMemcpy || kind == ApiKind::kMemset) &&
           profile.device.launch[graph_.OwnerOf(waits_for).row].value != owner.row;
  }

  void CutSegment(StepId step, const Factors& factors) {
    const double factor = factors.Of(step);
    const Ns at = graph_.RecordedAt(step);
    if (step >= graph_.device_steps() && graph_.HasOneEdge(step)) {
      const StepId before = graph_.Before(step);
      const Ns from = before == PathGraph::kNone ? at : graph_.RecordedAt(before);
      const Ns segment = std::max<Ns>(0, at - from);
      out_.cuts[step] = segment - Scaled(segment, factor);
      return;
    }
    const PathGraph::Edge binding = graph_.BindingOf(step);
    Ns segment = 0, waiting = 0;
    if (binding.from != PathGraph::kNone) {
      segment = std::max<Ns>(0, at - graph_.RecordedAt(binding.from));
    }
    if (joint_ != nullptr && joint_->IsJointEnd(rank_, step)) {
      const Ns transfer = TransferOf(step);
      if (factors.StopsWaiting(step)) {
        out_.alone[step] = 1;
        waiting = segment - transfer;
      }
      segment = transfer;
    }
    if (step >= graph_.device_steps() && binding.kind == PathEdge::kSync &&
        graph_.Before(step) != PathGraph::kNone && !WaitsForRoom(step, binding.from)) {
      out_.alone[step] = 1;
      segment = at - graph_.RecordedAt(step - 1);
    }
    out_.cuts[step] = waiting + segment - Scaled(segment, factor);
  }

  // What a launch takes beyond its call stays: the call's own part shrinks with the call.
  void CutLaunches(const Factors& factors) {
    for (StepId start = 0; start < graph_.device_steps(); start += 2) {
      bool may_change = false;
      graph_.ForEachEdge(start, [&](const PathGraph::Edge& edge) {
        may_change |= edge.kind == PathEdge::kLaunch && factors.Of(edge.from + 1) != 1;
      });
      if (!may_change) continue;
      const PathGraph::Edge binding = graph_.BindingOf(start);
      if (binding.kind != PathEdge::kLaunch) continue;
      const PathOwner call = graph_.OwnerOf(binding.from);
      const Ns duration = graph_.rank().profile->api.duration[call.row];
      const Ns within = std::clamp<Ns>(graph_.SegmentOf(start), 0, std::max<Ns>(duration, 0));
      out_.cuts[start] = within - Scaled(within, factors.Of(binding.from + 1));
    }
  }

  void CutWaiting(const Factors& factors) {
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      const Ns transfer = TransferOf(end);
      if (transfer < 0) continue;
      const Ns segment = std::max<Ns>(0, graph_.SegmentOf(end));
      const Ns waiting = std::max<Ns>(0, graph_.SegmentOf(end) - transfer);
      const Ns rest = segment - waiting;
      out_.alone[end] = 1;
      out_.cuts[end] = waiting + rest - Scaled(rest, factors.Of(end));
    }
  }

  const PathGraph& graph_;
  std::uint32_t rank_;
  std::span<const Ns> transfers_;
  const JointReplay* joint_;
  ScenarioChanges& out_;
};

}  // namespace

void StepFactors::Set(std::size_t step, std::uint32_t which) {
  if (which >= 256 && high.empty()) high.resize(low.size());
  low[step] = static_cast<std::uint8_t>(which % 256);
  if (!high.empty()) high[step] = which / 256;
}

void StepFactors::Resize(std::size_t steps) {
  low.resize(steps);
  if (steps == 0) {
    high.clear();
  } else if (!high.empty()) {
    high.resize(steps);
  }
}

void SetChanges(const Scenario& scenario, const PathGraph& graph, std::uint32_t rank,
                std::span<const Ns> transfers, const JointReplay* joint, ScenarioChanges& out) {
  Factors factors(graph, out.factors);
  for (const Scaling& scaling : scenario.scalings) factors.Add(scaling, rank);
  Cutter(graph, rank, transfers, joint, out).Run(factors, scenario.without_waiting);
}

}  // namespace profgauge
