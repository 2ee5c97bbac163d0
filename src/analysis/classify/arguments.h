// Recorded arguments of operators: which are its own, and their data types. Pure functions of the
// texts that HostTable has; eligibility and work (flops/op_call.h) read shapes and types through
// them. Sizes and names come from files: none is trusted, and a text that is no list has no items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::analysis::classify {

// Which of the recorded arguments are an operator's own.
//
// Under TorchScript PyTorch's profiler records the whole stack of the interpreter, on which the
// operator's arguments are last. Where an operator of known signature has more, the rest belongs to
// those that called it.

/// How many of the recorded arguments, from the first on, are not the operator's own. `shapes` is
/// HostTable's text; 0 when the signature is unknown or fits. Only `aten::` operators have
/// signatures.
///
///   recorded for aten::mm    [[4, 8], [], [4, 8], [8, 2]]     two are the caller's: 2
std::size_t ForeignArguments(std::string_view op, std::string_view shapes);

/// The items of "[a, b, c]" (HostTable's shapes, types or values) that are the operator's own: also
/// without a result that was given as the last argument (`out=`). The views point into `list`.
std::vector<std::string_view> OwnArguments(std::string_view op, std::string_view shapes,
                                           std::string_view list);

/// The element type of the operator's first tensor, canonical; empty when there is none. Scalars
/// ("Int", "Double", with a capital) are skipped. The view lives as long as the program.
std::string_view FirstTensorDtypeOf(std::string_view op, std::string_view shapes,
                                    std::string_view dtypes);

// Data types as frameworks write them, brought to one spelling, with their size.

/// "c10::Half", "Half", "float16", "HALF" → "float16"; an unknown name is returned unchanged. The
/// view is a literal, or `dtype` itself.
std::string_view CanonicalDtype(std::string_view dtype);

/// Bytes of one element; 0 when the type is unknown. FP4 has 1: PyTorch's type holds two elements.
double DtypeBytes(std::string_view dtype);

/// The items of "[float, c10::Half, , Scalar]", without blanks; brackets nest ("[a, b]" inside is
/// one item). Works for shapes too: "[[2, 3], []]" gives "[2, 3]" and "[]". An empty item stays, so
/// that positions are those of the arguments. Empty for "[]" and for a text without brackets. The
/// views point into `text`.
std::vector<std::string_view> SplitList(std::string_view text);

/// The first item of an operator's input types that names a tensor's element type, canonical; empty
/// when there is none.
std::string_view FirstTensorDtype(std::string_view input_dtypes);

}  // namespace profgauge::analysis::classify
