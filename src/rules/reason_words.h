// Why a rule does not judge a run, in words: from the condition that is false and from the number
// that is missing. `rules explain` has the expressions.
#pragma once

#include <span>
#include <string>

#include "rules/rule_run.h"

namespace profgauge::rules {

/// What a name of a rule is called: the title of a metric or column, else its last part in words.
/// In words of the device: "GPU idle time", "Waiting of a rank".
std::string TitleOfName(const CompiledRule& rule, const RunData& run, expr::Slot slot);

/// Of a name that has no value: "Iteration time (CV) is unknown: needs at least two iterations".
std::string WhyUnknown(const CompiledRule& rule, const RunData& run, expr::Slot slot,
                       const std::string& why);

/// Of an expression that has no value: of the name that is missing, or that its number is out of
/// range.
std::string WhyUnknown(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       const expr::Outcome& outcome);

/// Of a `when` that is false for `group`: from the first of its conditions that is false.
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

/// Whether one of the false conditions is about the profile, as its source of iterations, its ranks
/// or what was recorded. Other work of the program does not make it true, unlike those on times,
/// shares and numbers of launches.
bool IsOtherProfile(const CompiledRule& rule, const expr::Data& data,
                    std::span<const expr::RowId> group);

}  // namespace profgauge::rules
