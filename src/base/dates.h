// Whether a time is one of a calendar.
#pragma once

#include "base/units.h"

namespace profgauge {

/// Whether `unix_ns`, nanoseconds since 1970, is a date on which a profile can have been recorded:
/// 2010 to 2099. Clocks that count from a boot, or from nothing, are below or beyond.
constexpr bool IsDate(Ns unix_ns) {
  constexpr Ns kSecond = 1'000'000'000;
  constexpr Ns kFrom = 1'262'304'000 * kSecond, kUntil = 4'102'444'800 * kSecond;
  return unix_ns >= kFrom && unix_ns < kUntil;
}

}  // namespace profgauge
