#include "analysis/path/scenario_changes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/path/replayer.h"
#include "base/parallel.h"

namespace profgauge {
namespace {

using StepId = PathGraph::StepId;

constexpr double kMostFactor = 1e6;  // Of several scalings together.

// Sums of what grew stay far from the largest time, whatever the profile and the factors hold.
Ns Scaled(Ns time, double factor) {
  constexpr double kLongestAfterScaling = static_cast<double>(Ns{1} << 42);  // 73 minutes.
  const double scaled = static_cast<double>(time) * factor;
  // To the nearest: neither is negative.
  return static_cast<Ns>(
      std::min(scaled, std::max(static_cast<double>(time), kLongestAfterScaling)) + 0.5);
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

}  // namespace

// Finds the factors of all segments that scalings cover. Of each step which one: there are few.
class Coverer {
 public:
  explicit Coverer(ScenarioChanges& out)
      : graph_(*out.graph_), out_(out), which_(out.which_), factors_(out.factors_) {
    which_.Resize(graph_.device_steps());
  }

  void Add(const Scaling& scaling, std::uint32_t rank) {
    Flags named(RowsOf(*graph_.rank().profile, scaling.table));
    bool any = false;
    for (const ScenarioRows::Range& range : scaling.rows.ranges()) {
      if (range.rank != rank || range.begin >= named.size()) continue;
      const std::size_t end = std::min<std::size_t>(range.end, named.size());
      named.Set(range.begin, end);
      any = true;
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

 private:
  static constexpr std::uint32_t kNotYet = 0;

  [[gnu::always_inline]] void Cover(StepId step, double factor) {
    which_.Set(step, Product(which_.Of(step), factor));
  }

  [[gnu::always_inline]] std::uint32_t Product(std::uint32_t which, double factor) {
    if (times_this_[which] == kNotYet) AddProduct(which, factor);
    return times_this_[which];
  }
  void AddProduct(std::uint32_t which, double factor) {
    times_this_[which] = static_cast<std::uint32_t>(factors_.size());
    const bool is_covered = which != 0;
    const double both = out_.by_smallest_ && is_covered ? std::min(factors_[which], factor)
                                                        : factors_[which] * factor;
    factors_.push_back(std::min(both, kMostFactor));
  }

  void CoverDevice(const Flags& named, double factor) {
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) Cover(end, factor);
    }
  }

  void StopWaiting(const Flags& named) {
    if (out_.waits_not_.empty()) out_.waits_not_ = Flags(graph_.device_steps() / 2);
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) out_.waits_not_.Set(end / 2);
    }
  }

  // When the call that gives or takes memory ends which begins here.
  Ns MemoryUntil(PathOwner owner) const {
    const ApiTable& api = graph_.rank().profile->api;
    const bool begins =
        owner.table == PathTable::kApi && !owner.is_end && api.kind[owner.row] == ApiKind::kMemory;
    return begins ? api.start[owner.row] + api.duration[owner.row] : std::numeric_limits<Ns>::min();
  }

  // Segments that are in a named range; of one that ends off its thread's chain, its end alone.
  void CoverThreads(const Flags& named, PathTable table, double factor) {
    Flags detached;
    for (auto step = static_cast<StepId>(graph_.size()); step-- > graph_.device_steps();) {
      const PathOwner owner = graph_.OwnerOf(step);  // Such ends stand last.
      if (!owner.is_end || graph_.Before(step) != PathGraph::kNone) break;
      if (owner.table != table) continue;
      if (detached.empty()) detached = Flags(named.size());
      detached.Set(owner.row);
    }
    // Threads apart, as long as the factors that they may meet are few enough to be known before.
    constexpr std::size_t kFactorsKnownBefore = 64;
    const std::size_t known = factors_.size();
    const auto begins = graph_.thread_begins();
    const auto cover = [&](std::size_t i) {
      const StepId begin = i < begins.size() ? begins[i] : graph_.device_steps();
      const StepId end = i + 1 < begins.size() ? begins[i + 1] : static_cast<StepId>(graph_.size());
      CoverThread(begin, end, {named, detached, table, factor});
    };
    if (known > kFactorsKnownBefore) {
      for (std::size_t i = 0; i < begins.size(); ++i) cover(i);
    } else {
      for (std::uint32_t which = 0; which < known; ++which) Product(which, factor);
      ForEachAtOnce(begins.size(), cover);
    }
    out_.covers_threads_ = true;
  }

  struct Wanted {
    const Flags& named;
    const Flags& detached;
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
      const bool lies_in = depth > 0 || (is_named && owner.is_end);
      if (lies_in && (kept_until == kLongAgo || graph_.RecordedAt(step) > kept_until)) {
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
  ScenarioChanges& out_;
  StepFactors& which_;
  std::vector<double>& factors_;
  std::vector<std::uint32_t> times_this_;  // By factor: which one it is times the present one.
};

ScenarioChanges::ScenarioChanges(const Scenario& scenario, const PathGraph& graph,
                                 std::uint32_t rank, std::span<const Ns> transfers,
                                 const JointReplay* joint)
    : graph_(&graph),
      rank_(rank),
      transfers_(transfers),
      joint_(joint),
      without_waiting_(scenario.without_waiting),
      by_smallest_(scenario.by_smallest) {
  Coverer coverer(*this);
  for (const Scaling& scaling : scenario.scalings) coverer.Add(scaling, rank);
}

// A call that launches work waits for other work because the queue is full, however fast the host
// is; what waits for its own copy, or launches nothing, would wait less.
bool ScenarioChanges::WaitsForRoom(StepId end, StepId waits_for) const {
  const PathOwner owner = graph_->OwnerOf(end);
  if (owner.table != PathTable::kApi) return false;
  const Profile& profile = *graph_->rank().profile;
  const ApiKind kind = profile.api.kind[owner.row];
  if (kind == ApiKind::kLaunch) return true;
  return (kind == ApiKind::kMemcpy || kind == ApiKind::kMemset) &&
         profile.device.launch[graph_->OwnerOf(waits_for).row].value != owner.row;
}

StepChange ScenarioChanges::OfSegment(StepId step) const {
  const double factor = FactorOf(step);
  const Ns at = graph_->RecordedAt(step);
  const StepId before = graph_->Before(step);
  if (step >= graph_->device_steps() && graph_->HasOneEdge(step)) {
    const Ns from = before == PathGraph::kNone ? at : graph_->RecordedAt(before);
    const Ns segment = std::max<Ns>(0, at - from);
    return {segment - Scaled(segment, factor), false};
  }
  const PathGraph::Edge binding = graph_->BindingOf(step);
  Ns segment = 0, waiting = 0;
  bool is_alone = false;
  if (binding.from != PathGraph::kNone) {
    segment = std::max<Ns>(0, at - graph_->RecordedAt(binding.from));
  }
  if (joint_ != nullptr && joint_->IsJointEnd(rank_, step)) {
    const Ns transfer = TransferOf(step);
    if (StopsWaiting(step)) {
      is_alone = true;
      waiting = segment - transfer;
    }
    segment = transfer;
  }
  if (step >= graph_->device_steps() && binding.kind == PathEdge::kSync &&
      before != PathGraph::kNone && !WaitsForRoom(step, binding.from)) {
    is_alone = true;
    segment = at - graph_->RecordedAt(before);
  }
  return {waiting + segment - Scaled(segment, factor), is_alone};
}

// What a launch takes beyond its call stays: the call's own part shrinks with the call.
StepChange ScenarioChanges::OfLaunch(StepId start, Ns recorded) const {
  if (!covers_threads_) return {};
  const PathGraph::Edge binding = graph_->BindingOf(start);
  if (binding.kind != PathEdge::kLaunch) return {};
  const double factor = FactorOf(binding.from + 1);
  if (factor == 1) return {};
  const ApiTable& api = graph_->rank().profile->api;
  const std::uint32_t call = graph_->OwnerOf(binding.from).row;
  const Ns within =
      std::clamp<Ns>(recorded - api.start[call], 0, std::max<Ns>(api.duration[call], 0));
  return {within - Scaled(within, factor), false};
}

StepChange ScenarioChanges::OfWaiting(StepId end) const {
  const Ns segment = std::max<Ns>(0, graph_->SegmentOf(end));
  const Ns waiting = std::max<Ns>(0, graph_->SegmentOf(end) - TransferOf(end));
  const Ns rest = segment - waiting;
  return {waiting + rest - Scaled(rest, FactorOf(end)), true};
}

void ScenarioChanges::ReadThread(StepId begin, std::span<const Ns> recorded,
                                 std::span<StepChange> changes) const {
  if (which_.AreNone(begin, changes.size())) {  // Of long ranges nothing is covered.
    std::fill(changes.begin(), changes.end(), StepChange{});
    return;
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto step = begin + static_cast<StepId>(i);
    const std::uint32_t which = which_.Of(step);
    if (which == 0) {
      changes[i] = {};
    } else if (graph_->FollowsOne(step)) {  // Most steps: OfSegment() of such.
      const Ns segment = std::max<Ns>(0, recorded[i + 1] - recorded[i]);
      changes[i] = {segment - Scaled(segment, factors_[which]), false};
    } else {
      changes[i] = OfSegment(step);
    }
  }
}

void ScenarioChanges::Read(StepId begin, std::span<const Ns> recorded,
                           std::span<StepChange> changes) const {
  if (begin >= which_.size()) {
    std::fill(changes.begin(), changes.end(), StepChange{});
  } else if (begin >= graph_->device_steps()) {
    ReadThread(begin, recorded, changes);
  } else {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto step = begin + static_cast<StepId>(i);
      changes[i] = (step & 1) == 0 ? OfLaunch(step, recorded[i + 1]) : Of(step);
    }
  }
}

bool StepFactors::AreNone(std::size_t begin, std::size_t count) const {
  if (!high.empty()) return false;
  return std::all_of(low.data() + begin, low.data() + begin + count,
                     [](std::uint8_t which) { return which == 0; });
}

void StepFactors::Resize(std::size_t steps) {
  low.resize(steps);
  if (!high.empty()) high.resize(steps);
}

}  // namespace profgauge
