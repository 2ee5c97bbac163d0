// What the names of markers say: their family, their numbers, and which are parts of one iteration.
// Pure functions of texts and times, for marker_choice.cc and iterations.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/marker_choice.h"

namespace profgauge::analysis::iterations {

/// "iter#_forward", "0" and "_forward" of "iter0_forward"; "step #", "5" and ", loss #.#" of
/// "step 5, loss 0.3".
struct NumberedName {
  std::string family, number;
  std::string tail;  ///< The text after the number,
  std::string rest;  ///< and the same with `#` for numbers in it.
};

/// Splits a marker's name at its first number; letters and underscores directly after it belong to
/// the family. A text without a number is all family. REQUIRES: nothing; any bytes will do.
///
///   text               family            number   tail           rest
///   "step 5"           "step #"          5        ""             ""
///   "iter0_forward"    "iter#_forward"   0        "_forward"     "_forward"
///   "epoch 2 step 5"   "epoch #"         2        " step 5"      " step #"
NumberedName NameOfMarker(std::string_view text);

/// By which markers are counted: of the whole numbers in their names the first that rises by the
/// same step from each to the next ("5" of "epoch 2 step 5, loss 0.3"), else the one at their end,
/// if it is never the same. Others may be anything, such as the size of a batch. Empty where there
/// is none. The views point into `names`.
std::vector<std::string_view> NumbersOfMarkers(std::span<const std::string_view> names);

/// A family as texts name it: "ProfilerStep#", which has a `#` of its own before the number.
std::string FamilyText(std::string family);

/// Whether all have the same parts, though some have no few: each has those of the one with the
/// most, in their order, and begins as that does. [a b c], [a c], [a b c] do; [b c] and [a c b] do
/// not. REQUIRES: none is empty, and there is one.
bool HaveSameParts(std::span<const std::vector<std::string>> all);

/// One marker for each iteration, from its first part's start to its last one's end, where the
/// names of most markers show that they are parts of one; else nothing. `families`: how many there
/// are among `names`, those of `markers`. Four patterns are tried, the first that fits counts: one
/// number in several names, names that take turns, counted parts of a number, phases of a number.
/// REQUIRES: markers by start; as many names.
std::vector<Marker> MergeParts(const std::vector<Marker>& markers,
                               const std::vector<NumberedName>& names, std::size_t families);

}  // namespace profgauge::analysis::iterations
