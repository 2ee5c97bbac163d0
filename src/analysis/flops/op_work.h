// The work of operators: floating-point operations and the bytes that must move at least, from
// their type, shapes and element types.
//
// Operations: a multiply-add is two. Matmuls count 2·M·N·K; convolutions by their definition,
// whatever algorithm runs; neither counts a bias, as in PyTorch's counter; attention its two
// matmuls (its gradient five) over the pairs that its mask leaves; layer and batch norm five per
// element and one for each of scale and shift; softmax five; reductions one per element read;
// elementwise operators one, exp and similar ones too; data movement none. Gradients of
// norms: twice the norm (one for the input, one for scale and shift); of softmax four per element.
// Pooling: one per element of every window. Losses: cross entropy five per logit, the negative log
// likelihood one per row, squared error three per element. Recurrent layers: the matmuls with
// their weights, at each step of each sequence; their gradients twice that. Optimizers that update
// lists of tensors: their formula per element (Adam 13, with decay 15; a foreach step one
// or two). Bytes: every input once and every output once, each in its own element type; unknown for
// lists of tensors, whose types profilers do not record.
//
// These are definitions of ours, after PyProf's and TraceLens' where those count an operator.
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
  double bytes = -1;       ///< -1: unknown, because an element type is.
  std::string dtype;       ///< Canonical element type of the first operand; empty when unknown.
  bool is_matrix = false;  ///< A product, convolution or attention: fit for Tensor Cores.
};

/// Nothing for operators that are not understood, or without the shapes and values they need, and
/// for sizes whose product is no usable number (1e30 and more): they come from a file.
std::optional<OpWork> WorkOf(const OpCall& call);

/// Parts of WorkOf, by kind of operator.
std::optional<OpWork> ProductWork(const OpCall& call);
/// Each takes operators of its kind. Nothing if the call is of another kind, or its sizes are
/// unknown.
std::optional<OpWork> ConvolutionWork(const OpCall& call);
std::optional<OpWork> AttentionWork(const OpCall& call);
std::optional<OpWork> ElementWork(const OpCall& call);
std::optional<OpWork> TrainingWork(
    const OpCall& call);  ///< Gradients, losses, pooling, optimizers.

/// Bytes of tensors, -1 when one's element type is unknown.
double BytesOf(const std::vector<const OpArgument*>& tensors);
/// Bytes of one element by the tensor's data type.
double ElementBytes(const OpArgument& tensor);  ///< -1 unknown.

/// The work of every host row of one profile.
struct OpWorks {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::vector<OpWork> works;          ///< Different ones.
  std::vector<std::uint32_t> of_row;  ///< Per host row: index into `works`, or kNone.
  /// Per host row: the outermost operator around it (or itself) whose work is known, or kNone.
  /// Operators inside it do the same work in smaller parts and are not counted again.
  std::vector<std::uint32_t> counted_in;

  const OpWork* Find(std::uint32_t row) const {
    return of_row[row] == kNone ? nullptr : &works[of_row[row]];
  }
};
/// The work of the outermost operators whose work is known. O(calls); each distinct call (name,
/// shapes, types, values) is computed once.
///
///   aten::linear (shapes known)    counted_in: itself
///     aten::addmm                  counted_in: linear, though its own work is known
///   my::block (unknown)            counted_in: kNone
///     aten::mm                     counted_in: itself
OpWorks CountWork(const Profile& profile, const OpTree& tree);

}  // namespace profgauge::analysis::flops
