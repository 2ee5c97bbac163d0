#include "rules/waiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/errors.h"
#include "base/text.h"
#include "knowledge/gate.h"

namespace profgauge::rules {
namespace {

using std::chrono::sys_days;

std::optional<sys_days> ParseEpochSeconds(std::string_view text) {
  std::int64_t seconds = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool all = result.ec == std::errc() && result.ptr == text.data() + text.size();
  if (!all || seconds < 0 || seconds > 253'402'300'799) return std::nullopt;  // Year 9999.
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

Result<sys_days> ParseNow(std::string_view text, std::string_view name) {
  if (const auto day = ParseDay(text)) return *day;
  if (const auto day = ParseEpochSeconds(text)) return *day;
  return Fail(UsageError(
      "usage/now",
      fmt::format("`{}`: expected a day such as `2026-11-21` or seconds since 1970, found `{}`",
                  name, PrintableShort(text, 40))));
}

/// The waiver's last day. REQUIRES: the policy was loaded, which checks the date.
sys_days LastDay(const Waiver& waiver) { return ParseDay(waiver.expires).value_or(sys_days{}); }

std::string Described(const Waiver& waiver) {
  return fmt::format("the waiver for `{}` (owner: {})", SubjectOf(waiver),
                     PrintableShort(waiver.owner, 40));
}

}  // namespace

std::optional<sys_days> ParseDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  int year = 0;
  unsigned month = 0, day = 0;
  const auto number = [text](std::size_t start, std::size_t length, auto& out) {
    const std::string_view digits = text.substr(start, length);
    const bool only_digits =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return only_digits;
  };
  if (!number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  return date.ok() ? std::optional(sys_days(date)) : std::nullopt;
}

std::string FormatDay(sys_days day) {
  const std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

// The day is never earlier than the clock's: builds set SOURCE_DATE_EPOCH to the date of a commit,
// so waivers would never expire.
Result<sys_days> Today(const std::string& now, const char* source_date_epoch) {
  sys_days today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  if (!now.empty()) {
    PROFGAUGE_TRY(const sys_days given, ParseNow(now, "now"));
    today = std::max(today, given);
  }
  if (source_date_epoch != nullptr && *source_date_epoch != '\0') {
    PROFGAUGE_TRY(const sys_days epoch, ParseNow(source_date_epoch, "SOURCE_DATE_EPOCH"));
    today = std::max(today, epoch);
  }
  return today;
}

bool HasExpired(const Waiver& waiver, sys_days today) { return LastDay(waiver) < today; }

namespace {

// The largest valid bound for this waiver, in the unit of `up_to`. Nothing if the policy does not
// have its limit, or the limit has no value to compare with.
std::optional<double> MostOf(const Policy& policy, const Waiver& waiver) {
  constexpr double kMostLimits = knowledge::kGateWaiverLimits.value();
  std::optional<double> most;
  if (!waiver.limit.empty()) {
    double limit = knowledge::kGateDefaultLimit.value();
    const std::vector<BaselineLimit> none;
    for (const BaselineLimit& of : policy.baseline ? policy.baseline->limits : none) {
      if (of.metric != waiver.limit) continue;
      for (const auto& amount : {of.max_increase, of.max_decrease}) {
        if (amount && amount->relative) limit = std::max(limit, amount->value);
      }
    }
    return kMostLimits * limit;
  }
  for (const Threshold& of : policy.thresholds) {
    if (of.metric != waiver.threshold || !of.max || *of.max <= 0) continue;
    most = std::max(most.value_or(0), kMostLimits * *of.max);
  }
  return most;
}

}  // namespace

Errors CheckBounds(const Policy& policy) {
  Errors errors;
  for (const Waiver& waiver : policy.waivers) {
    const std::optional<double> most = MostOf(policy, waiver);
    if (!waiver.up_to || !most || *waiver.up_to <= *most) continue;
    errors.push_back(
        {ErrorKind::kConfig,
         "waiver/no-bound",
         fmt::format("{}: `up_to` is over ten limits, which is no bound", Described(waiver)),
         waiver.place,
         {"help: write the change that was measured, such as `up_to: +12%`"}});
  }
  return errors;
}

Errors CheckWaivers(const Policy& policy, sys_days today) {
  Errors errors;
  for (const Waiver& waiver : policy.waivers) {
    if (waiver.is_long || LastDay(waiver) <= today + kLongestWaiver) continue;
    errors.push_back({ErrorKind::kConfig,
                      "policy/long-waiver",
                      fmt::format("{} lasts until {}, more than {} days from {}", Described(waiver),
                                  waiver.expires, kLongestWaiver.count(), FormatDay(today)),
                      waiver.place,
                      {"help: choose an earlier day, or write `long: true` into the waiver"}});
  }
  return errors;
}

std::string_view SubjectOf(const Waiver& waiver) {
  return !waiver.rule.empty()    ? waiver.rule
         : !waiver.limit.empty() ? waiver.limit
                                 : waiver.threshold;
}

std::string WaiverText(const Waiver& waiver, sys_days today) {
  constexpr std::chrono::days kSoon{14};
  std::string text =
      fmt::format("{} ({}, until {}: {}", SubjectOf(waiver), PrintableShort(waiver.owner, 40),
                  waiver.expires, PrintableShort(waiver.reason));
  const auto left = LastDay(waiver) - today;
  if (left <= kSoon) {
    text += fmt::format("; expires in {} day{}", left.count(), left.count() == 1 ? "" : "s");
  }
  return text + ")";
}

std::optional<std::string> NoteOnWaiver(const Waiver& waiver, bool has_expired, bool is_used) {
  if (has_expired) {
    return fmt::format("{} expired on {} and no longer applies; fix the cause, or renew it",
                       Described(waiver), waiver.expires);
  }
  if (is_used) return std::nullopt;
  return fmt::format("{} matches no finding; remove it if the problem is fixed", Described(waiver));
}

}  // namespace profgauge::rules
