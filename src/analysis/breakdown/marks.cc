#include "analysis/breakdown/marks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/catalog/neuron_cells.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "model/neuron.h"
#include "model/neuron_summary.h"

namespace profgauge::analysis::breakdown {
namespace {

// The regions from the start over every mark to the end of the profile. Two marks at one time make
// no region; the later name starts the next one:
//
//   marks      load=2 store=5 sync=5      end 9
//   regions    start–load [0, 2)   load–store [2, 5)   sync–end [5, 9)
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

// Work counts where it starts, so that regions add up to the whole; busy time is clipped.
void WriteRegion(const iterations::RankContext& rank, const Region& region,
                 catalog::RowWriter<catalog::columns::kRegions>& write) {
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
  write.Integer("rank"_col, rank.rank)
      .Text("from"_col, region.from)
      .Text("to"_col, region.to)
      .Integer("start"_col, region.span.start);
  write.Integer("duration"_col, region.span.length()).Integer("busy"_col, busy);
  write.Share("busy_share"_col, static_cast<double>(busy),
              static_cast<double>(region.span.length()));
  write.Integer("kernels"_col, kernels)
      .Integer("kernel_time"_col, kernel_time)
      .Integer("copies"_col, copies)
      .Integer("copy_time"_col, copy_time)
      .Integer("copy_bytes"_col, bytes);
}

}  // namespace

// `mfu` and `hfu` are shares of the cores' peak over the region; `mfu` excludes transposes, which
// only move data. `mbu` is the share of the memory bandwidth.
void WriteEngineRegion(const iterations::RankContext& rank, const Region& region,
                       catalog::RowWriter<catalog::columns::kEngineRegions>& write) {
  const profgauge::neuron::Data& data = *rank.profile->neuron;
  const profgauge::neuron::Summary sums = profgauge::neuron::Summarize(data, region.span);
  const double seconds = static_cast<double>(region.span.length()) * 1e-9;
  const double capacity =
      data.hardware.PeakFlops() * static_cast<double>(profgauge::neuron::PeakCores(data)) * seconds;
  const auto flops = static_cast<double>(sums.flops);
  const auto moved = static_cast<double>(sums.traffic.hbm_read + sums.traffic.hbm_write);
  write.Integer("rank"_col, rank.rank)
      .Text("from"_col, region.from)
      .Text("to"_col, region.to)
      .Integer("start"_col, region.span.start);
  write.Integer("duration"_col, region.span.length()).Integer("active_time"_col, sums.active);
  write.Share("mfu"_col, flops - static_cast<double>(sums.transpose_flops), capacity);
  write.Share("hfu"_col, flops, capacity)
      .Share("mbu"_col, moved, data.hardware.hbm_bandwidth * seconds);
  std::int64_t instructions = 0;
  Ns wait = 0;
  std::array<Ns, profgauge::neuron::kEngines> active{};
  for (std::size_t i = 0; i < profgauge::neuron::kEngines; ++i) {
    const profgauge::neuron::EngineSums& engine = sums.engines[i];
    instructions += engine.instructions;
    wait += engine.wait;
    active[i] = engine.active;
  }
  write.Integer("instructions"_col, instructions);
  catalog::AppendActive(active, write);
  write.Integer("wait_time"_col, wait)
      .Flops("flops"_col, sums.flops)
      .Integer("hbm_read"_col, sums.traffic.hbm_read);
  write.Integer("hbm_write"_col, sums.traffic.hbm_write)
      .Integer("dma_active"_col, sums.dma.active)
      .Integer("dma_packets"_col, sums.dma.packets);
  write.Integer("dma_bytes"_col, sums.dma.bytes).Integer("cc_active"_col, sums.cc_active);
}

void AddRegions(std::span<const iterations::RankContext> ranks, const Selection& selection,
                catalog::Output& out) {
  if (selection.marks.empty()) return;
  catalog::RowWriter<catalog::columns::kRegions> write(out.AddTable("regions"));
  const bool neuron = std::any_of(
      ranks.begin(), ranks.end(),
      [](const iterations::RankContext& rank) { return rank.profile->neuron != nullptr; });
  Table* engines = neuron ? &out.AddTable("engine_regions") : nullptr;
  for (const iterations::RankContext& rank : ranks) {
    const Ns end = std::max(rank.profile->last, rank.profile->span_end);
    const std::vector<Region> regions = RegionsOf(selection.marks, end);
    for (const Region& region : regions) WriteRegion(rank, region, write);
    if (engines == nullptr || rank.profile->neuron == nullptr) continue;
    catalog::RowWriter<catalog::columns::kEngineRegions> write_engines(*engines);
    for (const Region& region : regions) WriteEngineRegion(rank, region, write_engines);
  }
}

}  // namespace profgauge::analysis::breakdown
