// Which kernels, operators, collectives or modules of a run became slower, though the run as a
// whole may not show it.
//
// Hundreds of parts are tested together, so that their chances are judged together: one false
// discovery in a thousand runs, if noise is normal. Between runs it need not be: with heavy tails
// 0.5 to 17 of 100 equal runs have a false alarm. So each run is tested by itself, and a part is
// slower if two runs say so:
//
//     check A B ...        in two of them
//     check A, history     in A and in the nearest ancestor, which leaves the baseline for that
//     check A              never: found in the only run, a second run decides
//
// What slows nearly all parts alike, e.g. a clock, is no change of a part: it is taken off, and
// told where no limit on the iteration tells it. Where a fifth of the time stayed as it was it is
// no common effect, and nothing is taken off. Names that not all runs have are pooled, kernels by
// the type of their operators, so that a kernel that replaces another is compared with it.
//
// A step that only warns passes, so that its runs become baselines. The last ones of a history that
// show it are left out for that part, while others are enough.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// One part that is slower than the others explain.
struct PartFinding {
  std::string name;         ///< Of those under other names "mm: others" or "others".
  std::string names;        ///< Of these: "gemm_64 for gemm_128 and 1 more"; empty: it is one part.
  double change = 0;        ///< Relative, without the common change of all parts.
  double share = 0;         ///< Share of the candidate's iteration.
  double chance = 1;        ///< One-sided, only of this part.
  std::size_t of_runs = 0;  ///< Runs that it is held against.
  std::string above;  ///< For a kernel: "aten::mm +5.8 %", the operator that launches most of it.
  std::size_t in_runs = 1;  ///< How many runs show it; numbers are their means, `chance` the worst.
  bool is_assumed = false;  ///< A run keeps no times by iteration of it: their spread is assumed.
};

/// A part that only one run has, without a counterpart.
struct LonePart {
  std::string name;
  std::string names;    ///< If it is several: "fused_x and 2 more".
  double share = 0;     ///< Share of the iteration of the run that has it.
  bool is_new = false;  ///< It is the candidate's.
};

/// The parts of one kind in one run.
struct PartFindings {
  std::vector<PartFinding> found;
  std::vector<LonePart> lone;  ///< Largest first; reported, not judged.
  double common = 0;           ///< The change of the typical part, by time.
  double taken = 0;            ///< The same where it is taken off.
  bool is_common = false;      ///< It is certain, over the limit, and taken off.
  bool is_alike = false;       ///< Nearly all of the time changed as much.
  std::size_t alike = 0;       ///< Tested parts that changed as much.
  std::size_t tested = 0;
  std::size_t runs = 0;         ///< Runs of the baseline.
  bool is_judged = false;       ///< Whether there are runs enough.
  bool is_of_history = false;   ///< The runs are.
  bool are_benchmarks = false;  ///< Of no iteration.
};

/// Holds the parts `sums` of `candidate` against those of `baselines`. Parts below
/// `limit.min_share` of the candidate's iteration are not tested. A part is found if, without the
/// common change, it is slower than `limit.max_increase` allows and certainly so
/// (Benjamini-Hochberg over all tested). With fewer than five baseline runs nothing is judged.
/// `noise_floor` is relative. `is_ordered`: the baseline's runs are of a history, oldest first.
/// REQUIRES: `baselines` is not empty; every run has an iteration.
PartFindings JudgeParts(
    std::span<const Snapshot> baselines, const Snapshot& candidate,
    const std::vector<analysis::breakdown::WorkSum> analysis::breakdown::WorkSums::*sums,
    const rules::PartLimit& limit, double noise_floor, bool is_ordered = false);

/// The parts of one kind in all runs, each tested by itself against the same baseline.
struct ConfirmedParts {
  std::vector<PartFinding> slower;    ///< In two runs or more; most time added first.
  std::vector<PartFinding> once;      ///< In one candidate; the same order.
  std::vector<LonePart> lone;         ///< Of every candidate; reported, not judged.
  double common = 0, taken = 0;       ///< The means of the candidates.
  std::size_t common_runs = 0;        ///< How many runs are slower in common, the newest too.
  std::size_t alike = 0, tested = 0;  ///< The least of the candidates.
  bool is_alike = false;
  std::size_t candidates = 0, runs = 0;
  bool is_judged = false, is_of_history = false;
  bool are_benchmarks = false;

  /// Whether a second run decides about `once`; of several runs one that alone shows a part does
  /// not confirm it.
  bool IsOpen() const { return candidates == 1 && !once.empty(); }
};

/// `newest`: the same of the run before a single candidate; nullptr: there is none.
/// REQUIRES: `candidates` is not empty; all are of one baseline.
ConfirmedParts ConfirmParts(std::span<const PartFindings> candidates, const PartFindings* newest);

/// "kernel flash_fwd: +6.1 % in 2 runs (2.1 % of the iteration; by chance under 1 of 100 000; 20
/// baseline runs); also kernel gemm: +5.8 %"; why nothing could be judged; empty where none is
/// slower.
std::string PartsText(const ConfirmedParts& parts, std::string_view word);

/// "kernel flash_fwd: +14.6 % in this run; one run may be chance. A second run
/// decides: …"; empty where nothing was found once.
std::string PartsOnceText(const ConfirmedParts& parts, std::string_view word);

/// "48 kernels of the same work are all about 30 % slower in 2 runs; that is no single kernel,
/// and no limit on time is missed": for where that holds; empty where nothing is slower in common.
std::string PartsCommonText(const ConfirmedParts& parts, std::string_view word);

/// "kernel flash_fwd", "kernel group of mm under other names (gemm_64 for gemm_128)"
std::string PartTitle(std::string_view word, std::string_view name, std::string_view names);

/// "kernels fused_x and 2 more are new: 3.1 % of the iteration, with nothing to compare"; as many.
std::vector<std::string> LonePartTexts(const ConfirmedParts& parts, std::string_view word);

}  // namespace profgauge::gate
