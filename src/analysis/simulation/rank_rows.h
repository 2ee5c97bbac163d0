// Cells of the rows that conditions of scenarios select.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/flops/recomputation.h"
#include "analysis/simulation/module_of.h"
#include "analysis/simulation/replayer.h"
#include "base/numbers.h"

namespace profgauge::analysis::simulation::rank_rows {

inline std::string_view KindName(ApiKind kind) {
  constexpr std::string_view kNames[] = {"launch", "memcpy", "memset", "sync", "memory", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline std::string ThreadName(const Profile& profile, ThreadId id) {
  if (!id.valid()) return {};
  const Thread& thread = profile.threads[id.value];
  return thread.name.empty() ? std::to_string(thread.tid) : thread.name;
}

// The events before and after one on its stream; kNoIndex: none.
struct StreamNeighbors {
  std::uint32_t before = kNoIndex, behind = kNoIndex;
};

// REQUIRES: the rows are sorted by stream, then time.
inline std::vector<StreamNeighbors> NeighborsOnStreams(const DeviceTable& device) {
  std::vector<StreamNeighbors> neighbors(device.size());
  for (std::uint32_t row = 1; row < device.size(); ++row) {
    const bool is_same =
        device.gpu[row] == device.gpu[row - 1] && device.stream[row] == device.stream[row - 1];
    if (!is_same) continue;
    neighbors[row].before = row - 1;
    neighbors[row - 1].behind = row;
  }
  return neighbors;
}

// Flags the calls that wait for a collective.
inline Flags CallsForCollectives(const PathGraph& graph) {
  const iterations::RankContext& rank = graph.rank();
  Flags calls(rank.profile->api.size());
  for (PathGraph::StepId step = graph.device_steps(); step < graph.size(); ++step) {
    const PathOwner owner = graph.OwnerOf(step);
    if (owner.table != PathTable::kApi || !owner.is_end) continue;
    const PathGraph::Edge binding = graph.BindingOf(step);
    if (binding.kind != PathEdge::kSync) continue;
    if (rank.classes[graph.OwnerOf(binding.from).row].collective) calls.Set(owner.row);
  }
  return calls;
}

// Flags the host ranges that start device work, themselves or in a range inside.
inline Flags LaunchingRanges(const Profile& profile) {
  Flags ranges(profile.host.size());
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    const ApiKind kind = profile.api.kind[call];
    const bool starts =
        kind == ApiKind::kLaunch || kind == ApiKind::kMemcpy || kind == ApiKind::kMemset;
    for (HostId range = starts ? profile.api.op[call] : HostId{};
         range.valid() && !ranges[range.value]; range = profile.host.parent[range.value]) {
      ranges.Set(range.value);
    }
  }
  return ranges;
}

}  // namespace profgauge::analysis::simulation::rank_rows

namespace profgauge::analysis::simulation {

/// Makes the cells of one rank's rows. Texts are ids in the pool of the table.
///
/// Modules, eligible kernels and recomputed operators need a pass over the profile. They are
/// computed when a column first needs them, and cached: conditions use few columns. Functions
/// return an invalid id or an absent value if the profile does not contain the fact.
class RankRows {
 public:
  /// `position`: the rank's position in the run.
  RankRows(const Replayer& replayer, std::uint32_t position, StringPool& pool)
      : rank(replayer.ranks()[position]),
        profile(*rank.profile),
        pool_(pool),
        position_(position),
        replayer_(replayer),
        texts_(profile, pool),
        types_(profile.strings.size()) {}

  StringId Text(StringId id) {
    return id.valid() && !profile.Name(id).empty() ? texts_(id) : StringId{};
  }
  StringId NameOf(HostId range) {
    return range.valid() ? Text(profile.host.name[range.value]) : StringId{};
  }
  StringId Type(StringId name) {
    if (!name.valid() || profile.Name(name).empty()) return {};
    StringId& known = types_[name.value];
    if (!known.valid()) known = Interned(flops::OpType(profile.Name(name)));
    return known;
  }
  StringId Module(HostId range) {
    if (!modules_) modules_ = ModulesOfHost(profile);
    return range.valid() && !modules_->empty() ? Text((*modules_)[range.value]) : StringId{};
  }
  StringId ThreadText(ThreadId thread) {
    if (!thread.valid()) return {};
    if (threads_.empty()) {
      for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
        threads_.push_back(Interned(rank_rows::ThreadName(profile, ThreadId{i})));
      }
    }
    return threads_[thread.value];
  }
  StringId Kind(ApiKind kind) {
    StringId& known = kinds_[static_cast<std::size_t>(kind)];
    if (!known.valid()) known = pool_.Intern(rank_rows::KindName(kind));
    return known;
  }
  std::int64_t IterationAt(Ns start) const {
    const std::uint32_t iteration = rank.iterations.AtHostTime(start);
    return iteration == iterations::Iterations::kNone ? Column::kAbsentInteger : iteration;
  }
  classify::Tri IsEligible(std::uint32_t row) {
    if (!eligible_) eligible_ = device::EligibleKernels(profile, rank.classes);
    return (*eligible_)[row];
  }

  /// Whether the range is an operator that backward runs again, or inside of one.
  bool IsRecomputed(HostId range) {
    if (!recomputed_) recomputed_ = flops::WithInner(flops::FindRecomputed(profile), profile.host);
    return range.valid() && (*recomputed_)[range.value];
  }
  /// Whether the range starts device work, itself or in a range inside.
  bool Launches(HostId range) {
    if (!launching_) launching_ = rank_rows::LaunchingRanges(profile);
    return range.valid() && (*launching_)[range.value];
  }
  /// The name of the kernel before (-1) or after (1) it on its stream; empty if there is none.
  StringId NeighborOf(std::uint32_t row, int side) {
    if (!neighbors_) neighbors_ = rank_rows::NeighborsOnStreams(profile.device);
    const std::uint32_t neighbor = side < 0 ? (*neighbors_)[row].before : (*neighbors_)[row].behind;
    return neighbor == kNoIndex ? StringId{} : Text(profile.device.name[neighbor]);
  }

  bool AwaitsCollective(std::uint32_t call) {
    if (!awaiting_) awaiting_ = rank_rows::CallsForCollectives(replayer_.graphs()[position_]);
    return (*awaiting_)[call];
  }

  /// nullptr if the operator that launched the row is unknown, or has no target.
  const LaunchTargets::Op* TargetOf(std::uint32_t row) const {
    return replayer_.targets().Find(position_, row);
  }
  bool IsInDataLoader(HostId range) const {
    return replayer_.graphs()[position_].IsInDataLoader(range);
  }
  bool Straggles() const { return replayer_.straggler() == position_; }
  const HostGap& Gap(std::uint32_t row) const { return replayer_.gaps()[row]; }
  /// Appends this share (`part`) of the launch's duration as a time; absent if it is unknown.
  void AppendPart(std::uint32_t row, double LaunchTargets::Op::*part, Column& to) const {
    const LaunchTargets::Op* op = TargetOf(row);
    if (op == nullptr || op->*part < 0) return to.AddAbsent();
    const auto time = static_cast<double>(std::max<Ns>(profile.device.duration[row], 0));
    to.AddInteger(std::llround(time * (op->*part)));
  }
  StringId Interned(std::string_view text) {
    return text.empty() ? StringId{} : pool_.Intern(text);
  }

  const iterations::RankContext& rank;
  const Profile& profile;

 private:
  StringPool& pool_;
  std::uint32_t position_;
  const Replayer& replayer_;
  catalog::Texts texts_;
  std::vector<StringId> types_;  // By string id of the profile.
  std::optional<std::vector<StringId>> modules_;
  std::optional<std::vector<classify::Tri>> eligible_;
  std::optional<std::vector<bool>> recomputed_;
  std::optional<Flags> awaiting_, launching_;
  std::optional<std::vector<rank_rows::StreamNeighbors>> neighbors_;
  std::vector<StringId> threads_;
  std::array<StringId, 6> kinds_;
};

}  // namespace profgauge::analysis::simulation
