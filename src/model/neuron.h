// Data that only profiles of AWS Neuron have: instructions of engines, DMA packets, semaphores,
// layers, tensors, and the values of the file's own summary. Profile::neuron points to it. The
// common tables have instructions and collectives as kernels and DMA packets as copies, so that
// timeline and idle time work as for every device.
//
// Times are nanoseconds from the profile's start, like those of model/tables.h. Texts are ids of
// Profile::strings, invalid if the file has none. A number that is missing in the file is kUnknown.
// Format versions: SDK 2.31, schema 7.4.0, and neuron-profile 2.27.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "base/units.h"
#include "base/value.h"

namespace profgauge::neuron {

inline constexpr std::int64_t kUnknown = -1;

/// The engines of a NeuronCore. kOther: any other engine; Instruction::track has its name.
enum class Engine : std::uint8_t { kTensor, kVector, kScalar, kGpsimd, kSync, kOther };
inline constexpr std::size_t kEngines = static_cast<std::size_t>(Engine::kOther);
std::string_view EngineName(Engine engine);  ///< "tensor", "vector", … "other".
/// Finds an engine by its name or legacy alias (PE, DVE, ACT, POOL, SP), in any case.
Engine EngineOf(std::string_view name);

/// Number types of matmuls, one for each speed. kUnstated: missing in the file.
enum class NumberType : std::uint8_t { kUnstated, kHalf, kFp32, kFp8, kUint8, kMx };
/// Finds the type by its name in operands: "bf16", "fp16", "fp32r" and "tf32" are kHalf, "fp32" is
/// kFp32.
NumberType NumberTypeOf(std::string_view name);

/// The generation of a NeuronDevice, by its instance type ("trn2.48xlarge"). kOther: another.
enum class Generation : std::uint8_t { kOther, kTrn1, kTrn2, kTrn3 };
Generation GenerationOf(std::string_view instance_type);

/// Bytes that one instruction, or all of a group, moves.
struct Traffic {
  std::int64_t hbm_read = 0, hbm_write = 0;
  std::int64_t sbuf_read = 0, sbuf_write = 0;
  std::int64_t psum_read = 0, psum_write = 0;
  std::int64_t psum_to_sbuf = 0;
  std::int64_t spill_save = 0, spill_reload = 0;
  std::int64_t input_queue = 0, output_queue = 0, weight_queue = 0;
  void Add(const Traffic& other);
};

/// One instruction of an engine, sorted by (core, engine, start).
struct Instruction {
  std::int64_t id = 0;  ///< 64 bits, as recorded.
  Ns start = 0, duration = 0;
  Ns wait = 0;  ///< Waiting for semaphores. It overlaps other time: never add it to wall time.
  std::int64_t pc = kUnknown;
  std::int64_t flops = 0;                  ///< 2 · elements, or as recorded.
  std::int64_t adjusted_flops = kUnknown;  ///< BF16 equivalent, newer files only.
  StringId opcode, track, operands, hlo, layer, source, type;
  std::int32_t core = 0;
  Engine engine = Engine::kOther;
  bool semaphore = false;  ///< EVENT_SEMAPHORE: the engine waits and is not active.
  bool setup = false;      ///< Set-up, tear-down or synchronization, which exec_time excludes.
  bool transpose = false;
  bool matmul = false, activate = false;      ///< By the opcode, as the file's summary counts them.
  bool waits_for_dma = false;                 ///< Its operands wait for a semaphore of a DMA queue.
  bool nki_source = false;                    ///< `source` is a line of NKI.
  NumberType number = NumberType::kUnstated;  ///< Number type of matmuls, by their operands.
  Traffic traffic;
  Ns end() const { return start + duration; }
};

/// All but kSoftwareDynamic and kHardwareDynamic count as static queues.
enum class QueueType : std::uint8_t {
  kInstruction,
  kInput,
  kOutput,
  kData,
  kSoftwareDynamic,
  kHardwareDynamic,
  kOther
};
std::string_view QueueTypeName(QueueType type);
QueueType QueueTypeOf(std::string_view name);

/// A DMA packet, or a transfer of a tensor, which is many packets. Never add the two kinds.
struct Dma {
  Ns start = 0, duration = 0;
  std::int64_t bytes = 0;
  std::int64_t id = 0;        ///< For a transfer: the id that its packets name.
  std::int64_t transfer = 0;  ///< For a packet: the id of its transfer, 0 none.
  StringId queue;             ///< Without the number of the DMA engine: "qSyncSpillReload0-Q1".
  StringId variable, from, to;
  std::int32_t core = 0;
  std::int16_t dma_engine = -1;  ///< 0 to 15, -1 unknown.
  QueueType type = QueueType::kOther;
  Ns end() const { return start + duration; }
};

/// An edge of the dependency graph, as row numbers of instructions.
struct Dependency {
  std::uint32_t from = 0, to = 0;
};

/// A row of the file's table of layers.
struct Layer {
  StringId path;
  Ns start = 0, duration = 0;
  std::int64_t flops = kUnknown, model_flops = kUnknown;
  double mfu = -1, hfu = -1;  ///< -1 unknown.
};

struct SemaphoreUpdate {
  Ns time = 0;
  StringId semaphore;
  std::int64_t value = 0;
  std::int32_t core = 0;
};

/// A notification that a core may run in only k of n cycles.
struct Throttle {
  Ns start = 0, duration = 0;
  std::int64_t k = 1, n = 1;
  StringId cause;  ///< "activity_0", "gpio_3", "unknown".
  std::int32_t core = 0;
};

struct Tensor {
  StringId name, type, format, shape;
  std::int64_t bytes = kUnknown;
  std::int64_t loads = kUnknown, load_bytes = kUnknown, mean_load_bytes = kUnknown;
  double reload_factor = -1;
};

/// A range of addresses of SBUF while it is occupied.
struct SbufAllocation {
  Ns start = 0, duration = 0;
  std::int64_t address = 0, bytes = 0;  ///< The first byte, and how many.
  std::int64_t partition = kUnknown;    ///< 0, 32, 64 or 96.
  StringId source;                      ///< "instruction", or DMA, as written.
  StringId tensor, hlo, opcode, queue;
  std::int32_t core = 0;
  Ns end() const { return start + duration; }
};

/// One collective operation.
struct CcOp {
  Ns start = 0, duration = 0, trigger_delay = kUnknown;
  StringId operation, algorithm, dtype, group;
  std::int64_t input_bytes = kUnknown, output_bytes = kUnknown, elements = kUnknown;
  double bandwidth = -1, bus_bandwidth = -1;  ///< Bytes per second; -1 unknown.
};

/// One instruction of a core for collectives.
struct CcInstruction {
  Ns start = 0, duration = 0;
};

enum class Curve : std::uint8_t { kDmaThroughput, kHbmThroughput, kPendingDma, kSbuf, kPsum };
std::string_view CurveName(Curve curve);
struct CurvePoint {
  Ns time = 0;
  double value = 0;  ///< Bytes per second, count, or share 0..1.
  std::int32_t core = 0;
  Curve curve = Curve::kDmaThroughput;
};

struct MemoryUse {
  std::int64_t device = 0, core = 0;
  StringId use;
  std::int64_t bytes = 0;
};

struct Message {
  Ns time = kUnknown;
  StringId category, text;
  std::int32_t core = 0;
};

/// A span in which an engine is active, as the file states it.
struct ActiveSpan {
  Ns start = 0, end = 0, duration = 0;
  std::int32_t core = 0;
  Engine engine = Engine::kOther;
};

/// Peak rates of the device; -1 unknown.
struct Hardware {
  double tensor_rows = -1, tensor_columns = -1;
  double tensor_clock = -1;              ///< GHz.
  double base_clock = -1;                ///< GHz.
  double hbm_bandwidth = -1;             ///< Bytes per second of one HBM stack.
  std::int64_t dma_engines = kUnknown;   ///< Per NeuronCore.
  bool by_table = false;                 ///< Some values are not the file's: see KnownHardware().
  Ns first = kUnknown, last = kUnknown;  ///< Hardware timestamps.
  /// FLOP/s of the Tensor Engine, -1 when unknown.
  double PeakFlops() const;
};

/// AWS's published data of a NeuronCore, for files without it. kOther: all values are unknown.
Hardware KnownHardware(Generation generation);
/// How many FLOPs of BF16 cost as much as one FLOP of that type (schema 7.4.0, adjusted_flops).
double CostInBf16(NumberType type, Generation generation);

/// The tables that the file has. Metrics and sections of other tables are absent.
struct Contents {
  bool instructions = false, dma = false, layers = false, semaphores = false, throttles = false,
       tensors = false, cc_ops = false, cc_instructions = false, errors = false, active = false,
       curves = false, summary = false;
  /// Data of a device; a system profile has none.
  bool device() const { return instructions || dma || summary; }
};

struct WholeSums;  // model/neuron_summary.h

/// Parts of the rows that come from one column each, which later schemas may drop or rename.
enum class Part : std::uint8_t {
  kWaits,
  kSemaphores,
  kFlops,
  kTransposes,
  kHbmRead,
  kHbmWrite,
  kSbufRead,
  kSbufWrite,
  kPsumRead,
  kPsumWrite,
  kPsumToSbuf,
  kSpillSave,
  kSpillReload,
  kInputQueue,
  kOutputQueue,
  kWeightQueue,
  kPacketBytes,
  kPacketKinds,
  kTransferBytes,
  kLimits,
};

/// A column that is missing in a table of the file: its numbers are unknown, not 0.
struct MissingColumn {
  Part part = Part::kWaits;
  std::string why;  ///< "`DmaPacket.queue_type` is missing (schema 12.0.1)".
};

/// All tables of one file. Shared and constant after reading (Profile::neuron).
struct Data {
  Contents has;
  std::vector<Instruction> instructions;
  std::vector<Dependency> dependencies;  ///< Sorted by `to`.
  std::vector<Dma> packets, transfers;   ///< By start. Duplicates are left out.
  std::vector<ActiveSpan> active;
  std::vector<Layer> layers;  ///< In the file's order.
  std::vector<SemaphoreUpdate> semaphores;
  std::vector<Throttle> throttles;
  std::vector<Tensor> tensors;
  std::vector<SbufAllocation> sbuf_allocations;  ///< In the file's order.
  std::vector<CcOp> cc_ops;
  std::vector<CcInstruction> cc_instructions;
  std::vector<CurvePoint> curves;
  std::vector<MemoryUse> memory;
  std::vector<Message> warnings;
  std::vector<Message> errors;  ///< Also the device's own warnings and notifications.
  Hardware hardware;
  std::string instance_type;  ///< "trn2.48xlarge", empty where the file does not say.
  /// The file's own summary: names and values as written (seconds, fractions); sorted by name.
  std::vector<std::pair<std::string, Value>> summary;
  std::vector<std::string> unread_tables;      ///< Names of tables that are not used.
  std::vector<MissingColumn> missing_columns;  ///< Each once.
  bool adjusted_by_table = false;  ///< adjusted_flops are of CostInBf16(), the file has none.
  /// Sums over all rows, if the reader made them; rows must not change after that. See SumWhole().
  std::shared_ptr<const WholeSums> whole;
  Ns total_time = kUnknown;  ///< From the summary, the hardware timestamps, or the rows.

  /// Returns nullptr if the summary has no such name. Values as written: seconds and fractions.
  const Value* FindSummary(std::string_view name) const;
  /// The summary's number with that name; -1 if it is missing, not a number or negative.
  double SummaryNumber(std::string_view name) const;
};

}  // namespace profgauge::neuron
