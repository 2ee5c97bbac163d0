// Metrics of Neuron: from rows if there are any, else the file's own values.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/catalogue.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/neuron/neuron.h"
#include "analysis/neuron/neuron_setter.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/neuron.h"

namespace profgauge::analysis::neuron {
namespace {

using profgauge::neuron::Engine;
using profgauge::neuron::EngineSums;
using profgauge::neuron::Summary;

double Time(const NeuronRank& rank) { return static_cast<double>(rank.total); }
// The total time of all cores: an engine's share is the mean over them.
double CoreTime(const NeuronRank& rank) {
  return static_cast<double>(rank.total) * static_cast<double>(rank.sums.cores);
}
double Capacity(const NeuronRank& rank) { return rank.PeakFlops() * rank.seconds; }
double HbmBytes(const NeuronRank& rank) {
  return static_cast<double>(rank.sums.traffic.hbm_read + rank.sums.traffic.hbm_write);
}
double ModelFlops(const NeuronRank& rank) { return rank.data->SummaryNumber("model_flops"); }

void SetEngine(Engine which, NeuronSetter& set) {
  const auto of = [which](const NeuronRank& rank) -> const EngineSums& {
    return rank.sums.engines[static_cast<std::size_t>(which)];
  };
  const EngineMetrics& id = MetricsOf(which);
  const auto active = [&](const NeuronRank& rank) { return of(rank).active; };
  set.Count(id.active_time, active);
  set.Share(id.active_share, set.Sum(active), set.Sum(CoreTime));
  set.Count(id.instruction_time, [&](const NeuronRank& rank) { return of(rank).instruction_time; });
  const auto instructions = [&](const NeuronRank& rank) { return of(rank).instructions; };
  set.Count(id.instructions, instructions);
  set.Count(id.wait_time, [&](const NeuronRank& rank) { return of(rank).wait; });
  const double any_source = set.Sum([](const NeuronRank& rank) {
    std::int64_t sum = 0;
    for (const EngineSums& engine : rank.sums.engines) sum += engine.with_source;
    return sum;
  });
  if (any_source > 0) {
    set.Share(id.nki_share, set.Sum([&](const NeuronRank& rank) { return of(rank).with_source; }),
              set.Sum(instructions));
  } else {
    set.out().SetAbsent(id.nki_share,
                        "no instruction names a line of NKI source; compile with "
                        "NKI_DEBUG_INFO=True and NEURON_FRAMEWORK_DEBUG=1");
  }
  std::vector<Ns> durations;
  for (const NeuronRank& rank : set.ranks()) {
    for (const profgauge::neuron::Instruction& row : rank.data->instructions) {
      if (row.engine == which && !row.semaphore && row.start >= rank.sums.window.start &&
          row.start < rank.sums.window.end) {
        durations.push_back(row.duration);
      }
    }
  }
  if (durations.empty()) return;
  set.out().Set(id.median_time, Median(std::move(durations)));
}

void SetTraffic(NeuronSetter& set) {
  const auto bytes = [&](MetricId id, auto member) {
    set.Count(id, [&](const NeuronRank& rank) { return rank.sums.traffic.*member; });
  };
  using profgauge::neuron::Traffic;
  bytes(metric::kHbmReadBytes, &Traffic::hbm_read);
  bytes(metric::kHbmWriteBytes, &Traffic::hbm_write);
  bytes(metric::kSbufReadBytes, &Traffic::sbuf_read);
  bytes(metric::kSbufWriteBytes, &Traffic::sbuf_write);
  bytes(metric::kPsumReadBytes, &Traffic::psum_read);
  bytes(metric::kPsumWriteBytes, &Traffic::psum_write);
  bytes(metric::kPsumReadSbufWriteBytes, &Traffic::psum_to_sbuf);
  bytes(metric::kSpillSaveBytes, &Traffic::spill_save);
  bytes(metric::kSpillReloadBytes, &Traffic::spill_reload);
  bytes(metric::kDmaInputQueueBytes, &Traffic::input_queue);
  bytes(metric::kDmaOutputQueueBytes, &Traffic::output_queue);
  bytes(metric::kDmaWeightQueueBytes, &Traffic::weight_queue);
  set.Count(metric::kPsumReadSbufWrites,
            [](const NeuronRank& rank) { return rank.sums.psum_to_sbuf_writes; });
}

void SetFlops(NeuronSetter& set) {
  const auto flops = [](const NeuronRank& rank) { return rank.sums.flops; };
  const auto transposes = [](const NeuronRank& rank) { return rank.sums.transpose_flops; };
  set.Count(metric::kNeuronHardwareFlops, flops);
  set.Count(metric::kNeuronTransposeFlops, transposes);
  set.Count(metric::kEngineTensorMatmuls, [](const NeuronRank& rank) { return rank.sums.matmuls; });
  set.Count(metric::kEngineScalarActivates,
            [](const NeuronRank& rank) { return rank.sums.activates; });
  set.Count(metric::kEngineScalarActivateTime,
            [](const NeuronRank& rank) { return rank.sums.activate_time; });
  if (set.All([](const NeuronRank& rank) { return rank.sums.adjusted_flops >= 0; })) {
    set.Count(metric::kNeuronAdjustedHardwareFlops,
              [](const NeuronRank& rank) { return rank.sums.adjusted_flops; });
    set.Count(metric::kNeuronAdjustedTransposeFlops,
              [](const NeuronRank& rank) { return rank.sums.adjusted_transpose_flops; });
  }
  const double useful = set.Sum(flops) - set.Sum(transposes);
  const double moved = set.Sum(HbmBytes);
  if (moved > 0) set.out().Set(metric::kNeuronMmArithmeticIntensity, useful / moved);
  if (!set.All([](const NeuronRank& rank) { return Capacity(rank) > 0; })) return;
  const double capacity = set.Sum(Capacity);
  set.Fill(metric::kNeuronHfu, set.Sum(flops) / capacity);
  set.Fill(metric::kNeuronMfuInst, useful / capacity);
  // The graph's FLOPs are only known for the whole profile.
  const bool model =
      set.All([](const NeuronRank& rank) { return rank.whole && ModelFlops(rank) > 0; });
  if (model) {
    set.Fill(metric::kNeuronMfuHlo, set.Sum(ModelFlops) / capacity);
    set.Fill(metric::kNeuronMfu, set.Sum(ModelFlops) / capacity);
  } else if (!set.out().IsSet(metric::kNeuronMfu)) {
    set.out().Set(metric::kNeuronMfu, useful / capacity);
    set.out().SetNote(metric::kNeuronMfu, "by the FLOPs of instructions, transposes left out");
  }
}

void SetPeaks(NeuronSetter& set) {
  const profgauge::neuron::Hardware& hardware = set.ranks().front().data->hardware;
  const double peak = hardware.PeakFlops();
  if (peak > 0) set.out().Set(metric::kNeuronPeakFlops, peak);
  if (hardware.hbm_bandwidth > 0)
    set.out().Set(metric::kNeuronPeakBandwidth, hardware.hbm_bandwidth);
  if (peak <= 0 || hardware.hbm_bandwidth <= 0) return;
  const double ridge = set.ranks().front().PeakFlops() / hardware.hbm_bandwidth;
  set.Fill(metric::kNeuronPeakFlopsBandwidthRatio, ridge);
  const bool rows = set.All([](const NeuronRank& rank) { return rank.data->has.instructions; });
  const double moved = set.Sum(HbmBytes);
  if (!rows || moved <= 0) return;
  const auto achievable = [&](double flops) { return std::min(1.0, flops / moved / ridge); };
  const double useful =
      set.Sum([](const NeuronRank& rank) { return rank.sums.flops - rank.sums.transpose_flops; });
  set.Fill(metric::kNeuronMfuInstMaxAchievable, achievable(useful));
  const bool model =
      set.All([](const NeuronRank& rank) { return rank.whole && ModelFlops(rank) > 0; });
  const double best = achievable(model ? set.Sum(ModelFlops) : useful);
  set.Fill(metric::kNeuronMfuMaxAchievable, best);
  if (model) set.Fill(metric::kNeuronMfuHloMaxAchievable, best);
  set.Fill(metric::kNeuronMbu, moved / set.Sum([](const NeuronRank& rank) {
    return rank.data->hardware.hbm_bandwidth * rank.seconds;
  }));
}

// Metrics of a subset of the DMA packets.
struct DmaMetrics {
  MetricId active_time, active_share, packets, packet_share, bytes, byte_share;
};

void SetDmaPart(const DmaMetrics& id, const profgauge::neuron::DmaSums Summary::*part,
                NeuronSetter& set) {
  const auto of = [part](const NeuronRank& rank) -> const profgauge::neuron::DmaSums& {
    return rank.sums.*part;
  };
  const auto active = [&](const NeuronRank& rank) { return of(rank).active; };
  const auto packets = [&](const NeuronRank& rank) { return of(rank).packets; };
  const auto bytes = [&](const NeuronRank& rank) { return of(rank).bytes; };
  set.Count(id.active_time, active);
  set.Share(id.active_share, set.Sum(active),
            set.Sum([](const NeuronRank& rank) { return rank.sums.dma.active; }));
  set.Count(id.packets, packets);
  set.Share(id.packet_share, set.Sum(packets),
            set.Sum([](const NeuronRank& rank) { return rank.sums.dma.packets; }));
  set.Count(id.bytes, bytes);
  set.Share(id.byte_share, set.Sum(bytes),
            set.Sum([](const NeuronRank& rank) { return rank.sums.dma.bytes; }));
}

void SetSmallPackets(NeuronSetter& set) {
  constexpr std::int64_t kSemaphoreWrite = 4;
  std::int64_t small = 0, counted = 0;
  for (const NeuronRank& rank : set.ranks()) {
    for (const profgauge::neuron::Dma& row : rank.data->packets) {
      const bool inside = row.start >= rank.sums.window.start && row.start < rank.sums.window.end;
      if (!inside || row.bytes <= kSemaphoreWrite) continue;
      ++counted;
      if (row.bytes < knowledge::kNeuronSmallDma) ++small;
    }
  }
  set.Share(metric::kDmaSmallShare, static_cast<double>(small), static_cast<double>(counted));
}

void SetDma(NeuronSetter& set) {
  const auto dma = [](const NeuronRank& rank) -> const profgauge::neuron::DmaSums& {
    return rank.sums.dma;
  };
  const auto active = [&](const NeuronRank& rank) { return dma(rank).active; };
  set.Count(metric::kDmaActiveTime, active);
  set.Share(metric::kDmaActiveShare, set.Sum(active), set.Sum(Time));
  if (set.All([](const NeuronRank& rank) { return rank.data->hardware.base_clock > 0; })) {
    set.out().Set(metric::kDmaActiveCycles, std::llround(set.Sum([&](const NeuronRank& rank) {
                    return static_cast<double>(dma(rank).active) * rank.data->hardware.base_clock;
                  })));
  }
  set.Count(metric::kDmaPacketTime, [&](const NeuronRank& rank) { return dma(rank).time; });
  const std::int64_t packets = set.Total([&](const NeuronRank& rank) { return dma(rank).packets; });
  const std::int64_t bytes = set.Total([&](const NeuronRank& rank) { return dma(rank).bytes; });
  set.out().Set(metric::kDmaPackets, packets);
  set.out().Set(metric::kDmaBytes, bytes);
  if (packets > 0) set.out().Set(metric::kDmaMeanBytes, bytes / packets);
  const std::int64_t transfers =
      set.Total([](const NeuronRank& rank) { return rank.sums.transfers; });
  const std::int64_t moved =
      set.Total([](const NeuronRank& rank) { return rank.sums.transfer_bytes; });
  if (transfers > 0) {
    set.out().Set(metric::kDmaTransfers, transfers);
    set.out().Set(metric::kDmaTransferBytes, moved);
    set.Count(metric::kDmaTransferTime,
              [](const NeuronRank& rank) { return rank.sums.transfer_time; });
    set.out().Set(metric::kDmaTransferMeanBytes, moved / transfers);
  }
#define PROFGAUGE_DMA_METRICS(Name)                                    \
  {                                                                    \
      metric::kDma##Name##ActiveTime, metric::kDma##Name##ActiveShare, \
      metric::kDma##Name##Packets,    metric::kDma##Name##PacketShare, \
      metric::kDma##Name##Bytes,      metric::kDma##Name##ByteShare}
  SetDmaPart(PROFGAUGE_DMA_METRICS(Static), &Summary::static_dma, set);
  SetDmaPart(PROFGAUGE_DMA_METRICS(Dynamic), &Summary::dynamic_dma, set);
  SetDmaPart(PROFGAUGE_DMA_METRICS(Software), &Summary::software_dma, set);
  SetDmaPart(PROFGAUGE_DMA_METRICS(Hardware), &Summary::hardware_dma, set);
#undef PROFGAUGE_DMA_METRICS
  SetSmallPackets(set);
}

void SetCollectives(NeuronSetter& set) {
  const auto active = [](const NeuronRank& rank) { return rank.sums.cc_active; };
  set.Count(metric::kCcOps, [](const NeuronRank& rank) { return rank.sums.cc_ops; });
  set.Count(metric::kCcTime, [](const NeuronRank& rank) { return rank.sums.cc_time; });
  set.Count(metric::kCcActiveTime, active);
  set.Share(metric::kCcActiveShare, set.Sum(active), set.Sum(Time));
  double delay = 0;
  std::int64_t known = 0;
  for (const NeuronRank& rank : set.ranks()) {
    for (const profgauge::neuron::CcOp& row : rank.data->cc_ops) {
      if (row.trigger_delay < 0 || !rank.Inside(row.start)) continue;
      delay += static_cast<double>(row.trigger_delay);
      ++known;
    }
  }
  if (known > 0) {
    set.out().Set(metric::kCcTriggerDelay, std::llround(delay / static_cast<double>(known)));
  }
}

void SetCcCores(NeuronSetter& set) {
  const auto active = [](const NeuronRank& rank) { return rank.sums.cc_instruction_active; };
  set.Count(metric::kEngineCcCoreActiveTime, active);
  set.Share(metric::kEngineCcCoreActiveShare, set.Sum(active), set.Sum(Time));
  set.Count(metric::kEngineCcCoreInstructionTime,
            [](const NeuronRank& rank) { return rank.sums.cc_instruction_time; });
  set.Count(metric::kEngineCcCoreInstructions,
            [](const NeuronRank& rank) { return rank.sums.cc_instructions; });
}

void SetThrottles(NeuronSetter& set) {
  const auto limited = [](const NeuronRank& rank) { return rank.sums.limited; };
  set.Count(metric::kThrottleLimitedTime, limited);
  set.Share(metric::kThrottleLimitedShare, set.Sum(limited), set.Sum(Time));
  const auto computing = [](const NeuronRank& rank) { return rank.sums.tensor_limited; };
  if (set.All([](const NeuronRank& rank) { return rank.data->has.instructions; })) {
    set.Count(metric::kThrottleTensorLimitedTime, computing);
    set.Share(metric::kThrottleTensorLimitedShare, set.Sum(computing),
              set.Sum([](const NeuronRank& rank) { return rank.sums.engines[0].active; }));
  }
  const double covered = set.Sum([](const NeuronRank& rank) { return rank.sums.throttle_covered; });
  set.Share(metric::kThrottleUtilizationLimit, set.Sum([](const NeuronRank& rank) {
    return std::max(0.0, rank.sums.throttle_limit) *
           static_cast<double>(rank.sums.throttle_covered);
  }),
            covered);
}

void SetDerived(NeuronSetter& set) {
  catalog::Output& out = set.out();
  const auto ratio = [&](MetricId id, MetricId part, MetricId whole) {
    const Value& a = out.ValueOf(part);
    const Value& b = out.ValueOf(whole);
    if (IsAbsent(a) || IsAbsent(b) || AsNumber(b, 0) <= 0) return;
    out.Set(id, AsNumber(a, 0) / AsNumber(b, 0));
  };
  ratio(metric::kNeuronTransposeShare, metric::kNeuronTransposeFlops, metric::kNeuronHardwareFlops);
  ratio(metric::kSpillReloadShare, metric::kSpillReloadBytes, metric::kHbmReadBytes);
  ratio(metric::kSpillSaveSbufShare, metric::kSpillSaveBytes, metric::kSbufReadBytes);
  ratio(metric::kSpillReloadSbufShare, metric::kSpillReloadBytes, metric::kSbufWriteBytes);
  const Value& share = out.ValueOf(metric::kSpillReloadShare);
  if (!IsAbsent(share)) out.Set(metric::kHbmUsefulReadShare, 1 - AsNumber(share, 0));
  if (!out.IsSet(metric::kThrottleLimitedShare)) {
    ratio(metric::kThrottleLimitedShare, metric::kThrottleLimitedTime, metric::kNeuronTotalTime);
  }
}

// Uses the file's own shares if data on the hardware had to be taken from AWS's documentation.
void PreferStatedShares(NeuronSetter& set) {
  for (const auto& [id, name] : NeuronSetter::kPeakShares) set.Stated(id, name);
}

void NoteKnownHardware(NeuronSetter& set) {
  const profgauge::neuron::Data& data = *set.ranks().front().data;
  catalog::Output& out = set.out();
  if (data.hardware.by_table) {
    const std::string note = "by AWS's figures for " + data.instance_type +
                             "; the file does not state the peaks of its hardware";
    for (const MetricId id : {metric::kNeuronPeakFlops, metric::kNeuronPeakBandwidth})
      out.SetNote(id, note);
    for (const auto& [id, name] : NeuronSetter::kPeakShares) {
      const bool stated = set.ranks().front().whole && data.SummaryNumber(name) >= 0;
      if (!stated && out.IsSet(id)) out.SetNote(id, note);
    }
  }
  if (!data.adjusted_by_table) return;
  for (const MetricId id :
       {metric::kNeuronAdjustedHardwareFlops, metric::kNeuronAdjustedTransposeFlops}) {
    if (out.IsSet(id)) {
      out.SetNote(id, "by the types of operands and AWS's figures for " + data.instance_type +
                          "; the file does not state them");
    }
  }
}

// Marks shares above the peak as uncertain.
void DoubtTheImpossible(catalog::Output& out) {
  for (const MetricId id : {metric::kNeuronMfu, metric::kNeuronMfuHlo, metric::kNeuronMfuInst,
                            metric::kNeuronHfu, metric::kNeuronMbu}) {
    if (AsNumber(out.ValueOf(id), 0) <= 1) continue;
    out.MarkUncertain(id, "more than the peak: FLOPs, bytes, times or the peak are wrong");
  }
}

// The table of errors also contains the device's warnings and programs' notifications.
std::int64_t ErrorsOf(const NeuronRank& rank) {
  const auto& rows = rank.data->errors;
  return std::count_if(rows.begin(), rows.end(), [&](const profgauge::neuron::Message& row) {
    const std::string_view type = rank.context->profile->Name(row.category);
    return type != "Warnings" && type != "Custom Notification";
  });
}

// The metrics that need a part of the rows.
std::vector<MetricId> MetricsOfPart(profgauge::neuron::Part part) {
  using profgauge::neuron::Part;
  const auto of_engines = [](std::initializer_list<MetricId EngineMetrics::*> members) {
    std::vector<MetricId> ids;
    for (std::size_t i = 0; i < profgauge::neuron::kEngines; ++i) {
      for (const auto member : members) ids.push_back(MetricsOf(static_cast<Engine>(i)).*member);
    }
    return ids;
  };
  std::vector<MetricId> ids;
  switch (part) {
    case Part::kWaits:
      ids = of_engines({&EngineMetrics::wait_time});
      ids.push_back(metric::kEngineTensorDmaWaitTime);
      return ids;
    case Part::kSemaphores:
      return {metric::kEngineTensorDmaWaitTime};
    case Part::kFlops:
      return {metric::kNeuronHardwareFlops,
              metric::kNeuronTransposeFlops,
              metric::kNeuronAdjustedHardwareFlops,
              metric::kNeuronAdjustedTransposeFlops,
              metric::kNeuronMmArithmeticIntensity,
              metric::kNeuronHfu,
              metric::kNeuronMfuInst,
              metric::kNeuronMfu,
              metric::kNeuronMfuInstMaxAchievable,
              metric::kNeuronMfuMaxAchievable};
    case Part::kTransposes:
      return {metric::kNeuronTransposeFlops, metric::kNeuronAdjustedTransposeFlops,
              metric::kNeuronMmArithmeticIntensity, metric::kNeuronMfuInst,
              metric::kNeuronMfuInstMaxAchievable};
    case Part::kHbmRead:
    case Part::kHbmWrite:
      return {part == Part::kHbmRead ? metric::kHbmReadBytes : metric::kHbmWriteBytes,
              metric::kNeuronMmArithmeticIntensity,
              metric::kNeuronMbu,
              metric::kNeuronMfuInstMaxAchievable,
              metric::kNeuronMfuMaxAchievable,
              metric::kNeuronMfuHloMaxAchievable};
    case Part::kSbufRead:
      return {metric::kSbufReadBytes};
    case Part::kSbufWrite:
      return {metric::kSbufWriteBytes};
    case Part::kPsumRead:
      return {metric::kPsumReadBytes};
    case Part::kPsumWrite:
      return {metric::kPsumWriteBytes};
    case Part::kPsumToSbuf:
      return {metric::kPsumReadSbufWriteBytes, metric::kPsumReadSbufWrites};
    case Part::kSpillSave:
      return {metric::kSpillSaveBytes};
    case Part::kSpillReload:
      return {metric::kSpillReloadBytes};
    case Part::kInputQueue:
      return {metric::kDmaInputQueueBytes};
    case Part::kOutputQueue:
      return {metric::kDmaOutputQueueBytes};
    case Part::kWeightQueue:
      return {metric::kDmaWeightQueueBytes};
    case Part::kPacketBytes:
      return {metric::kDmaBytes,
              metric::kDmaMeanBytes,
              metric::kDmaSmallShare,
              metric::kDmaStaticBytes,
              metric::kDmaStaticByteShare,
              metric::kDmaDynamicBytes,
              metric::kDmaDynamicByteShare,
              metric::kDmaSoftwareBytes,
              metric::kDmaSoftwareByteShare,
              metric::kDmaHardwareBytes,
              metric::kDmaHardwareByteShare};
    case Part::kPacketKinds:
      return {metric::kDmaStaticActiveTime,   metric::kDmaStaticActiveShare,
              metric::kDmaStaticPackets,      metric::kDmaStaticPacketShare,
              metric::kDmaStaticBytes,        metric::kDmaStaticByteShare,
              metric::kDmaDynamicActiveTime,  metric::kDmaDynamicActiveShare,
              metric::kDmaDynamicPackets,     metric::kDmaDynamicPacketShare,
              metric::kDmaDynamicBytes,       metric::kDmaDynamicByteShare,
              metric::kDmaSoftwareActiveTime, metric::kDmaSoftwareActiveShare,
              metric::kDmaSoftwarePackets,    metric::kDmaSoftwarePacketShare,
              metric::kDmaSoftwareBytes,      metric::kDmaSoftwareByteShare,
              metric::kDmaHardwareActiveTime, metric::kDmaHardwareActiveShare,
              metric::kDmaHardwarePackets,    metric::kDmaHardwarePacketShare,
              metric::kDmaHardwareBytes,      metric::kDmaHardwareByteShare};
    case Part::kTransferBytes:
      return {metric::kDmaTransferBytes, metric::kDmaTransferMeanBytes};
    case Part::kLimits:
      return {metric::kThrottleLimitedTime, metric::kThrottleLimitedShare,
              metric::kThrottleTensorLimitedTime, metric::kThrottleTensorLimitedShare,
              metric::kThrottleUtilizationLimit};
  }
  return ids;
}

// Columns missing in a file were added as 0, so their metrics are removed.
void RemoveUnknown(NeuronSetter& set) {
  for (const NeuronRank& rank : set.ranks()) {
    for (const profgauge::neuron::MissingColumn& column : rank.data->missing_columns) {
      for (const MetricId id : MetricsOfPart(column.part)) set.out().SetAbsent(id, column.why);
    }
  }
}

std::string MissingBecause(const NeuronRank& rank, MetricId id) {
  if (!rank.HasRows()) {
    return "the summary does not state it; export the whole profile with `neuron-explorer view "
           "--ingest-only`";
  }
  if (id.text().starts_with("dma.") && !rank.data->has.dma) {
    return "the file has no DMA packets; capture with NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1";
  }
  if (id == metric::kNeuronErrors) return "the file has no table of errors";
  if (id.text().starts_with("cc.") || id.text().starts_with("engine.cc_core")) {
    return "the file has no table of collectives";
  }
  if (id.text().starts_with("throttle.")) return "the file has no throttle notifications";
  return rank.whole ? "the file does not state it"
                    : "the file states it only for the whole profile";
}

}  // namespace

void AddNeuronMetrics(std::span<const NeuronRank> ranks, catalog::Output& out) {
  NeuronSetter set(ranks, out);
  for (const MetricId id : metric::kAll) {
    if (SpecOf(id).family == catalog::kNeuronFamily)
      out.SetAbsent(id, MissingBecause(ranks.front(), id));
  }
  if (set.All([](const NeuronRank& rank) { return rank.total >= 0; })) {
    Ns longest = 0;
    for (const NeuronRank& rank : ranks) longest = std::max(longest, rank.total);
    out.Set(metric::kNeuronTotalTime, longest);
  }
  const auto by_table = [](const NeuronRank& rank) { return rank.data->hardware.by_table; };
  if (std::any_of(ranks.begin(), ranks.end(), by_table)) PreferStatedShares(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.instructions; })) {
    for (std::size_t i = 0; i < profgauge::neuron::kEngines; ++i)
      SetEngine(static_cast<Engine>(i), set);
    SetTraffic(set);
    SetFlops(set);
    set.Count(metric::kEngineTensorDmaWaitTime,
              [](const NeuronRank& rank) { return rank.sums.tensor_dma_wait; });
    const auto active = [](const NeuronRank& rank) { return rank.sums.active; };
    set.Count(metric::kNeuronActiveTime, active);
    set.Share(metric::kNeuronActiveShare, set.Sum(active), set.Sum(Time));
    set.Count(metric::kNeuronExecTime, [](const NeuronRank& rank) { return rank.sums.exec_time; });
  }
  SetPeaks(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.dma; })) SetDma(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.cc_ops; })) SetCollectives(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.cc_instructions; })) {
    SetCcCores(set);
  }
  if (set.All([](const NeuronRank& rank) { return rank.data->has.throttles; })) SetThrottles(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.errors; })) {
    set.Count(metric::kNeuronErrors, ErrorsOf);
  }
  if (set.All([](const NeuronRank& rank) { return rank.HasRows(); })) {
    set.Count(metric::kNeuronWarnings,
              [](const NeuronRank& rank) { return rank.data->warnings.size(); });
  }
  RemoveUnknown(set);
  set.AllStated();
  SetDerived(set);
  NoteKnownHardware(set);
  DoubtTheImpossible(out);
}

// The contents of SBUF by address and time.

namespace {

using profgauge::neuron::SbufAllocation;

constexpr std::size_t kMostAllocations = 10'000;

// Adds the `most` largest allocations, of equal ones the longest first. Returns the number of all.
// Only allocations in the selected part count.
std::size_t AddAllocations(const NeuronRank& rank, std::size_t most,
                           catalog::RowWriter<catalog::columns::kSbufAllocations>& write) {
  std::vector<const SbufAllocation*> rows;
  for (const SbufAllocation& row : rank.data->sbuf_allocations) {
    const Span window = rank.sums.window;
    // Includes allocations that exist during the range, whenever they begin.
    if (rank.whole || (row.start < window.end && row.end() > window.start)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SbufAllocation* a, const SbufAllocation* b) {
    return std::tuple(b->bytes, b->duration) < std::tuple(a->bytes, a->duration);
  });
  const std::size_t all = rows.size();
  rows.resize(std::min(all, most));
  const Profile& profile = *rank.context->profile;
  for (const SbufAllocation* row : rows) {
    write.Integer("rank"_col, rank.context->rank).Integer("core"_col, row->core);
    write.Text("tensor"_col, profile.Name(row->tensor))
        .Text("source"_col, profile.Name(row->source));
    write.Known("partition"_col, row->partition)
        .Integer("address"_col, row->address)
        .Integer("bytes"_col, row->bytes);
    write.Integer("start"_col, row->start)
        .Integer("end"_col, row->end())
        .Integer("duration"_col, row->duration);
    write.Text("hlo"_col, profile.Name(row->hlo)).Text("opcode"_col, profile.Name(row->opcode));
    write.Text("queue"_col, profile.Name(row->queue));
  }
  return all;
}

}  // namespace

void AddNeuronSbuf(std::span<const NeuronRank> ranks, catalog::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const NeuronRank& rank) {
    return !rank.data->sbuf_allocations.empty();
  });
  if (!any) {
    return out.SetTableAbsent(
        "sbuf_allocations",
        "the profile has no table SbufAllocation; pass it as CSV with the other tables");
  }
  catalog::RowWriter<catalog::columns::kSbufAllocations> write(out.AddTable("sbuf_allocations"));
  std::size_t all = 0;
  for (const NeuronRank& rank : ranks) {
    all += AddAllocations(rank, kMostAllocations / ranks.size(), write);
  }
  out.RemarkCut("sbuf_allocations", all, "largest");
}

}  // namespace profgauge::analysis::neuron
