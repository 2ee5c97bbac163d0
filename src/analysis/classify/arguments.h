// Recorded arguments of operators: their own ones, and their data types. Pure functions of texts in
// HostTable; eligibility and work (flops/op_call.h) use them to read shapes and types. Texts come
// from files and are untrusted; a text that is not a list has no items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::analysis::classify {

// Separates an operator's own arguments from others in the record.
//
// Under TorchScript, PyTorch's profiler records the interpreter's whole stack, with the operator's
// arguments last. If there are more than a known signature has, the rest belongs to callers.

/// The number of leading arguments that are not the operator's own. `shapes`: HostTable's text. 0
/// if the signature is unknown or matches. Only `aten::` operators have signatures.
///
///   recorded for aten::mm    [[4, 8], [], [4, 8], [8, 2]]     two are the caller's: 2
std::size_t ForeignArguments(std::string_view op, std::string_view shapes);

/// Returns the operator's own items of "[a, b, c]" (HostTable's shapes, types or values), without a
/// result given as the last argument (`out=`). The views point into `list`.
std::vector<std::string_view> OwnArguments(std::string_view op, std::string_view shapes,
                                           std::string_view list);

/// The canonical element type of the operator's first tensor; empty without a tensor. Skips scalars
/// (capitalized, e.g. "Int", "Double"). The view lives as long as the program.
std::string_view FirstTensorDtypeOf(std::string_view op, std::string_view shapes,
                                    std::string_view dtypes);

// Canonical names of frameworks' data types, with their sizes.

/// Converts "c10::Half", "Half", "float16", "HALF" to "float16"; unknown names stay unchanged. The
/// view is a literal, or `dtype` itself.
std::string_view CanonicalDtype(std::string_view dtype);

/// Bytes of one element; 0 if the type is unknown. FP4 has 1: PyTorch's type holds two elements.
double DtypeBytes(std::string_view dtype);

/// Splits "[float, c10::Half, , Scalar]" into items without blanks. Brackets nest: an inner "[a,
/// b]" is one item, so "[[2, 3], []]" gives "[2, 3]" and "[]". Empty items stay, so that positions
/// are those of the arguments. Empty for "[]" and for a text without brackets. The views point into
/// `text`.
std::vector<std::string_view> SplitList(std::string_view text);

/// The canonical element type of the first tensor among an operator's input types; empty if there
/// is none.
std::string_view FirstTensorDtype(std::string_view input_dtypes);

}  // namespace profgauge::analysis::classify
