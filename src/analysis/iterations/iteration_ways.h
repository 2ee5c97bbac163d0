// Every way in which a profile could be divided into iterations, and why one of them was chosen.
// For people who ask (`inspect --explain=iterations`) and for error messages: no number of a report
// depends on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "analysis/iterations/marker_choice.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// One way to divide a profile.
struct IterationWay {
  std::string way;      ///< "recorded markers", "optimizer step", "repetition"
  std::string found;    ///< "12 × ProfilerStep#"; empty: nothing of the kind is recorded.
  std::string reason;   ///< Why it was chosen, or was not: one clause without a period.
  std::string pattern;  ///< For --iteration-marker; empty: no range marks it.
  bool chosen = false;
};

/// In the order in which FindIterations() asks them; the first that holds is chosen, and at most
/// one is. A profile that nothing divides ends with the way "undivided", which then is chosen.
///
/// `iterations`: the result of FindIterations() for this profile without a selection. Costs about
/// as much as that: it is for people, not for every run.
std::vector<IterationWay> IterationWays(const Profile& profile, const Iterations& iterations);

// Host ranges that could mark iterations, for messages about markers that are missing.

/// "`step N` (12 times), `forward` (11 times)": as below, those of most time; empty: none repeats.
/// At most six are named.
std::string RepeatedRanges(const Profile& profile, bool numbered);

/// "`step #` occurs 12 times: `--iteration-marker '^step \d+$'`": families of ranges, whose names
/// differ in numbers, that occur at least three times on one thread without overlap and cover half
/// of the profile or hold half of the launches. At most three, most launches first; empty: none.
/// O(n log n).
std::string ProposedMarkers(const Profile& profile);

/// "help: ranges that repeat: `step N` (12 times), `forward` (11 times)": outermost ranges and
/// annotations that occur at least twice, those first that take most time; or that there are none.
/// With `numbered`, names that differ in their numbers only are one, for patterns.
std::vector<std::string> RepeatedRangesHelp(const Profile& profile, bool numbered);

}  // namespace profgauge::analysis::iterations
