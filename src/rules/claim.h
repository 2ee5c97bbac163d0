// A claim is the saving of a change, with the evidence for it:
//
//   simulated   its dependencies were recorded                saves 7.20 ms
//               with a low end if the host reacts, or if the
//               profiler slows it                             saves 48.2 to 59.0 ms
//               with kernels at their targets, the best case  saves up to 749 ms
//   at most     an upper bound: nothing replays it            saves at most 2.44 ms
//   about       a measured or typical value                   saves about 120 us
//   unknown     a bound too large to be useful, or no number  saving unknown
//
// Only simulated savings become steps of a plan or are drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profgauge::analysis {
struct Analysis;
}

namespace profgauge::rules {

enum class Basis : std::uint8_t {
  kNone,  ///< Nothing is claimed.
  kSimulated,
  kAtMost,
  kAbout,
  kUnknown,
};
inline constexpr std::array<std::string_view, 5> kBasisNames = {"", "simulated", "at_most", "about",
                                                                "unknown"};
constexpr std::string_view NameOf(Basis basis) {
  return kBasisNames[static_cast<std::size_t>(basis)];
}

struct Claim {
  Basis basis = Basis::kNone;
  double saves = 0;             ///< ns per iteration, never negative; 0 if unknown.
  std::optional<double> low{};  ///< Low end of a simulated saving, if it is a range.
  std::string why;  ///< Why it is unknown, not simulated, or more than its rule measures; a clause.
  bool is_best_case = false;  ///< Simulated with kernels that reach their targets.
  bool is_typical = false;    ///< Simulated with a factor that is usual, not recorded.

  /// True if the claim has a number.
  bool is_known() const { return basis != Basis::kNone && basis != Basis::kUnknown; }
  bool is_simulated() const { return basis == Basis::kSimulated; }
  /// The part of the saving that can be relied on: its low end.
  double least() const { return low.value_or(saves); }
};

/// The time in ns per iteration that the profiler may have added to the host's work
/// (profiler.delay_time); 0 unless idle time is given as a range because of it.
double ProfilerDelayOf(const analysis::Analysis& analysis);
/// The time in ns per iteration by which the host's work may exceed that of a usual iteration: the
/// profiler's delay. Infinite if the whole profile is one iteration: then start-up, uploads and the
/// search for algorithms are part of it, and nothing shows which work repeats.
double HostExcessOf(const analysis::Analysis& analysis);
/// Subtracts `excess` from the low end of the saving, because the change may only remove work that
/// other iterations do not have. A difference below `least` makes no range.
void AllowForExcess(double excess, double least, Claim& claim);

/// A range as text: "48.2 to 59.0 ms", or one number if both ends look equal.
std::string RangeText(double low, double high);

/// The claim as all outputs show it: "saves at most 2.44 ms"; empty if nothing is claimed.
std::string ClaimText(const Claim& claim);

}  // namespace profgauge::rules
