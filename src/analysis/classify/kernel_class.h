// The kind of a device event, by its name: on Tensor Cores (AMD: matrix cores) or not, and
// whether it is communication, and of which kind.
//
// The verdict has three values because a name often does not show it. "No" is given only where a
// rule knows the kernel, or where the operator that launched it never multiplies matrices;
// everything else is unknown, and shown as such. The rules are data:
// analysis/classify/tensor_core_rules.h and analysis/classify/communication_rules.h.
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

/// A verdict that may be missing. kUnknown counts neither for nor against a run.
enum class Tri : std::uint8_t { kNo, kYes, kUnknown };
std::string_view TriName(Tri tri);  ///< "no", "yes", "unknown"

/// Verdict on one device event.
struct KernelClass {
  Tri tensor_core = Tri::kNo;
  std::uint16_t rule = 0;  ///< Which rule decided; RuleName() gives its id. 0: none did.
  bool collective =
      false;  ///< Moves data between ranks (NCCL, RCCL, DeepEP, one-shot all-reduce…).
  CollectiveKind kind = CollectiveKind::kOther;  ///< For a collective, by its name.
};

/// Verdicts on many events, by row; few differ, so that each takes a byte or two. Rows are added in
/// order and never changed.
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

/// One verdict per row of DeviceTable. Copies and memsets are {kNo, 0, false}.
///
/// On top of the name: events to which the profiler wrote a collective or a process group are
/// communication, and kernels that no rule knows which a communicating operator launched itself; a
/// chip without Tensor Cores (compute capability below 7.0, GTX 16xx) never has a "yes", nor has
/// FP8 below 8.9 or FP4 below 10.0; a kernel that no rule knows is unknown when its operator is
/// eligible or its name was lost, and so are graphs that were recorded whole; Triton's matmuls
/// are "yes" under an eligible operator with an input type below 32 bits for which the chip has
/// Tensor Cores. Names and chips that `knowledge` (analysis/classify/knowledge.h) adds count as if
/// they were known here.
KernelClasses ClassifyDevice(const Profile& profile);
/// The same with a project's additions. `knowledge` is not kept. O(rows), and the patterns of all
/// rules once for each distinct name and kind of chip.
KernelClasses ClassifyDevice(const Profile& profile, const Knowledge& knowledge);

/// Whether that GPU, of `gpus`, can have Tensor Cores or matrix cores: unknown chips can. For a
/// number that is not in the list the first of them counts. REQUIRES: `gpus` are sorted by id.
bool MayHaveTensorCores(const Profile& profile, std::span<const Gpu> gpus, std::int32_t gpu);

/// "nvjet", "cuda_core_gemm", …; "no rule" for 0; of a project's own rules their id.
std::string_view RuleName(std::uint16_t rule);
/// The same, with the ids of a project's own rules; "own" if `knowledge` is not that of the
/// verdict.
std::string_view RuleName(std::uint16_t rule, const Knowledge& knowledge);
/// Whether the rule is about matmuls, convolutions or attention (and not about helpers). A
/// project's own are, unless they say "no". False for verdicts without a rule.
bool IsMatrixRule(const KernelClass& verdict);
/// Whether a kernel by itself, whatever launched it, does work for Tensor Cores: it has a matrix
/// rule, and not of FP64 by its name, for which few chips have them.
bool IsEligibleKernel(const KernelClass& verdict, std::string_view kernel_name);

/// Whether an operator of this name could use Tensor Cores, given a fitting data type and shape:
/// the plug-in's list without its matrix-vector and element-wise operators (they never do), plus
/// attention, scaled and integer matmuls, recurrent layers and their backward nodes. Names of
/// PyTorch, TensorFlow, XLA, JAX and Ascend's CANN. A pattern of hundreds of names: ask once for
/// each name (name_memo.h). Thread-safe.
bool IsEligibleOp(std::string_view op_name);

}  // namespace profgauge::analysis::classify
