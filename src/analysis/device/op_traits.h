// Why an operator is slow: from its shape, its kernel and this device's limits.
//
// A row of the roofline gets a target: the expected time of the operator on this device. The target
// is the roofline time at the rates that the device reaches (analysis/device/op_limits.h), and at
// least the shortest time of its kernels. An operator that takes at least twice its target is slow,
// and its trait is the first property of its shape that explains this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/classify/eligibility.h"
#include "analysis/device/op_limits.h"
#include "analysis/flops/op_shape.h"
#include "base/units.h"

namespace profgauge::analysis::device {

/// All calls of one operator with the same inputs. Times are sums over the calls in seconds; -1
/// unknown. A plain struct, so that tests and summaries need no profile.
struct MeasuredOp {
  flops::OpShape shape;
  TiledKernel kernel;
  std::int64_t calls = 1;
  double kernels = 1;  ///< Kernels of all calls.
  double time = 0;
  double compute_time = -1, memory_time = -1;  ///< FLOPs / peak, bytes / bandwidth.
  double flops = 0, bytes = -1;
  double element_bytes = -1;  ///< Bytes per element of the first operand.
  std::string_view shapes;
  std::int32_t multiprocessors = -1;
  double reach = 1;                 ///< Achievable share of the peak.
  double least_time = 0;            ///< The shortest time of a kernel.
  std::int64_t single_experts = 0;  ///< For an expert's matmul: WorkPoint::single_experts.
  std::optional<classify::Misaligned> misaligned;  ///< Only for a matmul on matrix units.

  bool has_roof() const { return compute_time >= 0 && memory_time >= 0; }
  bool is_compute_bound() const { return compute_time > memory_time; }
};

/// Why an operator is slower than its roofline. Reports show the names; rules compare them.
enum class Trait : std::uint8_t {
  kUnknown,  ///< Unknown roofline, or unknown number of multiprocessors for its tiles.
  kNone,     ///< Not slow, or its shape shows no reason.
  kExperts,
  kFewTiles,
  kPartialTiles,
  kUnalignedLoads,
  kSkinny,
  kShortAttention,
  kPaddedHeads,
  kLargeHeads,
  kSlowAttention,  ///< Slow without another reason in this list.
  kSlowConvolution,
  kSlowElementwise,
};
/// "few tiles"; "none"; empty for kUnknown.
std::string_view TraitName(Trait trait);

/// The verdict on one row of the roofline. `trait` says why the operator is slow; kUnknown and
/// kNone give no reason, and experts have kExperts whether they are slow or not.
struct OpVerdict {
  OpTiles tiles;
  double target = -1;  ///< Seconds for all calls; -1 without a roofline.
  Trait trait = Trait::kUnknown;
  std::string text;  ///< Words after the operator's name in a sentence; empty without a trait.
  std::string form;  ///< For a convolution: "dilated (16 × 16)"; also for attention and experts.
};
/// Judges one row. The text may contain placeholders, e.g. `{{ device.core }}`. REQUIRES:
/// facts.time > 0 and calls >= 1 if the roofline is known.
OpVerdict JudgeOp(const MeasuredOp& facts);

}  // namespace profgauge::analysis::device
