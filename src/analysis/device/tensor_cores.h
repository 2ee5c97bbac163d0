// Tensor Core efficiency, and which kernel time counts as eligible for it. Whether one kernel uses
// them is classify/kernel_class.h's question, whether one operator could is
// classify/eligibility.h's; here times are added up and their uncertainty is carried into the
// metrics.
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

/// Per row of DeviceTable: whether its time is in an operator that could use Tensor Cores. Yes for
/// kernels of eligible operators and for every kernel that uses Tensor Cores (else efficiency could
/// exceed 100 %); without a recorded operator a kernel counts when its name speaks of a matrix
/// product, and is unknown otherwise. So is a kernel that no rule knows under an operator that is
/// neither a listed product nor PyTorch's own, and a graph that was recorded whole. Copies, sets
/// and collectives never count, nor FP64 where no GPU has Tensor Cores for it.
std::vector<classify::Tri> EligibleKernels(const Profile& profile,
                                           const classify::KernelClasses& classes);

/// GPU time of kernels in the selected iterations, ns. Kernels that overlap count each.
struct TensorCoreTimes {
  Ns kernels = 0, tensor_core = 0, undecided = 0;
  Ns eligible = 0, eligible_tensor_core = 0, eligible_undecided = 0;
  Ns unknown = 0;       ///< Time of kernels that no rule knows, launched by no known operator.
  Ns whole_graphs = 0;  ///< Part of `unknown` only: graphs recorded whole.
};

/// The calls of an eligible operator with the same shapes and types. Texts are those of the
/// profile, or of the summaries.
struct EligibleOp {
  std::string_view name, shapes, dtypes;
  std::int32_t gpu = -1;  ///< The GPU of the first kernel.
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  classify::Tri uses = classify::Tri::kNo;
  std::int64_t read_at_once = 0;    ///< Least AlignmentInName() of its kernels; 0: none says.
  std::vector<std::uint32_t> work;  ///< Rows of the rank's device table; not to be kept.
};

/// For one rank.
struct TensorCoreFacts {
  TensorCoreTimes times;
  bool any_tensor_cores = false;  ///< Some GPU has them, or none is known.
  bool has_device = false;
  std::vector<EligibleOp> ops;
  std::size_t device_rows = 0;  ///< Number of device rows in its profile; 0 without it.
};
/// The sums of one rank over its selected iterations. Texts are views into the profile. O(rows).
TensorCoreFacts TensorCoreFactsOf(const iterations::RankContext& rank);

/// Sets tensor_core.* and adds the table tensor_core_ops. Over all ranks: sums of GPU time.
/// Only devices and knowledge of the contexts are used. Undecided kernels make a range: the metric
/// is its lower end, with Knowledge::undecided_use_tensor_cores its upper end. REQUIRES: `ranks` is
/// not empty.
void AddTensorCores(std::span<const iterations::RankContext> ranks,
                    std::span<const TensorCoreFacts> facts, catalog::Output& out);

}  // namespace profgauge::analysis::device
