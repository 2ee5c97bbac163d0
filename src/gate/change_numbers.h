// Changes as people read them: how many digits mean something, with a sign and a unit. A change is
// a part of the baseline, 0.05 for 5 %, or of shares a difference, then in percentage points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace profgauge::gate::change_numbers {

/// "7.8": a distance in hundredths; beyond what digits can say its bound, without decimals.
std::string Digits(double distance, int decimals);

/// "+7.8": in hundredths, with a minus sign and without a sign for 0; beyond what digits can say
/// "over +…".
std::string Signed(double change, int decimals);

/// "+7.8 %" or "+7.8 pp", with a space that no line breaks at.
std::string WithUnit(const std::string& number, bool is_points);

/// One end of an interval: "+12.7", or "over +400" where an interval is so wide that digits say
/// nothing.
std::string End(double change, bool is_points, int decimals);

/// "+7.8 %": without decimals where the change is large and its interval wide.
std::string ChangeNumber(double change, double low, double high, bool is_points);

/// "+7.8 % [+3.1, +12.7]". Digits after the point only where the interval is narrow.
std::string ChangeAndInterval(double change, double low, double high, bool is_points);

/// "+5 %": limits are people's numbers, and keep the digits that they wrote.
std::string LimitNumber(double change, bool is_points);

/// A distance between runs, without a sign: "30 %".
std::string Distance(double change);

/// "1 iteration", "3 iterations".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace profgauge::gate::change_numbers
