#include "analysis/time/work_sums.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace profgauge {
namespace {

constexpr std::size_t kMostNames = 500;
constexpr std::size_t kMostSeries = 64;
constexpr double kSeriesShare = 0.005;  // Of the iterations' time.
constexpr std::size_t kNotSlowest = static_cast<std::size_t>(-1);

using Sums = std::map<std::string, WorkSum, std::less<>>;

// Sums by name over all ranks, with a series over the run's iterations.
class Collector {
 public:
  Collector(std::size_t iterations, bool has_gpu) : iterations_(iterations), has_gpu_(has_gpu) {}

  void AddRank(const RankContext& rank, std::span<const std::size_t> run_position) {
    const DeviceTable& device = rank.profile->device;
    for (std::size_t row = 0; row < device.size(); ++row) {
      const std::uint32_t iteration = rank.iterations.of_device[row];
      if (iteration == Iterations::kNone || !rank.iterations.SelectsIteration(iteration)) continue;
      WorkSum& sum = Find(kernels_, rank.profile->Name(device.name[row]));
      Add(sum, device.duration[row], 0, run_position[iteration]);
    }
    const HostTable& host = rank.profile->host;
    for (std::size_t row = 0; row < host.size(); ++row) {
      if (!rank.tree.IsOp(row)) continue;
      const std::uint32_t iteration = rank.iterations.AtHostTime(host.start[row]);
      if (iteration == Iterations::kNone || !rank.iterations.SelectsIteration(iteration)) continue;
      WorkSum& sum = Find(ops_, rank.profile->Name(host.name[row]));
      Add(sum, rank.tree.device_self[row], rank.tree.host_self[row], run_position[iteration]);
    }
  }

  std::vector<WorkSum> TakeKernels(Ns whole) { return Sorted(kernels_, whole); }
  std::vector<WorkSum> TakeOps(Ns whole) { return Sorted(ops_, whole); }

 private:
  WorkSum& Find(Sums& sums, std::string_view name) const {
    const auto it = sums.find(name);
    if (it != sums.end()) return it->second;
    WorkSum& sum = sums[std::string(name)];
    sum.name = name;
    sum.series.resize(iterations_, 0);
    return sum;
  }

  void Add(WorkSum& sum, Ns gpu_time, Ns host_time, std::size_t position) const {
    ++sum.count;
    sum.gpu_time += gpu_time;
    sum.host_time += host_time;
    if (position != kNotSlowest) sum.series[position] += has_gpu_ ? gpu_time : host_time;
  }

  std::vector<WorkSum> Sorted(Sums& sums, Ns whole) const {
    std::vector<WorkSum> out;
    for (auto& [name, sum] : sums) out.push_back(std::move(sum));
    std::stable_sort(out.begin(), out.end(), [](const WorkSum& a, const WorkSum& b) {
      return std::tuple(a.gpu_time, a.host_time) > std::tuple(b.gpu_time, b.host_time);
    });
    if (out.size() > kMostNames) {
      WorkSum rest;
      rest.name = "(smaller)";
      for (std::size_t i = kMostNames; i < out.size(); ++i) {
        rest.count += out[i].count;
        rest.gpu_time += out[i].gpu_time;
        rest.host_time += out[i].host_time;
      }
      out.resize(kMostNames);
      out.push_back(std::move(rest));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto time = static_cast<double>(has_gpu_ ? out[i].gpu_time : out[i].host_time);
      if (i >= kMostSeries || time < kSeriesShare * static_cast<double>(whole)) {
        out[i].series.clear();
      }
    }
    return out;
  }

  std::size_t iterations_;
  bool has_gpu_;
  Sums kernels_, ops_;
};

}  // namespace

WorkSums SumWork(std::span<const RankContext> ranks, std::span<const RunIteration> run) {
  WorkSums out;
  for (const RankContext& rank : ranks) {
    out.has_gpu |= rank.has_device();
    out.iterations += static_cast<std::int64_t>(rank.iterations.selected().size());
  }
  Collector collector(run.size(), out.has_gpu);
  Ns whole = 0;
  for (const RunIteration& iteration : run) whole += iteration.duration;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::vector<std::size_t> run_position(ranks[r].iterations.all.size(), kNotSlowest);
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (run[i].rank == r) run_position[run[i].iteration] = i;
    }
    collector.AddRank(ranks[r], run_position);
  }
  out.kernels = collector.TakeKernels(whole);
  out.ops = collector.TakeOps(whole);
  return out;
}

}  // namespace profgauge
