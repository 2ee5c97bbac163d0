#include "analysis/breakdown/changing_work.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/breakdown/iteration_stats.h"
#include "analysis/iterations/observed.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::breakdown {
namespace {

struct Launch {
  std::uint64_t kind = 0;
  std::size_t iteration = 0;  // Among the selected ones.
  std::uint32_t row = 0;      // A row of the device table; of the host table without device work.
};

// Invalid if the operator is unknown or its shapes were not recorded.
StringId ShapesOf(const Profile& profile, HostId op) {
  return op.valid() ? profile.host.input_shapes[op.value] : StringId{};
}

// A number for a kind of work: equal for equal names, launch configurations and shapes. It is a
// 64-bit hash, so different kinds are equal only by chance.
std::uint64_t KindOf(StringId name, std::uint32_t config, StringId shapes) {
  // Each step adds before it mixes, so that small numbers of two parts do not collide.
  std::size_t kind = 0;
  boost::hash_combine(kind, std::size_t{name.value} << 32 | config);
  boost::hash_combine(kind, shapes.value);
  return kind;
}

// Calls `visit` for each computing kernel that the selected iterations launched.
template <class Visit>
void VisitKernels(const iterations::RankContext& rank, Visit visit) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  const iterations::Iterations& iterations = rank.iterations;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == iterations::Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    if (device.kind[row] != DeviceKind::kKernel || rank.classes[row].collective) continue;
    const auto kind =
        KindOf(device.name[row], device.config[row].value, ShapesOf(profile, device.op[row]));
    visit(Launch{kind, index - iterations.first, row});
  }
}

// Calls `visit` for each operator of the loop's threads in the selected iterations whose input
// shapes are known, except for operators inside of another one.
template <class Visit>
void VisitOps(const iterations::RankContext& rank, Visit visit) {
  const Profile& profile = *rank.profile;
  const HostTable& host = profile.host;
  const iterations::Iterations& iterations = rank.iterations;
  const std::vector<bool> in_loop = iterations::FindLoopThreads(profile);
  std::vector<bool> counts(host.size(), false);  // It, or a parent. Parents come first.
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    const bool is_inside = parent.valid() && counts[parent.value];
    counts[row] = is_inside || ShapesOf(profile, HostId{row}).valid();
    if (is_inside || !counts[row]) continue;
    if (!host.thread[row].valid() || !in_loop[host.thread[row].value]) continue;
    const std::uint32_t index = iterations.AtTime(host.start[row]);
    if (index == iterations::Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    visit(Launch{KindOf(host.name[row], 0, host.input_shapes[row]), index - iterations.first, row});
  }
}

// Index among the selected iterations. REQUIRES: VisitLaunches() visits the row.
std::uint32_t IterationOf(const iterations::RankContext& rank, std::uint32_t row) {
  const iterations::Iterations& all = rank.iterations;
  const std::uint32_t index =
      rank.has_device() ? all.of_device[row] : all.AtTime(rank.profile->host.start[row]);
  return index - static_cast<std::uint32_t>(all.first);
}

// Visits kernels, or operators in a profile of the host only, which then show the changes.
template <class Visit>
void VisitLaunches(const iterations::RankContext& rank, Visit visit) {
  rank.has_device() ? VisitKernels(rank, visit) : VisitOps(rank, visit);
}

// Whether at least three quarters of the iterations are counted (iterations.changing_share).
bool AreMost(std::size_t count, std::size_t iterations) {
  return iterations - count <= knowledge::kIterationsChangingShare.Of(iterations);
}

// Whether most iterations launch the same kernels in any order: a sum of hashes ignores the order.
// `| 1`: otherwise a kind with hash 0 would not count.
bool AreMostlyAlike(const iterations::RankContext& rank, std::size_t iterations) {
  std::vector<std::uint64_t> work(iterations);
  VisitLaunches(rank, [&](const Launch& launch) {
    work[launch.iteration] += boost::hash<std::uint64_t>()(launch.kind) | 1;
  });
  std::map<std::uint64_t, std::size_t> alike;
  for (const std::uint64_t one : work) ++alike[one];
  return std::ranges::any_of(
      alike, [iterations](const auto& entry) { return AreMost(entry.second, iterations); });
}

// The rows of the launches, sorted by kind. Long profiles launch tens of millions, so all kinds
// share one array. Launches are first counted, then put in place:
//
//   launches of kinds   a b a c a b
//   counts, then sums   a: 3 → 0   b: 2 → 3   c: 1 → 5      the first position of each kind
//   rows_               0 2 4 | 1 5 | 3                     ends_ is 3, 5, 6 afterwards
class RowsByKind {
 public:
  explicit RowsByKind(const iterations::RankContext& rank) {
    VisitLaunches(rank, [&](const Launch& launch) { ++AtKind(launch.kind); });
    std::size_t sum = 0;
    for (std::size_t& at : ends_) sum += std::exchange(at, sum);
    rows_.resize(sum);
    // Advances each kind from its first position to its end.
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

// Whether most iterations make the launches of one kind equally often. `launching`: the iteration
// of each launch, e.g. 0 0 1 1 2 3 3, which is twice in 0, 1 and 3, once in 2.
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

std::vector<Ns> ChangingWork(const iterations::RankContext& rank) {
  const std::size_t iterations = rank.iterations.last - rank.iterations.first;
  std::vector<Ns> longest(iterations, 0);
  if (iterations < knowledge::kIterationsUsualLeast) return longest;
  if (AreMostlyAlike(rank, iterations)) return WorkOnCopiedInputs(rank);
  const DeviceTable& device = rank.profile->device;
  const auto duration_of = [&](std::uint32_t row) {
    return rank.has_device() ? device.duration[row] : rank.profile->host.duration[row];
  };
  std::map<std::int32_t, std::vector<Ns>> by_gpu;
  std::vector<std::uint32_t> launching;  // By launch of one kind.
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

namespace {

/// The rank of each value in sorted order; equal values share their mean rank.
std::vector<double> PlacesOf(std::span<const std::int64_t> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> places(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    const double place = static_cast<double>(from + to - 1) / 2;
    for (std::size_t i = from; i < to; ++i) places[order[i]] = place;
    from = to;
  }
  return places;
}

// Spearman's rank correlation, -1 to 1; 0 if one of the series is constant.
double CorrelationOfPlaces(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const std::vector<double> x = PlacesOf(a), y = PlacesOf(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// Whether less than three quarters of the iterations copy the same number of bytes.
bool Change(std::span<const std::int64_t> bytes) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t one : bytes) ++counts[one];
  return std::ranges::none_of(counts, [&](const auto& entry) {
    return bytes.size() - entry.second <= knowledge::kIterationsChangingShare.Of(bytes.size());
  });
}

struct Sums {
  std::vector<std::int64_t> bytes;                  ///< Copied to devices, by iteration.
  std::map<std::int32_t, std::vector<Ns>> kernels;  ///< By GPU and iteration.
};

// Sums the selected iterations in one pass over the device table.
Sums SumIterations(const iterations::RankContext& rank, std::size_t count) {
  const DeviceTable& device = rank.profile->device;
  const iterations::Iterations& iterations = rank.iterations;
  Sums sums;
  sums.bytes.resize(count);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == iterations::Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    const std::size_t i = index - iterations.first;
    if (device.copy[row] == CopyKind::kHostToDevice) {
      sums.bytes[i] += std::max<std::int64_t>(device.bytes[row], 0);
    } else if (device.kind[row] == DeviceKind::kKernel && !rank.classes[row].collective) {
      std::vector<Ns>& times = sums.kernels[device.gpu[row]];
      times.resize(count);
      times[i] += std::max<Ns>(device.duration[row], 0);
    }
  }
  return sums;
}

}  // namespace

// A loader that prefetches a batch copies the inputs of iteration i + 1 in iteration i, so both are
// tested. The example has five iterations, although at least eight are needed:
//
//   bytes     8  2  5  9  1          bytes of i against times of i: another order
//   time      7  8  2  5  9          bytes of i against times of i + 1: the same order
std::vector<Ns> WorkOnCopiedInputs(const iterations::RankContext& rank) {
  const std::size_t count = rank.iterations.last - rank.iterations.first;
  std::vector<Ns> longest(count, 0);
  if (count < knowledge::kIterationsOutlierLeast) return longest;
  const Sums sums = SumIterations(rank, count);
  if (!Change(sums.bytes)) return longest;
  std::vector<std::int64_t> times(count, 0);
  for (const auto& [gpu, of_gpu] : sums.kernels) {
    for (std::size_t i = 0; i < count; ++i) times[i] = std::max(times[i], of_gpu[i]);
  }
  const std::span<const std::int64_t> bytes = sums.bytes, all = times;
  const double same = CorrelationOfPlaces(bytes, all);
  const double ahead = CorrelationOfPlaces(bytes.first(count - 1), all.subspan(1));
  return std::max(same, ahead) >= knowledge::kIterationsFollowsInputs ? times : longest;
}

namespace {

// The median. REQUIRES: not empty.
double MiddleOf(std::span<const double> lengths) {
  std::vector<double> sorted(lengths.begin(), lengths.end());
  std::sort(sorted.begin(), sorted.end());
  return Quantile(sorted, 0.5);
}

// Returns typical lengths by the number of kernels. If a count has fewer than three iterations, all
// iterations are one kind, because the unusual one of so few cannot be recognized.
std::vector<double> TypicalByCounts(std::span<const double> lengths,
                                    std::span<const std::int64_t> kernels) {
  std::map<std::int64_t, std::vector<double>> kinds;
  for (std::size_t i = 0; i < lengths.size(); ++i) kinds[kernels[i]].push_back(lengths[i]);
  const auto has_enough = [](const auto& kind) {
    return kind.second.size() >= knowledge::kIterationsUsualLeast;
  };
  if (kinds.size() > knowledge::kIterationsKindMost || !std::ranges::all_of(kinds, has_enough)) {
    return std::vector<double>(lengths.size(), lengths.empty() ? 0 : MiddleOf(lengths));
  }
  std::map<std::int64_t, double> middle;
  for (const auto& [count, alike] : kinds) middle.emplace(count, MiddleOf(alike));
  std::vector<double> typical;
  for (const std::int64_t count : kernels) typical.push_back(middle.at(count));
  return typical;
}

// Returns typical lengths as a rest common to all iterations plus the changing work. With a rest of
// 4, iterations with work of 6 and 16 have the typical lengths 10 and 20.
std::vector<double> TypicalByWork(std::span<const double> lengths, std::span<const Ns> changing) {
  std::vector<double> rests;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    rests.push_back(lengths[i] - static_cast<double>(changing[i]));
  }
  const double rest = MiddleOf(rests);
  std::vector<double> typical;
  for (const Ns work : changing) typical.push_back(rest + static_cast<double>(work));
  return typical;
}

// Median distance of lengths from their typical ones.
double DistanceTo(std::span<const double> typical, std::span<const double> lengths) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    distances.push_back(std::abs(lengths[i] - typical[i]));
  }
  return MiddleOf(distances);
}

}  // namespace

// Changing inputs explain the lengths only if these follow them; the host may be slower. So the
// explanation with the smaller distances is used.
std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels,
                                   std::span<const Ns> changing) {
  std::vector<double> by_counts = TypicalByCounts(lengths, kernels);
  if (std::ranges::all_of(changing, [](Ns work) { return work == 0; })) return by_counts;
  std::vector<double> by_work = TypicalByWork(lengths, changing);
  const bool is_possible = std::ranges::all_of(by_work, [](double length) { return length > 0; });
  const bool is_nearer = DistanceTo(by_work, lengths) < DistanceTo(by_counts, lengths);
  return is_possible && is_nearer ? by_work : by_counts;
}

std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical) {
  std::vector<double> out(lengths.begin(), lengths.end());
  if (std::ranges::adjacent_find(typical, std::not_equal_to<>()) == typical.end()) return out;
  const double middle = MiddleOf(lengths);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (typical[i] > 0) out[i] = lengths[i] / typical[i] * middle;
  }
  return out;
}

}  // namespace profgauge::analysis::breakdown
