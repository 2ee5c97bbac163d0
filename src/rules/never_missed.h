// Computes which values an expression can have, so that limits that no run can miss are rejected.
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

/// A range with both ends included. Infinite if neither metrics nor functions bound the values.
struct Reach {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool IsOne() const { return low == high; }
};

/// The value of a parameter: from `active` if set there, else the default.
Literal ValueOfParam(const RuleParam& param, const ActiveRule* active);

/// A sentence if no run can miss the limit, and one if that is probable; else empty.
struct LimitReach {
  std::string never_missed, doubt;
};

/// The ranges of a rule's parameters and names. Metrics have the range of the catalog.
class Reaches {
 public:
  /// Both must outlive this; `active` may be null.
  Reaches(const Rule& rule, const ActiveRule* active) : rule_(rule), active_(active) {}

  /// Adds the range of a `let` name.
  void Add(const std::string& name, const expr::Program& value);

  /// Judges a limit that `metric` must not exceed or, if `above` is false, not fall below.
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
