#include "rules/baseline_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "rules/policy_decode.h"

namespace profgauge {
namespace {

constexpr Decoder::Word<bool> kStrictness[] = {{"normal", false}, {"certain", true}};

// "0 to 100 %", "never negative".
std::string RangeText(const MetricSpec& metric) {
  if (metric.range.most == std::numeric_limits<double>::infinity()) return "never negative";
  return fmt::format("0 to {}", FormatLimit(metric.range.most, metric.unit));
}

void DecodeAmount(Decoder& decoder, const YamlNode& node, const MetricSpec& metric,
                  std::string_view what, std::optional<BaselineLimit::Amount>& target) {
  const auto literal = decoder.UnsignedAmong(node, what, {Unit::kShare, metric.unit},
                                             "a change is written without sign");
  if (!literal) return;
  // A percentage is relative to the baseline, also for shares: 3 % of it, not 3 points.
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

void DecodeMinAbs(Decoder& decoder, const YamlNode& node, const MetricSpec& metric,
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

/// What is never negative loses at most all it has.
void CheckDecrease(Decoder& decoder, const YamlNode& node, const MetricSpec& metric,
                   const BaselineLimit& limit) {
  if (!limit.max_decrease || !limit.max_decrease->relative || metric.range.least < 0) return;
  const double share = limit.max_decrease->value;
  if (share < 1 || (share == 1 && limit.max_increase)) return;
  decoder.Add(
      node, "policy/never-missed",
      fmt::format("`max_decrease` {}: `{}` is never negative, so no run can miss this limit",
                  FormatLimit(share, Unit::kShare), metric.id));
}

// `off`, or a share of its own.
void DecodeTotal(Decoder& decoder, const YamlNode& node, BaselineLimit& limit) {
  limit.judges_total = !decoder.Is(node, "off");
  if (!limit.judges_total) return;
  const auto literal =
      decoder.UnsignedAmong(node, "total", {Unit::kShare}, "a change is written without sign");
  if (literal) limit.total = literal->value;
}

// Only a typical time has a total beside it.
void CheckTotal(Decoder& decoder, const YamlNode& node, const BaselineLimit& limit) {
  if (node.kind != YamlNode::Kind::kMap || node.Find("total") == nullptr) return;
  if (limit.metric == metric::kIterationTimeMedian ||
      limit.metric == metric::kIterationPeriodMedian || limit.metric == metric::kStepTimeMedian) {
    return;
  }
  decoder.Add(
      *node.Find("total"), "policy/no-total",
      fmt::format("`total` stands with `{}`, `{}` and `{}` only, not with `{}`",
                  metric::kIterationTimeMedian.text(), metric::kIterationPeriodMedian.text(),
                  metric::kStepTimeMedian.text(), limit.metric));
}

void DecodeBaselineLimit(Decoder& decoder, const YamlNode& key, const YamlNode& node,
                         std::vector<BaselineLimit>& out) {
  const std::shared_ptr<const MetricSpec> metric = MetricOf(decoder, key);
  if (metric == nullptr) return;
  BaselineLimit limit;
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
      {"total", [&](const YamlNode& n) { DecodeTotal(decoder, n, limit); }},
      {"level",
       [&](const YamlNode& n) { Set(limit.level, decoder.OneOf<Level>(n, "level", kLevels)); }},
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

}  // namespace

std::shared_ptr<const MetricSpec> MetricOf(Decoder& decoder, const YamlNode& key) {
  std::shared_ptr<const MetricSpec> metric = DescribeMetric(key.text);
  if (metric == nullptr) {
    Error& error = decoder.Add(key, "policy/unknown-metric",
                               fmt::format("unknown metric `{}`", PrintableShort(key.text)));
    std::vector<std::string_view> ids;
    for (const MetricSpec& spec : MetricCatalogue()) ids.push_back(spec.id);
    AddSuggestion(error, key.text, ids);
    if (error.notes.empty()) {
      error.notes.emplace_back("help: `profgauge metrics list` shows all metrics");
    }
    return nullptr;
  }
  if (metric->unit == Unit::kText || metric->unit == Unit::kBool) {
    decoder.Add(key, "policy/no-limit",
                fmt::format("`{}` is not a number, no limit can stand on it", metric->id));
    return nullptr;
  }
  return metric;
}

std::vector<std::string_view> LimitedMetrics() {
  std::vector<std::string_view> ids;
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (spec.unit != Unit::kText && spec.unit != Unit::kBool) ids.push_back(spec.id);
  }
  return ids;
}

void DecodeBaseline(Decoder& decoder, const YamlNode& node, PolicyBaseline& out) {
  std::vector<std::string_view> names = {"match", "noise_floor", "strictness"};
  for (const std::string_view id : LimitedMetrics()) names.push_back(id);
  decoder.EachNamed(node, "`baseline`", names, [&](const YamlNode& key, const YamlNode& value) {
    if (key.text == "match") {
      out.match.emplace();
      decoder.EachItem(value, "`match`", [&](const YamlNode& item) {
        const auto property = decoder.OneOf<std::string_view>(item, "match", RunProperties());
        if (property) out.match->emplace_back(*property);
      });
    } else if (key.text == "noise_floor") {
      DecodeNoiseFloor(decoder, value, out.noise_floor);
    } else if (key.text == "strictness") {
      Set(out.certain, decoder.OneOf<bool>(value, "strictness", kStrictness));
    } else {
      DecodeBaselineLimit(decoder, key, value, out.limits);
    }
  });
}

}  // namespace profgauge
