#include "model/neuron.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include "knowledge/loss.h"
#include "model/neuron_summary.h"

namespace profgauge::neuron {
namespace {

struct EngineAlias {
  std::string_view name;
  Engine engine;
};
constexpr EngineAlias kAliases[] = {
    {"tensor", Engine::kTensor}, {"tensormatrix", Engine::kTensor},
    {"pe", Engine::kTensor},     {"vector", Engine::kVector},
    {"dve", Engine::kVector},    {"scalar", Engine::kScalar},
    {"act", Engine::kScalar},    {"gpsimd", Engine::kGpsimd},
    {"pool", Engine::kGpsimd},   {"sync", Engine::kSync},
    {"sp", Engine::kSync},
};
constexpr std::string_view kEngineNames[] = {"tensor", "vector", "scalar",
                                             "gpsimd", "sync",   "other"};
constexpr std::string_view kQueueTypes[] = {
    "instruction", "input", "output", "data", "software_dynamic", "hardware_dynamic", "unknown"};
struct NumberName {
  std::string_view name;
  NumberType type;
};
constexpr NumberName kNumbers[] = {
    {"bf16", NumberType::kHalf},  {"fp16", NumberType::kHalf},   {"tf32", NumberType::kHalf},
    {"fp32r", NumberType::kHalf}, {"fp32", NumberType::kFp32},   {"fp8", NumberType::kFp8},
    {"cfp8", NumberType::kFp8},   {"fp8e3", NumberType::kFp8},   {"fp8e4", NumberType::kFp8},
    {"fp8e5", NumberType::kFp8},  {"uint8", NumberType::kUint8}, {"mxfp8", NumberType::kMx},
    {"mxfp4", NumberType::kMx},
};
constexpr std::string_view kCurves[] = {"dma_throughput", "hbm_throughput", "pending_dma", "sbuf",
                                        "psum"};

bool SameLetters(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) == y;
         });
}

}  // namespace

std::string_view EngineName(Engine engine) { return kEngineNames[static_cast<int>(engine)]; }

Engine EngineOf(std::string_view name) {
  for (const EngineAlias& alias : kAliases) {
    if (SameLetters(name, alias.name)) return alias.engine;
  }
  return Engine::kOther;
}

NumberType NumberTypeOf(std::string_view name) {
  for (const NumberName& number : kNumbers) {
    if (SameLetters(name, number.name)) return number.type;
  }
  return NumberType::kUnstated;
}

Generation GenerationOf(std::string_view instance_type) {
  if (instance_type.starts_with("inf2") || instance_type.starts_with("trn1")) {
    return Generation::kTrn1;
  }
  if (instance_type.starts_with("trn2")) return Generation::kTrn2;
  return instance_type.starts_with("trn3") ? Generation::kTrn3 : Generation::kOther;
}

// From AWS's architecture pages of NeuronCore v2, v3 and v4: 92, 79 and 79 TFLOP/s in BF16. An HBM
// stack has half of the device's bandwidth for Trn1 and Inf2, and a quarter for later ones.
Hardware KnownHardware(Generation generation) {
  Hardware known;
  if (generation == Generation::kOther) return known;
  const bool first = generation == Generation::kTrn1;
  known.tensor_rows = known.tensor_columns = 128;
  known.tensor_clock = first ? 2.8 : 2.4;
  known.base_clock = first ? 1.4 : 1.2;
  known.hbm_bandwidth = first ? 410e9 : generation == Generation::kTrn2 ? 725e9 : 1225e9;
  known.dma_engines = 16;
  known.by_table = true;
  return known;
}

double CostInBf16(NumberType type, Generation generation) {
  const bool narrow = generation == Generation::kTrn2 || generation == Generation::kTrn3;
  switch (type) {
    case NumberType::kFp32:
      return 4;
    case NumberType::kFp8:
      return narrow ? 0.5 : 1;
    case NumberType::kUint8:
      return 0.5;
    case NumberType::kMx:
      return generation == Generation::kTrn3 ? 0.25 : 1;
    case NumberType::kHalf:
    case NumberType::kUnstated:
      break;
  }
  return 1;
}

std::string_view QueueTypeName(QueueType type) { return kQueueTypes[static_cast<int>(type)]; }

QueueType QueueTypeOf(std::string_view name) {
  const auto found = std::find(std::begin(kQueueTypes), std::end(kQueueTypes), name);
  if (found == std::end(kQueueTypes)) return QueueType::kOther;
  return static_cast<QueueType>(found - std::begin(kQueueTypes));
}

std::string_view CurveName(Curve curve) { return kCurves[static_cast<int>(curve)]; }

void Traffic::Add(const Traffic& other) {
  hbm_read += other.hbm_read;
  hbm_write += other.hbm_write;
  sbuf_read += other.sbuf_read;
  sbuf_write += other.sbuf_write;
  psum_read += other.psum_read;
  psum_write += other.psum_write;
  psum_to_sbuf += other.psum_to_sbuf;
  spill_save += other.spill_save;
  spill_reload += other.spill_reload;
  input_queue += other.input_queue;
  output_queue += other.output_queue;
  weight_queue += other.weight_queue;
}

double Hardware::PeakFlops() const {
  if (tensor_rows <= 0 || tensor_columns <= 0 || tensor_clock <= 0) return -1;
  return 2 * tensor_rows * tensor_columns * tensor_clock * 1e9;
}

const Value* Data::FindSummary(std::string_view name) const {
  const auto at =
      std::lower_bound(summary.begin(), summary.end(), name,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  return at != summary.end() && at->first == name ? &at->second : nullptr;
}

double Data::SummaryNumber(std::string_view name) const {
  const Value* value = FindSummary(name);
  if (value == nullptr || std::holds_alternative<std::string>(*value)) return -1;
  const double number = AsNumber(*value, -1);
  return number >= 0 ? number : -1;
}

// Identities between a file's rows and its summary, found in 117 files of neuron-profile 2.27.

namespace {

// Compares values of the summary ("stated") with the same ones from rows ("computed"). Values that
// the summary does not have are skipped.
class Checker {
 public:
  Checker(const Data& data, std::vector<Identity>& out) : data_(data), out_(out) {}

  /// `rounding`: how much the sum may lose because each row is truncated to nanoseconds.
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

/// Compares the file's own shares with those of its rows; `all` is the peak of PeakCores():
///
///   hfu   flops of the rows / (all * total_time)
///   mfu   model_flops / (all * total_time)
///   mbu   bytes from and to HBM / total_time / bandwidth
void CheckRatios(const Data& data, const Summary& sums, Checker& check) {
  if (data.hardware.by_table) return;  // These are not the file's own numbers.
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

// Compares the file's own table of active times, the union of its instructions.
void CheckActiveTable(const Data& data, const Summary& sums, Checker& check) {
  std::array<double, kEngines> stated{};  // Times as in the file; any numbers are possible.
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
    if (!data.active.empty()) CheckActiveTable(data, sums, check);  // If empty, it states nothing.
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

// Uses the summary's times if they differ from those of the rows by no more than truncation: files
// truncate times of rows to nanoseconds, but their summaries are sums of picoseconds.
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
