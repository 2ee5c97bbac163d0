#include "analysis/time/marks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/tables/row_writer.h"
#include "model/neuron.h"
#include "model/neuron_summary.h"

namespace profgauge {
namespace {

// From the start over every mark to the end of the recording.
std::vector<Region> RegionsOf(const std::vector<Mark>& marks, Ns end) {
  std::vector<Region> regions;
  Mark last = {"start", 0};
  const auto add = [&](const Mark& mark) {
    if (mark.time > last.time) regions.push_back({last.name, mark.name, {last.time, mark.time}});
    last = mark;
  };
  for (const Mark& mark : marks) {
    if (mark.time < end) add(mark);
  }
  add({"end", end});
  return regions;
}

void WriteRegion(const RankContext& rank, const Region& region, RowWriter& write) {
  const DeviceTable& device = rank.profile->device;
  std::int64_t kernels = 0, copies = 0, bytes = 0;
  Ns kernel_time = 0, copy_time = 0;
  std::vector<Span> spans;
  for (std::size_t row = 0; row < device.size(); ++row) {
    spans.push_back({device.start[row], device.start[row] + device.duration[row]});
    if (device.start[row] < region.span.start || device.start[row] >= region.span.end) continue;
    const bool kernel = device.kind[row] == DeviceKind::kKernel;
    (kernel ? kernels : copies) += 1;
    (kernel ? kernel_time : copy_time) += device.duration[row];
    if (!kernel && device.bytes[row] > 0) bytes += device.bytes[row];
  }
  const Ns busy = Length(Clip(Merge(std::move(spans)), region.span));
  write.Integer(rank.rank).Text(region.from).Text(region.to).Integer(region.span.start);
  write.Integer(region.span.length()).Integer(busy);
  write.Share(static_cast<double>(busy), static_cast<double>(region.span.length()));
  write.Integer(kernels).Integer(kernel_time).Integer(copies).Integer(copy_time).Integer(bytes);
}

}  // namespace

void WriteEngineRegion(const RankContext& rank, const Region& region, RowWriter& write) {
  const neuron::Data& data = *rank.profile->neuron;
  const neuron::Summary sums = neuron::Summarize(data, rank.profile->strings, region.span);
  const double seconds = static_cast<double>(region.span.length()) * 1e-9;
  const double capacity =
      data.hardware.PeakFlops() * static_cast<double>(neuron::PeakCores(data)) * seconds;
  const auto flops = static_cast<double>(sums.flops);
  const auto moved = static_cast<double>(sums.traffic.hbm_read + sums.traffic.hbm_write);
  write.Integer(rank.rank).Text(region.from).Text(region.to).Integer(region.span.start);
  write.Integer(region.span.length()).Integer(sums.active);
  write.Share(flops - static_cast<double>(sums.transpose_flops), capacity);
  write.Share(flops, capacity).Share(moved, data.hardware.hbm_bandwidth * seconds);
  std::int64_t instructions = 0;
  Ns wait = 0;
  for (const neuron::EngineSums& engine : sums.engines) {
    instructions += engine.instructions;
    wait += engine.wait;
  }
  write.Integer(instructions);
  for (const neuron::EngineSums& engine : sums.engines) write.Integer(engine.active);
  write.Integer(wait).Flops(sums.flops).Integer(sums.traffic.hbm_read);
  write.Integer(sums.traffic.hbm_write).Integer(sums.dma.active).Integer(sums.dma.packets);
  write.Integer(sums.dma.bytes).Integer(sums.cc_active);
}

void AddRegions(std::span<const RankContext> ranks, const Selection& selection, Output& out) {
  if (selection.marks.empty()) return;
  RowWriter write(out.AddTable("regions"));
  const bool neuron = std::any_of(ranks.begin(), ranks.end(), [](const RankContext& rank) {
    return rank.profile->neuron != nullptr;
  });
  Table* engines = neuron ? &out.AddTable("engine_regions") : nullptr;
  for (const RankContext& rank : ranks) {
    const Ns end = std::max(rank.profile->last, rank.profile->span_end);
    const std::vector<Region> regions = RegionsOf(selection.marks, end);
    for (const Region& region : regions) WriteRegion(rank, region, write);
    if (engines == nullptr || rank.profile->neuron == nullptr) continue;
    RowWriter write_engines(*engines);
    for (const Region& region : regions) WriteEngineRegion(rank, region, write_engines);
  }
}

}  // namespace profgauge
