// The total time of a run's iterations, compared with that of the baseline.
//
// The total is the mean times the number of iterations; the sides are compared by the mean.
// A run's mean is its typical iteration plus the excess of the slow ones:
//
//     times                 10 10 30 10 10 10 10 10        typical 10
//     excess, in typicals    0  0  2  0  0  0  0  0        mean 0.25: the total is 10 * 1.25 * 8
//     clipped at 1           0  0  1  0  0  0  0  0        mean 0.125: any stall counts as one
//
// A median does not see an effect on fewer than half of the iterations. The total does; but who has
// the slow ones is chance, and chance is counted, not guessed: so improbable a total fails, a less
// improbable one is undecided, and one beyond three limits is no pass whatever made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace profgauge::gate::stats {

struct Estimate;
struct Side;

/// The answer about the total. All except kPass and kFail leave the limit undecided: a second run
/// of the candidate usually decides, since its slow iterations are counted anew.
enum class TotalVerdict : std::uint8_t {
  kPass,
  kFail,
  kByChance,  ///< Over the limit, and neither sure nor likely chance: undecided.
  kBySize,    ///< Over three limits: undecided, whatever made it.
  kByStart,   ///< The same, only by the first iterations.
};

/// Some slow iterations of a side, for texts: they decide nothing. Slow is over the limit and three
/// spreads of the baseline's iterations, whichever is more.
struct SlowOnes {
  std::vector<std::size_t> places;  ///< Places in the first kept run, after its start.
  std::size_t count = 0, of = 0;    ///< Over all runs kept.
  double times = 1;                 ///< The typical one takes this many times the usual time.
};

/// Both totals and their difference. Changes are relative to the baseline's total; ratios, not
/// logarithms.
struct Total {
  TotalVerdict verdict = TotalVerdict::kPass;
  double change = 0;         ///< Relative; of the means of the runs kept, without their starts.
  double clipped = 0;        ///< The same where an iteration takes at most twice the typical time.
  double low = 0, high = 0;  ///< Interval of `change`, 98 %; where asked for.
  /// The same for all candidate runs, with the cost of their start relative to the baseline's.
  double with_start = 0;
  /// Of all iterations of the runs kept, starts as they were: what texts call the total.
  double all = 0;
  double limit = 0;  ///< Relative.
  /// How probable so large a change is by noise of runs and iterations together with chance over
  /// who has the slow ones. Known where the change is over the limit and asked for.
  std::optional<double> chance;
  SlowOnes base, current;
  /// By how much iterations beyond twice the typical time lengthen the baseline's total: so large
  /// an increase of the candidate's they hide.
  double base_hides = 0;
  std::size_t start = 0;   ///< Iterations of the candidate's start, the longest of the runs kept,
  double start_times = 1;  ///< the start's time, in times of its typical one;
  double base_start = 0;   ///< the cost of the baseline's start, in shares of its total.
};

/// Whether a start moves the change of all iterations away from that of the others.
bool HasStart(const Total& total);

/// The limit on the total and the wanted numbers. `with_interval` and a chance cost the draws.
struct TotalOptions {
  double limit = 0;           ///< Relative.
  double absolute_floor = 0;  ///< As CompareOptions.
  bool is_certain = false;
  bool with_interval = false;
  bool is_decided = false;  ///< The answer hangs on no chance.
};

/// Whether the total, with all starts, is shorter by more than `limit` (a logarithm), and no chance
/// made it so. False where no interval was asked for.
bool IsShorter(const Total& total, double limit);

/// The total of `current` against that of `base`, which the typical iterations of `estimate` are
/// of. Only `sigma` of the estimate is used: the noise of a change of the total by runs and typical
/// iterations. Time: linear, and kDraws times the blocks of the smaller side for each of the
/// interval, the chance of a change over the limit, and with `is_certain` that of its excess.
/// REQUIRES: both sides keep a run; options.limit >= 0.
Total JudgeTotal(const Side& base, const Side& current, const Estimate& estimate,
                 const TotalOptions& options);

}  // namespace profgauge::gate::stats
