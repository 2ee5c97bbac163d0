// Formats changes for people: significant digits, sign and unit. A change is relative to the
// baseline (0.05 is 5 %); for shares it may be a difference, shown in percentage points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace profgauge::gate::change_numbers {

/// A distance in percent, "7.8". Beyond the largest useful number: that number without decimals.
std::string Digits(double distance, int decimals);

/// A change in percent with its sign, "+7.8"; 0 has no sign. Beyond the largest useful number:
/// "over +…".
std::string Signed(double change, int decimals);

/// Adds the unit: "+7.8 %" or "+7.8 pp", with a no-break space.
std::string WithUnit(const std::string& number, bool is_points);

/// One end of an interval: "+12.7", or "over +400" if the interval is so wide that digits are
/// meaningless.
std::string End(double change, bool is_points, int decimals);

/// A change: "+7.8 %". It has no decimals if it is large and its interval is wide.
std::string ChangeNumber(double change, double low, double high, bool is_points);

/// "+7.8 % [+3.1, +12.7]": a change with its interval; decimals only if that is narrow.
std::string ChangeAndInterval(double change, double low, double high, bool is_points);

/// A limit, with the digits that the user wrote: "+5 %".
std::string LimitNumber(double change, bool is_points);

/// A distance between runs, without a sign: "30 %".
std::string Distance(double change);

/// A number with its noun: "1 iteration", "3 iterations".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace profgauge::gate::change_numbers
