#include "analysis/time/changing_work.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "analysis/context/loop_threads.h"
#include "analysis/time/copied_inputs.h"
#include "knowledge/iterations.h"

namespace profgauge {
namespace {

struct Launch {
  std::uint64_t kind = 0;
  std::size_t iteration = 0;  // Among the selected ones.
  std::uint32_t row = 0;  // A row of the device table, or of the host table where no device works.
};

StringId ShapesOf(const Profile& profile, HostId op) {
  return op.valid() ? profile.host.input_shapes[op.value] : StringId{};
}

std::uint64_t KindOf(StringId name, std::uint32_t config, StringId shapes) {
  // Each step adds before it mixes: small numbers of two parts must not meet in one.
  std::size_t kind = 0;
  boost::hash_combine(kind, std::size_t{name.value} << 32 | config);
  boost::hash_combine(kind, shapes.value);
  return kind;
}

// Calls `visit` for each computing kernel that the selected iterations launched.
template <class Visit>
void VisitKernels(const RankContext& rank, Visit visit) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  const Iterations& iterations = rank.iterations;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    if (device.kind[row] != DeviceKind::kKernel || rank.classes[row].collective) continue;
    const auto kind =
        KindOf(device.name[row], device.config[row].value, ShapesOf(profile, device.op[row]));
    visit(Launch{kind, index - iterations.first, row});
  }
}

// Calls `visit` for each operator of the loop's threads in the selected iterations whose inputs'
// shapes are known, except for those inside of another one.
template <class Visit>
void VisitOps(const RankContext& rank, Visit visit) {
  const Profile& profile = *rank.profile;
  const HostTable& host = profile.host;
  const Iterations& iterations = rank.iterations;
  const std::vector<bool> in_loop = FindLoopThreads(profile);
  std::vector<bool> counts(host.size(), false);  // It, or one around it. Parents come first.
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    const bool is_inside = parent.valid() && counts[parent.value];
    counts[row] = is_inside || ShapesOf(profile, HostId{row}).valid();
    if (is_inside || !counts[row]) continue;
    if (!host.thread[row].valid() || !in_loop[host.thread[row].value]) continue;
    const std::uint32_t index = iterations.AtTime(host.start[row]);
    if (index == Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    visit(Launch{KindOf(host.name[row], 0, host.input_shapes[row]), index - iterations.first, row});
  }
}

// For the selected ones, by VisitLaunches().
std::uint32_t IterationOf(const RankContext& rank, std::uint32_t row) {
  const Iterations& all = rank.iterations;
  const std::uint32_t index =
      rank.has_device() ? all.of_device[row] : all.AtTime(rank.profile->host.start[row]);
  return index - static_cast<std::uint32_t>(all.first);
}

template <class Visit>
void VisitLaunches(const RankContext& rank, Visit visit) {
  rank.has_device() ? VisitKernels(rank, visit) : VisitOps(rank, visit);
}

bool AreMost(std::size_t count, std::size_t iterations) {
  return iterations - count <= knowledge::kIterationsChangingShare.Of(iterations);
}

// Whether most of the iterations launch the same kernels, in whatever order.
bool AreMostlyAlike(const RankContext& rank, std::size_t iterations) {
  std::vector<std::uint64_t> work(iterations);
  VisitLaunches(rank, [&](const Launch& launch) {
    work[launch.iteration] += boost::hash<std::uint64_t>()(launch.kind) | 1;
  });
  std::map<std::uint64_t, std::size_t> alike;
  for (const std::uint64_t one : work) ++alike[one];
  return std::ranges::any_of(
      alike, [iterations](const auto& entry) { return AreMost(entry.second, iterations); });
}

// The rows of the iterations' launches, kind by kind: long profiles launch tens of millions.
class RowsByKind {
 public:
  explicit RowsByKind(const RankContext& rank) {
    VisitLaunches(rank, [&](const Launch& launch) { ++AtKind(launch.kind); });
    std::size_t sum = 0;
    for (std::size_t& at : ends_) sum += std::exchange(at, sum);
    rows_.resize(sum);
    // From where each kind begins to where it ends.
    VisitLaunches(rank, [&](const Launch& launch) { rows_[AtKind(launch.kind)++] = launch.row; });
  }

  template <class Visit>
  void ForEachKind(Visit visit) const {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      visit(std::span(rows_).subspan(begin, end - begin));
      begin = end;
    }
  }

 private:
  std::size_t& AtKind(std::uint64_t kind) {
    const auto [number, is_new] = numbers_.try_emplace(kind, ends_.size());
    if (is_new) ends_.push_back(0);
    return ends_[number->second];
  }

  boost::unordered_flat_map<std::uint64_t, std::size_t> numbers_;  // By kind of work.
  std::vector<std::size_t> ends_;                                  // By number.
  std::vector<std::uint32_t> rows_;
};

// Whether most iterations make these launches, each its own, as often.
bool AreSteady(std::vector<std::uint32_t> launching, std::size_t iterations) {
  if (!std::ranges::is_sorted(launching)) std::ranges::sort(launching);
  std::map<std::size_t, std::size_t> by_count;
  std::size_t different = 0;
  for (auto from = launching.begin(); from != launching.end(); ++different) {
    const auto to =
        std::find_if(from, launching.end(), [&](std::uint32_t one) { return one != *from; });
    ++by_count[static_cast<std::size_t>(to - from)];
    from = to;
  }
  by_count[0] = iterations - different;
  return std::ranges::any_of(by_count, [iterations](const auto& entry) {
    return entry.first > 0 && AreMost(entry.second, iterations);
  });
}

}  // namespace

std::vector<Ns> ChangingWork(const RankContext& rank) {
  const std::size_t iterations = rank.iterations.last - rank.iterations.first;
  std::vector<Ns> longest(iterations, 0);
  if (iterations < knowledge::kIterationsUsualLeast) return longest;
  if (AreMostlyAlike(rank, iterations)) return WorkOnCopiedInputs(rank);
  const DeviceTable& device = rank.profile->device;
  const auto duration_of = [&](std::uint32_t row) {
    return rank.has_device() ? device.duration[row] : rank.profile->host.duration[row];
  };
  std::map<std::int32_t, std::vector<Ns>> by_gpu;
  std::vector<std::uint32_t> launching;  // The iterations that launch one kind.
  RowsByKind(rank).ForEachKind([&](std::span<const std::uint32_t> rows) {
    launching.clear();
    for (const std::uint32_t row : rows) launching.push_back(IterationOf(rank, row));
    if (AreSteady(launching, iterations)) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<Ns>& times = by_gpu[rank.has_device() ? device.gpu[rows[i]] : 0];
      times.resize(iterations);
      times[launching[i]] += std::max<Ns>(duration_of(rows[i]), 0);
    }
  });
  for (const auto& [gpu, times] : by_gpu) {
    for (std::size_t i = 0; i < iterations; ++i) longest[i] = std::max(longest[i], times[i]);
  }
  return longest;
}

}  // namespace profgauge
