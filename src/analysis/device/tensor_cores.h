// Tensor Core efficiency, and the kernel time that is eligible for Tensor Cores.
// classify/kernel_class.h decides whether a kernel uses them, classify/eligibility.h whether an
// operator could. Here times are summed, and their uncertainty is passed on to the metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// Returns for each row of DeviceTable whether its time is in an operator that could use Tensor
/// Cores. Yes for kernels of eligible operators, and for every kernel that uses Tensor Cores
/// (otherwise efficiency could exceed 100 %). Without a recorded operator: yes if the kernel's name
/// indicates a matmul, else unknown. Unknown for unrecognized kernels of operators that are neither
/// listed nor PyTorch's own, and for graphs recorded as one event. No for copies, memsets,
/// collectives, and FP64 if no GPU has Tensor Cores for it.
std::vector<classify::Tri> EligibleKernels(const Profile& profile,
                                           const classify::KernelClasses& classes);

/// GPU time of kernels in the selected iterations, ns. Overlapping kernels count separately.
struct TensorCoreTimes {
  Ns kernels = 0, tensor_core = 0, undecided = 0;
  Ns eligible = 0, eligible_tensor_core = 0, eligible_undecided = 0;
  Ns unknown = 0;       ///< Time of unrecognized kernels without a known operator.
  Ns whole_graphs = 0;  ///< The part of `unknown` in graphs recorded as one event.
};

/// The calls of an eligible operator with equal shapes and types. Texts are views into the profile
/// or the summaries.
struct EligibleOp {
  std::string_view name, shapes, dtypes;
  std::int32_t gpu = -1;  ///< The GPU of the first kernel.
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  classify::Tri uses = classify::Tri::kNo;
  std::int64_t read_at_once = 0;    ///< Smallest AlignmentInName() of its kernels; 0: unknown.
  std::vector<std::uint32_t> work;  ///< Rows of the rank's device table; not stored.
};

/// Tensor Core data of one rank.
struct TensorCoreFacts {
  TensorCoreTimes times;
  bool any_tensor_cores = false;  ///< Whether a GPU has them, or none is known.
  bool has_device = false;
  std::vector<EligibleOp> ops;
  std::size_t device_rows = 0;  ///< Number of device rows in its profile; 0 without it.
};
/// Computes the data over the rank's selected iterations. Texts are views into the profile.
/// O(rows).
TensorCoreFacts TensorCoreFactsOf(const iterations::RankContext& rank);

/// Sets tensor_core.* and adds the table tensor_core_ops, from sums of GPU time over all ranks.
/// Uses only devices and knowledge of the contexts. Undecided kernels make a range: the metric is
/// its lower end, or its upper end with Knowledge::undecided_use_tensor_cores. REQUIRES: `ranks` is
/// not empty.
void AddTensorCores(std::span<const iterations::RankContext> ranks,
                    std::span<const TensorCoreFacts> facts, catalog::Output& out);

}  // namespace profgauge::analysis::device
