// Texts that explain why a rule does not judge a run, from its false condition or missing number.
// `rules explain` shows the expressions.
#pragma once

#include <span>
#include <string>

#include "rules/rule_run.h"

namespace profgauge::rules {

/// The title of a name in a rule: that of its metric or column, else its last part in words. With
/// device terms: "GPU idle time", "Waiting of a rank".
std::string TitleOfName(const CompiledRule& rule, const RunData& run, expr::Slot slot);

/// Explains a name without a value: "Iteration time (CV) is unknown: needs at least two
/// iterations".
std::string WhyUnknown(const CompiledRule& rule, const RunData& run, expr::Slot slot,
                       const std::string& why);

/// Explains an expression without a value: the missing name, or a number out of range.
std::string WhyUnknown(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       const expr::Outcome& outcome);

/// Explains a `when` that is false for `group` by its first false condition:
///
///   launches >= 10            Launches per iteration is 3, needed: at least 10
///   known(step.time.median)   Median unrecorded iteration is unknown
///   not known(gpu.idle.mean)  used only where GPU idle time is unknown
///   format in ['kineto']      Format is nvprof
///   anything else             it is about other runs
///
/// REQUIRES: the rule has a `when`, and `data` is bound to the group.
std::string WhyNotWhen(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       std::span<const expr::RowId> group);

/// True if one of the false conditions is about the profile: its source of iterations, its ranks,
/// or recorded data. Unlike conditions on times, shares and launches, other work of the program
/// does not make it true.
bool IsOtherProfile(const CompiledRule& rule, const expr::Data& data,
                    std::span<const expr::RowId> group);

}  // namespace profgauge::rules
