#include "analysis/communication/rank_facts.h"

#include <xxhash.h>

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/breakdown/host_waits.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/slowdown.h"
#include "analysis/communication/suspects.h"
#include "base/mix.h"
#include "knowledge/blame.h"

namespace profgauge::analysis::communication {
namespace {

// Starts and ends of calls, ascending.
std::vector<Ns> MomentsOf(std::span<const CollectiveCall> calls) {
  std::vector<Ns> moments;
  for (const CollectiveCall& call : calls) {
    moments.push_back(call.time.start);
    moments.push_back(call.time.end);
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

std::vector<Span> BetweenMoments(std::span<const Ns> moments) {
  std::vector<Span> ranges;
  for (std::size_t i = 1; i < moments.size(); ++i) ranges.push_back({moments[i - 1], moments[i]});
  return ranges;
}

// Prefix sums of the breakdown from the first moment to each. `parts`: between neighbors.
std::vector<breakdown::Breakdown> SumsUntil(std::span<const Ns> moments,
                                            std::span<const breakdown::Breakdown> parts) {
  std::vector<breakdown::Breakdown> until(moments.empty() ? 0 : 1, breakdown::Breakdown{});
  for (const breakdown::Breakdown& part : parts) {
    breakdown::Breakdown sum = until.back();
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += part[c];
    until.push_back(sum);
  }
  return until;
}

std::array<std::int64_t, 6> ShapeOf(const Profile& profile, std::uint32_t row) {
  const LaunchConfigId id = profile.device.config[row];
  if (!id.valid()) return {};
  const LaunchConfig& config = profile.launch_configs[id.value];
  return {config.grid[0],  config.grid[1],  config.grid[2],
          config.block[0], config.block[1], config.block[2]};
}

// A hash of the text of the shapes, because facts are stored without the profile's texts.
std::int64_t InputsOf(const Profile& profile, std::uint32_t row) {
  const HostId op = profile.device.op[row];
  const StringId shapes = op.valid() ? profile.host.input_shapes[op.value] : StringId{};
  if (!shapes.valid()) return 0;
  const std::string_view text = profile.Name(shapes);
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

// Sums the kernels of the selected iterations by name, shape and inputs; sorted in this order.
std::vector<KernelSum> SumKernels(const iterations::RankContext& rank, classify::DeviceRows rows) {
  const Profile& profile = *rank.profile;
  // Groups kernels by fields that are cheap to compare. Different configurations may have equal
  // shapes, and different ids equal texts, so equal groups are merged below.
  struct Key {
    std::uint32_t name, config, shapes;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return boost::hash<std::uint64_t>()(std::uint64_t{key.name} << 32 | key.config) ^
             std::size_t{key.shapes} * kGoldenRatio;
    }
  };
  struct Sum {
    std::uint32_t example = 0;
    std::int64_t calls = 0;
    Ns time = 0;
  };
  boost::unordered_flat_map<Key, Sum, Hash> sums;
  for (std::uint32_t i = rows.begin; i < rows.end; ++i) {
    if (profile.device.kind[i] != DeviceKind::kKernel || rank.classes[i].collective) continue;
    if (!rank.InIterations(DeviceId{i})) continue;
    const HostId op = profile.device.op[i];
    const StringId shapes = op.valid() ? profile.host.input_shapes[op.value] : StringId{};
    Sum& sum = sums[{profile.device.name[i].value, profile.device.config[i].value, shapes.value}];
    sum.example = std::max(sum.example, i);
    ++sum.calls;
    sum.time += profile.device.duration[i];
  }
  std::map<std::tuple<std::string_view, std::array<std::int64_t, 6>, std::int64_t>, KernelSum>
      alike;
  for (const auto& [key, part] : sums) {
    const KernelSum found{profile.Name(profile.device.name[part.example]),
                          ShapeOf(profile, part.example), InputsOf(profile, part.example)};
    KernelSum& sum =
        alike.try_emplace({found.name, found.shape, found.inputs}, found).first->second;
    sum.is_matrix |= classify::IsMatrixRule(rank.classes[part.example]);
    sum.calls += part.calls;
    sum.time += part.time;
  }
  std::vector<KernelSum> kernels;
  for (const auto& [key, sum] : alike) kernels.push_back(sum);
  return kernels;
}

// Processes with several GPUs, e.g. JAX's, show a slow one without other ranks.
void SetSlowGpu(const iterations::RankContext& rank, RankFacts& facts) {
  if (rank.gpus.size() < knowledge::kBlameUsualLeast) return;
  std::vector<RankFacts> gpus;
  for (const iterations::GpuUse& use : rank.gpus) {
    gpus.emplace_back().kernels =
        SumKernels(rank, classify::RowsOfGpu(rank.profile->device, use.gpu));
  }
  const auto slowdowns = KernelSlowdowns(gpus);
  for (std::size_t i = 0; i < slowdowns.size(); ++i) {
    if (slowdowns[i].value_or(0) <= facts.gpu_slowdown) continue;
    facts.slow_gpu = rank.gpus[i].gpu;
    facts.gpu_slowdown = *slowdowns[i];
  }
}

// If only one rank's part is known, finds the whole from the size of the group.
void SizeByGroup(std::span<RankFacts> ranks) {
  for (RankFacts& rank : ranks) {
    for (CollectiveCall& call : rank.calls) {
      const std::int64_t size = call.bytes < 0 && call.chunk > 0 ? GroupSizeOf(call, ranks) : -1;
      if (size > 0 && call.chunk < (std::int64_t{1} << 62) / size) call.bytes = call.chunk * size;
    }
  }
}

}  // namespace

Ns RankFacts::step_time() const {
  Ns sum = 0;
  for (const Step& step : steps) sum += step.parts.sum();
  return sum;
}

bool RankFacts::KnowsHidden() const {
  return times.exposed() == 0 ||
         std::any_of(calls.begin(), calls.end(),
                     [](const CollectiveCall& call) { return call.exposed > 0; });
}

breakdown::Breakdown RankFacts::Between(Ns from, Ns to) const {
  const auto at = [&](Ns moment) {
    const auto found = std::lower_bound(moments.begin(), moments.end(), moment);
    return until[static_cast<std::size_t>(found - moments.begin())];
  };
  breakdown::Breakdown sum = at(to);
  const breakdown::Breakdown before = at(from);
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] -= before[c];
  return sum;
}

RankTimeFacts TimeFactsOf(const iterations::RankContext& rank) {
  const Profile& profile = *rank.profile;
  RankTimeFacts result;
  RankFacts& facts = result.communication;
  facts.rank = rank.rank;
  facts.world_size = profile.distributed.world_size;
  facts.groups = profile.distributed.groups;
  facts.has_device = rank.has_device();
  facts.has_timeline = profile.has_timeline;
  facts.device_rows = profile.device.size();
  for (std::size_t i = rank.iterations.first; i < rank.iterations.last; ++i) {
    facts.steps.push_back(
        {NumberOfIteration(rank, static_cast<std::uint32_t>(i)), rank.iterations.all[i].time, {}});
  }
  facts.calls = CollectCollectives(rank);
  facts.times = MeasureRank(rank, facts.calls);
  facts.moments = MomentsOf(facts.calls);
  breakdown::CategoryTimes times = breakdown::CategoryTimesOf(rank, BetweenMoments(facts.moments));
  facts.until = SumsUntil(facts.moments, times.ranges);
  const std::vector<RankParts> parts = PartsOfSteps(times);
  facts.parts = SumOf(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) facts.steps[i].parts = parts[i];
  facts.exposed = Subtract(times.exposed_communication, rank.unobserved);
  facts.kernels = SumKernels(rank, {0, static_cast<std::uint32_t>(rank.profile->device.size())});
  SetSlowGpu(rank, facts);
  if (facts.calls.empty()) facts.suspects = DescribeSuspects(rank);
  facts.machine = MachineOf(rank);
  if (!facts.calls.empty()) facts.shared = SharedStreamsOf(rank);
  result.iterations = breakdown::IterationFactsOf(rank, times);
  return result;
}

TimeFacts::TimeFacts(std::span<const iterations::RankContext> ranks) {
  for (const iterations::RankContext& rank : ranks) {
    RankTimeFacts facts = TimeFactsOf(rank);
    iterations.push_back(std::move(facts.iterations));
    communication.push_back(std::move(facts.communication));
  }
}

Matching MatchFacts(std::span<RankFacts> ranks) {
  SizeByGroup(ranks);
  std::vector<RankGroups> groups;
  std::vector<std::span<CollectiveCall>> calls;
  for (RankFacts& rank : ranks) {
    groups.push_back({rank.groups, rank.world_size});
    calls.emplace_back(rank.calls);
  }
  return MatchRanks(groups, calls);
}

namespace {

// When the rank waits in matched calls; none without matched calls.
std::optional<std::vector<Span>> WaitingOf(const RankFacts& rank) {
  bool matched = false;
  std::vector<Span> waiting;
  for (const CollectiveCall& call : rank.calls) {
    if (call.transfer < 0) continue;
    matched = true;
    waiting.push_back({call.time.start, call.time.end - call.transfer});
  }
  return matched ? std::optional(Merge(std::move(waiting))) : std::nullopt;
}

}  // namespace

RankParts MatchedParts(const RankFacts& rank) {
  RankParts parts = rank.parts;
  const auto waiting = WaitingOf(rank);
  parts.matched = waiting.has_value();
  if (!waiting) return parts;
  std::vector<Span> within;
  for (const RankFacts::Step& step : rank.steps) within.push_back(step.time);
  const std::vector<Span> alone = Intersect(rank.exposed, Merge(std::move(within)));
  parts.waiting_exposed = OverlapLength(alone, *waiting);
  parts.transfer_exposed -= parts.waiting_exposed;
  return parts;
}

std::vector<RankParts> MatchedSteps(const RankFacts& rank) {
  const auto waiting = WaitingOf(rank);
  std::vector<Span> exposed;
  if (waiting) exposed = Intersect(rank.exposed, *waiting);
  std::vector<RankParts> steps;
  for (const RankFacts::Step& step : rank.steps) {
    RankParts& parts = steps.emplace_back(step.parts);
    parts.matched = waiting.has_value();
    auto span = std::partition_point(exposed.begin(), exposed.end(),
                                     [&](const Span& s) { return s.end <= step.time.start; });
    for (; span != exposed.end() && span->start < step.time.end; ++span) {
      parts.waiting_exposed +=
          std::min(span->end, step.time.end) - std::max(span->start, step.time.start);
    }
    parts.transfer_exposed -= parts.waiting_exposed;
  }
  return steps;
}

std::int64_t GroupSizeOf(const CollectiveCall& call, std::span<const RankFacts> ranks) {
  if (call.group_size > 0) return call.group_size;
  const std::int64_t world = ranks.front().world_size;
  if (world > 0) return world;
  return ranks.size() > 1 ? static_cast<std::int64_t>(ranks.size()) : -1;
}

}  // namespace profgauge::analysis::communication
