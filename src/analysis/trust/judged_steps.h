// The unrecorded iterations by which a run is judged: the iterations themselves, their usual length
// (level), and its uncertainty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/context.h"
#include "model/run_side.h"

namespace profgauge::analysis::trust {

/// The level of a series: its median, and half of the median's 95 % interval as a share of it.
struct StepLevel {
  double median = 0;  ///< ns.
  double own = 0;
  std::size_t values = 0;
};

/// Returns the level of lengths in order of time. `starts`: index of the first value of each series
/// without gaps. Uses order statistics, widened by the long-run variance of the signs in batches of
/// √n. The interval covers 93 to 99 % up to an autocorrelation of 0.8 (test JudgedSteps). REQUIRES:
/// lengths is not empty. O(n log n).
StepLevel LevelOfSteps(std::span<const Ns> lengths, std::span<const std::size_t> starts = {});

/// The unrecorded iterations of a run, in ns.
struct JudgedSteps {
  /// In order, including unusual ones; for averages, means of `a_value` iterations.
  std::vector<Ns> lengths;
  std::vector<std::uint32_t> unusual;  ///< Positions in `lengths`.
  std::int64_t a_value = 1;
  StepLevel level;                         ///< Level of the usual ones, without warm-up.
  std::vector<double> usual;               ///< The usual lengths, in order.
  std::size_t warmup = 0;                  ///< Number of removed warm-up iterations.
  std::optional<StepLevel> before, after;  ///< The levels before and after the profile.
  bool is_before_only = false;             ///< Later ones are excluded: slower, or too few.
  /// The lengths are certainly larger than the recorded ones, so the profile shows another part of
  /// the run. Set by AddUnrecorded(), which has both.
  bool exceeds_recorded = false;
  RunCarrier carrier = RunCarrier::kInside;
  StepClock clock = StepClock::kHost;
  bool is_of_process = false;
  std::int64_t rank = 0;
  std::string work_name;  ///< "samples"; empty if not reported.
  double work = 0;        ///< Per iteration.
  double resolution = 0;  ///< ns: 1 ms if all lengths are equal or multiples of it; else 0.
};

/// Returns the unrecorded iterations of one rank; none if there are too few. If some exist but are
/// not used, sets `why_not` to the reason; never clears it.
std::optional<JudgedSteps> JudgeSteps(const iterations::RankContext& rank, std::string& why_not);

/// The ratio of the level after the profile to the level before it, and whether they certainly
/// differ.
struct ChangeAfter {
  double ratio = 1;
  bool is_sure = false;
  bool IsAlike() const;  ///< Within 2 %.
};
/// The change from iterations before the profile to those after it.
std::optional<ChangeAfter> FindChangeAfter(const JudgedSteps& steps);

}  // namespace profgauge::analysis::trust
