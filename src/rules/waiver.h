// Waivers: findings that are accepted until a day, with a reason and an owner.
//
// Expired and unneeded waivers only warn. The current date is the later one of the clock and
// SOURCE_DATE_EPOCH, so a far date makes a run repeatable.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "rules/policy.h"

namespace profgauge::rules {

/// How far ahead a waiver may end, unless it has `long: true`.
inline constexpr std::chrono::days kLongestWaiver{180};

/// Parses a valid date, "2027-03-31"; nothing otherwise.
std::optional<std::chrono::sys_days> ParseDay(std::string_view text);
std::string FormatDay(std::chrono::sys_days day);  ///< "2027-03-31"

/// The latest of these days (UTC): the clock's; `now` ("2026-11-21" or seconds since 1970; empty if
/// not given); `source_date_epoch` (seconds; nullptr or empty if not set). Errors: kUsage if a text
/// is invalid.
Result<std::chrono::sys_days> Today(const std::string& now, const char* source_date_epoch);

/// True if the waiver no longer applies; on its last day it still does.
bool HasExpired(const Waiver& waiver, std::chrono::sys_days today);

/// An error for each waiver of `policy` that ends later than kLongestWaiver ahead. A waiver without
/// a near end would disable the limit for good.
Errors CheckWaivers(const Policy& policy, std::chrono::sys_days today);

/// An error for each waiver of a limit whose bound exceeds ten limits, which waives anything.
Errors CheckBounds(const Policy& policy);

/// The rule, or the metric of the limit, that `waiver` is about.
std::string_view SubjectOf(const Waiver& waiver);

/// The waiver as text: "gpu.idle.mean (anna, until 2026-12-31: cluster move)". Shortly before its
/// end, it has the number of days left, too.
std::string WaiverText(const Waiver& waiver, std::chrono::sys_days today);

/// A remark for the report: the waiver has expired, or no finding needed it. Nothing if it was
/// used.
std::optional<std::string> NoteOnWaiver(const Waiver& waiver, bool has_expired, bool is_used);

}  // namespace profgauge::rules
