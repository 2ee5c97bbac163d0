#include "analysis/breakdown/work_sums.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <string_view>
#include <tuple>

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::size_t kMostNames = 500;

// Rows are mostly in the order of iterations, so the search starts at the end.
void AddTo(std::vector<std::pair<std::int64_t, Ns>>& series, std::int64_t iteration, Ns time) {
  std::size_t at = series.size();
  while (at > 0 && series[at - 1].first > iteration) --at;
  if (at > 0 && series[at - 1].first == iteration) {
    series[at - 1].second += time;
  } else {
    series.insert(series.begin() + static_cast<std::ptrdiff_t>(at), {iteration, time});
  }
}

// Sums by name of one rank.
class RankCollector {
 public:
  explicit RankCollector(const iterations::RankContext& rank) : rank_(rank) {}

  void Add(StringId name, std::uint32_t iteration, Ns gpu_time, Ns host_time) {
    const iterations::Iterations& iterations = rank_.iterations;
    if (iteration == iterations::Iterations::kNone || !iterations.SelectsIteration(iteration))
      return;
    const auto [entry, is_new] = rows_.try_emplace(name.value, sums_.size());
    if (is_new) sums_.emplace_back().name = rank_.profile->Name(name);
    NameWork& sum = sums_[entry->second];
    ++sum.count;
    sum.gpu_time += gpu_time;
    sum.host_time += host_time;
    const Ns time = rank_.has_device() ? gpu_time : host_time;
    if (time != 0) AddTo(sum.series, static_cast<std::int64_t>(iteration - iterations.first), time);
  }

  std::vector<NameWork> Take() {
    std::stable_sort(sums_.begin(), sums_.end(),
                     [](const NameWork& a, const NameWork& b) { return a.name < b.name; });
    return std::move(sums_);
  }

 private:
  const iterations::RankContext& rank_;
  std::vector<NameWork> sums_;
  boost::unordered_flat_map<std::uint32_t, std::size_t> rows_;
};

}  // namespace

void NamedWork::Add(const std::string& name, std::uint32_t iteration, Ns gpu_time, Ns host_time) {
  const iterations::Iterations& iterations = rank_.iterations;
  if (iteration == iterations::Iterations::kNone || !iterations.SelectsIteration(iteration)) return;
  NameWork& sum = names_[name];
  ++sum.count;
  sum.gpu_time += gpu_time;
  sum.host_time += host_time;
  const Ns time = rank_.has_device() ? gpu_time : host_time;
  if (time != 0) AddTo(sum.series, static_cast<std::int64_t>(iteration - iterations.first), time);
}

std::vector<NameWork> NamedWork::Take() {
  std::vector<NameWork> all;
  for (auto& [name, work] : names_) {
    work.name = name;
    all.push_back(std::move(work));
  }
  return all;
}

std::vector<Ns> SeriesOf(const Points& points, std::size_t iterations) {
  std::vector<Ns> series(iterations, 0);
  for (const auto& [position, time] : points) series[position] += time;
  return series;
}

// Ops count for the iteration in which they start on the host, though their kernels may run later:
// both sums of an op then cover the same calls.
RankWork RankWorkOf(const iterations::RankContext& rank) {
  RankWork work;
  work.has_gpu = rank.has_device();
  RankCollector kernels(rank), ops(rank);
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    kernels.Add(device.name[row], rank.iterations.of_device[row], device.duration[row], 0);
  }
  const HostTable& host = rank.profile->host;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (!rank.tree.IsOp(row)) continue;
    ops.Add(host.name[row], rank.iterations.AtHostTime(host.start[row]), rank.tree.device_self[row],
            rank.tree.host_self[row]);
  }
  work.kernels = kernels.Take();
  work.ops = ops.Take();
  return work;
}

// No smaller series is kept after the first that does not fit, so the result depends on one limit.
void DropSmallSeries(std::size_t most, std::vector<NameWork>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(names[a].gpu_time, names[a].host_time) >
           std::tuple(names[b].gpu_time, names[b].host_time);
  });
  for (const std::size_t index : order) {
    NameWork& work = names[index];
    const bool has_room = work.series.size() <= most;
    most -= has_room ? work.series.size() : most;
    if (has_room) continue;
    work.series.clear();
    work.has_series = false;
  }
}

WorkCollector::WorkCollector(std::size_t iterations, bool has_gpu) : length_(iterations) {
  out_.has_gpu = has_gpu;
}

void WorkCollector::AddRank(const RankWork& work, const std::vector<std::size_t>& run_positions) {
  out_.iterations += static_cast<std::int64_t>(run_positions.size());
  for (const NameWork& name : work.kernels) Add(name, work.has_gpu, run_positions, kernels_);
  for (const NameWork& name : work.ops) Add(name, work.has_gpu, run_positions, ops_);
  for (const NameWork& name : work.collectives) {
    Add(name, work.has_gpu, run_positions, collectives_);
  }
  for (const NameWork& name : work.modules) Add(name, work.has_gpu, run_positions, modules_);
}

void WorkCollector::Add(const NameWork& work, bool has_gpu,
                        const std::vector<std::size_t>& run_positions, Sums& sums) const {
  Sum& of_name = sums[work.name];
  WorkSum& sum = of_name.sum;
  sum.name = work.name;
  sum.count += work.count;
  sum.gpu_time += work.gpu_time;
  sum.host_time += work.host_time;
  of_name.has_series = of_name.has_series && work.has_series;
  if (out_.has_gpu && !has_gpu) return;  // Its series contain host time.
  for (const auto& [iteration, time] : work.series) {
    const std::size_t position = run_positions[static_cast<std::size_t>(iteration)];
    if (position != kNotSlowest) of_name.points.emplace_back(position, time);
  }
}

// Sorts sums, the longest first, and merges all after the first kMostNames into one. Sums among the
// first kMostSeries that are large enough keep a series.
std::vector<WorkSum> WorkCollector::Sorted(Sums& sums, Ns whole) const {
  std::vector<Sum> all;
  for (auto& [name, sum] : sums) all.push_back(std::move(sum));
  std::stable_sort(all.begin(), all.end(), [](const Sum& a, const Sum& b) {
    return std::tuple(a.sum.gpu_time, a.sum.host_time) >
           std::tuple(b.sum.gpu_time, b.sum.host_time);
  });
  std::vector<WorkSum> out;
  for (std::size_t i = 0; i < all.size() && i < kMostNames; ++i) {
    WorkSum& sum = out.emplace_back(std::move(all[i].sum));
    const auto time = static_cast<double>(out_.has_gpu ? sum.gpu_time : sum.host_time);
    const bool is_large = i < kMostSeries && time >= kLeastWithSeries * static_cast<double>(whole);
    if (is_large && all[i].has_series) sum.series = SeriesOf(all[i].points, length_);
  }
  if (all.size() > kMostNames) {
    WorkSum& rest = out.emplace_back();
    rest.name = "(smaller)";
    for (std::size_t i = kMostNames; i < all.size(); ++i) {
      rest.count += all[i].sum.count;
      rest.gpu_time += all[i].sum.gpu_time;
      rest.host_time += all[i].sum.host_time;
    }
  }
  return out;
}

WorkSums WorkCollector::Take(Ns whole) {
  out_.kernels = Sorted(kernels_, whole);
  out_.ops = Sorted(ops_, whole);
  out_.collectives = Sorted(collectives_, whole);
  out_.modules = Sorted(modules_, whole);
  return std::move(out_);
}

}  // namespace profgauge::analysis::breakdown
