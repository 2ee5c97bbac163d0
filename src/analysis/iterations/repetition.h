// Iterations by exact repetition: kernels that are launched in the same order again and again.
//
// A repetition is no proof: the layers of a model repeat, too. So each period must hold one
// witness, a range that frameworks open once per iteration or the launch of one graph. The table of
// witnesses is in rules/knowledge/markers.yaml, with how often they are right.
//
//   kernels     w w  a b c a b c d e  a b c a b c d e  a b c a b c d e    w: warm-up
//   period           8 tokens, three times, from the third kernel on      `a b c` is no period
//   witness                    |step|           |step|           |step|   one in each: iterations
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/known_names.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// A sequence that repeats: `length` of its tokens, from `first` to its end.
struct Period {
  std::size_t first = 0, length = 0;
  std::size_t count = 0;  ///< Whole periods.
};

/// The shortest period of all tokens; else of the longest end of them that repeats at least three
/// times and holds three quarters of all, e.g. after a warm-up. `length` 0: there is none. No
/// mismatch is tolerated. Periods have at least eight tokens; two of them, at least a hundred.
/// O(n), by the prefix function of Knuth, Morris and Pratt.
Period FindPeriod(std::span<const std::uint32_t> tokens);

/// Where a range that occurs once in each iteration divides these.
struct WitnessMarks {
  std::string name;  ///< "Optimizer.step#AdamW.step"; the call that launches graphs; empty: none.
  const IterationWitness* kind = nullptr;  ///< nullptr of graphs.
  std::vector<Ns> marks;  ///< Where it begins, or ends where it closes an iteration; in order.
};

/// By the order of their kinds, of one kind the most frequent first. Each name once, however many
/// threads it is on. O(n log n) in the ranges that match.
std::vector<WitnessMarks> FindWitnessRanges(const Profile& profile);

/// An exact repetition of the launches of a profile. It divides the profile only with a witness.
struct Repetition {
  ThreadId thread;          ///< Which launches all.
  std::vector<Ns> starts;   ///< Starts of the periods, in order; fewer than two: no repetition.
  Ns end = 0;               ///< End of the last one's last launch.
  std::size_t kernels = 0;  ///< Launches in a period.
  WitnessMarks witness;     ///< Nameless: none, and the periods may be layers.
};

/// Tokens of the thread with most launches; `only_with_witness`: nothing where none could be one.
/// O(n log n) in launches.
Repetition FindRepetition(const Profile& profile, bool only_with_witness);

}  // namespace profgauge::analysis::iterations
