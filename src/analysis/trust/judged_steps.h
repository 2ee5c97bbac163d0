// The unrecorded iterations by which a run is judged: which of them count, their level and how sure
// it is.
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

/// The level of a series: its median, and half of the 95 % interval as a share of it.
struct StepLevel {
  double median = 0;  ///< ns.
  double own = 0;
  std::size_t values = 0;
};

/// Level of lengths in order, cut into consecutive series: `starts` are their first indices.
/// Order statistics, widened by the long-run variance of the signs in batches of √n, which holds
/// 93 to 99 % up to an autocorrelation of 0.8 (test JudgedSteps). REQUIRES: lengths is not empty.
/// O(n log n).
StepLevel LevelOfSteps(std::span<const Ns> lengths, std::span<const std::size_t> starts = {});

/// The unrecorded iterations of a run, in ns.
struct JudgedSteps {
  /// In order, unusual ones included; for averages, means of `a_value` iterations.
  std::vector<Ns> lengths;
  std::vector<std::uint32_t> unusual;  ///< Places in `lengths`.
  std::int64_t a_value = 1;
  StepLevel level;                         ///< The level of the usual ones, without warm-up.
  std::vector<double> usual;               ///< These, in order.
  std::size_t warmup = 0;                  ///< How many are cut in front.
  std::optional<StepLevel> before, after;  ///< The levels before and after the profile.
  bool is_before_only = false;  ///< Those after it are not as fast, or few: they do not count.
  /// Surely longer than the recorded ones: the profile is of another part of the run. Set by
  /// AddUnrecorded(), which knows both.
  bool exceeds_recorded = false;
  RunCarrier carrier = RunCarrier::kInside;
  StepClock clock = StepClock::kHost;
  bool is_of_process = false;
  std::int64_t rank = 0;
  std::string work_name;  ///< "samples"; empty: not stated.
  double work = 0;        ///< Per iteration.
  double resolution = 0;  ///< ns: 1 ms where all lengths are multiples of it, or equal; else 0.
};

/// For one rank; nothing if there are too few, or none. `why_not` is the reason if there are some.
/// `why_not` is only written, never cleared.
std::optional<JudgedSteps> JudgeSteps(const iterations::RankContext& rank, std::string& why_not);

/// After by before, where the iterations after the profile surely differ from those before; with
/// the text for it.
struct ChangeAfter {
  double ratio = 1;
  bool is_sure = false;
  bool IsAlike() const;  ///< Within 2 %.
};
/// The change from the iterations before the profile to those after it.
std::optional<ChangeAfter> FindChangeAfter(const JudgedSteps& steps);

}  // namespace profgauge::analysis::trust
