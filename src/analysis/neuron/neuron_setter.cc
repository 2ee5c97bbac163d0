// Values in Neuron's own summaries, by the profiler's names.
#include "analysis/neuron/neuron_setter.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/neuron.h"

namespace profgauge::analysis::neuron {
namespace {

// Seconds are converted to nanoseconds, depending on the metric's unit.
constexpr NeuronName kStated[] = {
    {metric::kNeuronTotalTime, "total_time"},
    {metric::kNeuronExecTime, "total_exec_time"},
    {metric::kNeuronActiveTime, "total_active_time"},
    {metric::kNeuronActiveShare, "total_active_time_percent"},
    {metric::kNeuronCycles, "neuroncore_cycle_count"},
    {metric::kNeuronModelFlops, "model_flops"},
    {metric::kNeuronHardwareFlops, "hardware_flops"},
    {metric::kNeuronTransposeFlops, "transpose_flops"},
    {metric::kNeuronAdjustedHardwareFlops, "adjusted_hardware_flops"},
    {metric::kNeuronAdjustedTransposeFlops, "adjusted_transpose_flops"},
    {metric::kNeuronMmArithmeticIntensity, "mm_arithmetic_intensity"},
    {metric::kNeuronTraceCount, "trace_count"},
    {metric::kNeuronEventCount, "event_count"},
    {metric::kNeuronWeightBytes, "weight_size_bytes"},
    {metric::kNeuronInputsAndWeightsBytes, "inputs_and_weights_size_bytes"},
    {metric::kNeuronInputsOutputsWeightsBytes, "inputs_outputs_weights_size_bytes"},
    {metric::kEngineTensorMatmuls, "matmul_instruction_count"},
    {metric::kEngineScalarActivates, "activate_instruction_count"},
    {metric::kEngineScalarActivateTime, "activate_instruction_time"},
    {metric::kEngineCcCoreActiveTime, "cc_cores_instruction_active_time"},
    {metric::kEngineCcCoreActiveShare, "cc_cores_instruction_active_time_percent"},
    {metric::kEngineCcCoreInstructionTime, "cc_cores_instruction_time"},
    {metric::kEngineCcCoreInstructions, "cc_cores_instruction_count"},
    {metric::kHbmReadBytes, "hbm_read_bytes"},
    {metric::kHbmWriteBytes, "hbm_write_bytes"},
    {metric::kSbufReadBytes, "sbuf_read_bytes"},
    {metric::kSbufWriteBytes, "sbuf_write_bytes"},
    {metric::kPsumReadBytes, "psum_read_bytes"},
    {metric::kPsumWriteBytes, "psum_write_bytes"},
    {metric::kPsumReadSbufWriteBytes, "psum_read_sbuf_write_bytes"},
    {metric::kPsumReadSbufWrites, "psum_read_sbuf_write_count"},
    {metric::kSpillSaveBytes, "spill_save_bytes"},
    {metric::kSpillReloadBytes, "spill_reload_bytes"},
    {metric::kDmaActiveTime, "dma_active_time"},
    {metric::kDmaActiveShare, "dma_active_time_percent"},
    {metric::kDmaActiveCycles, "dma_active_cycles"},
    {metric::kDmaPacketTime, "dma_packet_time"},
    {metric::kDmaTransfers, "dma_transfer_count"},
    {metric::kDmaTransferTime, "dma_transfer_time"},
    {metric::kDmaTransferBytes, "dma_transfer_total_bytes"},
    {metric::kDmaTransferMeanBytes, "dma_transfer_average_bytes"},
    {metric::kDmaQueues, "dma_queue_count"},
    {metric::kDmaInputQueueBytes, "input_queue_bytes"},
    {metric::kDmaOutputQueueBytes, "output_queue_bytes"},
    {metric::kDmaWeightQueueBytes, "weight_queue_bytes"},
    {metric::kDmaStaticActiveTime, "static_dma_active_time"},
    {metric::kDmaStaticActiveShare, "static_dma_active_time_percent"},
    {metric::kDmaStaticPackets, "static_dma_packet_count"},
    {metric::kDmaStaticPacketShare, "static_dma_packet_percent"},
    {metric::kDmaStaticBytes, "static_dma_size"},
    {metric::kDmaStaticByteShare, "static_dma_size_percent"},
    {metric::kDmaDynamicActiveShare, "dynamic_dma_active_time_percent"},
    {metric::kDmaDynamicPacketShare, "dynamic_dma_packet_percent"},
    {metric::kDmaDynamicByteShare, "dynamic_dma_size_percent"},
    {metric::kDmaSoftwareActiveTime, "software_dynamic_dma_active_time"},
    {metric::kDmaSoftwareActiveShare, "software_dynamic_dma_active_time_percent"},
    {metric::kDmaSoftwarePackets, "software_dynamic_dma_packet_count"},
    {metric::kDmaSoftwarePacketShare, "software_dynamic_dma_packet_percent"},
    {metric::kDmaSoftwareBytes, "software_dynamic_dma_size"},
    {metric::kDmaSoftwareByteShare, "software_dynamic_dma_size_percent"},
    {metric::kDmaHardwareActiveTime, "hardware_dynamic_dma_active_time"},
    {metric::kDmaHardwareActiveShare, "hardware_dynamic_dma_active_time_percent"},
    {metric::kDmaHardwarePackets, "hardware_dynamic_dma_packet_count"},
    {metric::kDmaHardwarePacketShare, "hardware_dynamic_dma_packet_percent"},
    {metric::kDmaHardwareBytes, "hardware_dynamic_dma_size"},
    {metric::kDmaHardwareByteShare, "hardware_dynamic_dma_size_percent"},
    {metric::kCcOps, "cc_op_count"},
    {metric::kCcTime, "cc_op_time"},
    {metric::kCcActiveTime, "cc_op_active_time"},
    {metric::kCcActiveShare, "cc_op_active_time_percent"},
    {metric::kThrottleLimitedTime, "throttle_active_nc0_time_ns"},
};

// Initializes the EngineMetrics of one engine.
#define PROFGAUGE_ENGINE_METRICS(Name)                                               \
  {                                                                                  \
    metric::kEngine##Name##ActiveTime, metric::kEngine##Name##ActiveShare,           \
        metric::kEngine##Name##InstructionTime, metric::kEngine##Name##Instructions, \
        metric::kEngine##Name##WaitTime, metric::kEngine##Name##MedianTime,          \
        metric::kEngine##Name##NkiShare                                              \
  }
constexpr EngineMetrics kEngineMetrics[profgauge::neuron::kEngines] = {
    PROFGAUGE_ENGINE_METRICS(Tensor), PROFGAUGE_ENGINE_METRICS(Vector),
    PROFGAUGE_ENGINE_METRICS(Scalar), PROFGAUGE_ENGINE_METRICS(Gpsimd),
    PROFGAUGE_ENGINE_METRICS(Sync)};
#undef PROFGAUGE_ENGINE_METRICS

// All metrics that files may contain, with their names there.
std::vector<std::pair<MetricId, std::string>> AllNames() {
  std::vector<std::pair<MetricId, std::string>> names;
  for (const auto& [metric, name] : NeuronSetter::kPeakShares) names.emplace_back(metric, name);
  for (const auto& [metric, name] : kStated) names.emplace_back(metric, name);
  for (std::size_t i = 0; i < profgauge::neuron::kEngines; ++i) {
    const auto engine = static_cast<profgauge::neuron::Engine>(i);
    const std::string stated = std::string(profgauge::neuron::EngineName(engine)) + "_engine_";
    const EngineMetrics& metrics = kEngineMetrics[i];
    names.emplace_back(metrics.active_time, stated + "active_time");
    names.emplace_back(metrics.active_share, stated + "active_time_percent");
    names.emplace_back(metrics.instruction_time, stated + "instruction_time");
    names.emplace_back(metrics.instructions, stated + "instruction_count");
  }
  return names;
}

// Returns the reason why no share in the files is used: one of them is above 1 by more than
// rounding. Shares may then be in percent, and it is unknown which.
std::string WhyNoShares(std::span<const NeuronRank> ranks) {
  for (const auto& [metric, name] : AllNames()) {
    if (SpecOf(metric).unit != Unit::kShare) continue;
    for (const NeuronRank& rank : ranks) {
      const double share = rank.data->SummaryNumber(name);
      if (share <= knowledge::kNeuronShareExcess) continue;
      return fmt::format(
          "the summary states {} as {}, and shares from 0 to 1 are expected: its shares may be in "
          "percent, or wrong",
          FormatNumber(share), name);
    }
  }
  return {};
}

}  // namespace

const EngineMetrics& MetricsOf(profgauge::neuron::Engine engine) {
  return kEngineMetrics[static_cast<std::size_t>(engine)];
}

NeuronSetter::NeuronSetter(std::span<const NeuronRank> ranks, catalog::Output& out)
    : ranks_(ranks), out_(out), no_shares_because_(WhyNoShares(ranks)) {}

// Adds sums over ranks, and weights shares by time. Times in the summary are seconds, except for
// names that end with "_ns".
void NeuronSetter::Stated(MetricId id, std::string_view name) {
  const MetricSpec& spec = SpecOf(id);
  if (out_.IsSet(id)) return;
  if (!All([&](const NeuronRank& rank) {
        return rank.whole && rank.data->SummaryNumber(name) >= 0;
      })) {
    return;
  }
  const auto number = [&](const NeuronRank& rank) { return rank.data->SummaryNumber(name); };
  if (spec.unit == Unit::kShare && !no_shares_because_.empty()) {
    return out_.SetAbsent(id, no_shares_because_);
  }
  if (spec.unit == Unit::kShare || spec.unit == Unit::kNumber) {
    const double weighted =
        Sum([&](const NeuronRank& rank) { return number(rank) * rank.seconds; });
    const double seconds = Sum([](const NeuronRank& rank) { return rank.seconds; });
    if (spec.unit == Unit::kShare) return Share(id, std::min(weighted, seconds), seconds);
    return Share(id, weighted, seconds);
  }
  const double factor = spec.unit == Unit::kTime && !name.ends_with("_ns") ? 1e9 : 1;
  const double sum = Sum(number) * factor;
  if (CellTypeOf(spec.unit) == CellType::kReal) return out_.Set(id, sum);
  if (sum < kLargestWhole) out_.Set(id, static_cast<std::int64_t>(std::llround(sum)));
}

void NeuronSetter::AllStated() {
  for (const auto& [metric, name] : AllNames()) Stated(metric, name);
}

}  // namespace profgauge::analysis::neuron
