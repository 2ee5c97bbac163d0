// Columns of the tables of AWS Neuron profiles about moved and stored data, and
// the file's data about itself. Filled by the room neuron.
#pragma once

#include "analysis/tables/neuron_shared_columns.h"

namespace profgauge::analysis::tables::columns {

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

}  // namespace profgauge::analysis::tables::columns
