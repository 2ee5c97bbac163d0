// Metrics of Neuron: from rows where there are rows, else as the file states them.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/neuron/neuron.h"
#include "analysis/neuron/neuron_setter.h"
#include "analysis/tables/catalogue_neuron.h"
#include "base/median.h"

namespace profgauge {
namespace {

using neuron::Engine;
using neuron::EngineSums;
using neuron::Summary;

double Time(const NeuronRank& rank) { return static_cast<double>(rank.total); }
// The time of all cores: an engine's share is the mean over them.
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
  const std::string id = "engine." + std::string(neuron::EngineName(which)) + ".";
  const auto active = [&](const NeuronRank& rank) { return of(rank).active; };
  set.Count(id + "active_time", active);
  set.Share(id + "active_share", set.Sum(active), set.Sum(CoreTime));
  set.Count(id + "instruction_time",
            [&](const NeuronRank& rank) { return of(rank).instruction_time; });
  const auto instructions = [&](const NeuronRank& rank) { return of(rank).instructions; };
  set.Count(id + "instructions", instructions);
  set.Count(id + "wait_time", [&](const NeuronRank& rank) { return of(rank).wait; });
  const double any_source = set.Sum([](const NeuronRank& rank) {
    std::int64_t sum = 0;
    for (const EngineSums& engine : rank.sums.engines) sum += engine.with_source;
    return sum;
  });
  if (any_source > 0) {
    set.Share(id + "nki_share",
              set.Sum([&](const NeuronRank& rank) { return of(rank).with_source; }),
              set.Sum(instructions));
  } else {
    set.out().SetAbsent(id + "nki_share",
                        "no instruction names a line of NKI source; compile with "
                        "NKI_DEBUG_INFO=True and NEURON_FRAMEWORK_DEBUG=1");
  }
  std::vector<Ns> durations;
  for (const NeuronRank& rank : set.ranks()) {
    for (const neuron::Instruction& row : rank.data->instructions) {
      if (row.engine == which && !row.semaphore && row.start >= rank.sums.window.start &&
          row.start < rank.sums.window.end) {
        durations.push_back(row.duration);
      }
    }
  }
  if (durations.empty()) return;
  set.out().Set(id + "median_time", Median(std::move(durations)));
}

void SetTraffic(NeuronSetter& set) {
  const auto bytes = [&](std::string_view id, auto member) {
    set.Count(id, [&](const NeuronRank& rank) { return rank.sums.traffic.*member; });
  };
  using neuron::Traffic;
  bytes("hbm.read_bytes", &Traffic::hbm_read);
  bytes("hbm.write_bytes", &Traffic::hbm_write);
  bytes("sbuf.read_bytes", &Traffic::sbuf_read);
  bytes("sbuf.write_bytes", &Traffic::sbuf_write);
  bytes("psum.read_bytes", &Traffic::psum_read);
  bytes("psum.write_bytes", &Traffic::psum_write);
  bytes("psum.read_sbuf_write_bytes", &Traffic::psum_to_sbuf);
  bytes("spill.save_bytes", &Traffic::spill_save);
  bytes("spill.reload_bytes", &Traffic::spill_reload);
  bytes("dma.input_queue_bytes", &Traffic::input_queue);
  bytes("dma.output_queue_bytes", &Traffic::output_queue);
  bytes("dma.weight_queue_bytes", &Traffic::weight_queue);
  set.Count("psum.read_sbuf_writes",
            [](const NeuronRank& rank) { return rank.sums.psum_to_sbuf_writes; });
}

void SetFlops(NeuronSetter& set) {
  const auto flops = [](const NeuronRank& rank) { return rank.sums.flops; };
  const auto transposes = [](const NeuronRank& rank) { return rank.sums.transpose_flops; };
  set.Count("neuron.hardware_flops", flops);
  set.Count("neuron.transpose_flops", transposes);
  set.Count("engine.tensor.matmuls", [](const NeuronRank& rank) { return rank.sums.matmuls; });
  set.Count("engine.scalar.activates", [](const NeuronRank& rank) { return rank.sums.activates; });
  set.Count("engine.scalar.activate_time",
            [](const NeuronRank& rank) { return rank.sums.activate_time; });
  if (set.All([](const NeuronRank& rank) { return rank.sums.adjusted_flops >= 0; })) {
    set.Count("neuron.adjusted_hardware_flops",
              [](const NeuronRank& rank) { return rank.sums.adjusted_flops; });
    set.Count("neuron.adjusted_transpose_flops",
              [](const NeuronRank& rank) { return rank.sums.adjusted_transpose_flops; });
  }
  const double useful = set.Sum(flops) - set.Sum(transposes);
  const double moved = set.Sum(HbmBytes);
  if (moved > 0) set.out().Set("neuron.mm_arithmetic_intensity", useful / moved);
  if (!set.All([](const NeuronRank& rank) { return Capacity(rank) > 0; })) return;
  const double capacity = set.Sum(Capacity);
  set.Fill("neuron.hfu", set.Sum(flops) / capacity);
  set.Fill("neuron.mfu_inst", useful / capacity);
  // The graph's FLOPs are known for the whole recording only.
  const bool model =
      set.All([](const NeuronRank& rank) { return rank.whole && ModelFlops(rank) > 0; });
  if (model) {
    set.Fill("neuron.mfu_hlo", set.Sum(ModelFlops) / capacity);
    set.Fill("neuron.mfu", set.Sum(ModelFlops) / capacity);
  } else if (!set.out().IsSet("neuron.mfu")) {
    set.out().Set("neuron.mfu", useful / capacity);
    set.out().SetNote("neuron.mfu", "by the FLOPs of instructions, transposes left out");
  }
}

void SetPeaks(NeuronSetter& set) {
  const neuron::Hardware& hardware = set.ranks().front().data->hardware;
  const double peak = hardware.PeakFlops();
  if (peak > 0) set.out().Set("neuron.peak_flops", peak);
  if (hardware.hbm_bandwidth > 0) set.out().Set("neuron.peak_bandwidth", hardware.hbm_bandwidth);
  if (peak <= 0 || hardware.hbm_bandwidth <= 0) return;
  const double ridge = set.ranks().front().PeakFlops() / hardware.hbm_bandwidth;
  set.Fill("neuron.peak_flops_bandwidth_ratio", ridge);
  const bool rows = set.All([](const NeuronRank& rank) { return rank.data->has.instructions; });
  const double moved = set.Sum(HbmBytes);
  if (!rows || moved <= 0) return;
  const auto achievable = [&](double flops) { return std::min(1.0, flops / moved / ridge); };
  const double useful =
      set.Sum([](const NeuronRank& rank) { return rank.sums.flops - rank.sums.transpose_flops; });
  set.Fill("neuron.mfu_inst_max_achievable", achievable(useful));
  const bool model =
      set.All([](const NeuronRank& rank) { return rank.whole && ModelFlops(rank) > 0; });
  const double best = achievable(model ? set.Sum(ModelFlops) : useful);
  set.Fill("neuron.mfu_max_achievable", best);
  if (model) set.Fill("neuron.mfu_hlo_max_achievable", best);
  set.Fill("neuron.mbu", moved / set.Sum([](const NeuronRank& rank) {
    return rank.data->hardware.hbm_bandwidth * rank.seconds;
  }));
}

// A part of the DMA packets, by the same names.
void SetDmaPart(const std::string& id, const neuron::DmaSums Summary::*part, NeuronSetter& set) {
  const auto of = [part](const NeuronRank& rank) -> const neuron::DmaSums& {
    return rank.sums.*part;
  };
  const auto active = [&](const NeuronRank& rank) { return of(rank).active; };
  const auto packets = [&](const NeuronRank& rank) { return of(rank).packets; };
  const auto bytes = [&](const NeuronRank& rank) { return of(rank).bytes; };
  set.Count(id + ".active_time", active);
  set.Share(id + ".active_share", set.Sum(active),
            set.Sum([](const NeuronRank& rank) { return rank.sums.dma.active; }));
  set.Count(id + ".packets", packets);
  set.Share(id + ".packet_share", set.Sum(packets),
            set.Sum([](const NeuronRank& rank) { return rank.sums.dma.packets; }));
  set.Count(id + ".bytes", bytes);
  set.Share(id + ".byte_share", set.Sum(bytes),
            set.Sum([](const NeuronRank& rank) { return rank.sums.dma.bytes; }));
}

void SetSmallPackets(NeuronSetter& set) {
  constexpr std::int64_t kSemaphoreWrite = 4, kSmall = 512;
  std::int64_t small = 0, counted = 0;
  for (const NeuronRank& rank : set.ranks()) {
    for (const neuron::Dma& row : rank.data->packets) {
      const bool inside = row.start >= rank.sums.window.start && row.start < rank.sums.window.end;
      if (!inside || row.bytes <= kSemaphoreWrite) continue;
      ++counted;
      if (row.bytes < kSmall) ++small;
    }
  }
  set.Share("dma.small_share", static_cast<double>(small), static_cast<double>(counted));
}

void SetDma(NeuronSetter& set) {
  const auto dma = [](const NeuronRank& rank) -> const neuron::DmaSums& { return rank.sums.dma; };
  const auto active = [&](const NeuronRank& rank) { return dma(rank).active; };
  set.Count("dma.active_time", active);
  set.Share("dma.active_share", set.Sum(active), set.Sum(Time));
  if (set.All([](const NeuronRank& rank) { return rank.data->hardware.base_clock > 0; })) {
    set.out().Set("dma.active_cycles", std::llround(set.Sum([&](const NeuronRank& rank) {
                    return static_cast<double>(dma(rank).active) * rank.data->hardware.base_clock;
                  })));
  }
  set.Count("dma.packet_time", [&](const NeuronRank& rank) { return dma(rank).time; });
  const std::int64_t packets = set.Total([&](const NeuronRank& rank) { return dma(rank).packets; });
  const std::int64_t bytes = set.Total([&](const NeuronRank& rank) { return dma(rank).bytes; });
  set.out().Set("dma.packets", packets);
  set.out().Set("dma.bytes", bytes);
  if (packets > 0) set.out().Set("dma.mean_bytes", bytes / packets);
  const std::int64_t transfers =
      set.Total([](const NeuronRank& rank) { return rank.sums.transfers; });
  const std::int64_t moved =
      set.Total([](const NeuronRank& rank) { return rank.sums.transfer_bytes; });
  if (transfers > 0) {
    set.out().Set("dma.transfers", transfers);
    set.out().Set("dma.transfer_bytes", moved);
    set.Count("dma.transfer_time", [](const NeuronRank& rank) { return rank.sums.transfer_time; });
    set.out().Set("dma.transfer_mean_bytes", moved / transfers);
  }
  SetDmaPart("dma.static", &Summary::static_dma, set);
  SetDmaPart("dma.dynamic", &Summary::dynamic_dma, set);
  SetDmaPart("dma.software", &Summary::software_dma, set);
  SetDmaPart("dma.hardware", &Summary::hardware_dma, set);
  SetSmallPackets(set);
}

void SetCollectives(NeuronSetter& set) {
  const auto active = [](const NeuronRank& rank) { return rank.sums.cc_active; };
  set.Count("cc.ops", [](const NeuronRank& rank) { return rank.sums.cc_ops; });
  set.Count("cc.time", [](const NeuronRank& rank) { return rank.sums.cc_time; });
  set.Count("cc.active_time", active);
  set.Share("cc.active_share", set.Sum(active), set.Sum(Time));
  double delay = 0;
  std::int64_t known = 0;
  for (const NeuronRank& rank : set.ranks()) {
    for (const neuron::CcOp& row : rank.data->cc_ops) {
      if (row.trigger_delay < 0) continue;
      delay += static_cast<double>(row.trigger_delay);
      ++known;
    }
  }
  if (known > 0) {
    set.out().Set("cc.trigger_delay", std::llround(delay / static_cast<double>(known)));
  }
}

void SetCcCores(NeuronSetter& set) {
  const auto active = [](const NeuronRank& rank) { return rank.sums.cc_instruction_active; };
  set.Count("engine.cc_core.active_time", active);
  set.Share("engine.cc_core.active_share", set.Sum(active), set.Sum(Time));
  set.Count("engine.cc_core.instruction_time",
            [](const NeuronRank& rank) { return rank.sums.cc_instruction_time; });
  set.Count("engine.cc_core.instructions",
            [](const NeuronRank& rank) { return rank.sums.cc_instructions; });
}

void SetThrottles(NeuronSetter& set) {
  const auto limited = [](const NeuronRank& rank) { return rank.sums.limited; };
  set.Count("throttle.limited_time", limited);
  set.Share("throttle.limited_share", set.Sum(limited), set.Sum(Time));
  const auto computing = [](const NeuronRank& rank) { return rank.sums.tensor_limited; };
  if (set.All([](const NeuronRank& rank) { return rank.data->has.instructions; })) {
    set.Count("throttle.tensor_limited_time", computing);
    set.Share("throttle.tensor_limited_share", set.Sum(computing),
              set.Sum([](const NeuronRank& rank) { return rank.sums.engines[0].active; }));
  }
  const double covered = set.Sum([](const NeuronRank& rank) { return rank.sums.throttle_covered; });
  set.Share("throttle.utilization_limit", set.Sum([](const NeuronRank& rank) {
    return std::max(0.0, rank.sums.throttle_limit) *
           static_cast<double>(rank.sums.throttle_covered);
  }),
            covered);
}

void SetDerived(NeuronSetter& set) {
  Output& out = set.out();
  const auto ratio = [&](std::string_view id, std::string_view part, std::string_view whole) {
    const Value& a = out.ValueOf(part);
    const Value& b = out.ValueOf(whole);
    if (IsAbsent(a) || IsAbsent(b) || AsNumber(b, 0) <= 0) return;
    out.Set(id, AsNumber(a, 0) / AsNumber(b, 0));
  };
  ratio("neuron.transpose_share", "neuron.transpose_flops", "neuron.hardware_flops");
  ratio("spill.reload_share", "spill.reload_bytes", "hbm.read_bytes");
  ratio("spill.save_sbuf_share", "spill.save_bytes", "sbuf.read_bytes");
  ratio("spill.reload_sbuf_share", "spill.reload_bytes", "sbuf.write_bytes");
  const Value& share = out.ValueOf("spill.reload_share");
  if (!IsAbsent(share)) out.Set("hbm.useful_read_share", 1 - AsNumber(share, 0));
  if (!out.IsSet("throttle.limited_share")) {
    ratio("throttle.limited_share", "throttle.limited_time", "neuron.total_time");
  }
}

// Where AWS's pages stand in for what a file does not say of its hardware, its own shares count.
void PreferStatedShares(NeuronSetter& set) {
  for (const auto& [id, name] : NeuronSetter::kPeakShares) set.Stated(id, name);
}

void NoteKnownHardware(NeuronSetter& set) {
  const neuron::Data& data = *set.ranks().front().data;
  Output& out = set.out();
  if (data.hardware.by_table) {
    const std::string note = "by what AWS states of " + data.instance_type +
                             "; the file does not say what its hardware can do";
    for (const char* id : {"neuron.peak_flops", "neuron.peak_bandwidth"}) out.SetNote(id, note);
    for (const auto& [id, name] : NeuronSetter::kPeakShares) {
      const bool stated = set.ranks().front().whole && data.SummaryNumber(name) >= 0;
      if (!stated && out.IsSet(id)) out.SetNote(id, note);
    }
  }
  if (!data.adjusted_by_table) return;
  for (const char* id : {"neuron.adjusted_hardware_flops", "neuron.adjusted_transpose_flops"}) {
    if (out.IsSet(id)) {
      out.SetNote(id, "by the types in operands and what AWS states of " + data.instance_type +
                          "; the file does not say it");
    }
  }
}

// No device does more than it can.
void DoubtTheImpossible(Output& out) {
  for (const char* id :
       {"neuron.mfu", "neuron.mfu_hlo", "neuron.mfu_inst", "neuron.hfu", "neuron.mbu"}) {
    if (AsNumber(out.ValueOf(id), 0) <= 1) continue;
    out.MarkUncertain(id, "more than the peak: FLOPs, bytes, times or the peak are wrong");
  }
}

// The table of errors holds the device's warnings and programs' own notifications too.
std::int64_t ErrorsOf(const NeuronRank& rank) {
  const auto& rows = rank.data->errors;
  return std::count_if(rows.begin(), rows.end(), [&](const neuron::Message& row) {
    const std::string_view type = rank.context->profile->Name(row.category);
    return type != "Warnings" && type != "Custom Notification";
  });
}

std::string MissingBecause(const NeuronRank& rank, const MetricSpec& spec) {
  if (!rank.HasRows()) {
    return "the summary does not state it; export the profile with `neuron-explorer view "
           "--output-format json`";
  }
  if (spec.id.starts_with("dma.") && !rank.data->has.dma) {
    return "the file has no DMA packets; capture with NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1";
  }
  if (spec.id == "neuron.errors") return "the file has no table of errors";
  if (spec.id.starts_with("cc.") || spec.id.starts_with("engine.cc_core")) {
    return "the file has no table of collectives";
  }
  if (spec.id.starts_with("throttle.")) return "the file has no throttle notifications";
  return rank.whole ? "the file does not state it"
                    : "the file states it of the whole recording only";
}

}  // namespace

void AddNeuronMetrics(std::span<const NeuronRank> ranks, Output& out) {
  NeuronSetter set(ranks, out);
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (spec.family == kNeuronFamily) out.SetAbsent(spec.id, MissingBecause(ranks.front(), spec));
  }
  if (set.All([](const NeuronRank& rank) { return rank.total >= 0; })) {
    Ns longest = 0;
    for (const NeuronRank& rank : ranks) longest = std::max(longest, rank.total);
    out.Set("neuron.total_time", longest);
  }
  const auto by_table = [](const NeuronRank& rank) { return rank.data->hardware.by_table; };
  if (std::any_of(ranks.begin(), ranks.end(), by_table)) PreferStatedShares(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.instructions; })) {
    for (std::size_t i = 0; i < neuron::kEngines; ++i) SetEngine(static_cast<Engine>(i), set);
    SetTraffic(set);
    SetFlops(set);
    set.Count("engine.tensor.dma_wait_time",
              [](const NeuronRank& rank) { return rank.sums.tensor_dma_wait; });
    const auto active = [](const NeuronRank& rank) { return rank.sums.active; };
    set.Count("neuron.active_time", active);
    set.Share("neuron.active_share", set.Sum(active), set.Sum(Time));
    set.Count("neuron.exec_time", [](const NeuronRank& rank) { return rank.sums.exec_time; });
  }
  SetPeaks(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.dma; })) SetDma(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.cc_ops; })) SetCollectives(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.cc_instructions; })) {
    SetCcCores(set);
  }
  if (set.All([](const NeuronRank& rank) { return rank.data->has.throttles; })) SetThrottles(set);
  if (set.All([](const NeuronRank& rank) { return rank.data->has.errors; })) {
    set.Count("neuron.errors", ErrorsOf);
  }
  if (set.All([](const NeuronRank& rank) { return rank.HasRows(); })) {
    set.Count("neuron.warnings", [](const NeuronRank& rank) { return rank.data->warnings.size(); });
  }
  set.AllStated();
  SetDerived(set);
  NoteKnownHardware(set);
  DoubtTheImpossible(out);
}

}  // namespace profgauge
