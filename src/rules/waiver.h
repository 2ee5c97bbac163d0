// Waivers: findings that are known and accepted until a day, with a reason and an owner.
//
// An expired waiver only warns; so does one that no finding needed. The current date is the later
// of the clock and SOURCE_DATE_EPOCH, so that a far date makes a run repeatable.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "rules/policy.h"

namespace profgauge::rules {

/// Waivers may reach this far ahead, unless they have `long: true`.
inline constexpr std::chrono::days kLongestWaiver{180};

/// "2027-03-31", a day of the calendar; nothing otherwise.
std::optional<std::chrono::sys_days> ParseDay(std::string_view text);
std::string FormatDay(std::chrono::sys_days day);  ///< "2027-03-31"

/// The latest day (UTC) of the clock, `now` ("2026-11-21", or seconds since 1970; empty: not given)
/// and `source_date_epoch` (seconds, nullptr or empty when not set). Errors: kUsage when a text is
/// neither.
Result<std::chrono::sys_days> Today(const std::string& now, const char* source_date_epoch);

/// Whether the waiver no longer applies on that day; on its last one it still does.
bool HasExpired(const Waiver& waiver, std::chrono::sys_days today);

/// An error for each waiver of `policy` that reaches farther ahead than kLongestWaiver: a waiver
/// without a near end is a limit that was switched off.
Errors CheckWaivers(const Policy& policy, std::chrono::sys_days today);

/// An error for each waiver of a limit whose bound is over ten limits: it would waive everything.
Errors CheckBounds(const Policy& policy);

/// The subject of `waiver`: a rule, or the metric of a limit.
std::string_view SubjectOf(const Waiver& waiver);

/// "gpu.idle.mean (anna, until 2026-12-31: cluster move)", and soon before its end in how many
/// days.
std::string WaiverText(const Waiver& waiver, std::chrono::sys_days today);

/// A remark for the reader of the report, beside the findings that it covers:
/// it has expired, or no finding needed it. Nothing when it was used.
std::optional<std::string> NoteOnWaiver(const Waiver& waiver, bool has_expired, bool is_used);

}  // namespace profgauge::rules
