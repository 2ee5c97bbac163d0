// Parts of a kernel's name as profilers write it. Demangled C++ names of hundreds of characters
// carry the kernel, its tile and its types; nothing else in a profile shows how it divides its
// work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profgauge::analysis::classify {

/// The name up to its template or function arguments, without "void " and without the words that
/// compilers put for a namespace that has no name: "void (anonymous namespace)::f<int>(int*)" gives
/// "f". Template arguments name unrelated types, so patterns for the kernel itself match only this
/// part. cuBLAS' "std::enable_if<…>::type " in front is left out, too. O(length).
std::string KernelHead(std::string_view name);

/// The name for people: as recorded, without its function arguments, which begin at the last
/// bracket on the outermost level: "void (anonymous namespace)::f<g(int)>(int*)" gives
/// "void (anonymous namespace)::f<g(int)>".
std::string_view WithoutArguments(std::string_view name);

// How a kernel divides its work, by its name: tiles of matmuls, parts of their inner
// dimension, sizes of heads in attention. The names are in rules/knowledge/names.yaml.

/// Elements of the result that a block computes; which of them is of n:
/// analysis/device/op_limits.h.
struct KernelTile {
  std::int64_t first = 0, second = 0;
};
/// The tile that the name states. Nothing if the name has no tile: then the tile is unknown, not 0.
std::optional<KernelTile> TileInName(std::string_view kernel);

/// Into how many parts the inner dimension is cut: "GSU4" of Tensile's kernels, and of the one that
/// sums them up ("PostGSU4"). 1: into none, as far as the name says. Other libraries cut without a
/// number: NamesUnknownParts().
std::int64_t PartsInName(std::string_view kernel);
/// The inner dimension is cut, into a number of parts that the name does not say.
bool NamesUnknownParts(std::string_view kernel);
/// Blocks share the work evenly, whatever the tiles (stream-K).
bool SharesEvenly(std::string_view kernel);

/// To which size the kernel pads heads of `head` elements; nothing for kernels that are unknown,
/// and for heads of more than 4096 elements or none. At least `head`.
///
///   sizes of the row    "64 96 128"          head 80 gives 96, head 200 nothing
///                       "power"              head 80 gives 128
///                       "name"               the number in the name, if it is not less
std::optional<std::int64_t> PaddedHead(std::string_view kernel, std::int64_t head);

}  // namespace profgauge::analysis::classify
