// The tree of operators per thread, with the host and device time of each call. Tables of
// operators, the roofline and memory by operator are made of it. It is columns by host row, not
// nodes: most rows of a profile are operators.
//
// Definition: TensorBoard plug-in (its op_tree.py) with these differences: device work belongs
// to the op that launched it as the model links it; annotations are transparent; runtime calls that
// contain each other (cudaLaunchKernel, cuLaunchKernel) count once; nothing is dropped because it
// overlaps, and nothing is negative.
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

/// One entry per row of HostTable. Rows that are not ops have representative kNone and zeros.
/// Collapsed rows have zeros, too: their time is their representative's. Times are ns, and cover
/// the whole profile: tables and metrics choose rows by RankContext::InTables() and InIterations().
struct OpTree {
  static constexpr std::uint32_t kNone = kNoIndex;

  /// The row itself; the enclosing row when this op was collapsed into a caller of the same name
  /// whose only child it is; kNone when it is no op.
  std::vector<std::uint32_t> representative;
  std::vector<std::uint32_t> parent;  ///< Representative of the nearest enclosing op, or kNone.
  std::vector<Ns> host_self;          ///< Without child ops and runtime calls.
  std::vector<Ns> device_self;        ///< Sum of the durations of device work it launched itself.
  std::vector<Ns> device_total;       ///< With its children's.
  std::vector<Ns> kernel_self, kernel_total;            ///< Kernels only.
  std::vector<Ns> tensor_core_self, tensor_core_total;  ///< Tensor Core kernels (certain ones).
  std::vector<std::uint32_t> kernels_self;              ///< Kernels launched itself.
  /// Eligible by name, by its own Tensor Core kernel, or through a child.
  std::vector<std::uint8_t> eligible;
  /// A kernel launched in it, or in a child, may or may not use Tensor Cores.
  std::vector<std::uint8_t> undecided;
  std::vector<OpDirection> direction;

  bool IsOp(std::size_t row) const { return representative[row] == row; }
};

/// Framework ranges that old traces record as operators: DataLoader, optimizer, DataParallel.
/// They are no operators in tables, like in the plug-in.
bool IsFrameworkRange(std::string_view name);
/// Whether a name says that it is of the backward pass: a node of PyTorch's autograd,
/// `MmBackward0`, `torch::autograd::backward`. DLProf and PyProf have rules of their own.
bool NamesBackward(std::string_view name);
/// `enumerate(DataLoader)#…__next__`, `enumerate(DataPipe)#…`: waiting for input data.
bool IsDataLoaderRange(std::string_view name);

/// The kind of an operator: its name without namespace, engine prefix, in-place underscore and
/// variant number. "aten::add_" -> "add"; "autograd::engine::evaluate_function: MmBackward0" ->
/// "MmBackward". Never empty unless `name` is.
std::string_view OpType(std::string_view name);

/// The trees of all threads of a profile. REQUIRES: `classes` has one verdict per device row; a
/// parent's row is before its children's (HostTable). O(rows); about 70 bytes per host row.
OpTree BuildOpTree(const Profile& profile, const classify::KernelClasses& classes);

}  // namespace profgauge::analysis::flops
