// Columns of the tables that compare work with the device's peaks, and of memory. Filled by
// analysis/device/: tensor_cores.cc, roofline.cc and device_tables.cc.
#pragma once

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis::catalog::columns {

// Rows are sorted by time, longest first. Columns from `dimension` on are only set if a dimension
// is not aligned, for any verdict: operators that use Tensor Cores may still load slowly.
inline constexpr ColumnSpec kTensorCoreOps[] = {
    {"name", "Operator", kText, "Operator that could use {{ device.matrix_units }}."},
    {"input_shapes", "Input shapes", kText, "Shapes of the inputs, where recorded."},
    {"dtype", "Type", kText, "Data type of the matmul's inputs, where recorded."},
    {"verdict", "Verdict", kText,
     "using; eligible_dtype: the type has no {{ device.matrix_unit }} on this chip or has them "
     "switched off; eligible_shape: a dimension is not aligned; eligible_unused: all fine and "
     "still not used; unknown."},
    kCalls,
    kKernelTime,
    {"tensor_core_time", "{{ device.matrix_unit }} time", kTime,
     "Time of kernels that use {{ device.matrix_units }}."},
    {"dimension", "Dimension", kText,
     "The dimension that is not aligned: K, N, C_in or C_out, or M of a factor that is "
     "transposed."},
    {"size", "Size", kCount, "Its size."},
    {"aligned_size", "Aligned size", kCount, "The next size that is aligned."},
    {"padding_overhead", "Padding overhead", kShare, "Work that padding to it would add."},
};

// Rows are sorted by time, longest first. Sizes and tiles are of one call; times, FLOPs, bytes and
// targets are sums over all calls. `achieved`, `mfu` and `roof_share` refer to the kernels' time.
inline constexpr ColumnSpec kRoofline[] = {
    {"name", "Operator", kText, "Operator: the outermost one whose work is known."},
    {"input_shapes", "Input shapes", kText, "Shapes of the inputs."},
    {"dtype", "Type", kText, "Element type of its first operand."},
    {"gpu_name", "{{ device.device }}", kText,
     "Product name of the {{ device.device }}, where recorded."},
    kCalls,
    {"time", "Time", kTime, "Time of the kernels launched in it."},
    {"flops", "FLOPs", kFlops, "Floating-point operations, from shapes."},
    {"bytes", "Bytes", kBytes, "Minimum bytes to move, from shapes."},
    {"intensity", "FLOPs per byte", kNumber, "Arithmetic intensity: FLOPs / bytes."},
    {"achieved", "Achieved", kFlopRate, "FLOPs / time."},
    {"peak", "Peak", kFlopRate,
     "The {{ device.device }}'s dense peak: of the type's {{ device.matrix_units }} for matmuls, "
     "else of the vector units."},
    {"mfu", "% of peak", kShare,
     "Achieved / peak. Above 100 %, the kernels need fewer operations than are counted."},
    {"achieved_bandwidth", "Bandwidth", kBandwidth, "Bytes / time."},
    {"bandwidth_share", "% of bandwidth", kShare,
     "Bandwidth / the {{ device.device }}'s memory bandwidth."},
    {"bound", "Bound", kText,
     "compute or memory: which of FLOPs / peak and bytes / bandwidth is longer."},
    {"roof_share", "% of roofline", kShare,
     "The longer of the two divided by the time: 100 % is the roofline. Above it, the kernels do "
     "less than is counted: data stays in caches, or an algorithm such as Winograd's needs fewer "
     "operations than the direct convolution whose FLOPs are counted."},
    {"values", "Arguments", kText,
     "Arguments of convolutions and attention that are no tensors, as recorded."},
    {"kernel", "Longest kernel", kText, "The kernel with most of its time."},
    {"kind", "Kind", kText,
     "product, convolution, attention, experts, elementwise or reduction; absent for others."},
    {"batch", "Matmuls", kCount,
     "Matmuls of [m, k] by [k, n] that it is; a convolution is one for each group."},
    {"m", "m", kCount, "Rows of its matmul; of a convolution, places of the result."},
    {"n", "n", kCount, "Columns of its matmul; of a convolution, output channels of a group."},
    {"k", "k", kCount,
     "Inner size of its matmul; of a convolution, input channels of a group by filter size."},
    {"tile", "Tile", kText, "n and m that a block computes, by the kernel's name."},
    {"tiles", "Tiles", kCount, "Tiles by parts of k, or the grid where no tile is known."},
    {"wave_use", "Use of waves", kShare,
     "Tiles by the places of the waves that they take, one per {{ device.core }}."},
    {"tile_use", "Use of tiles", kShare, "m by n, by the area of the tiles: the rest is padding."},
    {"reach", "Reach", kShare,
     "Share of the peak that this {{ device.device }} reaches: of the best matmul of its type, or "
     "the usual one of its maker."},
    {"target", "Target", kTime,
     "Time that it should take: its roof by the reach (80 % of the memory bandwidth), and at least "
     "the shortest time of its kernels."},
    {"matrix_target", "Target on {{ device.matrix_units }}", kTime,
     "Time that a matmul without {{ device.matrix_units }} should take on them: in "
     "{{ device.fast_fp32 }} where the {{ device.device }} has it, else in 16 bits."},
    {"form", "Form", kText, "Special features of a convolution."},
    {"trait", "Trait", kText,
     "Why it takes twice its target: few tiles, partial tiles, unaligned loads, skinny, short "
     "attention, padded heads, large heads, slow attention, slow convolution, slow elementwise; "
     "experts, slow or not; else none."},
    {"trait_text", "Cause", kText, "The trait in words, after the operator's name."},
};

inline constexpr ColumnSpec kMemoryOps[] = {
    {"device", "Device", kText, "CPU or {{ device.device }} with its number."},
    kRank,
    {"name", "Operator", kText, "Operator."},
    kCalls,
    {"increase", "Size increase", kBytes,
     "Bytes allocated less bytes released, children included."},
    {"self_increase", "Self size increase", kBytes, "The same without children."},
    {"allocations", "Allocations", kCount, "Allocations, children included."},
    {"self_allocations", "Self allocations", kCount, "Allocations without children's."},
    {"allocated", "Allocation size", kBytes, "Bytes allocated, children included."},
    {"self_allocated", "Self allocation size", kBytes, "Bytes allocated without children's."},
};

// Blocks sorted by their first event; `allocated_at` is absent for blocks allocated before the
// profile, `released_at` for those released after it.
inline constexpr ColumnSpec kMemoryEvents[] = {
    {"device", "Device", kText, "CPU or {{ device.device }} with its number."},
    kRank,
    {"op", "Operator", kText,
     "Operator that allocated the block, or that released an earlier one."},
    {"bytes", "Size", kBytes, "Bytes of the block."},
    {"allocated_at", "Allocated at", kTime,
     "Time of the allocation, from the start of the profile."},
    {"released_at", "Released at", kTime, "Time of the release, from the start of the profile."},
    {"duration", "Lifetime", kTime, "Time between the two."},
};

inline constexpr ColumnSpec kMemoryCurve[] = {
    {"device", "Device", kText, "CPU or {{ device.device }} with its number."},
    kRank,
    {"time", "Time", kTime, "From the start of the profile."},
    {"allocated", "Allocated", kBytes, "Bytes allocated."},
    {"reserved", "Reserved", kBytes, "Bytes reserved by the allocator."},
};

}  // namespace profgauge::analysis::catalog::columns
