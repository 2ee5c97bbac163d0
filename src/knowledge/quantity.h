// The types of the constants generated from rules/knowledge/thresholds.yaml: a time, a ratio and a
// count, which do not convert into each other. So `gap < knowledge::kOnceStandsOut` does not
// compile: it is a ratio. `constexpr Ns kOnceStandsOut = 3` for "three times as long" would.
//
// Each type combines only with plain numbers of its kind:
//
//     Time     with Ns                    compares, adds, subtracts
//     Ratio    with doubles               value(): rounds as doubles do
//              with whole numbers         Of(): part < kShare.Of(whole), exactly
//     Count    with any integer           compares, multiplies, adds, whatever its sign
//
// A plain integer has no kind: mixing Ns and Count is only detected if the time is a Time.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <utility>

#include "base/units.h"

namespace profgauge::knowledge {

/// An integer that is no bool and no character.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

/// A length of time.
class Time {
 public:
  constexpr explicit Time(Ns ns) : ns_(ns) {}
  /// Nanoseconds.
  constexpr Ns ns() const { return ns_; }

  friend constexpr bool operator==(Time, Time) = default;
  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr bool operator==(Time a, Ns b) { return a.ns_ == b; }
  friend constexpr auto operator<=>(Time a, Ns b) { return a.ns_ <=> b; }
  friend constexpr Ns operator+(Ns a, Time b) { return a + b.ns_; }
  friend constexpr Ns operator+(Time a, Ns b) { return a.ns_ + b; }
  friend constexpr Ns operator-(Ns a, Time b) { return a - b.ns_; }

 private:
  Ns ns_;
};

/// A number of things.
class Count {
 public:
  constexpr explicit Count(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }
  /// The value as a T. REQUIRES: T can hold it, which a test checks for every row.
  template <WholeNumber T>
  constexpr T as() const {
    return static_cast<T>(value_);
  }

  friend constexpr bool operator==(Count, Count) = default;
  friend constexpr auto operator<=>(Count, Count) = default;
  template <WholeNumber T>
  friend constexpr bool operator==(Count a, T b) {
    return std::cmp_equal(a.value_, b);
  }
  template <WholeNumber T>
  friend constexpr std::strong_ordering operator<=>(Count a, T b) {
    if (std::cmp_less(a.value_, b)) return std::strong_ordering::less;
    return std::cmp_equal(a.value_, b) ? std::strong_ordering::equal
                                       : std::strong_ordering::greater;
  }
  template <WholeNumber T>
  friend constexpr T operator*(T a, Count b) {
    return static_cast<T>(a * b.as<T>());
  }
  template <WholeNumber T>
  friend constexpr T operator*(Count a, T b) {
    return b * a;
  }
  template <WholeNumber T>
  friend constexpr T operator+(T a, Count b) {
    return static_cast<T>(a + b.as<T>());
  }

 private:
  std::int64_t value_;
};

/// A type that holds the product of two integers.
__extension__ using Wide = __int128;

/// A share of a whole ("80 %") or a factor ("1.5"): `over / under`, exactly.
class Ratio {
 public:
  /// REQUIRES: under > 0.
  constexpr Ratio(std::int64_t over, std::int64_t under) : over_(over), under_(under) {}
  constexpr double value() const {
    return static_cast<double>(over_) / static_cast<double>(under_);
  }

  /// A ratio of an integer, which compares with integers without rounding or overflow.
  class Part {
   public:
    template <WholeNumber T>
    friend constexpr std::strong_ordering operator<=>(T a, const Part& b) {
      return static_cast<Wide>(a) * b.under_ <=> b.over_;
    }
    template <WholeNumber T>
    friend constexpr bool operator==(T a, const Part& b) {
      return static_cast<Wide>(a) * b.under_ == b.over_;
    }

   private:
    friend class Ratio;
    constexpr Part(Wide over, Wide under) : over_(over), under_(under) {}
    Wide over_, under_;
  };
  template <WholeNumber T>
  constexpr Part Of(T whole) const {
    return Part(static_cast<Wide>(whole) * over_, under_);
  }
  /// Returns the ratio of an integer, rounded toward zero. REQUIRES: the result fits.
  template <WholeNumber T>
  constexpr T WholeOf(T whole) const {
    return static_cast<T>(static_cast<Wide>(whole) * over_ / under_);
  }
  constexpr double Of(double whole) const { return value() * whole; }

  friend constexpr bool operator==(Ratio a, Ratio b) { return (a <=> b) == 0; }
  friend constexpr std::strong_ordering operator<=>(Ratio a, Ratio b) {
    return static_cast<Wide>(a.over_) * b.under_ <=> static_cast<Wide>(b.over_) * a.under_;
  }
  friend constexpr auto operator<=>(double a, Ratio b) { return a <=> b.value(); }
  friend constexpr bool operator==(double a, Ratio b) { return a == b.value(); }
  friend constexpr double operator*(double a, Ratio b) { return a * b.value(); }
  friend constexpr double operator*(Ratio a, double b) { return a.value() * b; }
  // An integer would be converted to double; use Of() to compare integers.
  template <WholeNumber T>
  friend auto operator<=>(T, Ratio) = delete;
  template <WholeNumber T>
  friend bool operator==(T, Ratio) = delete;
  template <WholeNumber T>
  friend double operator*(T, Ratio) = delete;
  template <WholeNumber T>
  friend double operator*(Ratio, T) = delete;

 private:
  std::int64_t over_, under_;
};

}  // namespace profgauge::knowledge
