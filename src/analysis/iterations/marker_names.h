// Parses names of markers: their family, their numbers, and which are parts of one iteration. Pure
// functions of texts and times, for marker_choice.cc and iterations.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/marker_choice.h"

namespace profgauge::analysis::iterations {

/// A marker's name, split at its number: "iter0_forward" has the family "iter#_forward", "step 5,
/// loss 0.3" the family "step #" and the rest ", loss #.#".
struct NumberedName {
  std::string family, number;
  std::string tail;  ///< The text after the number.
  std::string rest;  ///< The tail with `#` for numbers.
};

/// Splits a marker's name at its first number. Letters and underscores directly after it belong to
/// the family. A text without a number is only a family. Any bytes are valid.
///
///   text               family            number   tail           rest
///   "step 5"           "step #"          5        ""             ""
///   "iter0_forward"    "iter#_forward"   0        "_forward"     "_forward"
///   "epoch 2 step 5"   "epoch #"         2        " step 5"      " step #"
NumberedName NameOfMarker(std::string_view text);

/// Returns the number by which each marker is counted: the first whole number in the names that
/// rises by a constant step ("5" of "epoch 2 step 5, loss 0.3"). If none does, the last number that
/// is not constant: others may be anything, e.g. a batch size. Empty if there is none. The views
/// point into `names`.
std::vector<std::string_view> NumbersOfMarkers(std::span<const std::string_view> names);

/// The family as shown to users: "ProfilerStep#" instead of "ProfilerStep##".
std::string FamilyText(std::string family);

/// True if all lists have the same parts, some possibly missing: each is a subsequence of the
/// longest, with the same first part. True for [a b c], [a c], [a b c]; false with [b c] or [a c
/// b]. REQUIRES: at least one; none is empty.
bool HaveSameParts(std::span<const std::vector<std::string>> all);

/// Merges parts into one marker for each iteration, from the first part's start to the last one's
/// end, if the names of most markers show that they are parts; else returns an empty list.
/// `families`: the number of families in `names`, which belong to `markers`. Uses the first of four
/// patterns that matches: one number in several names, alternating names, counted parts of a
/// number, phases of a number. REQUIRES: markers by start; as many names.
std::vector<Marker> MergeParts(const std::vector<Marker>& markers,
                               const std::vector<NumberedName>& names, std::size_t families);

}  // namespace profgauge::analysis::iterations
