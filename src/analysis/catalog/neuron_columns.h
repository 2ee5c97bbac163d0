// Columns common to several tables of AWS Neuron profiles. Times count from the start of the
// profile.
#pragma once

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis::catalog::columns {

inline constexpr ColumnSpec kCore = {"core", "Core", kCount,
                                     "Physical NeuronCore of the rank, from 0."};
inline constexpr ColumnSpec kEngine = {"engine", "Engine", kText,
                                       "tensor, vector, scalar, gpsimd or sync."};
inline constexpr ColumnSpec kInstructions = {"instructions", "Instructions", kCount,
                                             "Instructions."};
inline constexpr ColumnSpec kInstructionTime = {"instruction_time", "Instruction time", kTime,
                                                "Sum of the durations, semaphore waits left out."};
inline constexpr ColumnSpec kActiveTime = {
    "active_time", "Active", kTime,
    "Time in which at least one of them executes, semaphore waits left out."};
inline constexpr ColumnSpec kWaitTime = {"wait_time", "Waits", kTime,
                                         "Sum of the semaphore waits; they overlap."};
inline constexpr ColumnSpec kStart = {"start", "Start", kTime, "Start."};
inline constexpr ColumnSpec kDuration = {"duration", "Duration", kTime, "Length."};
inline constexpr ColumnSpec kHardwareFlops = {
    "flops", "Hardware FLOPs", kFlops,
    "FLOPs of its Tensor Engine instructions, transposes included."};
inline constexpr ColumnSpec kHbmRead = {"hbm_read", "HBM read", kBytes, "Bytes read from HBM."};
inline constexpr ColumnSpec kHbmWrite = {"hbm_write", "HBM written", kBytes,
                                         "Bytes written to HBM."};

inline constexpr ColumnSpec kTraffic[] = {
    kHbmRead,
    kHbmWrite,
    {"sbuf_read", "SBUF read", kBytes, "Bytes read from SBUF."},
    {"sbuf_write", "SBUF written", kBytes, "Bytes written to SBUF."},
    {"psum_read", "PSUM read", kBytes, "Bytes read from PSUM."},
    {"psum_write", "PSUM written", kBytes, "Bytes written to PSUM."},
    {"spill_save", "Spilled", kBytes, "Bytes spilled to HBM."},
    {"spill_reload", "Reloaded", kBytes, "Bytes of spilled tensors read back."},
};

inline constexpr ColumnSpec kActiveByEngine[] = {
    {"tensor_active", "Tensor active", kTime, "Active time of the Tensor Engine in it."},
    {"vector_active", "Vector active", kTime, "Active time of the Vector Engine in it."},
    {"scalar_active", "Scalar active", kTime, "Active time of the Scalar Engine in it."},
    {"gpsimd_active", "GpSimd active", kTime, "Active time of the GpSimd Engine in it."},
    {"sync_active", "Sync active", kTime, "Active time of the Sync Engine in it."},
};

// Columns of the tables of AWS Neuron profiles on the work of engines. Filled by analysis/neuron/,
// `engine_regions` also by breakdown/marks.cc. Engines run in parallel, so their active times may
// add up to more than the core's time.

inline constexpr ColumnSpec kEngines[] = {
    kRank,
    kCore,
    {"name", "Engine", kText, "tensor, vector, scalar, gpsimd or sync."},
    kInstructions,
    kInstructionTime,
    kActiveTime,
    {"active_share", "Active, share", kShare, "Active time by the total time."},
    kWaitTime,
    {"setup_time", "Set-up", kTime,
     "Instruction time of set-up, tear-down and synchronization, such as DRAIN, WRITE and NOP."},
    {"median_time", "Median", kTime, "Median duration, semaphore waits left out."},
    {"nki_share", "With source", kShare,
     "Share of the instructions that name a line of NKI source; absent when none does."},
    kHardwareFlops,
};

inline constexpr ColumnSpec kCores[] = {
    kRank,
    {"id", "Core", kCount, "Physical NeuronCore of the rank, from 0."},
    kInstructions,
    {"tensor_active", "Tensor active", kTime, "Active time of the Tensor Engine."},
    {"vector_active", "Vector active", kTime, "Active time of the Vector Engine."},
    {"scalar_active", "Scalar active", kTime, "Active time of the Scalar Engine."},
    {"gpsimd_active", "GpSimd active", kTime, "Active time of the GpSimd Engine."},
    {"sync_active", "Sync active", kTime, "Active time of the Sync Engine."},
    {"dma_active", "DMA active", kTime, "Time in which a DMA packet moves."},
    {"active_time", "Active", kTime, "Time in which any of them is active."},
};

inline constexpr ColumnSpec kOpcodes[] = {
    kRank,
    kEngine,
    {"opcode", "Opcode", kText, "Instruction as recorded."},
    kInstructions,
    kInstructionTime,
    kActiveTime,
    {"mean", "Mean", kTime, "Instruction time / instructions."},
    kWaitTime,
    kHardwareFlops};

inline constexpr auto kLayers = Join(
    kTree,
    {
        kRank,
        {"name", "Operator", kText,
         "Layer, operator of the graph, or opcode: last part of the path."},
        {"kind", "Kind", kText, "layer, hlo or opcode."},
        kActiveTime,
        kInstructions,
        {"mfu", "MFU", kShare,
         "As the file states it of the layer; else the FLOPs of its instructions without "
         "transposes, by the peak of its duration."},
        {"hfu", "HFU", kShare,
         "As the file states it of the layer; else hardware FLOPs by the peak of its duration."},
        kHardwareFlops,
        {"model_flops", "Model FLOPs", kFlops, "Useful FLOPs, where the file states them."},
        {"transpose_flops", "Transpose FLOPs", kFlops, "FLOPs of transposes."},
        {"bytes", "Bytes moved", kBytes, "Bytes read from and written to HBM."},
    },
    kTraffic, kActiveByEngine,
    {
        kWaitTime,
        kStart,
        kDuration,
        {"path", "Path", kText,
         "Layers from the outermost, then the operator of the graph, then the opcode."},
    });

inline constexpr auto kEngineRegions = Join(
    {
        kRank,
        {"from", "From", kText, "Mark where it begins."},
        {"to", "To", kText, "Mark where it ends."},
        kStart,
        kDuration,
        {"active_time", "Active", kTime, "Time in which an engine, DMA or a collective is active."},
        {"mfu", "MFU", kShare, "FLOPs of its instructions without transposes, by the peak."},
        {"hfu", "HFU", kShare, "FLOPs of its instructions, by the peak."},
        {"mbu", "MBU", kShare, "Bytes moved to and from HBM, by its bandwidth."},
        kInstructions,
    },
    kActiveByEngine,
    {
        kWaitTime,
        kHardwareFlops,
        kHbmRead,
        kHbmWrite,
        {"dma_active", "DMA active", kTime, "Time in which a DMA packet moves."},
        {"dma_packets", "DMA packets", kCount, "DMA packets that start in it."},
        {"dma_bytes", "DMA bytes", kBytes, "Bytes of these packets."},
        {"cc_active", "Collectives active", kTime, "Time in which a collective is active."},
    });

inline constexpr auto kInstructionRows = Join(
    {
        kRank,
        kCore,
        kEngine,
        {"track", "Track", kText, "Row of the timeline; TensorMatrix: matmuls."},
        {"opcode", "Opcode", kText, "Instruction as recorded."},
        kStart,
        kDuration,
        kWaitTime,
        {"layer", "Layer", kText, "Path of layers; empty outside of layers."},
        {"hlo", "Graph operator", kText, "Operator of the compiled graph."},
        {"operands", "Operands", kText, "Operands as recorded."},
        {"source", "Source", kText, "Line of source, where recorded."},
        {"pc", "PC", kCount, "Program counter."},
        {"id", "Id", kText, "Id in the file (64 bits)."},
        {"type", "Type", kText, "REGULAR or TRANSPOSE (matmuls only)."},
        kHardwareFlops,
    },
    kTraffic,
    {
        {"predecessors", "Depends on", kCount, "Instructions that it depends on."},
    });

inline constexpr ColumnSpec kWaits[] = {
    kRank,
    kEngine,
    {"opcode", "Opcode", kText, "Instruction that waited."},
    {"semaphore", "Waits for", kText, "Semaphore in its operands, with the queue where named."},
    {"on_dma", "On DMA", kBool, "Whether that semaphore belongs to a DMA queue."},
    {"source", "Source", kText, "Line of source, where recorded."},
    {"count", "Waits", kCount, "Instructions that waited."},
    {"time", "Time", kTime, "Sum of their waits; they overlap."},
    {"longest", "Longest", kTime, "Longest wait."},
};

inline constexpr ColumnSpec kSourceLines[] = {
    kRank,
    {"file", "File", kText, "Source file."},
    {"line", "Line", kCount,
     "Line. In the page a click on it finds its instructions on the timeline, with Ctrl together "
     "with those of other lines; a second click opens it."},
    {"text", "Source", kText,
     "The line itself, with --source-root; then lines without instructions are rows, too."},
    kInstructions,
    kInstructionTime,
    kActiveTime,
    kWaitTime,
    kHardwareFlops,
    kHbmRead,
    kHbmWrite,
    {"engines", "Engines", kText, "Engines that execute it."},
};

inline constexpr ColumnSpec kSourceFiles[] = {
    kRank,
    {"file", "File", kText, "Source file."},
    {"lines", "Lines", kCount, "Lines that instructions name."},
    kInstructions,
    kInstructionTime,
    kWaitTime,
    kHardwareFlops,
    kHbmRead,
    kHbmWrite,
};

inline constexpr ColumnSpec kFlopsParts[] = {
    kRank,
    {"name", "Part", kText,
     "model; transpose; other (moved by matmuls); active_unused; active_throttled; "
     "unused_throttled; idle."},
    {"time", "Time", kTime, "As time of the Tensor Engine at its peak; they add up to the total."},
    {"share", "Share", kShare, "Share of the Tensor Engine's peak over the total time."},
};

inline constexpr ColumnSpec kThrottles[] = {
    kRank,
    kCore,
    {"type", "Cause", kText, "activity_0 to 3, gpio, sw, periodic or unknown."},
    {"notifications", "Notifications", kCount, "Notifications."},
    {"covered_time", "Covered", kTime, "Time that they cover."},
    {"limited_time", "Limited", kTime, "Time limited to less than all cycles."},
    {"limit", "Mean limit", kShare, "Mean share of the cycles allowed, over the covered time."},
};

// Columns of the tables of AWS Neuron profiles on moved and stored data, and on the file itself.
// Filled by analysis/neuron/.

inline constexpr ColumnSpec kPackets = {"packets", "Packets", kCount, "DMA packets."};
inline constexpr ColumnSpec kPacketBytes = {"bytes", "Bytes", kBytes, "Bytes moved by packets."};
inline constexpr ColumnSpec kPacketTime = {"time", "Packet time", kTime, "Sum of the durations."};
inline constexpr ColumnSpec kPacketActive = {"active_time", "Active", kTime,
                                             "Time in which at least one packet moves."};
inline constexpr ColumnSpec kPacketMean = {"mean_bytes", "Mean packet", kBytes, "Bytes / packets."};

inline constexpr ColumnSpec kDmaQueues[] = {
    kRank,
    {"name", "Queue", kText, "Queue without the number of its DMA engine."},
    {"type", "Type", kText,
     "instruction, input, output, data (weights), software_dynamic, hardware_dynamic or unknown."},
    {"engines", "DMA engines", kCount, "DMA engines that it used."},
    kPackets,
    kPacketBytes,
    kPacketTime,
    kPacketActive,
    kPacketMean,
    {"small", "Small packets", kCount, "Packets of 5 to 511 bytes."},
};

inline constexpr ColumnSpec kDmaEngines[] = {
    kRank,
    kCore,
    {"name", "DMA engine", kCount, "Number of the DMA engine."},
    kPackets,
    kPacketBytes,
    kPacketTime,
    kPacketActive,
    {"active_share", "Active, share", kShare, "Active time by the total time."},
    {"byte_share", "Share of bytes", kShare, "Share of the bytes of the NeuronCore."}};

inline constexpr ColumnSpec kDmaTransfers[] = {
    kRank,
    {"variable", "Tensor", kText, "Tensor that is moved, where recorded."},
    {"queue", "Queue", kText, "Queue."},
    {"type", "Type", kText, "Type of the queue."},
    {"from", "From", kText, "Where the bytes come from."},
    {"to", "To", kText, "Where the bytes go."},
    kStart,
    kDuration,
    {"bytes", "Bytes", kBytes, "Bytes moved."},
    kPackets,
    {"bandwidth", "Bandwidth", kBandwidth, "Bytes / duration."},
};

inline constexpr ColumnSpec kSemaphores[] = {
    kRank,
    kCore,
    {"name", "Semaphore", kText, "Number of the semaphore, with the queue that it serves."},
    {"updates", "Updates", kCount, "Changes of its value."},
    {"first", "First", kTime, "Time of the first change."},
    {"last", "Last", kTime, "Time of the last change."},
    {"highest", "Highest", kCount, "Highest value."},
};

inline constexpr ColumnSpec kTensors[] = {
    kRank,
    {"name", "Tensor", kText, "Name in the compiled model."},
    {"type", "Type", kText, "IN, OUT or WEIGHT."},
    {"format", "Format", kText, "Order of the dimensions."},
    {"shape", "Shape", kText, "Dimensions."},
    {"bytes", "Size", kBytes, "Size."},
    {"loads", "Loads", kCount, "DMA transfers that load it into SBUF."},
    {"load_bytes", "Loaded", kBytes, "Bytes of these loads."},
    {"mean_load_bytes", "Mean load", kBytes, "Bytes of a load."},
    {"reload_factor", "Reload factor", kNumber, "How often it is loaded: loaded bytes / size."},
};

inline constexpr ColumnSpec kSbufAllocations[] = {
    kRank,
    kCore,
    {"tensor", "Tensor", kText, "Tensor or variable in it, where recorded."},
    {"source", "By", kText, "Occupying instruction or DMA, as recorded."},
    {"partition", "Partition", kCount, "Partition of SBUF: 0, 32, 64 or 96."},
    {"address", "Address", kCount, "Address of the first byte."},
    {"bytes", "Size", kBytes, "Bytes from the first address to the last."},
    {"start", "Start", kTime, "When it becomes occupied."},
    {"end", "End", kTime, "When it becomes free."},
    {"duration", "Duration", kTime, "How long it is occupied."},
    {"hlo", "Graph operator", kText, "Operator of the compiled graph."},
    {"opcode", "Opcode", kText, "Instruction that occupied it."},
    {"queue", "Queue", kText, "DMA queue that occupied it."},
};

inline constexpr ColumnSpec kCcOps[] = {
    kRank,
    {"name", "Collective", kText, "Operation as recorded."},
    {"algorithm", "Algorithm", kText, "Algorithm, where recorded."},
    {"dtype", "Type", kText, "Data type, where recorded."},
    {"group", "Group", kText, "Replica group, where recorded."},
    {"input_bytes", "Input", kBytes, "Bytes of the input of one operation."},
    {"calls", "Calls", kCount, "Operations."},
    {"time", "Time", kTime, "Sum of the durations."},
    {"mean", "Mean", kTime, "Time / calls."},
    {"median", "Median", kTime, "Median duration."},
    {"max", "Longest", kTime, "Longest duration."},
    {"bandwidth", "Algorithm bandwidth", kBandwidth, "Mean, as recorded."},
    {"bus_bandwidth", "Bus bandwidth", kBandwidth, "Mean, as recorded."},
    {"trigger_delay", "Start delay", kTime, "Mean time from the trigger to the start."},
};

inline constexpr ColumnSpec kHbmUsage[] = {
    kRank,
    {"device", "Device", kCount, "Neuron device."},
    {"core", "Core", kCount, "NeuronCore of the device."},
    {"name", "Use", kText, "Content of the memory."},
    {"bytes", "Bytes", kBytes, "Bytes of HBM."},
};

inline constexpr ColumnSpec kCounterCurves[] = {
    kRank,
    kCore,
    {"name", "Curve", kText, "dma_throughput, hbm_throughput, pending_dma, sbuf or psum."},
    {"time", "Time", kTime, "From the start of the profile."},
    {"value", "Value", kNumber, "Bytes per second, count, or share 0..1 of the memory."},
};

inline constexpr ColumnSpec kMemoryPeaks[] = {
    kRank,
    kCore,
    {"name", "Memory", kText, "SBUF or PSUM."},
    {"peak", "Peak", kShare, "Highest share in use."},
    {"peak_at", "At", kTime, "When it was highest first."},
    {"mean", "Mean", kShare, "Mean over time, from the first to the last point."},
};

inline constexpr ColumnSpec kIdentities[] = {
    kRank,
    {"name", "Identity", kText, "Compared quantity."},
    {"computed", "From the rows", kNumber, "Value from the rows of the file, in base units."},
    {"stated", "Stated", kNumber, "Value that the file's summary states, in base units."},
    {"deviation", "Deviation", kShare, "|computed − stated| / stated."},
    {"holds", "Holds", kBool, "Whether the deviation is at most 1 %."},
};

inline constexpr ColumnSpec kProfilerWarnings[] = {
    kRank,
    {"category", "Category", kText, "Category, as written by the profiler."},
    {"message", "Message", kText, "Message, as written by the profiler."},
};

inline constexpr ColumnSpec kDeviceErrors[] = {
    kRank,
    kCore,
    {"time", "Time", kTime, "From the start of the profile."},
    {"type", "Type", kText, "Errors, Warnings or Custom Notification."},
    {"message", "Message", kText, "Description."},
};

}  // namespace profgauge::analysis::catalog::columns
