// Host ranges that could mark iterations, for messages about markers that are missing.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// "`step N` (12 times), `forward` (11 times)": as below, those of most time; empty: none repeats.
std::string RepeatedRanges(const Profile& profile, bool numbered);

/// "help: ranges that repeat: `step N` (12 times), `forward` (11 times)": outermost ranges and
/// annotations that occur at least twice, those first that take most time; or that there are none.
/// With `numbered`, names that differ in their numbers only are one, for patterns.
std::vector<std::string> RepeatedRangesHelp(const Profile& profile, bool numbered);

}  // namespace profgauge
