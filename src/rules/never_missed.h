// Computes which values an expression can have, to reject limits that no run can miss.
//
// Uses interval arithmetic (Moore 1966), rounded outwards. A range may be too wide but never too
// narrow, so a limit is rejected only if certainly no run misses it.
//
//     $warn = 120 %      sum(kernel.time) / profile.kernel_time      0 to infinity: not refused,
//                                                                    but doubted, as it is a share
//     $warn = 120 %      gpu.idle.mean                               0 to 1: refused
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "expr/program.h"
#include "rules/rule.h"
#include "rules/selection.h"

namespace profgauge::rules {

/// A range that includes both ends. An end is infinite if neither metrics nor functions limit it.
struct Reach {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool IsOne() const { return low == high; }
};

/// The value of a parameter: as set in `active`, else the default.
Literal ValueOfParam(const RuleParam& param, const ActiveRule* active);

/// Two sentences: one if certainly no run can miss the limit, one if probably none can; else empty.
struct LimitReach {
  std::string never_missed, doubt;
};

/// The ranges of a rule's parameters and names. The catalog has the ranges of metrics.
class Reaches {
 public:
  /// `rule` and `active` must outlive the object; `active` may be nullptr.
  Reaches(const Rule& rule, const ActiveRule* active) : rule_(rule), active_(active) {}

  /// Adds the range of a `let` name.
  void Add(const std::string& name, const expr::Program& value);

  /// Judges a limit that fires if `metric` is above it or, with `above` false, below it.
  LimitReach Judge(const expr::Program& metric, const expr::Program& limit, Level level,
                   bool above) const;

 private:
  Reach OfName(std::string_view name) const;
  Reach Of(const expr::Program& program) const;

  const Rule& rule_;
  const ActiveRule* active_;
  std::map<std::string, Reach, std::less<>> names_;
};

}  // namespace profgauge::rules
