// `waivers:` of a policy.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/text.h"
#include "rules/policy_decode.h"
#include "rules/waiver.h"

namespace profgauge::rules {
namespace {

// A waiver is of one thing; that of a limit says how far.
void CheckWaiver(Decoder& decoder, const YamlNode& node, const std::optional<Literal>& up_to,
                 Waiver& waiver) {
  if (node.kind != YamlNode::Kind::kMap) return;
  const int named = (node.Find("rule") != nullptr ? 1 : 0) +
                    (node.Find("limit") != nullptr ? 1 : 0) +
                    (node.Find("threshold") != nullptr ? 1 : 0);
  if (named != 1) {
    decoder.Add(node, "policy/waiver",
                "a waiver names exactly one of `rule`, `limit` and `threshold`");
    return;
  }
  if (!waiver.rule.empty() || node.Find("rule") != nullptr) return;
  if (node.Find("up_to") == nullptr) {
    decoder.Add(node, "policy/waiver", "a waiver of a limit needs `up_to`: how far it holds")
        .notes.emplace_back("help: `up_to: +12%`; beyond it the limit counts again");
    return;
  }
  if (!up_to) return;
  const auto metric = analysis::DescribeMetric(waiver.threshold);
  const Unit unit = metric == nullptr ? Unit::kShare : metric->unit;
  if (const auto value = ConvertLiteral(*up_to, unit)) {
    waiver.up_to = *value;
  } else {
    decoder.Add(*node.Find("up_to"), "policy/waiver", fmt::format("`up_to`: {}", value.error()));
  }
}

// The id of the metric that a value names; empty where it names none.
std::string MetricIn(Decoder& decoder, const YamlNode& node, std::string_view what) {
  if (!decoder.Text(node, what)) return {};
  const auto metric = MetricOf(decoder, node, "policy/waiver");
  return metric == nullptr ? std::string() : std::string(metric->id);
}

}  // namespace

void DecodeWaiver(Decoder& decoder, const YamlNode& node, std::vector<Waiver>& out) {
  Waiver waiver;
  std::optional<Literal> up_to;
  waiver.place = decoder.document().At(node);
  const Decoder::Key kKeys[] = {
      {"rule", [&](const YamlNode& n) { Set(waiver.rule, decoder.Text(n, "rule")); }},
      {"limit", [&](const YamlNode& n) { waiver.limit = MetricIn(decoder, n, "limit"); }},
      {"threshold",
       [&](const YamlNode& n) { waiver.threshold = MetricIn(decoder, n, "threshold"); }},
      {"up_to", [&](const YamlNode& n) { up_to = decoder.Number(n, "up_to"); }},
      {"where", [&](const YamlNode& n) { Set(waiver.where, decoder.Source(n, "where")); }},
      {"reason", [&](const YamlNode& n) { Set(waiver.reason, decoder.Text(n, "reason")); }, true},
      {"owner", [&](const YamlNode& n) { Set(waiver.owner, decoder.Text(n, "owner")); }, true},
      {"expires",
       [&](const YamlNode& n) {
         Set(waiver.expires, decoder.Text(n, "expires"));
         if (waiver.expires.empty() || ParseDay(waiver.expires)) return;
         decoder.Add(n, "policy/day",
                     fmt::format("`expires`: expected a day such as `2027-03-31`, found `{}`",
                                 PrintableShort(waiver.expires, 40)));
       },
       true},
      {"long", [&](const YamlNode& n) { Set(waiver.is_long, decoder.Bool(n, "long")); }},
  };
  decoder.Map(node, "a waiver", kKeys);
  CheckWaiver(decoder, node, up_to, waiver);
  out.push_back(std::move(waiver));
}

}  // namespace profgauge::rules
