// Markers that are parts of one iteration, by their names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/context/marker_choice.h"

namespace profgauge {

/// "iter#_forward", "0" and "_forward" of "iter0_forward"; "step #", "5" and ", loss #.#" of
/// "step 5, loss 0.3".
struct NumberedName {
  std::string family, number;
  std::string tail;  ///< The text after the number,
  std::string rest;  ///< and the same with `#` for numbers in it.
};

/// Splits a marker's name. A text without a number is all family.
NumberedName NameOfMarker(std::string_view text);

/// Whether all have the same parts, though some have no few: each has those of the one with the
/// most, in their order, and begins as that does. REQUIRES: none is empty, and there is one.
bool HaveSameParts(std::span<const std::vector<std::string>> all);

/// One marker for each iteration, from its first part's start to its last one's end, where the
/// names of most markers show that they are parts of one; else nothing. `families`: how many there
/// are among `names`, those of `markers`.
std::vector<Marker> MergeParts(const std::vector<Marker>& markers,
                               const std::vector<NumberedName>& names, std::size_t families);

}  // namespace profgauge
