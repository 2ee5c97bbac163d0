#include "gate/change_numbers.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "gate/change_text.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// Ends of an interval beyond a factor of five are shown as bounds: their digits mean nothing.
constexpr double kFarBelow = -knowledge::kGateShownDecrease.value();
constexpr double kFarAbove = knowledge::kGateShownIncrease.value();
// A larger change is shown as a bound, e.g. from a baseline whose iterations take 1 ns.
constexpr double kBeyondDigits = knowledge::kGateShownChange.value();
// Changes above kRough have no decimals if their interval is wider than kWide.
constexpr double kWide = 0.25;
constexpr double kRough = 0.10;

std::string_view Over(double change) { return change > kBeyondDigits ? "over " : ""; }

std::string_view UnitWord(bool is_points) { return is_points ? "pp" : "%"; }

}  // namespace

namespace change_numbers {

std::string Digits(double distance, int decimals) {
  const bool is_beyond = distance > kBeyondDigits;
  return FormatNumber(std::min(distance, kBeyondDigits) * 100, is_beyond ? 0 : decimals);
}

std::string Signed(double change, int decimals) {
  const std::string digits = Digits(std::abs(change), decimals);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{}{}{}", Over(change), is_zero ? "" : change < 0 ? "−" : "+", digits);
}

std::string WithUnit(const std::string& number, bool is_points) {
  return number + std::string(kNumberSpace) + std::string(UnitWord(is_points));
}

std::string End(double change, bool is_points, int decimals) {
  if (!is_points && change < kFarBelow) return "below " + Signed(kFarBelow, 0);
  if (!is_points && change > kFarAbove) return "over " + Signed(kFarAbove, 0);
  return Signed(change, decimals);
}

std::string ChangeNumber(double change, double low, double high, bool is_points) {
  const bool is_rough = high - low >= kWide && std::abs(change) >= kRough;
  return WithUnit(Signed(change, is_rough ? 0 : 1), is_points);
}

std::string ChangeAndInterval(double change, double low, double high, bool is_points) {
  const int decimals = high - low >= kWide ? 0 : 1;
  const std::string begin = End(low, is_points, decimals), end = End(high, is_points, decimals);
  const bool is_beyond = begin == end && begin != Signed(low, decimals);
  return fmt::format("{} [{}]", ChangeNumber(change, low, high, is_points),
                     is_beyond ? begin : fmt::format("{}, {}", begin, end));
}

std::string LimitNumber(double change, bool is_points) {
  return (change < 0 ? "−" : "+") +
         WithUnit(fmt::format("{:.3g}", std::abs(change) * 100), is_points);
}

std::string Distance(double change) {
  const double distance = std::abs(change);
  return std::string(Over(distance)) + WithUnit(Digits(distance, distance < 0.1 ? 1 : 0), false);
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace change_numbers

std::string IntervalEnd(double change, bool is_points) {
  return change_numbers::WithUnit(change_numbers::End(change, is_points, 1), is_points);
}

std::string ChanceText(double chance) {
  if (chance < 0.001) return "by chance in under 1 of 1000";
  if (chance < 0.01) return fmt::format("by chance in {:.0f} of 1000", chance * 1000);
  return fmt::format("by chance in {:.0f} of 100", chance * 100);
}

std::string ChangeWithInterval(double change, double low, double high) {
  return change_numbers::ChangeAndInterval(change, low, high, false);
}

std::string RelativeChange(double change) {
  return change_numbers::WithUnit(change_numbers::Signed(change, std::abs(change) < kWide ? 1 : 0),
                                  false);
}

}  // namespace profgauge::gate
