// Texts that explain why a rule does not judge a run: by its false condition or missing number.
// Only `rules explain` shows the expressions.
#pragma once

#include <span>
#include <string>

#include "rules/rule_run.h"

namespace profgauge::rules {

/// The title of a name in a rule, in words for the run's devices: that of its metric or column,
/// else the last part of the name as words. Examples: "GPU idle time", "Waiting of a rank".
std::string TitleOfName(const CompiledRule& rule, const RunData& run, expr::Slot slot);

/// Explains a name without a value: "Iteration time (CV) is unknown: needs at least two
/// iterations".
std::string WhyUnknown(const CompiledRule& rule, const RunData& run, expr::Slot slot,
                       const std::string& why);

/// Explains an expression without a value: the missing name, or a number out of range.
std::string WhyUnknown(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       const expr::Outcome& outcome);

/// Explains why `when` is false for `group`, by its first false condition:
///
///   launches >= 10            Launches per iteration is 3, needed: at least 10
///   known(step.time.median)   Median unrecorded iteration is unknown
///   not known(gpu.idle.mean)  used only where GPU idle time is unknown
///   format in ['kineto']      Format is nvprof
///   anything else             its condition is not true
///
/// REQUIRES: the rule has a `when`, and `data` is bound to the group.
std::string WhyNotWhen(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       std::span<const expr::RowId> group);

/// True if a false condition is about the profile: how it finds iterations, its ranks, or recorded
/// data. Such a condition stays false whatever the program does, unlike conditions on times, shares
/// and launches.
bool IsOtherProfile(const CompiledRule& rule, const expr::Data& data,
                    std::span<const expr::RowId> group);

}  // namespace profgauge::rules
