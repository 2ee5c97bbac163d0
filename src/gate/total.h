// The total time of a run's iterations, compared with that of the baseline.
//
// The total is the mean times the number of iterations, so the means of both sides are compared. A
// run's mean is its typical iteration plus the excess of the slow ones:
//
//     times                 10 10 30 10 10 10 10 10        typical 10
//     excess, in typicals    0  0  2  0  0  0  0  0        mean 0.25: the total is 10 * 1.25 * 8
//     clipped at 1           0  0  1  0  0  0  0  0        mean 0.125: any stall counts as one
//
// A median hides an effect on fewer than half of the iterations; the total shows it. But which run
// has the slow ones is chance, and its probability is computed. A sufficiently improbable total
// fails, a less improbable one is undecided, and one beyond three limits is never a pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace profgauge::gate::stats {

struct Estimate;
struct Side;

/// The result for the total. Results other than kPass and kFail leave the limit undecided. A second
/// run of the candidate usually decides, because its slow iterations are counted anew.
enum class TotalVerdict : std::uint8_t {
  kPass,
  kFail,
  kByChance,  ///< Over the limit, but neither certain nor probable chance: undecided.
  kBySize,    ///< Over three limits, for any reason: undecided.
  kByStart,   ///< Over three limits only because of the first iterations.
};

/// The slow iterations of a side. They are only for texts and decide nothing. Slow means over the
/// limit and over three spreads of the baseline's iterations.
struct SlowOnes {
  std::vector<std::size_t> places;  ///< Places in the first kept run, after its start.
  std::size_t count = 0, of = 0;    ///< Number over all kept runs, slow and in total.
  double least = 1, most = 1;       ///< Shortest and longest slow one, in its run's typical times.
};

/// Both totals and their difference. Changes are relative to the baseline's total, not logarithms.
struct Total {
  TotalVerdict verdict = TotalVerdict::kPass;
  double change = 0;         ///< Relative; means over kept runs without their starts.
  double clipped = 0;        ///< `change` if an iteration counts at most twice the typical.
  double low = 0, high = 0;  ///< 98 % interval of `change`; set on request.
  /// `change` for all candidate runs, with the cost of the start relative to the baseline's starts.
  double with_start = 0;
  /// The change over all iterations of the kept runs, with their starts: the total in texts.
  double all = 0;
  double limit = 0;  ///< Relative.
  /// The probability of such a change by noise of runs and iterations, and by chance in which run
  /// has the slow ones. Set on request if the change is over the limit.
  std::optional<double> chance;
  SlowOnes base, current;
  /// How much iterations beyond twice the typical time increase the baseline's total. They hide an
  /// increase of this size in the candidate.
  double base_hides = 0;
  std::size_t start = 0;   ///< Iterations in the candidate's start, the longest of kept runs.
  double start_times = 1;  ///< Mean time of these iterations, in typical times.
  double base_start = 0;   ///< Cost of the baseline's start, as a share of its total.
};

/// A start that costs less of the run is not mentioned.
inline constexpr double kNoStart = 0.005;
/// True if a start makes the change of all iterations differ from that of the other iterations.
bool HasStart(const Total& total);

/// The limit on the total, and which numbers are requested. Interval and chance need draws.
struct TotalOptions {
  double limit = 0;           ///< Relative.
  double absolute_floor = 0;  ///< The smallest absolute change that may fail.
  bool is_certain = false;
  bool with_interval = false;
  bool is_decided = false;  ///< The answer does not depend on chance, so it is not computed.
};

/// True if the total, with all starts, is certainly shorter by more than `limit` (a logarithm).
/// False if no interval was requested.
bool IsShorter(const Total& total, double limit);

/// Compares the total of `current` with that of `base`. `estimate` is of the same sides; only its
/// `sigma` is used, the noise of the total from runs and typical iterations. Time: linear, plus
/// kDraws times the blocks of the smaller side for each of: the interval, the chance of a change
/// over the limit, and with `is_certain` the chance of its excess. REQUIRES: both sides keep a run;
/// options.limit >= 0.
Total JudgeTotal(const Side& base, const Side& current, const Estimate& estimate,
                 const TotalOptions& options);

}  // namespace profgauge::gate::stats
