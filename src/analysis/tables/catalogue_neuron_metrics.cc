// The metrics of AWS Neuron profiles. Where the profiler has a name for one, the definition is the
// profiler's (SDK 2.31, schema 7.4.0): `*_percent` of its files are shares here, seconds are
// nanoseconds. Several ranks: counts, bytes and times are summed, shares weighted by their time.
#include "analysis/tables/catalogue_neuron.h"

namespace profgauge {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;

constexpr std::string_view kNeuron = "Neuron";
constexpr std::string_view kOurs = "ours";
constexpr std::string_view kPeak = "peak = 2 · rows · columns · clock of the Tensor Engine";

// Active time leaves out EVENT_SEMAPHORE: these instructions are the engine waiting.
#define PROFGAUGE_ENGINE(id, name)                                                                 \
  {"engine." id ".active_time",                                                                    \
   name " Engine active",                                                                          \
   kTime,                                                                                          \
   kNeutral,                                                                                       \
   kSum,                                                                                           \
   "Time in which the engine executes at least one instruction; waiting for semaphores is none.",  \
   "|U(instructions without EVENT_SEMAPHORE)|",                                                    \
   kNeuron,                                                                                        \
   kNeuronFamily},                                                                                 \
      {"engine." id ".active_share",                                                               \
       name " Engine active, share",                                                               \
       kShare,                                                                                     \
       kHigherIsBetter,                                                                            \
       kRatio,                                                                                     \
       "Share of the total time in which the engine executes at least one instruction.",           \
       "engine." id ".active_time / neuron.total_time",                                            \
       kNeuron,                                                                                    \
       kNeuronFamily},                                                                             \
      {"engine." id ".instruction_time",                                                           \
       name " Engine, instruction time",                                                           \
       kTime,                                                                                      \
       kNeutral,                                                                                   \
       kSum,                                                                                       \
       "Sum of the durations of the engine's instructions, waits left out; overlaps count twice.", \
       "Σ duration without EVENT_SEMAPHORE",                                                       \
       kNeuron,                                                                                    \
       kNeuronFamily},                                                                             \
      {"engine." id ".instructions",                                                               \
       name " Engine, instructions",                                                               \
       kCount,                                                                                     \
       kNeutral,                                                                                   \
       kSum,                                                                                       \
       "Instructions of the engine.",                                                              \
       "",                                                                                         \
       kNeuron,                                                                                    \
       kNeuronFamily},                                                                             \
      {"engine." id ".wait_time",                                                                  \
       name " Engine, semaphore waits",                                                            \
       kTime,                                                                                      \
       kLowerIsBetter,                                                                             \
       kSum,                                                                                       \
       "Sum of the times that instructions of the engine waited for semaphores: waits overlap, "   \
       "so it ranks engines and is no part of the total time.",                                    \
       "Σ semaphore wait",                                                                         \
       kNeuron,                                                                                    \
       kNeuronFamily},                                                                             \
      {"engine." id ".median_time",                                                                \
       name " Engine, median instruction",                                                         \
       kTime,                                                                                      \
       kNeutral,                                                                                   \
       kQuantile,                                                                                  \
       "Median duration of the engine's instructions, semaphore waits left out.",                  \
       "",                                                                                         \
       kOurs,                                                                                      \
       kNeuronFamily},                                                                             \
  {                                                                                                \
    "engine." id ".nki_share", name " Engine, instructions with source", kShare, kNeutral, kRatio, \
        "Share of the engine's instructions that name a line of NKI source; absent when none "     \
        "of the profile does.",                                                                    \
        "instructions with NKI source / instructions", kNeuron, kNeuronFamily                      \
  }

constexpr MetricSpec kNeuronMetrics[] = {
    {"neuron.total_time", "Total time", kTime, kLowerIsBetter, kSum,
     "Time on the device from the start of the execution to its end, idle time included; of "
     "several ranks the longest.",
     "", kNeuron, kNeuronFamily},
    {"neuron.exec_time", "Execution time", kTime, kLowerIsBetter, kSum,
     "Time from the first to the last instruction or DMA packet that is no set-up or tear-down.",
     "span without NOP, SET_ORDERING_MODE, EVENT_SEMAPHORE, EVENT_SEMAPHORE_RANGE_CLEAR, NOTIFY, "
     "COMPARE_BRANCH, DRAIN, WRITE, TENSOR_LOAD, MODIFY_POOL_CONFIG",
     kNeuron, kNeuronFamily},
    {"neuron.active_time", "Active time", kTime, kNeutral, kSum,
     "Time in which an engine, a DMA packet or a collective is active, also behind the execution's "
     "end, where the runtime sets engines back; in whole nanoseconds, as the events have them.",
     "|U(engines, DMA packets, collectives)|", kNeuron, kNeuronFamily},
    {"neuron.active_share", "Active share", kShare, kHigherIsBetter, kRatio,
     "Share of the total time in which an engine, a DMA packet or a collective is active; near 0 "
     "the capture holds start-up rather than work.",
     "neuron.active_time / neuron.total_time", kNeuron, kNeuronFamily},
    {"neuron.cores", "NeuronCores", kCount, kNeutral, kOther,
     "Physical NeuronCores with instructions, over all ranks.", "", kNeuron, kNeuronFamily},
    {"neuron.cycles", "Cycles", kCount, kNeutral, kSum,
     "Cycles of the NeuronCore in the total time.", "neuron.total_time · base clock", kNeuron,
     kNeuronFamily},
    {"neuron.model_flops", "Model FLOPs", kFlops, kNeutral, kSum,
     "Floating-point operations of the model's matrix products, from the compiled graph.",
     "2 · multiply-adds of the graph", kNeuron, kNeuronFamily},
    {"neuron.hardware_flops", "Hardware FLOPs", kFlops, kNeutral, kSum,
     "Floating-point operations of all Tensor Engine instructions, transposes included.",
     "Σ 2 · elements", kNeuron, kNeuronFamily},
    {"neuron.transpose_flops", "Transpose FLOPs", kFlops, kLowerIsBetter, kSum,
     "Of the hardware FLOPs, those of matrix products that only transpose.", "Σ 2 · elements",
     kNeuron, kNeuronFamily},
    {"neuron.transpose_share", "Transposes", kShare, kLowerIsBetter, kRatio,
     "Share of the hardware FLOPs spent on transposes.",
     "neuron.transpose_flops / neuron.hardware_flops", kOurs, kNeuronFamily},
    {"neuron.adjusted_hardware_flops", "Hardware FLOPs, BF16 equivalent", kFlops, kNeutral, kSum,
     "Hardware FLOPs as BF16 ones of equal cost: FP32 counts four times, narrow types less.",
     "Σ FLOPs · factor of the type", kNeuron, kNeuronFamily},
    {"neuron.adjusted_transpose_flops", "Transpose FLOPs, BF16 equivalent", kFlops, kLowerIsBetter,
     kSum, "Transpose FLOPs as BF16 ones of equal cost.", "Σ FLOPs · factor of the type", kNeuron,
     kNeuronFamily},
    {"neuron.mm_arithmetic_intensity", "Arithmetic intensity", kNumber, kHigherIsBetter, kRatio,
     "FLOPs of matrix products, transposes left out, per byte moved to or from HBM.",
     "(hardware − transpose FLOPs) / (HBM read + written)", kNeuron, kNeuronFamily},
    {"neuron.peak_flops_bandwidth_ratio", "Ridge point", kNumber, kNeutral, kOther,
     "FLOPs per byte from which on the Tensor Engine and not HBM limits: below it the work is "
     "bound by memory.",
     "peak FLOP/s / HBM bandwidth", kNeuron, kNeuronFamily},
    {"neuron.peak_flops", "Peak FLOP rate", kFlopRate, kNeutral, kOther,
     "FLOPs per second that the Tensor Engines of one NeuronCore could do.", kPeak, kNeuron,
     kNeuronFamily},
    {"neuron.peak_bandwidth", "Peak HBM bandwidth", kBandwidth, kNeutral, kOther,
     "Bytes per second that HBM could move.", "", kNeuron, kNeuronFamily},

    {"neuron.mfu", "Model FLOPs utilization", kShare, kHigherIsBetter, kRatio,
     "Useful FLOPs of the model as a share of what the Tensor Engine could do in the total time.",
     "model FLOPs / (peak · total time)", kNeuron, kNeuronFamily},
    {"neuron.mfu_hlo", "MFU by the graph", kShare, kHigherIsBetter, kRatio,
     "MFU with the model's FLOPs taken from the compiled graph.",
     "model FLOPs / (peak · total time)", kNeuron, kNeuronFamily},
    {"neuron.mfu_inst", "MFU by instructions", kShare, kHigherIsBetter, kRatio,
     "MFU with the FLOPs taken from executed instructions, transposes left out.",
     "(hardware − transpose FLOPs) / (peak · total time)", kNeuron, kNeuronFamily},
    {"neuron.hfu", "Hardware FLOPs utilization", kShare, kHigherIsBetter, kRatio,
     "FLOPs of all Tensor Engine instructions as a share of what it could do in the total time.",
     "hardware FLOPs / (peak · total time)", kNeuron, kNeuronFamily},
    {"neuron.mfu_max_achievable", "Achievable MFU", kShare, kNeutral, kOther,
     "The best MFU that the bytes moved to and from HBM allow (roofline), at most 1.",
     "model FLOPs / HBM bytes / ridge point", kNeuron, kNeuronFamily},
    {"neuron.mfu_hlo_max_achievable", "Achievable MFU by the graph", kShare, kNeutral, kOther,
     "The best MFU by the graph that the bytes moved to and from HBM allow, at most 1.",
     "model FLOPs / HBM bytes / ridge point", kNeuron, kNeuronFamily},
    {"neuron.mfu_inst_max_achievable", "Achievable MFU by instructions", kShare, kNeutral, kOther,
     "The best MFU by instructions that the bytes moved to and from HBM allow, at most 1.",
     "(hardware − transpose FLOPs) / HBM bytes / ridge point", kNeuron, kNeuronFamily},
    {"neuron.mbu", "Memory bandwidth utilization", kShare, kHigherIsBetter, kRatio,
     "Bytes moved to and from HBM as a share of what its bandwidth allows in the total time.",
     "(HBM read + written) / total time / HBM bandwidth", kNeuron, kNeuronFamily},
    {"neuron.mbu_min_read", "Least memory bandwidth utilization", kShare, kNeutral, kRatio,
     "MBU if inputs and weights were read from HBM once and nothing else was moved.",
     "bytes of inputs and weights / total time / HBM bandwidth", kNeuron, kNeuronFamily},
    {"neuron.core_imbalance", "Imbalance between NeuronCores", kShare, kLowerIsBetter, kOther,
     "Largest difference of one engine's active time between NeuronCores and ranks, as a share of "
     "its mean; engines that are active less than 1 % of the total time are left out.",
     "max over engines of (max − min) / mean", kOurs, kNeuronFamily},
    {"neuron.trace_count", "Trace events", kCount, kNeutral, kSum,
     "Events in the recording: instructions, semaphores and DMA.", "", kNeuron, kNeuronFamily},
    {"neuron.event_count", "Notifications", kCount, kNeutral, kSum,
     "Event notifications in the recording, such as semaphore updates.", "", kNeuron,
     kNeuronFamily},
    {"neuron.warnings", "Warnings of the profiler", kCount, kLowerIsBetter, kOther,
     "Warnings that the profiler wrote into the file.", "", kNeuron, kNeuronFamily},
    {"neuron.errors", "Errors on the device", kCount, kLowerIsBetter, kSum,
     "Error notifications of the hardware, such as out of bounds or not a number; absent when the "
     "file has no table of them.",
     "", kNeuron, kNeuronFamily},

    PROFGAUGE_ENGINE("tensor", "Tensor"),
    {"engine.tensor.matmuls", "Matrix products", kCount, kNeutral, kSum, "MATMUL instructions.", "",
     kNeuron, kNeuronFamily},
    {"engine.tensor.dma_wait_time", "Tensor Engine, waits for DMA", kTime, kLowerIsBetter, kSum,
     "Of the Tensor Engine's semaphore waits, those whose operands name the queue of a DMA.",
     "Σ semaphore wait on DMA queues", kOurs, kNeuronFamily},
    PROFGAUGE_ENGINE("vector", "Vector"),
    PROFGAUGE_ENGINE("scalar", "Scalar"),
    {"engine.scalar.activates", "Activations", kCount, kNeutral, kSum,
     "ACTIVATE and ACTIVATE_QUANTIZE instructions.", "", kNeuron, kNeuronFamily},
    {"engine.scalar.activate_time", "Activation time", kTime, kNeutral, kSum,
     "Sum of the durations of ACTIVATE and ACTIVATE_QUANTIZE instructions.", "Σ duration", kNeuron,
     kNeuronFamily},
    PROFGAUGE_ENGINE("gpsimd", "GpSimd"),
    PROFGAUGE_ENGINE("sync", "Sync"),
    {"engine.cc_core.active_time", "Collective cores active", kTime, kNeutral, kSum,
     "Time in which at least one core for collectives executes an instruction.", "", kNeuron,
     kNeuronFamily},
    {"engine.cc_core.active_share", "Collective cores active, share", kShare, kNeutral, kRatio,
     "Share of the total time in which at least one core for collectives executes.", "", kNeuron,
     kNeuronFamily},
    {"engine.cc_core.instruction_time", "Collective cores, instruction time", kTime, kNeutral, kSum,
     "Sum of the durations of the instructions of the cores for collectives.", "Σ duration",
     kNeuron, kNeuronFamily},
    {"engine.cc_core.instructions", "Collective cores, instructions", kCount, kNeutral, kSum,
     "Instructions of the cores for collectives.", "", kNeuron, kNeuronFamily},

    {"hbm.read_bytes", "HBM read", kBytes, kLowerIsBetter, kSum, "Bytes that DMA reads from HBM.",
     "", kNeuron, kNeuronFamily},
    {"hbm.write_bytes", "HBM written", kBytes, kLowerIsBetter, kSum,
     "Bytes that DMA writes to HBM.", "", kNeuron, kNeuronFamily},
    {"sbuf.read_bytes", "SBUF read", kBytes, kNeutral, kSum,
     "Bytes that DMA and instructions read from the State Buffer.", "", kNeuron, kNeuronFamily},
    {"sbuf.write_bytes", "SBUF written", kBytes, kNeutral, kSum,
     "Bytes that DMA and instructions write to the State Buffer.", "", kNeuron, kNeuronFamily},
    {"psum.read_bytes", "PSUM read", kBytes, kNeutral, kSum,
     "Bytes that instructions read from PSUM.", "", kNeuron, kNeuronFamily},
    {"psum.write_bytes", "PSUM written", kBytes, kNeutral, kSum,
     "Bytes that instructions write to PSUM.", "", kNeuron, kNeuronFamily},
    {"psum.read_sbuf_write_bytes", "PSUM to SBUF", kBytes, kNeutral, kSum,
     "Bytes that instructions move from PSUM to the State Buffer.", "", kNeuron, kNeuronFamily},
    {"psum.read_sbuf_writes", "PSUM to SBUF, instructions", kCount, kNeutral, kSum,
     "Instructions that move data from PSUM to the State Buffer.", "", kNeuron, kNeuronFamily},
    {"spill.save_bytes", "Spilled", kBytes, kLowerIsBetter, kSum,
     "Bytes of intermediate tensors written to HBM because the State Buffer is full.", "", kNeuron,
     kNeuronFamily},
    {"spill.reload_bytes", "Reloaded", kBytes, kLowerIsBetter, kSum,
     "Bytes of spilled tensors that were read back.", "", kNeuron, kNeuronFamily},
    {"spill.reload_share", "Reloads in HBM reads", kShare, kLowerIsBetter, kRatio,
     "Reloaded bytes as a share of the bytes read from HBM.", "spill.reload_bytes / hbm.read_bytes",
     kNeuron, kNeuronFamily},
    {"spill.save_sbuf_share", "Spills in SBUF reads", kShare, kLowerIsBetter, kRatio,
     "Spilled bytes as a share of the bytes read from the State Buffer.",
     "spill.save_bytes / sbuf.read_bytes", kNeuron, kNeuronFamily},
    {"spill.reload_sbuf_share", "Reloads in SBUF writes", kShare, kLowerIsBetter, kRatio,
     "Reloaded bytes as a share of the bytes written to the State Buffer.",
     "spill.reload_bytes / sbuf.write_bytes", kNeuron, kNeuronFamily},
    {"hbm.useful_read_share", "Useful HBM reads", kShare, kHigherIsBetter, kRatio,
     "Share of the bytes read from HBM that are no reloads of spilled tensors.",
     "(hbm.read_bytes − spill.reload_bytes) / hbm.read_bytes", kNeuron, kNeuronFamily},
    {"neuron.weight_bytes", "Weights", kBytes, kNeutral, kOther,
     "Size of all weights of the model.", "", kNeuron, kNeuronFamily},
    {"neuron.inputs_and_weights_bytes", "Inputs and weights", kBytes, kNeutral, kOther,
     "Size of the input and weight tensors.", "", kNeuron, kNeuronFamily},
    {"neuron.inputs_outputs_weights_bytes", "Inputs, outputs and weights", kBytes, kNeutral, kOther,
     "Size of the input, output and weight tensors.", "", kNeuron, kNeuronFamily},

    {"dma.active_time", "DMA active", kTime, kNeutral, kSum,
     "Time in which at least one DMA packet moves; aggregated rows repeat packets and are left "
     "out.",
     "|U(packets)|", kNeuron, kNeuronFamily},
    {"dma.active_share", "DMA active, share", kShare, kNeutral, kRatio,
     "Share of the total time in which at least one DMA packet moves.",
     "dma.active_time / neuron.total_time", kNeuron, kNeuronFamily},
    {"dma.active_cycles", "DMA active, cycles", kCount, kNeutral, kSum,
     "Cycles of the NeuronCore in which at least one DMA packet moves.",
     "dma.active_time · base clock", kNeuron, kNeuronFamily},
    {"dma.packet_time", "DMA packet time", kTime, kNeutral, kSum,
     "Sum of the durations of all DMA packets; packets of several engines overlap.", "Σ duration",
     kNeuron, kNeuronFamily},
    {"dma.packets", "DMA packets", kCount, kLowerIsBetter, kSum,
     "DMA packets, duplicates and aggregated rows left out.", "", kNeuron, kNeuronFamily},
    {"dma.bytes", "DMA bytes", kBytes, kLowerIsBetter, kSum, "Bytes of all DMA packets.",
     "Σ transfer size", kNeuron, kNeuronFamily},
    {"dma.mean_bytes", "Mean DMA packet", kBytes, kHigherIsBetter, kRatio,
     "Bytes per DMA packet: small packets waste bandwidth.", "dma.bytes / dma.packets", kOurs,
     kNeuronFamily},
    {"dma.small_share", "Small DMA packets", kShare, kLowerIsBetter, kRatio,
     "Share of the DMA packets that move less than 512 bytes; those that only write a semaphore "
     "(at most 4 bytes) are left out.",
     "packets of 5 to 511 bytes / packets over 4 bytes", kOurs, kNeuronFamily},
    {"dma.transfers", "DMA transfers", kCount, kNeutral, kSum,
     "Transfers of tensors, each made of many packets; the profiler knows them of static DMA only.",
     "", kNeuron, kNeuronFamily},
    {"dma.transfer_time", "DMA transfer time", kTime, kNeutral, kSum,
     "Sum of the durations of DMA transfers.", "Σ duration", kNeuron, kNeuronFamily},
    {"dma.transfer_bytes", "DMA transfer bytes", kBytes, kNeutral, kSum,
     "Bytes of DMA transfers: a part of dma.bytes.", "Σ transfer size", kNeuron, kNeuronFamily},
    {"dma.transfer_mean_bytes", "Mean DMA transfer", kBytes, kHigherIsBetter, kRatio,
     "Bytes per DMA transfer.", "dma.transfer_bytes / dma.transfers", kNeuron, kNeuronFamily},
    {"dma.queues", "DMA queues", kCount, kNeutral, kOther, "DMA queues of the compiled model.", "",
     kNeuron, kNeuronFamily},
    {"dma.engines_used", "DMA engines used", kCount, kNeutral, kOther,
     "DMA engines that moved a packet, the most on one NeuronCore.", "", kOurs, kNeuronFamily},
    {"dma.engine_imbalance", "Imbalance of DMA engines", kNumber, kLowerIsBetter, kOther,
     "Bytes of the busiest DMA engine by the mean over the 16 of a NeuronCore.",
     "max(bytes) / mean(bytes)", kOurs, kNeuronFamily},
    {"dma.input_queue_bytes", "Input queue bytes", kBytes, kNeutral, kSum,
     "Bytes moved by queues for inputs.", "", kNeuron, kNeuronFamily},
    {"dma.output_queue_bytes", "Output queue bytes", kBytes, kNeutral, kSum,
     "Bytes moved by queues for outputs.", "", kNeuron, kNeuronFamily},
    {"dma.weight_queue_bytes", "Weight queue bytes", kBytes, kNeutral, kSum,
     "Bytes moved by queues for weights.", "", kNeuron, kNeuronFamily},

#define PROFGAUGE_DMA(id, name, what)                                                        \
  {"dma." id ".active_time",                                                                 \
   name " DMA active",                                                                       \
   kTime,                                                                                    \
   kNeutral,                                                                                 \
   kSum,                                                                                     \
   "Time in which at least one DMA packet moves that is " what ".",                          \
   "|U(packets)|",                                                                           \
   kNeuron,                                                                                  \
   kNeuronFamily},                                                                           \
      {"dma." id ".active_share",                                                            \
       name " DMA active, share",                                                            \
       kShare,                                                                               \
       kNeutral,                                                                             \
       kRatio,                                                                               \
       "Share of the DMA active time (not of the total time) in which such a packet moves.", \
       "dma." id ".active_time / dma.active_time",                                           \
       kNeuron,                                                                              \
       kNeuronFamily},                                                                       \
      {"dma." id ".packets",                                                                 \
       name " DMA packets",                                                                  \
       kCount,                                                                               \
       kNeutral,                                                                             \
       kSum,                                                                                 \
       "DMA packets that are " what ".",                                                     \
       "",                                                                                   \
       kNeuron,                                                                              \
       kNeuronFamily},                                                                       \
      {"dma." id ".packet_share",                                                            \
       name " DMA packets, share",                                                           \
       kShare,                                                                               \
       kNeutral,                                                                             \
       kRatio,                                                                               \
       "Share of the DMA packets that are " what ".",                                        \
       "",                                                                                   \
       kNeuron,                                                                              \
       kNeuronFamily},                                                                       \
      {"dma." id ".bytes",                                                                   \
       name " DMA bytes",                                                                    \
       kBytes,                                                                               \
       kNeutral,                                                                             \
       kSum,                                                                                 \
       "Bytes of the DMA packets that are " what ".",                                        \
       "Σ transfer size",                                                                    \
       kNeuron,                                                                              \
       kNeuronFamily},                                                                       \
  {                                                                                          \
    "dma." id ".byte_share", name " DMA bytes, share", kShare, kNeutral, kRatio,             \
        "Share of the DMA bytes in packets that are " what ".", "", kNeuron, kNeuronFamily   \
  }
    PROFGAUGE_DMA("static", "Static", "described by the compiler"),
    PROFGAUGE_DMA("dynamic", "Dynamic", "generated during the execution"),
    PROFGAUGE_DMA("software", "Software", "generated by the GpSimd Engine during the execution"),
    PROFGAUGE_DMA("hardware", "Hardware", "generated by dedicated hardware during the execution"),
#undef PROFGAUGE_DMA

    {"cc.ops", "Collectives", kCount, kNeutral, kSum, "Collective operations.", "", kNeuron,
     kNeuronFamily},
    {"cc.time", "Collective time", kTime, kLowerIsBetter, kSum,
     "Sum of the durations of collective operations.", "Σ duration", kNeuron, kNeuronFamily},
    {"cc.active_time", "Collectives active", kTime, kLowerIsBetter, kSum,
     "Time in which at least one collective operation is active.", "|U(operations)|", kNeuron,
     kNeuronFamily},
    {"cc.active_share", "Collectives active, share", kShare, kLowerIsBetter, kRatio,
     "Share of the total time in which at least one collective operation is active.",
     "cc.active_time / neuron.total_time", kNeuron, kNeuronFamily},
    {"cc.trigger_delay", "Collective start delay", kTime, kLowerIsBetter, kRatio,
     "Mean time from the trigger of a collective operation to its start.", "Σ delay / operations",
     kNeuron, kNeuronFamily},

    {"throttle.limited_time", "Throttled", kTime, kLowerIsBetter, kSum,
     "Time for which notifications limit the hardware to less than all of its cycles.",
     "Σ duration where k < n", kNeuron, kNeuronFamily},
    {"throttle.limited_share", "Throttled, share", kShare, kLowerIsBetter, kRatio,
     "Share of the total time in which the hardware is limited.",
     "throttle.limited_time / neuron.total_time", kNeuron, kNeuronFamily},
    {"throttle.tensor_limited_time", "Throttled while computing", kTime, kLowerIsBetter, kSum,
     "Of the throttled time, the part in which the Tensor Engine is active.",
     "|U(limited) ∩ U(Tensor Engine)|", kOurs, kNeuronFamily},
    {"throttle.tensor_limited_share", "Throttled while computing, share", kShare, kLowerIsBetter,
     kRatio, "Share of the Tensor Engine's active time in which the hardware is limited.",
     "throttle.tensor_limited_time / engine.tensor.active_time", kOurs, kNeuronFamily},
    {"throttle.utilization_limit", "Throttle limit", kShare, kHigherIsBetter, kRatio,
     "Mean share of the cycles that the hardware may use, over the time that notifications cover.",
     "Σ k/n · duration / Σ duration", kNeuron, kNeuronFamily},

    {"host.memory_peak", "Host memory, peak", kBytes, kLowerIsBetter, kMax,
     "Most memory of the host that was in use at a sample, by all programs.", "", kNeuron,
     kHostFamily},
    {"host.memory_peak_share", "Host memory, peak share", kShare, kLowerIsBetter, kMax,
     "The same as a share of the host's memory.", "", kNeuron, kHostFamily},
    {"host.cpu_mean", "Host CPUs, mean", kShare, kNeutral, kRatio,
     "Mean use of all CPUs of the host over the samples.", "", kNeuron, kHostFamily},
    {"host.cpu_busiest", "Host CPUs, busiest", kShare, kNeutral, kOther,
     "Mean use of the one CPU that is used most; near 1 a single thread may limit the run.", "",
     kNeuron, kHostFamily},
};

}  // namespace

std::span<const MetricSpec> NeuronMetrics() { return kNeuronMetrics; }

}  // namespace profgauge
