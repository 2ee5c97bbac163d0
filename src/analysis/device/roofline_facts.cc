// One rank's part of the roofline.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/classify/eligibility.h"
#include "analysis/classify/kernel_name.h"
#include "analysis/classify/name_memo.h"
#include "analysis/device/roofline.h"
#include "analysis/device/roofline_points.h"
#include "analysis/work/recomputation.h"
#include "base/numbers.h"

namespace profgauge::analysis::device {
namespace {

constexpr std::uint32_t kOfNoPoint = kNoIndex;

// Whether arguments that are no tensors change the work: of convolutions and attention only. By
// them all other operators would fall apart into rows of one call.
bool ValuesMatter(std::string_view op) {
  for (const std::string_view part : {"conv", "attention", "attn", "mha", "fwd"}) {
    if (op.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// The GPU on which an operator's kernels ran: the first one's.
std::vector<std::int32_t> GpuOfCalls(const context::RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  std::vector<std::int32_t> gpus(rank.profile->host.size(), -1);
  for (std::size_t row = device.size(); row-- > 0;) {
    const HostId op = device.op[row];
    if (device.kind[row] != DeviceKind::kKernel || !op.valid()) continue;
    const std::uint32_t counted = rank.works.counted_in[op.value];
    if (counted != work::OpWorks::kNone) gpus[counted] = device.gpu[row];
  }
  return gpus;
}

// Products that are there and have no known work: grouped and sparse ones, operators of projects.
void AddNotCounted(const context::RankContext& rank, std::uint32_t row,
                   classify::NameMemo& is_eligible, RooflineFacts& facts) {
  const HostId op = rank.profile->device.op[row];
  if (op.valid() && rank.works.counted_in[op.value] != work::OpWorks::kNone) return;
  if (!classify::IsMatrixRule(rank.classes[row]) && !(op.valid() && is_eligible(op))) return;
  const std::string_view name = op.valid() ? rank.profile->Name(rank.profile->host.name[op.value])
                                           : std::string_view("kernels without an operator");
  facts.not_counted[std::string(name)] += rank.profile->device.duration[row];
}

// Adds up the calls of one rank; the point of each by row of the host table.
class PointCollector {
 public:
  explicit PointCollector(const context::RankContext& rank)
      : rank_(rank),
        values_matter_(*rank.profile, ValuesMatter),
        point_of_(rank.profile->host.size(), kOfNoPoint) {
    const HostTable& host = rank.profile->host;
    const std::vector<std::int32_t> gpus = GpuOfCalls(rank);
    const std::vector<bool> recomputed = work::FindRecomputed(*rank.profile);
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      if (rank.works.counted_in[row] != row || rank.tree.kernel_total[row] <= 0) continue;
      if (!rank.InIterations(HostId{row})) continue;
      const work::OpWork& work = *rank.works.Find(row);
      const std::uint32_t point = PointOf(row, gpus[row]);
      WorkPoint call;
      call.calls = 1;
      call.time = rank.tree.kernel_total[row];
      call.tensor_core_time = rank.tree.tensor_core_total[row];
      call.flops = work.flops;
      call.bytes = work.bytes;
      call.recomputed = recomputed[row] ? work.flops : 0;
      call.dtype = work.dtype;
      call.is_matrix = work.is_matrix;
      Join(points_[point], call);
      point_of_[row] = point;
    }
  }

  /// By key. Which of them each call belongs to is in point_of() then.
  std::vector<WorkPoint> Take() {
    std::vector<std::uint32_t> order(points_.size()), place(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return KeyOf(points_[a]) < KeyOf(points_[b]);
    });
    std::vector<WorkPoint> sorted;
    for (const std::uint32_t point : order) {
      place[point] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(points_[point]));
    }
    for (std::uint32_t& point : point_of_) {
      if (point != kOfNoPoint) point = place[point];
    }
    return sorted;
  }
  const std::vector<std::uint32_t>& point_of() const { return point_of_; }

 private:
  std::uint32_t PointOf(std::uint32_t row, std::int32_t gpu) {
    const HostTable& host = rank_.profile->host;
    const StringId values = ValuesOf(row);
    const std::array<std::uint32_t, 5> ids = {host.name[row].value, host.input_shapes[row].value,
                                              host.input_dtypes[row].value, values.value,
                                              static_cast<std::uint32_t>(gpu)};
    const auto [known, is_new] = by_ids_.try_emplace(ids, kOfNoPoint);
    if (!is_new) return known->second;
    // Several GPUs may have one name.
    const Profile& profile = *rank_.profile;
    const Gpu* device = classify::FindGpu(rank_.devices, gpu);
    const std::string_view gpu_name = device == nullptr ? std::string_view() : device->name;
    const auto [at, is_new_key] = by_key_.try_emplace({ids[0], ids[1], ids[2], ids[3], gpu_name},
                                                      static_cast<std::uint32_t>(points_.size()));
    if (is_new_key) {
      WorkPoint& point = points_.emplace_back();
      point.name = profile.Name(host.name[row]);
      point.shapes = profile.Name(host.input_shapes[row]);
      point.dtypes = profile.Name(host.input_dtypes[row]);
      point.values = profile.Name(values);
      point.gpu = gpu_name;
      point.multiprocessors = device == nullptr ? -1 : device->sms;
    }
    known->second = at->second;
    return at->second;
  }

  // For convolutions and attention numbers matter, too: strides, dilation, the mask.
  StringId ValuesOf(std::uint32_t row) {
    return values_matter_(rank_.profile->host.name[row]) ? rank_.profile->host.concrete_inputs[row]
                                                         : StringId{};
  }

  const context::RankContext& rank_;
  classify::NameMemo values_matter_;
  std::vector<WorkPoint> points_;
  std::vector<std::uint32_t> point_of_;
  std::map<std::array<std::uint32_t, 5>, std::uint32_t> by_ids_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>,
           std::uint32_t>
      by_key_;
};

// The kernels of each point, by name and launch configuration, so that texts are parsed for each of
// these and not for each kernel.
class PointKernels {
 public:
  explicit PointKernels(const context::RankContext& rank) : profile_(*rank.profile) {}

  void Add(std::uint32_t row, std::uint32_t point) {
    if (point == kOfNoPoint) return;
    const DeviceTable& device = profile_.device;
    Sum& sum = sums_[{point, device.name[row].value, device.config[row].value}];
    sum.time += device.duration[row];
    ++sum.calls;
    sum.row = row;
  }

  void Describe(std::vector<WorkPoint>& points) const {
    for (const auto& [key, sum] : sums_) Describe(sum, points[std::get<0>(key)]);
  }

 private:
  struct Sum {
    Ns time = 0;
    std::int64_t calls = 0;
    std::uint32_t row = 0;
  };

  void Describe(const Sum& sum, WorkPoint& point) const {
    const std::string_view name = profile_.Name(profile_.device.name[sum.row]);
    point.kernels += sum.calls;
    point.parts = std::max(point.parts, classify::PartsInName(name));
    point.unknown_parts = point.unknown_parts || classify::NamesUnknownParts(name);
    point.read_at_once = LeastRead(point.read_at_once, classify::AlignmentInName(name));
    if (sum.time < point.kernel_time || (sum.time == point.kernel_time && name >= point.kernel)) {
      return;
    }
    point.kernel = name;
    point.kernel_time = sum.time;
    point.blocks = BlocksOf(profile_.device.config[sum.row]);
  }

  // -1: not recorded.
  std::int64_t BlocksOf(LaunchConfigId config) const {
    if (!config.valid()) return -1;
    const std::int32_t(&grid)[3] = profile_.launch_configs[config.value].grid;
    std::int64_t blocks = 1;
    for (const std::int32_t size : grid) {
      if (size <= 0 || blocks > kMostBlocks) return -1;
      blocks *= size;
    }
    return blocks;
  }

  // The largest first size of a grid.
  static constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31;
  const Profile& profile_;
  boost::unordered_flat_map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Sum> sums_;
};

// Without threads there is no tree, and without a tree no evidence of recomputation.
bool KnowsThreads(const context::RankContext& rank) {
  const std::vector<ThreadId>& threads = rank.profile->host.thread;
  return std::all_of(threads.begin(), threads.end(), [](ThreadId id) { return id.valid(); });
}

}  // namespace

RooflineFacts RooflineFactsOf(const context::RankContext& rank) {
  RooflineFacts facts;
  PointCollector collector(rank);
  facts.points = collector.Take();
  FindSingleExperts(rank, collector.point_of(), facts.points);
  for (const WorkPoint& point : facts.points) facts.counted_time += point.time;
  const DeviceTable& device = rank.profile->device;
  facts.point_of.assign(device.size(), kOfNoPoint);
  PointKernels kernels(rank);
  classify::NameMemo is_eligible(*rank.profile, classify::IsEligibleOp);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    const HostId op = device.op[row];
    const std::uint32_t call = op.valid() ? rank.works.counted_in[op.value] : work::OpWorks::kNone;
    if (call != work::OpWorks::kNone) facts.point_of[row] = collector.point_of()[call];
    if (rank.classes[row].collective || !rank.InIterations(DeviceId{row})) continue;
    facts.kernel_time += device.duration[row];
    if (call != work::OpWorks::kNone) kernels.Add(row, facts.point_of[row]);
    AddNotCounted(rank, row, is_eligible, facts);
  }
  kernels.Describe(facts.points);
  facts.has_timeline = rank.profile->has_timeline;
  facts.knows_threads = KnowsThreads(rank);
  return facts;
}

}  // namespace profgauge::analysis::device
