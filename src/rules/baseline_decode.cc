#include "rules/baseline_decode.h"

#include "rules/policy_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"

namespace profgauge::rules {
namespace {

constexpr std::int64_t kMostRuns = 1000;

constexpr Decoder::Word<OnBaselineMissing> kMissing[] = {
    {"pass", OnBaselineMissing::kPass},
    {"warn", OnBaselineMissing::kWarn},
    {"no_verdict", OnBaselineMissing::kNoVerdict},
    {"fail", OnBaselineMissing::kFail}};
constexpr Decoder::Word<bool> kStrictness[] = {{"normal", false}, {"certain", true}};

// The range of a metric as text: "0 to 100 %", "never negative".
std::string RangeText(const analysis::MetricSpec& metric) {
  if (metric.range.most == std::numeric_limits<double>::infinity()) return "never negative";
  return fmt::format("0 to {}", FormatLimit(metric.range.most, metric.unit));
}

// Reads an amount: `5%` is relative, `2 ms` absolute. Rejects a sign, because `-5%` as max_decrease
// would be ambiguous.
void DecodeAmount(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
                  std::string_view what, std::optional<BaselineLimit::Amount>& target) {
  const auto literal = decoder.UnsignedAmong(node, what, {Unit::kShare, metric.unit},
                                             "a change is written without sign");
  if (!literal) return;
  // A percentage is relative to the baseline's value, even for shares: 3 % of it, not 3 points.
  if (literal->unit == Unit::kShare) {
    target = BaselineLimit::Amount{literal->value, true};
  } else if (const auto value = ConvertLiteral(*literal, metric.unit)) {
    target = BaselineLimit::Amount{*value, false};
  } else {
    decoder.Add(node, "config/unit", fmt::format("`{}`: {}", what, value.error()))
        .notes.push_back(
            "help: a change is written in percent of the baseline, or in the metric's unit");
    return;
  }
}

// Rejects a `min_abs` as large as the metric's whole range, which would disable the limit.
void DecodeMinAbs(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
                  std::optional<double>& target) {
  Set(target, decoder.NumberOf(node, "min_abs", metric.unit));
  if (!target) return;
  if (*target < 0) {
    decoder.Add(node, "policy/out-of-range",
                "`min_abs` is the least change that counts, and never negative");
  } else if (*target >= metric.range.most - metric.range.least) {
    decoder.Add(node, "policy/out-of-range",
                fmt::format("`min_abs` {}: `{}` is {}, so no run can miss this limit",
                            FormatLimit(*target, metric.unit), metric.id, RangeText(metric)));
  }
}

/// Rejects a decrease of 100 % or more for a number that is never negative.
void CheckDecrease(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
                   const BaselineLimit& limit) {
  if (!limit.max_decrease || !limit.max_decrease->relative || metric.range.least < 0) return;
  const double share = limit.max_decrease->value;
  if (share < 1 || (share == 1 && limit.max_increase)) return;
  decoder.Add(
      node, "policy/never-missed",
      fmt::format("`max_decrease` {}: `{}` is never negative, so no run can miss this limit",
                  FormatLimit(share, Unit::kShare), metric.id));
}

// Reads `total`: `off`, or a share for the total only.
void DecodeTotal(Decoder& decoder, const YamlNode& node, BaselineLimit& limit) {
  limit.judges_total = !decoder.Is(node, "off");
  if (!limit.judges_total) return;
  const auto literal =
      decoder.UnsignedAmong(node, "total", {Unit::kShare}, "a change is written without sign");
  if (!literal) return;
  if (const auto share = ConvertLiteral(*literal, Unit::kShare)) {
    limit.total = *share;
  } else {
    decoder.Add(node, "config/unit", fmt::format("`total`: {}", share.error()));
  }
}

// Rejects `total` unless the metric is a typical time.
void CheckTotal(Decoder& decoder, const YamlNode& node, const BaselineLimit& limit) {
  if (node.kind != YamlNode::Kind::kMap || node.Find("total") == nullptr) return;
  if (limit.metric == metric::kIterationTimeMedian ||
      limit.metric == metric::kIterationPeriodMedian || limit.metric == metric::kStepTimeMedian) {
    return;
  }
  decoder.Add(
      *node.Find("total"), "policy/no-total",
      fmt::format("`total` is allowed only with `{}`, `{}` and `{}`, not with `{}`",
                  metric::kIterationTimeMedian.text(), metric::kIterationPeriodMedian.text(),
                  metric::kStepTimeMedian.text(), limit.metric));
}

bool IsTimeOfIterations(std::string_view metric) {
  return metric == metric::kIterationTimeMedian || metric == metric::kIterationTimeMean ||
         metric == metric::kIterationPeriodMedian || metric == metric::kIterationPeriodMean ||
         metric == metric::kStepTimeMedian || metric == metric::kStepTimeMean;
}

void DecodePer(Decoder& decoder, const YamlNode& node, BaselineLimit& limit) {
  static constexpr Decoder::Word<bool> kPer[] = {{"iteration", false}, {"sample", true}};
  Set(limit.per_sample, decoder.OneOf<bool>(node, "per", kPer));
  if (!limit.per_sample || IsTimeOfIterations(limit.metric)) return;
  decoder.Add(
      node, "policy/no-samples",
      fmt::format("`per: sample` is allowed only with typical and mean times of iterations, "
                  "not with `{}`",
                  limit.metric));
}

// The key `on_missing` of a limit on a change. `skip`: the limit is not applicable if no run has
// its metric. Without the key, the policy's setting decides.
Decoder::Key OnMissingKey(Decoder& decoder, bool& is_optional) {
  return {"on_missing", [&](const YamlNode& n) {
            static constexpr Decoder::Word<bool> kWords[] = {{"skip", true}, {"no_verdict", false}};
            Set(is_optional, decoder.OneOf<bool>(n, "on_missing", kWords));
          }};
}

void DecodeBaselineLimit(Decoder& decoder, const YamlNode& key, const YamlNode& node,
                         std::vector<BaselineLimit>& out) {
  const std::shared_ptr<const analysis::MetricSpec> metric = MetricOf(decoder, key);
  if (metric == nullptr) return;
  BaselineLimit limit;
  bool any_side = false;
  limit.metric = metric->id;
  limit.where = decoder.document().At(key);
  const auto amount = [&](std::string_view name, std::optional<BaselineLimit::Amount>& target) {
    return Decoder::Key{name, [&decoder, &target, metric, name](const YamlNode& n) {
                          DecodeAmount(decoder, n, *metric, name, target);
                        }};
  };
  const Decoder::Key kKeys[] = {
      amount("max_increase", limit.max_increase),
      amount("max_decrease", limit.max_decrease),
      {"min_abs", [&](const YamlNode& n) { DecodeMinAbs(decoder, n, *metric, limit.min_abs); }},
      {"side", [&](const YamlNode& n) { any_side = DecodeSide(decoder, n); }},
      {"total", [&](const YamlNode& n) { DecodeTotal(decoder, n, limit); }},
      {"per", [&](const YamlNode& n) { DecodePer(decoder, n, limit); }},
      {"level",
       [&](const YamlNode& n) { Set(limit.level, decoder.OneOf<Level>(n, "level", kLevels)); }},
      OnMissingKey(decoder, limit.is_optional),
  };
  decoder.Map(node, "a baseline limit", kKeys);
  if (node.kind == YamlNode::Kind::kMap && node.Find("max_increase") == nullptr &&
      node.Find("max_decrease") == nullptr) {
    decoder.Add(
        key, "policy/no-limit",
        fmt::format("the baseline limit on `{}` has neither `max_increase` nor `max_decrease`",
                    metric->id));
  }
  CheckDecrease(decoder, node, *metric, limit);
  CheckTotal(decoder, node, limit);
  if (node.kind == YamlNode::Kind::kMap) {
    CheckSide(decoder, node, *metric, limit.max_increase.has_value(),
              limit.max_decrease.has_value(), any_side, "max_increase", "max_decrease");
  }
  std::erase_if(out, [&](const BaselineLimit& other) { return other.metric == limit.metric; });
  out.push_back(std::move(limit));
}

std::span<const Decoder::Word<std::string_view>> RunProperties() {
  static const auto kWords = [] {
    std::vector<Decoder::Word<std::string_view>> words;
    for (const std::string_view property : kRunProperties) words.push_back({property, property});
    return words;
  }();
  return kWords;
}

void DecodeNoiseFloor(Decoder& decoder, const YamlNode& node, std::optional<double>& target) {
  Set(target, decoder.NumberOf(node, "noise_floor", Unit::kShare));
  if (!target || (*target >= 0 && *target < 1)) return;
  decoder.Add(node, "policy/out-of-range",
              fmt::format("`noise_floor` {}: expected 0 to below 100 %: by how much runs of one "
                          "program differ",
                          FormatLimit(*target, Unit::kShare)));
}

// Requires the device in the list. Without it, runs of different devices would be compared.
void DecodeMatch(Decoder& decoder, const YamlNode& node, PolicyBaseline& out) {
  out.match_any = decoder.Is(node, "any");
  out.match.emplace();
  if (out.match_any) return;
  decoder.EachItem(node, "`match`", [&](const YamlNode& item) {
    const auto property = decoder.OneOf<std::string_view>(item, "match", RunProperties());
    if (property) out.match->emplace_back(*property);
  });
  if (node.kind != YamlNode::Kind::kList) return;
  if (std::find(out.match->begin(), out.match->end(), "gpu") != out.match->end()) return;
  decoder
      .Add(node, "policy/matches-anything",
           "`match` without `gpu` compares runs of different devices")
      .notes.emplace_back("help: add `gpu`, or write `match: any` if that is meant");
}

void DecodeParts(Decoder& decoder, const YamlNode& node, PartLimit& out) {
  const auto share = [&decoder](std::string_view name, double& target) {
    return Decoder::Key{name, [&decoder, &target, name](const YamlNode& n) {
                          const auto literal = decoder.UnsignedAmong(
                              n, name, {Unit::kShare}, "a change is written without sign");
                          if (literal) target = literal->value;
                        }};
  };
  const Decoder::Key kKeys[] = {
      share("max_increase", out.max_increase),
      share("min_share", out.min_share),
      {"level",
       [&](const YamlNode& n) { Set(out.level, decoder.OneOf<Level>(n, "level", kLevels)); }},
      OnMissingKey(decoder, out.is_optional),
  };
  out.where = decoder.document().At(node);
  decoder.Map(node, "a limit on parts", kKeys);
  const YamlNode* share_of_all = out.min_share > 1 ? node.Find("min_share") : nullptr;
  if (share_of_all == nullptr) return;
  decoder.Add(*share_of_all, "policy/out-of-range",
              fmt::format("`min_share` {}: expected 0 to 100 %: no part is more than the iteration",
                          FormatLimit(out.min_share, Unit::kShare)));
}

// The limit that the key names; nullptr if it names no kind of parts.
std::optional<PartLimit>* PartsNamed(std::string_view key, PolicyBaseline& out) {
  if (key == "kernels") return &out.kernels;
  if (key == "operators") return &out.operators;
  if (key == "collectives") return &out.collectives;
  if (key == "benchmarks") return &out.benchmarks;
  return key == "modules" ? &out.modules : nullptr;
}

void DecodeAnchor(Decoder& decoder, const YamlNode& node, PolicyAnchor& out) {
  out = {};
  if (node.kind == YamlNode::Kind::kMap) {
    const Decoder::Key kKeys[] = {
        {"max_increase",
         [&](const YamlNode& n) {
           const auto literal = decoder.UnsignedAmong(n, "max_increase", {Unit::kShare},
                                                      "a change is written without sign");
           if (literal) out.max_increase = literal->value;
         },
         true},
    };
    decoder.Map(node, "`anchor`", kKeys);
    return;
  }
  static constexpr Decoder::Word<bool> kWords[] = {{"off", false}};
  Set(out.judges, decoder.OneOf<bool>(node, "anchor", kWords));
}

}  // namespace

std::shared_ptr<const analysis::MetricSpec> MetricOf(Decoder& decoder, const YamlNode& key,
                                                     std::string_view code) {
  std::shared_ptr<const analysis::MetricSpec> metric = analysis::DescribeMetric(key.text);
  if (metric == nullptr) {
    Error& error =
        decoder.Add(key, code, fmt::format("unknown metric `{}`", PrintableShort(key.text)));
    std::vector<std::string_view> ids;
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) ids.push_back(spec.id);
    AddSuggestion(error, key.text, ids);
    if (error.notes.empty()) {
      error.notes.emplace_back("help: `profgauge metrics list` shows all metrics");
    }
    return nullptr;
  }
  if (metric->unit == Unit::kText || metric->unit == Unit::kBool) {
    decoder.Add(key, "policy/no-limit",
                fmt::format("`{}` is not a number, so it cannot have a limit", metric->id));
    return nullptr;
  }
  return metric;
}

std::vector<std::string_view> LimitedMetrics() {
  std::vector<std::string_view> ids;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    if (spec.unit != Unit::kText && spec.unit != Unit::kBool) ids.push_back(spec.id);
  }
  return ids;
}

void DecodeBaseline(Decoder& decoder, const YamlNode& node, PolicyBaseline& out) {
  std::vector<std::string_view> names = {"match",       "noise_floor", "strictness", "missing",
                                         "min_runs",    "anchor",      "kernels",    "operators",
                                         "collectives", "modules",     "benchmarks"};
  for (const std::string_view id : LimitedMetrics()) names.push_back(id);
  decoder.EachNamed(node, "`baseline`", names, [&](const YamlNode& key, const YamlNode& value) {
    if (key.text == "match") {
      DecodeMatch(decoder, value, out);
    } else if (key.text == "missing") {
      Set(out.missing, decoder.OneOf<OnBaselineMissing>(value, "missing", kMissing));
    } else if (key.text == "min_runs") {
      Set(out.min_runs, decoder.Integer(value, "min_runs", 1, kMostRuns));
    } else if (key.text == "anchor") {
      DecodeAnchor(decoder, value, out.anchor);
    } else if (auto* parts = PartsNamed(key.text, out)) {
      DecodeParts(decoder, value, parts->emplace());
    } else if (key.text == "noise_floor") {
      DecodeNoiseFloor(decoder, value, out.noise_floor);
    } else if (key.text == "strictness") {
      Set(out.certain, decoder.OneOf<bool>(value, "strictness", kStrictness));
    } else {
      DecodeBaselineLimit(decoder, key, value, out.limits);
    }
  });
}

}  // namespace profgauge::rules
