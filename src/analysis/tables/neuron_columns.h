// Columns of the tables of AWS Neuron profiles about the work of engines. Filled by the room
// neuron, `engine_regions` also by time/marks.cc. Engines run side by side: their active times add
// up to more than the time of the core.
#pragma once

#include "analysis/tables/neuron_shared_columns.h"

namespace profgauge::analysis::tables::columns {

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
    {"text", "Source", kText, "The line itself, with --source-root."},
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

}  // namespace profgauge::analysis::tables::columns
