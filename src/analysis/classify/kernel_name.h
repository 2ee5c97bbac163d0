// Parses names of kernels as profilers write them. Demangled C++ names of hundreds of characters
// contain the kernel, its tile and its types. No other data shows how a kernel divides its work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profgauge::analysis::classify {

/// Returns the name before its template or function arguments, without "void ", an unnamed
/// namespace, and cuBLAS' prefix "std::enable_if<…>::type ": "void (anonymous
/// namespace)::f<int>(int*)" gives "f". Template arguments name unrelated types, so patterns for
/// the kernel itself only match this part. O(length).
std::string KernelHead(std::string_view name);

/// The name for users: as recorded, without its function arguments, which begin at the last
/// outermost bracket: "void (anonymous namespace)::f<g(int)>(int*)" gives "void (anonymous
/// namespace)::f<g(int)>".
std::string_view WithoutArguments(std::string_view name);

// How a kernel divides its work, according to its name: tiles of matmuls, parts of their inner
// dimension, head sizes of attention. The names are in rules/knowledge/names.yaml.

/// Sizes of the part of the result that a block computes. The name does not show which of them is
/// along n; analysis/device/op_limits.h finds it.
struct KernelTile {
  std::int64_t first = 0, second = 0;
};
/// The tile in the name; none if it is unknown.
std::optional<KernelTile> TileInName(std::string_view kernel);

/// Returns the number of parts of the inner dimension: from "GSU4" in Tensile's kernels, and from
/// "PostGSU4" in the kernel that adds the parts. 1 if the name shows none. Other libraries do not
/// give the number: NamesUnknownParts().
std::int64_t PartsInName(std::string_view kernel);
/// Whether the inner dimension is divided into an unknown number of parts.
bool NamesUnknownParts(std::string_view kernel);
/// Whether blocks share the work evenly, independent of tiles (stream-K).
bool SharesEvenly(std::string_view kernel);

/// Returns the size to which the kernel pads heads of `head` elements, at least `head`. None for
/// unknown kernels, and for heads of 0 or more than 4096 elements. By the row of its library:
///
///   sizes of the row    "64 96 128"          head 80 gives 96, head 200 nothing
///                       "power"              head 80 gives 128
///                       "name"               the number in the name, if it is not less
std::optional<std::int64_t> PaddedHead(std::string_view kernel, std::int64_t head);

}  // namespace profgauge::analysis::classify
