// The metrics of AWS Neuron profiles. If the profiler has the same metric, its definition is used
// (SDK 2.31, schema 7.4.0): `*_percent` in its files are shares here, seconds are nanoseconds. For
// several ranks, counts, bytes and times are summed, and shares weighted by their time.

#include "analysis/catalog/catalogue.h"
#include "analysis/catalog/catalogue_parts.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/reported_columns.h"
#include "knowledge/neuron.h"

namespace profgauge::analysis::catalog {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

constexpr std::string_view kNeuron = "Neuron";
constexpr std::string_view kPeak = "peak = 2 · rows · columns · clock of the Tensor Engine";

static_assert(knowledge::kNeuronEngineActiveLeastShare == knowledge::Ratio(1, 100),
              "a definition states it");

// All are based on events, and have the first definition.
constexpr MetricSpec NeuronRow(MetricId id, std::string_view title, Unit unit, ValueRange range,
                               Direction direction, Pooling pooling, std::string_view definition,
                               std::string_view formula, std::string_view source) {
  return {id,        title, unit,       range,   direction, pooling,
          kOfEvents, 1,     definition, formula, source,    kNeuronFamily};
}

// Active time excludes EVENT_SEMAPHORE, in which the engine waits.
#define PROFGAUGE_ENGINE(Id, id, name)                                                            \
  NeuronRow(                                                                                      \
      metric::kEngine##Id##ActiveTime, name " Engine active", kTime, kFromZero, kNeutral, kSum,   \
      "Time in which the engine executes at least one instruction; waiting for semaphores is "    \
      "none.",                                                                                    \
      "|U(instructions without EVENT_SEMAPHORE)|", kNeuron),                                      \
      NeuronRow(metric::kEngine##Id##ActiveShare, name " Engine active, share", kShare, kUpToOne, \
                kHigherIsBetter, kRatio,                                                          \
                "Share of the total time in which the engine executes at least one instruction.", \
                "engine." id ".active_time / neuron.total_time", kNeuron),                        \
      NeuronRow(                                                                                  \
          metric::kEngine##Id##InstructionTime, name " Engine, instruction time", kTime,          \
          kFromZero, kNeutral, kSum,                                                              \
          "Sum of the durations of the engine's instructions, waits left out; overlaps count "    \
          "twice.",                                                                               \
          "Σ duration without EVENT_SEMAPHORE", kNeuron),                                         \
      NeuronRow(metric::kEngine##Id##Instructions, name " Engine, instructions", kCount,          \
                kFromZero, kNeutral, kSum, "Instructions of the engine.", "", kNeuron),           \
      NeuronRow(metric::kEngine##Id##WaitTime, name " Engine, semaphore waits", kTime, kFromZero, \
                kLowerIsBetter, kSum,                                                             \
                "Sum of the times that instructions of the engine waited for semaphores: waits "  \
                "overlap, "                                                                       \
                "so it ranks engines and is no part of the total time.",                          \
                "Σ semaphore wait", kNeuron),                                                     \
      NeuronRow(metric::kEngine##Id##MedianTime, name " Engine, median instruction", kTime,       \
                kFromZero, kNeutral, kQuantile,                                                   \
                "Median duration of the engine's instructions, semaphore waits left out.", "",    \
                kOurs),                                                                           \
      NeuronRow(                                                                                  \
          metric::kEngine##Id##NkiShare, name " Engine, instructions with source", kShare,        \
          kUpToOne, kNeutral, kRatio,                                                             \
          "Share of the engine's instructions that name a line of NKI source; absent when none "  \
          "of the profile does.",                                                                 \
          "instructions with NKI source / instructions", kNeuron)

constexpr MetricSpec kNeuronMetrics[] = {
    NeuronRow(
        metric::kNeuronTotalTime, "Total time", kTime, kFromZero, kLowerIsBetter, kSum,
        "Time on the device from the start of the execution to its end, idle time included; of "
        "several ranks the longest.",
        "", kNeuron),
    NeuronRow(
        metric::kNeuronExecTime, "Execution time", kTime, kFromZero, kLowerIsBetter, kSum,
        "Time from the first to the last instruction or DMA packet that is no set-up or tear-down.",
        "span without NOP, SET_ORDERING_MODE, EVENT_SEMAPHORE, EVENT_SEMAPHORE_RANGE_CLEAR, "
        "NOTIFY, "
        "COMPARE_BRANCH, DRAIN, WRITE, TENSOR_LOAD, MODIFY_POOL_CONFIG",
        kNeuron),
    NeuronRow(metric::kNeuronActiveTime, "Active time", kTime, kFromZero, kNeutral, kSum,
              "Time in which an engine, a DMA packet or a collective is active. Includes the time "
              "after the execution in which the runtime resets the engines. In whole nanoseconds.",
              "|U(engines, DMA packets, collectives)|", kNeuron),
    NeuronRow(metric::kNeuronActiveShare, "Active share", kShare, kUpToOne, kHigherIsBetter, kRatio,
              "Share of the total time in which an engine, a DMA packet or a collective is active; "
              "near 0 the profile contains start-up instead of work.",
              "neuron.active_time / neuron.total_time", kNeuron),
    NeuronRow(metric::kNeuronCores, "NeuronCores", kCount, kFromZero, kNeutral, kOther,
              "Physical NeuronCores with instructions, over all ranks.", "", kNeuron),
    NeuronRow(metric::kNeuronCycles, "Cycles", kCount, kFromZero, kNeutral, kSum,
              "Cycles of the NeuronCore in the total time.", "neuron.total_time · base clock",
              kNeuron),
    NeuronRow(metric::kNeuronModelFlops, "Model FLOPs", kFlops, kFromZero, kNeutral, kSum,
              "Floating-point operations of the model's matmuls, from the compiled graph.",
              "2 · multiply-adds of the graph", kNeuron),
    NeuronRow(metric::kNeuronHardwareFlops, "Hardware FLOPs", kFlops, kFromZero, kNeutral, kSum,
              "Floating-point operations of all Tensor Engine instructions, transposes included.",
              "Σ 2 · elements", kNeuron),
    NeuronRow(metric::kNeuronTransposeFlops, "Transpose FLOPs", kFlops, kFromZero, kLowerIsBetter,
              kSum, "Hardware FLOPs of matmuls that only transpose.", "Σ 2 · elements", kNeuron),
    NeuronRow(metric::kNeuronTransposeShare, "Transposes", kShare, kUpToOne, kLowerIsBetter, kRatio,
              "Share of the hardware FLOPs spent on transposes.",
              "neuron.transpose_flops / neuron.hardware_flops", kOurs),
    NeuronRow(metric::kNeuronAdjustedHardwareFlops, "Hardware FLOPs, BF16 equivalent", kFlops,
              kFromZero, kNeutral, kSum,
              "Hardware FLOPs in BF16 equivalents: FP32 counts four times, narrower types less.",
              "Σ FLOPs · factor of the type", kNeuron),
    NeuronRow(metric::kNeuronAdjustedTransposeFlops, "Transpose FLOPs, BF16 equivalent", kFlops,
              kFromZero, kLowerIsBetter, kSum, "Transpose FLOPs in BF16 equivalents.",
              "Σ FLOPs · factor of the type", kNeuron),
    NeuronRow(metric::kNeuronMmArithmeticIntensity, "Arithmetic intensity", kNumber, kFromZero,
              kHigherIsBetter, kRatio,
              "FLOPs of matmuls without transposes per byte moved to or from HBM.",
              "(hardware − transpose FLOPs) / (HBM read + written)", kNeuron),
    NeuronRow(metric::kNeuronPeakFlopsBandwidthRatio, "Ridge point", kNumber, kFromZero, kNeutral,
              kOther,
              "FLOPs per byte above which the Tensor Engine is the limit instead of HBM. Below it "
              "the work is memory-bound.",
              "peak FLOP/s / HBM bandwidth", kNeuron),
    NeuronRow(metric::kNeuronPeakFlops, "Peak FLOP rate", kFlopRate, kFromZero, kNeutral, kOther,
              "FLOPs per second that the Tensor Engines of one NeuronCore could do.", kPeak,
              kNeuron),
    NeuronRow(metric::kNeuronPeakBandwidth, "Peak HBM bandwidth", kBandwidth, kFromZero, kNeutral,
              kOther, "Bytes per second that HBM could move.", "", kNeuron),

    NeuronRow(
        metric::kNeuronMfu, "Model FLOPs utilization", kShare, kFromZero, kHigherIsBetter, kRatio,
        "Useful FLOPs of the model as a share of the Tensor Engine's peak over the total time.",
        "model FLOPs / (peak · total time)", kNeuron),
    NeuronRow(metric::kNeuronMfuHlo, "MFU by the graph", kShare, kFromZero, kHigherIsBetter, kRatio,
              "MFU with the model's FLOPs taken from the compiled graph.",
              "model FLOPs / (peak · total time)", kNeuron),
    NeuronRow(metric::kNeuronMfuInst, "MFU by instructions", kShare, kFromZero, kHigherIsBetter,
              kRatio, "MFU with the FLOPs taken from executed instructions, transposes left out.",
              "(hardware − transpose FLOPs) / (peak · total time)", kNeuron),
    NeuronRow(metric::kNeuronHfu, "Hardware FLOPs utilization", kShare, kFromZero, kHigherIsBetter,
              kRatio,
              "FLOPs of all Tensor Engine instructions as a share of its peak over the total time.",
              "hardware FLOPs / (peak · total time)", kNeuron),
    NeuronRow(metric::kNeuronMfuMaxAchievable, "Achievable MFU", kShare, kFromZero, kNeutral,
              kOther,
              "The best MFU that the bytes moved to and from HBM allow (roofline), at most 1.",
              "model FLOPs / HBM bytes / ridge point", kNeuron),
    NeuronRow(metric::kNeuronMfuHloMaxAchievable, "Achievable MFU by the graph", kShare, kFromZero,
              kNeutral, kOther,
              "The highest MFU (FLOPs of the graph) that the bytes moved to and from HBM allow; at "
              "most 1.",
              "model FLOPs / HBM bytes / ridge point", kNeuron),
    NeuronRow(metric::kNeuronMfuInstMaxAchievable, "Achievable MFU by instructions", kShare,
              kFromZero, kNeutral, kOther,
              "The best MFU by instructions that the bytes moved to and from HBM allow, at most 1.",
              "(hardware − transpose FLOPs) / HBM bytes / ridge point", kNeuron),
    NeuronRow(metric::kNeuronMbu, "Memory bandwidth utilization", kShare, kFromZero,
              kHigherIsBetter, kRatio,
              "Bytes moved to and from HBM as a share of its bandwidth over the total time.",
              "(HBM read + written) / total time / HBM bandwidth", kNeuron),
    NeuronRow(metric::kNeuronMbuMinRead, "Least memory bandwidth utilization", kShare, kFromZero,
              kNeutral, kRatio,
              "MBU if inputs and weights were read from HBM once and nothing else was moved.",
              "bytes of inputs and weights / total time / HBM bandwidth", kNeuron),
    NeuronRow(
        metric::kNeuronCoreImbalance, "Imbalance between NeuronCores", kShare, kFromZero,
        kLowerIsBetter, kOther,
        "Largest difference of one engine's active time between NeuronCores and ranks, as a share "
        "of "
        "its mean; engines that are active less than 1 % of the total time are left out.",
        "max over engines of (max − min) / mean", kOurs),
    NeuronRow(metric::kNeuronTraceCount, "Trace events", kCount, kFromZero, kNeutral, kSum,
              "Events in the profile: instructions, semaphores and DMA.", "", kNeuron),
    NeuronRow(metric::kNeuronEventCount, "Notifications", kCount, kFromZero, kNeutral, kSum,
              "Event notifications in the profile, such as semaphore updates.", "", kNeuron),
    NeuronRow(metric::kNeuronWarnings, "Warnings of the profiler", kCount, kFromZero,
              kLowerIsBetter, kOther, "Warnings that the profiler wrote into the file.", "",
              kNeuron),
    NeuronRow(
        metric::kNeuronErrors, "Errors on the device", kCount, kFromZero, kLowerIsBetter, kSum,
        "Error notifications of the hardware, such as out of bounds or not a number; absent when "
        "the "
        "file has no table of them.",
        "", kNeuron),

    PROFGAUGE_ENGINE(Tensor, "tensor", "Tensor"),
    NeuronRow(metric::kEngineTensorMatmuls, "Matmuls", kCount, kFromZero, kNeutral, kSum,
              "MATMUL instructions.", "", kNeuron),
    NeuronRow(metric::kEngineTensorDmaWaitTime, "Tensor Engine, waits for DMA", kTime, kFromZero,
              kLowerIsBetter, kSum,
              "Semaphore waits of the Tensor Engine whose operands name the queue of a DMA.",
              "Σ semaphore wait on DMA queues", kOurs),
    PROFGAUGE_ENGINE(Vector, "vector", "Vector"),
    PROFGAUGE_ENGINE(Scalar, "scalar", "Scalar"),
    NeuronRow(metric::kEngineScalarActivates, "Activations", kCount, kFromZero, kNeutral, kSum,
              "ACTIVATE and ACTIVATE_QUANTIZE instructions.", "", kNeuron),
    NeuronRow(metric::kEngineScalarActivateTime, "Activation time", kTime, kFromZero, kNeutral,
              kSum, "Sum of the durations of ACTIVATE and ACTIVATE_QUANTIZE instructions.",
              "Σ duration", kNeuron),
    PROFGAUGE_ENGINE(Gpsimd, "gpsimd", "GpSimd"),
    PROFGAUGE_ENGINE(Sync, "sync", "Sync"),
    NeuronRow(metric::kEngineCcCoreActiveTime, "Collective cores active", kTime, kFromZero,
              kNeutral, kSum,
              "Time in which at least one core for collectives executes an instruction.", "",
              kNeuron),
    NeuronRow(metric::kEngineCcCoreActiveShare, "Collective cores active, share", kShare, kUpToOne,
              kNeutral, kRatio,
              "Share of the total time in which at least one core for collectives executes.", "",
              kNeuron),
    NeuronRow(metric::kEngineCcCoreInstructionTime, "Collective cores, instruction time", kTime,
              kFromZero, kNeutral, kSum,
              "Sum of the durations of the instructions of the cores for collectives.",
              "Σ duration", kNeuron),
    NeuronRow(metric::kEngineCcCoreInstructions, "Collective cores, instructions", kCount,
              kFromZero, kNeutral, kSum, "Instructions of the cores for collectives.", "", kNeuron),

    NeuronRow(metric::kHbmReadBytes, "HBM read", kBytes, kFromZero, kLowerIsBetter, kSum,
              "Bytes that DMA reads from HBM.", "", kNeuron),
    NeuronRow(metric::kHbmWriteBytes, "HBM written", kBytes, kFromZero, kLowerIsBetter, kSum,
              "Bytes that DMA writes to HBM.", "", kNeuron),
    NeuronRow(metric::kSbufReadBytes, "SBUF read", kBytes, kFromZero, kNeutral, kSum,
              "Bytes that DMA and instructions read from the State Buffer.", "", kNeuron),
    NeuronRow(metric::kSbufWriteBytes, "SBUF written", kBytes, kFromZero, kNeutral, kSum,
              "Bytes that DMA and instructions write to the State Buffer.", "", kNeuron),
    NeuronRow(metric::kPsumReadBytes, "PSUM read", kBytes, kFromZero, kNeutral, kSum,
              "Bytes that instructions read from PSUM.", "", kNeuron),
    NeuronRow(metric::kPsumWriteBytes, "PSUM written", kBytes, kFromZero, kNeutral, kSum,
              "Bytes that instructions write to PSUM.", "", kNeuron),
    NeuronRow(metric::kPsumReadSbufWriteBytes, "PSUM to SBUF", kBytes, kFromZero, kNeutral, kSum,
              "Bytes that instructions move from PSUM to the State Buffer.", "", kNeuron),
    NeuronRow(metric::kPsumReadSbufWrites, "PSUM to SBUF, instructions", kCount, kFromZero,
              kNeutral, kSum, "Instructions that move data from PSUM to the State Buffer.", "",
              kNeuron),
    NeuronRow(metric::kSpillSaveBytes, "Spilled", kBytes, kFromZero, kLowerIsBetter, kSum,
              "Bytes of intermediate tensors written to HBM because the State Buffer is full.", "",
              kNeuron),
    NeuronRow(metric::kSpillReloadBytes, "Reloaded", kBytes, kFromZero, kLowerIsBetter, kSum,
              "Bytes of spilled tensors that were read back.", "", kNeuron),
    NeuronRow(metric::kSpillReloadShare, "Reloads in HBM reads", kShare, kFromZero, kLowerIsBetter,
              kRatio, "Reloaded bytes as a share of the bytes read from HBM.",
              "spill.reload_bytes / hbm.read_bytes", kNeuron),
    NeuronRow(metric::kSpillSaveSbufShare, "Spills in SBUF reads", kShare, kFromZero,
              kLowerIsBetter, kRatio,
              "Spilled bytes as a share of the bytes read from the State Buffer.",
              "spill.save_bytes / sbuf.read_bytes", kNeuron),
    NeuronRow(metric::kSpillReloadSbufShare, "Reloads in SBUF writes", kShare, kFromZero,
              kLowerIsBetter, kRatio,
              "Reloaded bytes as a share of the bytes written to the State Buffer.",
              "spill.reload_bytes / sbuf.write_bytes", kNeuron),
    NeuronRow(metric::kHbmUsefulReadShare, "Useful HBM reads", kShare, kFromZero, kHigherIsBetter,
              kRatio, "Share of the bytes read from HBM that are no reloads of spilled tensors.",
              "(hbm.read_bytes − spill.reload_bytes) / hbm.read_bytes", kNeuron),
    NeuronRow(metric::kNeuronWeightBytes, "Weights", kBytes, kFromZero, kNeutral, kOther,
              "Size of all weights of the model.", "", kNeuron),
    NeuronRow(metric::kNeuronInputsAndWeightsBytes, "Inputs and weights", kBytes, kFromZero,
              kNeutral, kOther, "Size of the input and weight tensors.", "", kNeuron),
    NeuronRow(metric::kNeuronInputsOutputsWeightsBytes, "Inputs, outputs and weights", kBytes,
              kFromZero, kNeutral, kOther, "Size of the input, output and weight tensors.", "",
              kNeuron),

    NeuronRow(
        metric::kDmaActiveTime, "DMA active", kTime, kFromZero, kNeutral, kSum,
        "Time in which at least one DMA packet moves; aggregated rows repeat packets and are left "
        "out.",
        "|U(packets)|", kNeuron),
    NeuronRow(metric::kDmaActiveShare, "DMA active, share", kShare, kUpToOne, kNeutral, kRatio,
              "Share of the total time in which at least one DMA packet moves.",
              "dma.active_time / neuron.total_time", kNeuron),
    NeuronRow(metric::kDmaActiveCycles, "DMA active, cycles", kCount, kFromZero, kNeutral, kSum,
              "Cycles of the NeuronCore in which at least one DMA packet moves.",
              "dma.active_time · base clock", kNeuron),
    NeuronRow(metric::kDmaPacketTime, "DMA packet time", kTime, kFromZero, kNeutral, kSum,
              "Sum of the durations of all DMA packets; packets of several engines overlap.",
              "Σ duration", kNeuron),
    NeuronRow(metric::kDmaPackets, "DMA packets", kCount, kFromZero, kLowerIsBetter, kSum,
              "DMA packets, duplicates and aggregated rows left out.", "", kNeuron),
    NeuronRow(metric::kDmaBytes, "DMA bytes", kBytes, kFromZero, kLowerIsBetter, kSum,
              "Bytes of all DMA packets.", "Σ transfer size", kNeuron),
    NeuronRow(metric::kDmaMeanBytes, "Mean DMA packet", kBytes, kFromZero, kHigherIsBetter, kRatio,
              "Bytes per DMA packet: small packets waste bandwidth.", "dma.bytes / dma.packets",
              kOurs),
    NeuronRow(
        metric::kDmaSmallShare, "Small DMA packets", kShare, kUpToOne, kLowerIsBetter, kRatio,
        "Share of the DMA packets that move less than 512 bytes; those that only write a semaphore "
        "(at most 4 bytes) are left out.",
        "packets of 5 to 511 bytes / packets over 4 bytes", kOurs),
    NeuronRow(
        metric::kDmaTransfers, "DMA transfers", kCount, kFromZero, kNeutral, kSum,
        "Transfers of tensors, each made of many packets; the profiler knows them of static DMA "
        "only.",
        "", kNeuron),
    NeuronRow(metric::kDmaTransferTime, "DMA transfer time", kTime, kFromZero, kNeutral, kSum,
              "Sum of the durations of DMA transfers.", "Σ duration", kNeuron),
    NeuronRow(metric::kDmaTransferBytes, "DMA transfer bytes", kBytes, kFromZero, kNeutral, kSum,
              "Bytes of DMA transfers: a part of dma.bytes.", "Σ transfer size", kNeuron),
    NeuronRow(metric::kDmaTransferMeanBytes, "Mean DMA transfer", kBytes, kFromZero,
              kHigherIsBetter, kRatio, "Bytes per DMA transfer.",
              "dma.transfer_bytes / dma.transfers", kNeuron),
    NeuronRow(metric::kDmaQueues, "DMA queues", kCount, kFromZero, kNeutral, kOther,
              "DMA queues of the compiled model.", "", kNeuron),
    NeuronRow(metric::kDmaEnginesUsed, "DMA engines used", kCount, kFromZero, kNeutral, kOther,
              "DMA engines that moved a packet, the most on one NeuronCore.", "", kOurs),
    NeuronRow(metric::kDmaEngineImbalance, "Imbalance of DMA engines", kNumber, kFromZero,
              kLowerIsBetter, kOther,
              "Bytes of the busiest DMA engine by the mean over the 16 of a NeuronCore.",
              "max(bytes) / mean(bytes)", kOurs),
    NeuronRow(metric::kDmaInputQueueBytes, "Input queue bytes", kBytes, kFromZero, kNeutral, kSum,
              "Bytes moved by queues for inputs.", "", kNeuron),
    NeuronRow(metric::kDmaOutputQueueBytes, "Output queue bytes", kBytes, kFromZero, kNeutral, kSum,
              "Bytes moved by queues for outputs.", "", kNeuron),
    NeuronRow(metric::kDmaWeightQueueBytes, "Weight queue bytes", kBytes, kFromZero, kNeutral, kSum,
              "Bytes moved by queues for weights.", "", kNeuron),

#define PROFGAUGE_DMA(Id, id, name, what)                                                          \
  NeuronRow(metric::kDma##Id##ActiveTime, name " DMA active", kTime, kFromZero, kNeutral, kSum,    \
            "Time in which at least one DMA packet moves that is " what ".", "|U(packets)|",       \
            kNeuron),                                                                              \
      NeuronRow(                                                                                   \
          metric::kDma##Id##ActiveShare, name " DMA active, share", kShare, kUpToOne, kNeutral,    \
          kRatio,                                                                                  \
          "Share of the DMA active time (not of the total time) in which such a packet moves.",    \
          "dma." id ".active_time / dma.active_time", kNeuron),                                    \
      NeuronRow(metric::kDma##Id##Packets, name " DMA packets", kCount, kFromZero, kNeutral, kSum, \
                "DMA packets that are " what ".", "", kNeuron),                                    \
      NeuronRow(metric::kDma##Id##PacketShare, name " DMA packets, share", kShare, kUpToOne,       \
                kNeutral, kRatio, "Share of the DMA packets that are " what ".", "", kNeuron),     \
      NeuronRow(metric::kDma##Id##Bytes, name " DMA bytes", kBytes, kFromZero, kNeutral, kSum,     \
                "Bytes of the DMA packets that are " what ".", "Σ transfer size", kNeuron),        \
      NeuronRow(metric::kDma##Id##ByteShare, name " DMA bytes, share", kShare, kUpToOne, kNeutral, \
                kRatio, "Share of the DMA bytes in packets that are " what ".", "", kNeuron)

    PROFGAUGE_DMA(Static, "static", "Static", "described by the compiler"),
    PROFGAUGE_DMA(Dynamic, "dynamic", "Dynamic", "generated during the execution"),
    PROFGAUGE_DMA(Software, "software", "Software",
                  "generated by the GpSimd Engine during the execution"),
    PROFGAUGE_DMA(Hardware, "hardware", "Hardware",
                  "generated by dedicated hardware during the execution"),
#undef PROFGAUGE_DMA

    NeuronRow(metric::kCcOps, "Collectives", kCount, kFromZero, kNeutral, kSum,
              "Collective operations.", "", kNeuron),
    NeuronRow(metric::kCcTime, "Collective time", kTime, kFromZero, kLowerIsBetter, kSum,
              "Sum of the durations of collective operations.", "Σ duration", kNeuron),
    NeuronRow(metric::kCcActiveTime, "Collectives active", kTime, kFromZero, kLowerIsBetter, kSum,
              "Time in which at least one collective operation is active.", "|U(operations)|",
              kNeuron),
    NeuronRow(metric::kCcActiveShare, "Collectives active, share", kShare, kUpToOne, kLowerIsBetter,
              kRatio,
              "Share of the total time in which at least one collective operation is active.",
              "cc.active_time / neuron.total_time", kNeuron),
    NeuronRow(metric::kCcTriggerDelay, "Collective start delay", kTime, kFromZero, kLowerIsBetter,
              kRatio, "Mean time from the trigger of a collective operation to its start.",
              "Σ delay / operations", kNeuron),

    NeuronRow(metric::kThrottleLimitedTime, "Throttled", kTime, kFromZero, kLowerIsBetter, kSum,
              "Time for which notifications limit the hardware to less than all of its cycles.",
              "Σ duration where k < n", kNeuron),
    NeuronRow(metric::kThrottleLimitedShare, "Throttled, share", kShare, kUpToOne, kLowerIsBetter,
              kRatio, "Share of the total time in which the hardware is limited.",
              "throttle.limited_time / neuron.total_time", kNeuron),
    NeuronRow(metric::kThrottleTensorLimitedTime, "Throttled while computing", kTime, kFromZero,
              kLowerIsBetter, kSum, "Throttled time in which the Tensor Engine is active.",
              "|U(limited) ∩ U(Tensor Engine)|", kOurs),
    NeuronRow(metric::kThrottleTensorLimitedShare, "Throttled while computing, share", kShare,
              kUpToOne, kLowerIsBetter, kRatio,
              "Share of the Tensor Engine's active time in which the hardware is limited.",
              "throttle.tensor_limited_time / engine.tensor.active_time", kOurs),
    NeuronRow(
        metric::kThrottleUtilizationLimit, "Throttle limit", kShare, kUpToOne, kHigherIsBetter,
        kRatio,
        "Mean share of the cycles that the hardware may use, over the time that notifications "
        "cover.",
        "Σ k/n · duration / Σ duration", kNeuron),

    {metric::kHostMemoryPeak, "Host memory, peak", kBytes, kFromZero, kLowerIsBetter, kMax,
     kOfEvents, 1, "Maximum memory of the host in use at a sample, by all programs.", "", kNeuron,
     kHostFamily},
    {metric::kHostMemoryPeakShare, "Host memory, peak share", kShare, kFromZero, kLowerIsBetter,
     kMax, kOfEvents, 1, "The same as a share of the host's memory.", "", kNeuron, kHostFamily},
    {metric::kHostCpuMean, "Host CPUs, mean", kShare, kFromZero, kNeutral, kRatio, kOfEvents, 1,
     "Mean use of all CPUs of the host over the samples.", "", kNeuron, kHostFamily},
    {metric::kHostCpuBusiest, "Host CPUs, busiest", kShare, kFromZero, kNeutral, kOther, kOfEvents,
     1, "Mean use of the one CPU that is used most; near 1 a single thread may limit the run.", "",
     kNeuron, kHostFamily},
};
static_assert(AreInOrder(kNeuronMetrics, metric::kNeuronTotalTime));

}  // namespace

std::span<const MetricSpec> NeuronMetrics() { return kNeuronMetrics; }

// The tables of AWS Neuron profiles. Times count from the start of the profile.

namespace {

using namespace columns;

constexpr TableSpec kNeuronTables[] = {
    {"engines", "engine", "Engines", "One row per rank, NeuronCore and engine.", kEngines,
     kNeuronFamily},
    {"layers", "layer", "Operators by layer",
     "A tree in rows: layers, the graph's operators in them, and their opcodes.", kLayers,
     kNeuronFamily},
    {"engine_regions", "engine_region", "Between marks, by engine",
     "One row per rank and region between two marks.", kEngineRegions, "marks"},
    {"collective_regions", "", "Between collectives",
     "One row per rank and time without a collective; the 64 longest.", kEngineRegions,
     kNeuronFamily},
    {"opcodes", "opcode", "Opcodes", "One row per rank, engine and opcode.", kOpcodes,
     kNeuronFamily},
    {"waits", "wait", "Semaphore waits", "One row per engine, opcode, semaphore and source line.",
     kWaits, kNeuronFamily},
    {"dma_queues", "dma_queue", "DMA queues", "One row per rank, queue and type.", kDmaQueues,
     kNeuronFamily},
    {"dma_engines", "dma_engine", "DMA engines", "One row per DMA engine with packets.",
     kDmaEngines, kNeuronFamily},
    {"dma_transfers", "dma_transfer", "DMA transfers",
     "One row per transfer of a tensor, the largest first; at most 10 000.", kDmaTransfers,
     kNeuronFamily},
    {"cc_ops", "cc_op", "Collective operations",
     "One row per operation, algorithm, type, group and size.", kCcOps, kNeuronFamily},
    {"throttles", "throttle", "Throttling", "One row per NeuronCore and cause.", kThrottles,
     kNeuronFamily},
    {"flops_parts", "flops_part", "Use of the Tensor Engine",
     "Its peak in the total time, by use; the parts add up to the total time.", kFlopsParts,
     kNeuronFamily},
    {"tensors", "tensor", "Tensors", "One row per tensor of the compiled model.", kTensors,
     kNeuronFamily},
    {"source_lines", "source_line", "Source lines",
     "One row per line of source that instructions name.", kSourceLines, kNeuronFamily},
    {"source_files", "", "Source files", "One row per rank and file of source.", kSourceFiles,
     kNeuronFamily},
    {"memory_peaks", "", "Memory on the chip", "One row per NeuronCore and memory.", kMemoryPeaks,
     kNeuronFamily},
    {"sbuf_allocations", "", "SBUF allocations",
     "One row per range of addresses and time, the largest first; at most 10 000.",
     kSbufAllocations, kNeuronFamily},
    {"cores", "core", "NeuronCores", "One row per rank and physical NeuronCore.", kCores,
     kNeuronFamily},
    {"semaphores", "semaphore", "Semaphores", "One row per semaphore that changed.", kSemaphores,
     kNeuronFamily},
    {"hbm_usage", "hbm_use", "HBM use", "One row per NeuronCore and use.", kHbmUsage,
     kNeuronFamily},
    {"identities", "identity", "Self-check of the file",
     "Numbers that the rows and the summary of the file must agree on.", kIdentities,
     kNeuronFamily},
    {"profiler_warnings", "profiler_warning", "Warnings of the profiler",
     "Written into the file by the profiler.", kProfilerWarnings, kNeuronFamily},
    {"device_errors", "device_error", "Errors on the device",
     "Error notifications of the hardware.", kDeviceErrors, kNeuronFamily},
    {"instructions", "instruction", "Instructions",
     "One row per instruction, by engine and start; at most 100 000.", kInstructionRows,
     kNeuronFamily},
    {"counter_curves", "", "Curves", "Throughput, queue and memory over time.", kCounterCurves,
     kNeuronFamily},
    {"host_use", "", "Memory and CPUs of the host",
     "One row for memory and one for each CPU, by all programs of the host.", kHostUse,
     kHostFamily},
};

}  // namespace

std::span<const TableSpec> NeuronTables() { return kNeuronTables; }

}  // namespace profgauge::analysis::catalog
