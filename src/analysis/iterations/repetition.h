// Iterations by exact repetition of launched kernels in the same order.
//
// Repetition is no proof, because the layers of a model also repeat. So each period must
// contain one witness: a range that frameworks open once per iteration, or the launch of one graph.
// rules/knowledge/markers.yaml lists the witnesses with their reliability.
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

/// A repeating sequence: `length` tokens, from `first` to the end.
struct Period {
  std::size_t first = 0, length = 0;
  std::size_t count = 0;  ///< Whole periods.
};

/// Returns the shortest period of all tokens. If they have none, returns the period of the longest
/// suffix that repeats at least three times and contains three quarters of all tokens, e.g. after a
/// warm-up. `length` 0: none. Tokens must match exactly. A period has at least eight tokens, or a
/// hundred if it occurs only twice. O(n), by the prefix function of Knuth, Morris and Pratt.
Period FindPeriod(std::span<const std::uint32_t> tokens);

/// The marks of a range that occurs once in each iteration.
struct WitnessMarks {
  std::string name;  ///< "Optimizer.step#AdamW.step"; the call that launches graphs; empty: none.
  const IterationWitness* kind = nullptr;  ///< nullptr for graphs.
  std::vector<Ns> marks;  ///< Its starts (its ends, if it closes iterations), in order.
};

/// Returns all witness ranges of the profile, by kind, the most frequent of each kind first. Each
/// name occurs once, even if on several threads. O(n log n) in the matching ranges.
std::vector<WitnessMarks> FindWitnessRanges(const Profile& profile);

/// An exact repetition of a profile's launches. It divides the profile only with a witness.
struct Repetition {
  ThreadId thread;          ///< The thread that launches all kernels.
  std::vector<Ns> starts;   ///< Starts of the periods, in order; fewer than two: no repetition.
  Ns end = 0;               ///< End of the last one's last launch.
  std::size_t kernels = 0;  ///< Launches in a period.
  WitnessMarks witness;     ///< No name: no witness; the periods may be layers.
};

/// Finds the repetition on the thread with most launches. `only_with_witness`: returns an empty
/// result if no range or graph could be the witness. O(n log n) in launches.
Repetition FindRepetition(const Profile& profile, bool only_with_witness);

}  // namespace profgauge::analysis::iterations
