// Identities between a file's rows and its summary (found in 117 files of neuron-profile 2.27).
#include <array>
#include <cmath>
#include <string>

#include "knowledge/loss.h"
#include "model/neuron_summary.h"

namespace profgauge::neuron {
namespace {

// "Stated" is the file's number, "computed" is ours. A value that the summary does not have gives
// no row.
class Checker {
 public:
  Checker(const Data& data, std::vector<Identity>& out) : data_(data), out_(out) {}

  /// `rounding`: how much the sum may lose because each row is cut to whole nanoseconds.
  void Holds(const std::string& name, double computed, double factor = 1, double rounding = 0) {
    const double number = data_.SummaryNumber(name);
    if (number < 0) return;
    Add(name, computed, number * factor, rounding);
  }
  void Add(const std::string& name, double computed, double stated, double rounding = 0) {
    Identity& row = out_.emplace_back();
    row.name = name;
    row.computed = computed;
    row.stated = stated;
    const double difference = std::abs(computed - stated);
    row.deviation = stated > 0 ? difference / stated : difference;
    row.holds = row.deviation <= knowledge::kLossTotalTolerance || difference <= rounding;
  }
  template <class Number>
  void Count(const std::string& name, Number computed) {
    Holds(name, static_cast<double>(computed));
  }

 private:
  const Data& data_;
  std::vector<Identity>& out_;
};

void CheckEngines(const Summary& sums, Checker& check) {
  for (std::size_t i = 0; i < kEngines; ++i) {
    const EngineSums& engine = sums.engines[i];
    const std::string name = std::string(EngineName(static_cast<Engine>(i))) + "_engine_";
    const auto rows = static_cast<double>(engine.instructions);
    check.Count(name + "instruction_count", engine.instructions);
    check.Holds(name + "active_time", static_cast<double>(engine.active), 1e9, rows);
    check.Holds(name + "instruction_time", static_cast<double>(engine.instruction_time), 1e9, rows);
  }
  check.Count("matmul_instruction_count", sums.matmuls);
  check.Count("hardware_flops", sums.flops);
  check.Count("transpose_flops", sums.transpose_flops);
  const Traffic& traffic = sums.traffic;
  check.Count("hbm_read_bytes", traffic.hbm_read);
  check.Count("hbm_write_bytes", traffic.hbm_write);
  check.Count("sbuf_read_bytes", traffic.sbuf_read);
  check.Count("sbuf_write_bytes", traffic.sbuf_write);
  check.Count("psum_read_bytes", traffic.psum_read);
  check.Count("psum_write_bytes", traffic.psum_write);
  check.Count("spill_save_bytes", traffic.spill_save);
  check.Count("spill_reload_bytes", traffic.spill_reload);
}

/// The file's own shares, against those of its rows; `all` is the peak of PeakCores():
///
///   hfu   flops of the rows / (all * total_time)
///   mfu   model_flops / (all * total_time)
///   mbu   bytes from and to HBM / total_time / bandwidth
void CheckRatios(const Data& data, const Summary& sums, Checker& check) {
  if (data.hardware.by_table) return;  // Not the file's own numbers.
  const double seconds = data.SummaryNumber("total_time");
  const double peak = data.hardware.PeakFlops();
  const double all = peak * static_cast<double>(PeakCores(data));
  const double bandwidth = data.hardware.hbm_bandwidth;
  const double model = data.SummaryNumber("model_flops");
  const double bytes = static_cast<double>(sums.traffic.hbm_read + sums.traffic.hbm_write);
  const auto flops = static_cast<double>(sums.flops);
  if (seconds > 0 && peak > 0) {
    check.Holds("hfu_estimated_percent", flops / (all * seconds));
    if (model >= 0) check.Holds("mfu_hlo_estimated_percent", model / (all * seconds));
  }
  if (seconds > 0 && bandwidth > 0) {
    check.Holds("mbu_estimated_percent", bytes / seconds / bandwidth);
  }
  if (peak > 0 && bandwidth > 0) check.Holds("peak_flops_bandwidth_ratio", all / bandwidth);
  if (bytes > 0) {
    check.Holds("mm_arithmetic_intensity",
                (flops - static_cast<double>(sums.transpose_flops)) / bytes);
  }
  if (seconds > 0 && data.hardware.base_clock > 0) {
    check.Holds("neuroncore_cycle_count", seconds * data.hardware.base_clock * 1e9);
  }
  if (data.hardware.first >= 0 && data.hardware.last > data.hardware.first) {
    check.Holds("total_time", static_cast<double>(data.hardware.last - data.hardware.first), 1e9);
  }
}

void CheckDma(const Data& data, const Summary& sums, Checker& check) {
  const auto rows = static_cast<double>(sums.dma.packets);
  check.Holds("dma_active_time", static_cast<double>(sums.dma.active), 1e9, rows);
  check.Holds("dma_packet_time", static_cast<double>(sums.dma.time), 1e9, rows);
  check.Count("static_dma_packet_count", sums.static_dma.packets);
  check.Count("static_dma_size", sums.static_dma.bytes);
  check.Count("software_dynamic_dma_packet_count", sums.software_dma.packets);
  check.Count("software_dynamic_dma_size", sums.software_dma.bytes);
  check.Count("hardware_dynamic_dma_packet_count", sums.hardware_dma.packets);
  check.Count("hardware_dynamic_dma_size", sums.hardware_dma.bytes);
  if (!data.transfers.empty()) {
    check.Count("dma_transfer_count", sums.transfers);
    check.Count("dma_transfer_total_bytes", sums.transfer_bytes);
  }
}

// The file's own table of when engines are active, which is the union of their instructions.
void CheckActiveTable(const Data& data, const Summary& sums, Checker& check) {
  std::array<double, kEngines> stated{};  // Any numbers: the file's.
  for (const ActiveSpan& row : data.active) {
    if (row.engine != Engine::kOther)
      stated[static_cast<std::size_t>(row.engine)] += static_cast<double>(row.duration);
  }
  for (std::size_t i = 0; i < kEngines; ++i) {
    const std::string name =
        "active_time table, " + std::string(EngineName(static_cast<Engine>(i)));
    check.Add(name, static_cast<double>(sums.engines[i].active), stated[i],
              static_cast<double>(sums.engines[i].instructions));
  }
}

std::vector<Identity> CheckSums(const Data& data, const Summary& sums) {
  std::vector<Identity> identities;
  if (!data.has.summary) return identities;
  Checker check(data, identities);
  if (data.has.instructions) {
    CheckEngines(sums, check);
    CheckRatios(data, sums, check);
    if (!data.active.empty()) CheckActiveTable(data, sums, check);  // Empty, it states nothing.
  }
  if (data.has.dma) CheckDma(data, sums, check);
  if (data.has.instructions && data.has.dma) {
    check.Holds("total_active_time", static_cast<double>(sums.active), 1e9,
                static_cast<double>(data.instructions.size() + data.packets.size()));
  }
  if (data.has.cc_ops) {
    check.Count("cc_op_count", sums.cc_ops);
    check.Holds("cc_op_active_time", static_cast<double>(sums.cc_active), 1e9,
                static_cast<double>(sums.cc_ops));
  }
  if (data.has.throttles) {
    check.Holds("throttle_active_nc0_time_ns", static_cast<double>(sums.limited));
  }
  return identities;
}

// Files give times of rows in whole nanoseconds, cut; their summaries are sums of picoseconds.
// Where the two differ by no more than that, the summary's is the finer one.
void TakeStatedTimes(const Data& data, Summary& sums) {
  const auto take = [&data](const std::string& name, Ns& time, std::int64_t rows) {
    const double stated = data.SummaryNumber(name) * 1e9;
    const double difference = std::abs(stated - static_cast<double>(time));
    if (stated >= 0 && difference <= static_cast<double>(rows)) time = std::llround(stated);
  };
  const auto take_dma = [&take](const std::string& name, DmaSums& dma) {
    take(name + "dma_active_time", dma.active, dma.packets);
  };
  std::int64_t rows = sums.dma.packets + sums.cc_ops;
  for (std::size_t i = 0; i < kEngines; ++i) {
    EngineSums& engine = sums.engines[i];
    const std::string name = std::string(EngineName(static_cast<Engine>(i))) + "_engine_";
    take(name + "active_time", engine.active, engine.instructions);
    take(name + "instruction_time", engine.instruction_time, engine.instructions);
    rows += engine.instructions;
  }
  take("total_active_time", sums.active, rows);
  take("dma_packet_time", sums.dma.time, sums.dma.packets);
  take("cc_op_active_time", sums.cc_active, sums.cc_ops);
  take_dma("", sums.dma);
  take_dma("static_", sums.static_dma);
  take_dma("software_dynamic_", sums.software_dma);
  take_dma("hardware_dynamic_", sums.hardware_dma);
}

}  // namespace

std::shared_ptr<const WholeSums> SumWhole(const Data& data) {
  if (data.whole) return data.whole;
  auto whole = std::make_shared<WholeSums>();
  whole->sums = Summarize(data, WholeWindow(data));
  whole->identities = CheckSums(data, whole->sums);
  TakeStatedTimes(data, whole->sums);
  return whole;
}

std::vector<Identity> CheckIdentities(const Data& data) {
  return data.has.summary ? SumWhole(data)->identities : std::vector<Identity>{};
}

}  // namespace profgauge::neuron
