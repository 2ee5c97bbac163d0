// The kind of a device event, by its name: whether it uses Tensor Cores (AMD: matrix cores), and
// whether it is communication, and of which kind.
//
// There are three verdicts, because a name often does not show it. "No" requires a rule for the
// kernel, or an operator that never multiplies matrices; everything else is unknown, and reported
// as such. The rules are data: analysis/classify/tensor_core_rules.h and
// analysis/classify/communication_rules.h.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/classify/collective.h"
#include "model/narrow_column.h"
#include "model/profile.h"

namespace profgauge::analysis::classify {

struct Knowledge;

/// A verdict that may be unknown: kUnknown counts neither for nor against a run.
enum class Tri : std::uint8_t { kNo, kYes, kUnknown };
std::string_view TriName(Tri tri);  ///< "no", "yes", "unknown"

/// Verdict on one device event.
struct KernelClass {
  Tri tensor_core = Tri::kNo;
  std::uint16_t rule = 0;  ///< The deciding rule; RuleName() gives its id. 0: none.
  bool collective =
      false;  ///< Whether it moves data between ranks (NCCL, DeepEP, one-shot all-reduce…).
  CollectiveKind kind = CollectiveKind::kOther;  ///< For a collective, by its name.
};

/// Verdicts on many events, by row. Few are distinct, so each needs only a byte or two. Rows are
/// added in order and never changed.
class KernelClasses {
 public:
  std::size_t size() const { return rows_.size(); }
  /// O(1). REQUIRES: row < size().
  const KernelClass& operator[](std::size_t row) const { return distinct_[rows_[row]]; }
  void Reserve(std::size_t rows) { rows_.reserve(rows); }
  void Add(const KernelClass& verdict);

 private:
  std::vector<KernelClass> distinct_;
  NarrowColumn<std::uint32_t> rows_;                                 // Indices in distinct_.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers_;  // By their contents.
};

/// One verdict per row of DeviceTable. Copies and memsets have {kNo, 0, false}.
///
/// Besides the name: events with a recorded collective or process group are communication, and so
/// are unrecognized kernels launched directly by a communicating operator. A chip without Tensor
/// Cores (compute capability below 7.0, GTX 16xx) never has a "yes", nor has FP8 below 8.9 or FP4
/// below 10.0. An unrecognized kernel is unknown if its operator is eligible or its name was lost,
/// and so are graphs recorded as one event. Triton's matmuls are "yes" under an eligible operator
/// with an input type below 32 bits for which the chip has Tensor Cores. Names and chips in
/// `knowledge` (analysis/classify/knowledge.h) count like built-in ones.
KernelClasses ClassifyDevice(const Profile& profile);
/// Like the function above, with a project's additions. `knowledge` is not stored. O(rows), plus
/// all patterns once per distinct name and kind of chip.
KernelClasses ClassifyDevice(const Profile& profile, const Knowledge& knowledge);

/// Whether the GPU with this id in `gpus` can have Tensor Cores or matrix cores; unknown chips can.
/// If the id is not listed, the first GPU is used. REQUIRES: `gpus` are sorted by id.
bool MayHaveTensorCores(const Profile& profile, std::span<const Gpu> gpus, std::int32_t gpu);

/// The id of a rule, e.g. "nvjet"; "no rule" for 0; "own" for a project's rules.
std::string_view RuleName(std::uint16_t rule);
/// Like RuleName(rule), with the ids of a project's own rules; "own" if `knowledge` does not match
/// the verdict.
std::string_view RuleName(std::uint16_t rule, const Knowledge& knowledge);
/// Whether the rule is for matmuls, convolutions or attention, and not for their helpers. A
/// project's rules are, except those that decide "no". False without a rule.
bool IsMatrixRule(const KernelClass& verdict);
/// Whether a kernel is work for Tensor Cores independent of its operator: it has a matrix rule, and
/// its name does not indicate FP64, for which few chips have them.
bool IsEligibleKernel(const KernelClass& verdict, std::string_view kernel_name);

/// Whether an operator with this name could use Tensor Cores with a suitable data type and shape.
/// The list is the plug-in's, without matrix-vector and elementwise operators, which never do. It
/// adds attention, scaled and integer matmuls, recurrent layers and their backward nodes, with
/// names of PyTorch, TensorFlow, XLA, JAX and Ascend's CANN. The pattern has hundreds of names, so
/// cache the result by name (name_memo.h). Thread-safe.
bool IsEligibleOp(std::string_view op_name);

}  // namespace profgauge::analysis::classify
