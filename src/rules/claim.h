// What a change saves, and how that is known.
//
//   simulated   a replay whose dependencies were recorded     saves 7.20 ms
//               with a low end, if the host reacts or the
//               profiler slows it                             saves 48.2 to 59.0 ms
//               with kernels at their targets, the best case  saves up to 749 ms
//   at most     an upper bound: nothing replays it            saves at most 2.44 ms
//   about       a measured or typical value                   saves about 120 us
//   unknown     a bound that says nothing, or no number       saving unknown
//
// Only simulated savings are steps of a plan, or drawn.
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
  double saves = 0;           ///< ns per iteration, never negative; 0 where it is unknown.
  std::optional<double> low;  ///< Of a simulated one: the least, if other work
                              ///< reacts, or without the profiler's own time.
  std::string why;  ///< Why it is unknown, not simulated, or more than its rule measures; a clause.
  bool is_best_case = false;  ///< Simulated with kernels that reach their targets.

  /// Whether it has a number.
  bool is_known() const { return basis != Basis::kNone && basis != Basis::kUnknown; }
  bool is_simulated() const { return basis == Basis::kSimulated; }
  /// The part of it that can be relied on: the low end.
  double least() const { return low.value_or(saves); }
};

/// ns per iteration that the profiler may have added to the host's work (profiler.delay_time); 0
/// where idle time is no range for it.
double ProfilerDelayOf(const analysis::Analysis& analysis);
/// Lowers the low end by that delay: all of it may be in the work that a change of the host's work
/// takes away. Differences below `least` are not worth a range.
void AllowForProfiler(double delay, double least, Claim& claim);

/// "48.2 to 59.0 ms"; one number where both ends read the same.
std::string RangeText(double low, double high);

/// "saves at most 2.44 ms"; empty where nothing is claimed. The only text of a claim.
std::string ClaimText(const Claim& claim);

}  // namespace profgauge::rules
