// The work of operators: floating-point operations, and the minimum of moved bytes, computed from
// their type, shapes and element types.
//
// Operations: a multiply-add counts as two. Matmuls have 2·M·N·K; convolutions follow their
// definition, for any algorithm; neither counts a bias (like PyTorch's counter). Attention has its
// two matmuls (its gradient five) over the unmasked pairs. Layer and batch norm: five per element,
// and one each for scale and shift; softmax five; reductions one per element read; elementwise
// operators one, including exp; data movement none. Gradients of norms: twice the norm (one for the
// input, one for scale and shift); of softmax four per element. Pooling: one per element of every
// window. Losses: cross entropy five per logit, negative log likelihood one per row, squared error
// three per element. Recurrent layers: the matmuls with their weights at each step of each
// sequence; gradients twice that. Optimizers on lists of tensors: their formula per element (Adam
// 13, with decay 15; a foreach step one or two).
// Bytes: every input and every output once, with its own element type; unknown for lists of
// tensors, whose types profilers do not record.
//
// These are our definitions, based on PyProf's and TraceLens' for operators that they count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/flops/op_call.h"
#include "analysis/flops/op_tree.h"
#include "base/numbers.h"
#include "model/profile.h"

namespace profgauge::analysis::flops {

/// The work of one call: floating-point operations and bytes.
struct OpWork {
  double flops = 0;
  double bytes = -1;       ///< -1: unknown element type.
  std::string dtype;       ///< Canonical element type of the first operand, or empty.
  bool is_matrix = false;  ///< Matmul, convolution or attention: fit for Tensor Cores.
};

/// The work of a call. None for unknown operators, if shapes or values are missing, and for
/// unusable results (1e30 and more): sizes come from a file.
std::optional<OpWork> WorkOf(const OpCall& call);

/// Parts of WorkOf, by kind of operator.
std::optional<OpWork> ProductWork(const OpCall& call);
/// Each function handles operators of its kind. None if the call is of another kind, or its sizes
/// are unknown.
std::optional<OpWork> ConvolutionWork(const OpCall& call);
std::optional<OpWork> AttentionWork(const OpCall& call);
std::optional<OpWork> ElementWork(const OpCall& call);
std::optional<OpWork> TrainingWork(
    const OpCall& call);  ///< Gradients, losses, pooling, optimizers.

/// Bytes of tensors, -1 if any element type is unknown.
double BytesOf(const std::vector<const OpArgument*>& tensors);
/// Bytes of one element by the tensor's data type.
double ElementBytes(const OpArgument& tensor);  ///< -1 unknown.

/// The work of every host row of one profile.
struct OpWorks {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::vector<OpWork> works;          ///< Distinct ones.
  std::vector<std::uint32_t> of_row;  ///< By host row: index into `works`, or kNone.
  /// By host row: the outermost operator with known work around it (or itself), or kNone. Operators
  /// inside do parts of the same work and are not counted again.
  std::vector<std::uint32_t> counted_in;

  const OpWork* Find(std::uint32_t row) const {
    return of_row[row] == kNone ? nullptr : &works[of_row[row]];
  }
};
/// Finds the work of the outermost operators with known work. O(calls); each distinct call (name,
/// shapes, types, values) is computed once.
///
///   aten::linear (shapes known)    counted_in: itself
///     aten::addmm                  counted_in: linear, though its own work is known
///   my::block (unknown)            counted_in: kNone
///     aten::mm                     counted_in: itself
OpWorks CountWork(const Profile& profile, const OpTree& tree);

}  // namespace profgauge::analysis::flops
