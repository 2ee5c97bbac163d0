// All ways in which a profile could be divided into iterations, and why one was chosen. Only for
// users' questions (`inspect --explain=iterations`) and error messages: no number of a report
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
  std::string found;    ///< "12 × ProfilerStep#"; empty if nothing was found.
  std::string reason;   ///< Why it was chosen or not, in one clause without a period.
  std::string pattern;  ///< For --iteration-marker; empty if no range marks it.
  bool chosen = false;
};

/// In the order in which FindIterations() tries them; the first that succeeds is chosen. If none
/// does, the last way is "undivided", and is chosen.
///
/// `iterations`: the result of FindIterations() for this profile without a selection. Costs about
/// as much as FindIterations(), so it runs only on request.
std::vector<IterationWay> IterationWays(const Profile& profile, const Iterations& iterations);

// Host ranges that could mark iterations, for messages about missing markers.

/// "`step N` (12 times), `forward` (11 times)": the repeated ranges with the most time, at most
/// six; empty if none repeats. `numbered`: see RepeatedRangesHelp().
std::string RepeatedRanges(const Profile& profile, bool numbered);

/// "`step #` occurs 12 times: `--iteration-marker '^step \d+$'`". Proposes families of ranges,
/// whose names differ in numbers, that occur at least three times on one thread without overlap,
/// and cover half of the profile or contain half of the launches. At most three, most launches
/// first; empty if there are none. O(n log n).
std::string ProposedMarkers(const Profile& profile);

/// "help: ranges that repeat: `step N` (12 times), `forward` (11 times)": the outermost ranges and
/// annotations that occur at least twice, most time first; or that there are none. With `numbered`,
/// names that differ only in numbers count as one, for patterns.
std::vector<std::string> RepeatedRangesHelp(const Profile& profile, bool numbered);

}  // namespace profgauge::analysis::iterations
