// Which values an expression can take, so that a limit that no run can miss is refused.
//
// Interval arithmetic (Moore 1966), always outwards: a reach may be too wide, never too narrow, so
// that a limit is refused only if certainly no run misses it.
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

/// Both ends count. Infinite where neither metrics nor functions bound the values.
struct Reach {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool IsOne() const { return low == high; }
};

/// The value of a parameter: that of `active` where it has one, else the default.
Literal ValueOfParam(const RuleParam& param, const ActiveRule* active);

/// One sentence where no run can miss the limit, or where it looks like that; else empty.
struct LimitReach {
  std::string never_missed, doubt;
};

/// Values of a rule's parameters and names. Metrics have the range of the catalogue.
class Reaches {
 public:
  /// Both must outlive this; `active` may be null.
  Reaches(const Rule& rule, const ActiveRule* active) : rule_(rule), active_(active) {}

  /// A name of `let`.
  void Add(const std::string& name, const expr::Program& value);

  /// A limit over the metric, or with `above` false under it.
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
