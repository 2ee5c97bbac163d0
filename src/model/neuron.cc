#include "model/neuron.h"

#include <algorithm>
#include <cctype>

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

// NeuronCore v2, v3 and v4 in AWS's architecture pages: 92, 79 and 79 TFLOP/s in BF16; a stack of
// HBM is half of the device's bandwidth for Trn1 and Inf2, and a quarter of it later.
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

}  // namespace profgauge::neuron
