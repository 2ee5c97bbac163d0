// The tree of operators on each thread, with the host and device time of each call: the source of
// operator tables, roofline and memory by operator. It is stored as columns by host row instead of
// nodes, because most rows of a profile are operators.
//
// Defined like in the TensorBoard plug-in (op_tree.py), with these differences. Device work belongs
// to the op that launched it according to the model. Annotations are skipped. Nested runtime calls
// (cudaLaunchKernel, cuLaunchKernel) count once. Overlapping operators are not dropped, and times
// are never negative.
//
//   host      |------------ aten::linear 20 ------------|       self 20 - 12 = 8
//                |------- aten::addmm 12 -------|               self 12 - 5 = 7
//                        |cudaLaunchKernel 5|
//   device                              |#### gemm 30 ####|     device_self: addmm 30, linear 0
//                                                               device_total: 30 each
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "base/numbers.h"
#include "model/profile.h"

namespace profgauge::analysis::flops {

/// The pass that a call belongs to.
enum class OpDirection : std::uint8_t { kForward, kBackward, kOptimizer };

/// One entry per row of HostTable. A row that is not an op has representative kNone and zeros. A
/// collapsed row has zeros, too: its representative has its time. Times are ns for the whole
/// profile; tables and metrics select rows by RankContext::InTables() and InIterations().
struct OpTree {
  static constexpr std::uint32_t kNone = kNoIndex;

  /// Usually the row itself. If this op was collapsed into a caller of the same name, whose only
  /// child it is, the row of the caller; kNone if it is not an op.
  std::vector<std::uint32_t> representative;
  std::vector<std::uint32_t> parent;  ///< Representative of the nearest enclosing op, or kNone.
  std::vector<Ns> host_self;          ///< Without child ops and runtime calls.
  std::vector<Ns> device_self;        ///< Total duration of work launched directly.
  std::vector<Ns> device_total;       ///< Including its children's.
  std::vector<Ns> kernel_self, kernel_total;            ///< Kernels only.
  std::vector<Ns> tensor_core_self, tensor_core_total;  ///< Only certain Tensor Core kernels.
  std::vector<std::uint32_t> kernels_self;              ///< Kernels launched directly.
  /// Eligible by name, by its own Tensor Core kernel, or through a child.
  std::vector<std::uint8_t> eligible;
  /// Whether a kernel launched in it, or in a child, may use Tensor Cores.
  std::vector<std::uint8_t> undecided;
  std::vector<OpDirection> direction;

  bool IsOp(std::size_t row) const { return representative[row] == row; }
};

/// Framework ranges that old traces record as operators: DataLoader, optimizer, DataParallel.
/// Tables do not show them as operators, like in the plug-in.
bool IsFrameworkRange(std::string_view name);
/// Whether a name indicates the backward pass: a node of PyTorch's autograd, e.g. `MmBackward0`, or
/// `torch::autograd::backward`. DLProf and PyProf use separate rules.
bool NamesBackward(std::string_view name);
/// Whether it is a wait for input data: `enumerate(DataLoader)#…__next__`, `enumerate(DataPipe)#…`.
bool IsDataLoaderRange(std::string_view name);

/// Returns the kind of an operator: its name without namespace, engine prefix, in-place underscore
/// and variant number. "aten::add_" -> "add"; "autograd::engine::evaluate_function: MmBackward0" ->
/// "MmBackward". Never empty unless `name` is.
std::string_view OpType(std::string_view name);

/// Builds the trees of all threads of a profile. O(rows); about 70 bytes per host row.
/// REQUIRES: `classes` has one verdict per device row; parents come before children (HostTable).
OpTree BuildOpTree(const Profile& profile, const classify::KernelClasses& classes);

}  // namespace profgauge::analysis::flops
