// Columns that several tables of AWS Neuron profiles have. Times count from the start of the
// profile.
#pragma once

#include "analysis/tables/shared_columns.h"

namespace profgauge::analysis::tables::columns {

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

}  // namespace profgauge::analysis::tables::columns
