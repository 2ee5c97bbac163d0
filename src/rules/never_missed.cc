#include "rules/never_missed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "analysis/analysis.h"
#include "base/format.h"

namespace profgauge::rules {
namespace {

Reach FromZero() { return {0, std::numeric_limits<double>::infinity()}; }

Reach Exactly(double value) { return {value, value}; }

Reach Both(const Reach& a, const Reach& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// The range from low to high; unbounded if an end is NaN, e.g. infinity times zero.
Reach KnownReach(double low, double high) {
  return std::isnan(low) || std::isnan(high) ? Reach{} : Reach{low, high};
}

Reach Product(const Reach& a, const Reach& b) {
  if (a.low >= 0 && b.low >= 0) {
    const bool has_zero = a.high == 0 || b.high == 0;
    return has_zero ? Exactly(0) : KnownReach(a.low * b.low, a.high * b.high);
  }
  return {};
}

// A quotient of ranges has no upper bound, because the divisor may be very small.
Reach Quotient(const Reach& a, const Reach& b) {
  if (b.IsOne() && b.low > 0) return KnownReach(a.low / b.low, a.high / b.low);
  return a.low >= 0 && b.low >= 0 ? FromZero() : Reach{};
}

Reach OfMetric(std::string_view name) {
  const analysis::MetricSpec* metric = analysis::FindMetric(name);
  return metric == nullptr ? Reach{} : Reach{metric->range.least, metric->range.most};
}

Reach OfCall(const expr::Node& call, const std::vector<Reach>& of) {
  const auto argument = [&](std::size_t i) {
    return i < call.children.size() ? of[call.children[i]] : Reach{};
  };
  const Reach first = argument(0);
  const std::string_view name = call.text;
  if (name == "count" || name == "distinct" || name == "abs") return FromZero();
  if (name == "sum") return first.low >= 0 ? FromZero() : Reach{};
  if (name == "mean" || name == "median" || name == "min" || name == "max" ||
      name == "percentile" || name == "at_max") {
    return first;
  }
  if (name == "if") return Both(argument(1), argument(2));
  const bool is_least = name == "least";
  if (!is_least && name != "greatest" && name != "greatest_known") return {};
  Reach reach = first;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Reach next = argument(i);
    reach = is_least ? Reach{std::min(reach.low, next.low), std::min(reach.high, next.high)}
                     : Reach{std::max(reach.low, next.low), std::max(reach.high, next.high)};
  }
  // Any argument may be the only known one, so the result has no lower bound.
  if (name == "greatest_known") reach.low = -std::numeric_limits<double>::infinity();
  return reach;
}

// The range of a node. `of` has the ranges of all earlier nodes; children precede parents.
Reach OfNode(const expr::Node& node, const std::vector<Reach>& of,
             const std::function<Reach(std::string_view)>& of_name) {
  const auto child = [&](std::size_t i) { return of[node.children[i]]; };
  switch (node.op) {
    case expr::Op::kNumber:
      return Exactly(node.number);
    case expr::Op::kField: {
      const Reach own = of_name(node.text), metric = OfMetric(node.text);
      return {std::max(own.low, metric.low), std::min(own.high, metric.high)};
    }
    case expr::Op::kCall:
      return OfCall(node, of);
    case expr::Op::kNegate:
      return {-child(0).high, -child(0).low};
    case expr::Op::kAdd:
      return KnownReach(child(0).low + child(1).low, child(0).high + child(1).high);
    case expr::Op::kSubtract:
      return KnownReach(child(0).low - child(1).high, child(0).high - child(1).low);
    case expr::Op::kMultiply:
      return Product(child(0), child(1));
    case expr::Op::kDivide:
      return Quotient(child(0), child(1));
    case expr::Op::kDefault:
      return Both(child(0), child(1));
    default:
      return {};
  }
}

// True if the metric is a share, or a time divided by a time.
bool LooksLikeShare(const expr::Program& metric) {
  if (metric.type().unit == Unit::kShare) return true;
  const expr::Node& root = metric.ast().nodes.back();
  return root.op == expr::Op::kDivide &&
         std::all_of(root.children.begin(), root.children.end(), [&metric](expr::NodeId child) {
           return metric.info()[child].type.unit == Unit::kTime;
         });
}

// True if no value misses the limit, e.g. a lower limit of 0 on values that are never negative.
bool IsNeverMissed(const Reach& value, double limit, bool above) {
  if (above) return limit > value.high;
  return limit < value.low || (limit == 0 && value.low == 0);
}

}  // namespace

Literal ValueOfParam(const RuleParam& param, const ActiveRule* active) {
  if (active != nullptr) {
    const auto found = active->params.find(param.name);
    if (found != active->params.end()) return found->second;
  }
  return param.default_value;
}

void Reaches::Add(const std::string& name, const expr::Program& value) { names_[name] = Of(value); }

Reach Reaches::OfName(std::string_view name) const {
  if (const auto known = names_.find(name); known != names_.end()) return known->second;
  if (!name.starts_with('$')) return {};
  for (const RuleParam& param : rule_.params) {
    if (param.name == name.substr(1)) return Exactly(ValueOfParam(param, active_).value);
  }
  return {};
}

Reach Reaches::Of(const expr::Program& program) const {
  const auto of_name = [this](std::string_view name) { return OfName(name); };
  std::vector<Reach> of;
  for (const expr::Node& node : program.ast().nodes) of.push_back(OfNode(node, of, of_name));
  return of.back();
}

LimitReach Reaches::Judge(const expr::Program& metric, const expr::Program& limit, Level level,
                          bool above) const {
  const Reach value = Of(metric), bound = Of(limit);
  if (!bound.IsOne()) return {};
  const Unit unit = metric.type().unit;
  const std::string key =
      fmt::format("{}_{}", level == Level::kError ? "error" : "warn", above ? "above" : "below");
  if (IsNeverMissed(value, bound.low, above)) {
    return {fmt::format("`{}` {}: the metric is never {} {}, so no run can miss this limit", key,
                        FormatLimit(bound.low, unit), above ? "over" : "under",
                        FormatLimit(above ? value.high : value.low, unit)),
            {}};
  }
  if (!above || !LooksLikeShare(metric) || bound.low <= 1) return {};
  return {{},
          fmt::format("`{}` is {}; a percentage ends with %", key,
                      FormatLimit(bound.low, Unit::kShare))};
}

}  // namespace profgauge::rules
