// Finds kernels, operators, collectives or modules that became slower, even if the whole run did
// not.
//
// Hundreds of parts are tested, so their probabilities are judged together: one false discovery in
// 1000 runs if noise is normal. Noise between runs has heavier tails: 0.5 to 17 of 100 equal runs
// have a false alarm. So each run is tested separately, and a part is slower if two runs show it:
//
//     check A B ...        in two of them
//     check A, history     in A and in the nearest ancestor, which is then not in the baseline
//     check A              never: a part found in the only run needs a second run
//
// A cause that slows nearly all parts equally, e.g. a clock, is no change of a part. This common
// change is subtracted, and reported unless a limit on the iteration reports it. If a fifth of the
// time did not change, nothing is subtracted. Names that not all runs have are pooled, kernels by
// type of operator, so a replaced kernel is compared with its replacement.
//
// A step that only warns passes, so its runs become baselines. The last runs of a history with such
// a step are excluded for that part while enough others remain.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// A part that is slower than the common change explains.
struct PartFinding {
  std::string name;         ///< Name; pooled names are "mm: others" or "others".
  std::string names;        ///< Pooled names, "gemm_64 for gemm_128 and 1 more"; empty: one part.
  double change = 0;        ///< Relative, without the common change of all parts.
  double share = 0;         ///< Share of the candidate's iteration.
  double chance = 1;        ///< One-sided, only of this part.
  std::size_t of_runs = 0;  ///< Number of baseline runs it is compared with.
  std::string above;  ///< For a kernel: "aten::mm +5.8 %", the operator that launches most of it.
  std::size_t in_runs = 1;  ///< How many runs show it; numbers are their means, `chance` the worst.
  bool is_assumed = false;  ///< A run keeps no times by iteration of it: their spread is assumed.
};

/// A part that only one run has, so there is nothing to compare it with.
struct LonePart {
  std::string name;
  std::string names;    ///< "fused_x and 2 more" for a pool.
  double share = 0;     ///< Share of the iteration of the run that has it.
  bool is_new = false;  ///< True: only the candidate has it.
};

/// The parts of one kind in one run.
struct PartFindings {
  std::vector<PartFinding> found;
  std::vector<LonePart> lone;  ///< Largest first; reported, not judged.
  double common = 0;           ///< The time-weighted median change of all parts.
  double taken = 0;            ///< The part of `common` that was subtracted from changes.
  bool is_common = false;      ///< `common` is certain, over the limit, and subtracted.
  bool is_alike = false;       ///< Nearly all of the time changed like `common`.
  std::size_t alike = 0;       ///< Number of tested parts that did.
  std::size_t tested = 0;
  std::size_t runs = 0;         ///< Runs of the baseline.
  bool is_judged = false;       ///< True if the baseline has enough runs.
  bool is_of_history = false;   ///< The baseline is from a history.
  bool are_benchmarks = false;  ///< The parts are benchmarks, which belong to no iteration.
};

/// Compares the parts `sums` of `candidate` with those of `baselines`. Parts below
/// `limit.min_share` of the candidate's iteration are not tested. A part is found if its change
/// without the common change is certainly above 0 and over `limit.max_increase` (Benjamini-Hochberg
/// over all tested). With fewer than five baseline runs, nothing is judged. `noise_floor` is
/// relative. `is_ordered`: the baseline's runs are from a history, oldest first. REQUIRES:
/// `baselines` is not empty; every run has an iteration.
PartFindings JudgeParts(
    std::span<const Snapshot> baselines, const Snapshot& candidate,
    const std::vector<analysis::breakdown::WorkSum> analysis::breakdown::WorkSums::*sums,
    const rules::PartLimit& limit, double noise_floor, bool is_ordered = false);

/// The parts of one kind in all candidates, which are tested one by one against one baseline.
struct ConfirmedParts {
  std::vector<PartFinding> slower;  ///< Slower in two runs or more; most added time first.
  std::vector<PartFinding> once;    ///< Slower in one candidate; in the same order.
  std::vector<LonePart> lone;       ///< Lone in every candidate; reported, not judged.
  double common = 0, taken = 0;     ///< Means over the candidates.
  std::size_t common_runs = 0;  ///< Number of runs with a common slowdown, including the newest.
  std::size_t alike = 0, tested = 0;  ///< Minimum over the candidates.
  bool is_alike = false;
  std::size_t candidates = 0, runs = 0;
  bool is_judged = false, is_of_history = false;
  bool are_benchmarks = false;

  /// True if a second run must decide about `once`. With several candidates, a part that only one
  /// of them shows is not confirmed.
  bool IsOpen() const { return candidates == 1 && !once.empty(); }
};

/// Combines the candidates' findings. `newest`: those of the run before a single candidate, or
/// nullptr. REQUIRES: `candidates` is not empty; all have the same baseline.
ConfirmedParts ConfirmParts(std::span<const PartFindings> candidates, const PartFindings* newest);

/// Text about slower parts: "kernel flash_fwd: +6.1 % in 2 runs (2.1 % of the iteration; by chance
/// under 1 of 100 000; 20 baseline runs); also kernel gemm: +5.8 %". The reason if nothing could be
/// judged; empty if no part is slower.
std::string PartsText(const ConfirmedParts& parts, std::string_view word);

/// Text about parts found once: "kernel flash_fwd: +14.6 % in this run; one run may be chance. A
/// second run decides: …"; empty if there are none.
std::string PartsOnceText(const ConfirmedParts& parts, std::string_view word);

/// "48 kernels of the same work are all about 30 % slower in 2 runs; that is no single kernel, and
/// no limit on time is missed". Empty without a common slowdown, or with a missed limit on time.
std::string PartsCommonText(const ConfirmedParts& parts, std::string_view word);

/// A title: "kernel flash_fwd", "kernel group of mm under other names (gemm_64 for gemm_128)".
std::string PartTitle(std::string_view word, std::string_view name, std::string_view names);

/// Parts that only one run has: "kernels fused_x and 2 more are new: 3.1 % of the iteration, …".
std::vector<std::string> LonePartTexts(const ConfirmedParts& parts, std::string_view word);

}  // namespace profgauge::gate
