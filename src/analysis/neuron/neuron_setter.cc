// What Neuron's files state of themselves, under the profiler's names.
#include "analysis/neuron/neuron_setter.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/format.h"

namespace profgauge {
namespace {

// Seconds become nanoseconds by the metric's unit.
constexpr NeuronName kStated[] = {
    {"neuron.total_time", "total_time"},
    {"neuron.exec_time", "total_exec_time"},
    {"neuron.active_time", "total_active_time"},
    {"neuron.active_share", "total_active_time_percent"},
    {"neuron.cycles", "neuroncore_cycle_count"},
    {"neuron.model_flops", "model_flops"},
    {"neuron.hardware_flops", "hardware_flops"},
    {"neuron.transpose_flops", "transpose_flops"},
    {"neuron.adjusted_hardware_flops", "adjusted_hardware_flops"},
    {"neuron.adjusted_transpose_flops", "adjusted_transpose_flops"},
    {"neuron.mm_arithmetic_intensity", "mm_arithmetic_intensity"},
    {"neuron.trace_count", "trace_count"},
    {"neuron.event_count", "event_count"},
    {"neuron.weight_bytes", "weight_size_bytes"},
    {"neuron.inputs_and_weights_bytes", "inputs_and_weights_size_bytes"},
    {"neuron.inputs_outputs_weights_bytes", "inputs_outputs_weights_size_bytes"},
    {"engine.tensor.matmuls", "matmul_instruction_count"},
    {"engine.scalar.activates", "activate_instruction_count"},
    {"engine.scalar.activate_time", "activate_instruction_time"},
    {"engine.cc_core.active_time", "cc_cores_instruction_active_time"},
    {"engine.cc_core.active_share", "cc_cores_instruction_active_time_percent"},
    {"engine.cc_core.instruction_time", "cc_cores_instruction_time"},
    {"engine.cc_core.instructions", "cc_cores_instruction_count"},
    {"hbm.read_bytes", "hbm_read_bytes"},
    {"hbm.write_bytes", "hbm_write_bytes"},
    {"sbuf.read_bytes", "sbuf_read_bytes"},
    {"sbuf.write_bytes", "sbuf_write_bytes"},
    {"psum.read_bytes", "psum_read_bytes"},
    {"psum.write_bytes", "psum_write_bytes"},
    {"psum.read_sbuf_write_bytes", "psum_read_sbuf_write_bytes"},
    {"psum.read_sbuf_writes", "psum_read_sbuf_write_count"},
    {"spill.save_bytes", "spill_save_bytes"},
    {"spill.reload_bytes", "spill_reload_bytes"},
    {"dma.active_time", "dma_active_time"},
    {"dma.active_share", "dma_active_time_percent"},
    {"dma.active_cycles", "dma_active_cycles"},
    {"dma.packet_time", "dma_packet_time"},
    {"dma.transfers", "dma_transfer_count"},
    {"dma.transfer_time", "dma_transfer_time"},
    {"dma.transfer_bytes", "dma_transfer_total_bytes"},
    {"dma.transfer_mean_bytes", "dma_transfer_average_bytes"},
    {"dma.queues", "dma_queue_count"},
    {"dma.input_queue_bytes", "input_queue_bytes"},
    {"dma.output_queue_bytes", "output_queue_bytes"},
    {"dma.weight_queue_bytes", "weight_queue_bytes"},
    {"dma.static.active_time", "static_dma_active_time"},
    {"dma.static.active_share", "static_dma_active_time_percent"},
    {"dma.static.packets", "static_dma_packet_count"},
    {"dma.static.packet_share", "static_dma_packet_percent"},
    {"dma.static.bytes", "static_dma_size"},
    {"dma.static.byte_share", "static_dma_size_percent"},
    {"dma.dynamic.active_share", "dynamic_dma_active_time_percent"},
    {"dma.dynamic.packet_share", "dynamic_dma_packet_percent"},
    {"dma.dynamic.byte_share", "dynamic_dma_size_percent"},
    {"dma.software.active_time", "software_dynamic_dma_active_time"},
    {"dma.software.active_share", "software_dynamic_dma_active_time_percent"},
    {"dma.software.packets", "software_dynamic_dma_packet_count"},
    {"dma.software.packet_share", "software_dynamic_dma_packet_percent"},
    {"dma.software.bytes", "software_dynamic_dma_size"},
    {"dma.software.byte_share", "software_dynamic_dma_size_percent"},
    {"dma.hardware.active_time", "hardware_dynamic_dma_active_time"},
    {"dma.hardware.active_share", "hardware_dynamic_dma_active_time_percent"},
    {"dma.hardware.packets", "hardware_dynamic_dma_packet_count"},
    {"dma.hardware.packet_share", "hardware_dynamic_dma_packet_percent"},
    {"dma.hardware.bytes", "hardware_dynamic_dma_size"},
    {"dma.hardware.byte_share", "hardware_dynamic_dma_size_percent"},
    {"cc.ops", "cc_op_count"},
    {"cc.time", "cc_op_time"},
    {"cc.active_time", "cc_op_active_time"},
    {"cc.active_share", "cc_op_active_time_percent"},
    {"throttle.limited_time", "throttle_active_nc0_time_ns"},
};

// What times that do not end alike make of a whole.
constexpr double kMostShare = 1.01;

// Every metric that files may state, and their names for it.
std::vector<std::pair<std::string, std::string>> AllNames() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [metric, name] : NeuronSetter::kPeakShares) names.emplace_back(metric, name);
  for (const auto& [metric, name] : kStated) names.emplace_back(metric, name);
  for (std::size_t i = 0; i < neuron::kEngines; ++i) {
    const std::string engine(neuron::EngineName(static_cast<neuron::Engine>(i)));
    const std::string stated = engine + "_engine_", metric = "engine." + engine + ".";
    names.emplace_back(metric + "active_time", stated + "active_time");
    names.emplace_back(metric + "active_share", stated + "active_time_percent");
    names.emplace_back(metric + "instruction_time", stated + "instruction_time");
    names.emplace_back(metric + "instructions", stated + "instruction_count");
  }
  return names;
}

std::string WhyNoShares(std::span<const NeuronRank> ranks) {
  for (const auto& [metric, name] : AllNames()) {
    if (FindMetric(metric)->unit != Unit::kShare) continue;
    for (const NeuronRank& rank : ranks) {
      const double share = rank.data->SummaryNumber(name);
      if (share <= kMostShare) continue;
      return fmt::format(
          "the summary states {} as {}, and shares from 0 to 1 are expected: its shares may be in "
          "percent, or wrong",
          FormatNumber(share), name);
    }
  }
  return {};
}

}  // namespace

NeuronSetter::NeuronSetter(std::span<const NeuronRank> ranks, Output& out)
    : ranks_(ranks), out_(out), no_shares_because_(WhyNoShares(ranks)) {}

// Of a number that the file states: sums add up over ranks, shares count by their time.
void NeuronSetter::Stated(std::string_view id, std::string_view name) {
  const MetricSpec& spec = *FindMetric(id);
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
  if (sum < 9e18) out_.Set(id, static_cast<std::int64_t>(std::llround(sum)));
}

void NeuronSetter::AllStated() {
  for (const auto& [metric, name] : AllNames()) Stated(metric, name);
}

}  // namespace profgauge
