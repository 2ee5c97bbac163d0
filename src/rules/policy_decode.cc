#include "rules/policy_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/derived_markers.h"
#include "base/format.h"
#include "base/text.h"
#include "knowledge/thresholds.h"
#include "rules/baseline_decode.h"
#include "rules/builtin_files.h"
#include "rules/waiver.h"

namespace profgauge::rules {
namespace {

constexpr std::int64_t kMostIterations = 1'000'000'000, kMostRanks = 1'000'000'000;

constexpr Decoder::Word<FailOn> kFailOn[] = {
    {"error", FailOn::kError}, {"warn", FailOn::kWarn}, {"never", FailOn::kNever}};
constexpr Decoder::Word<OnMissingRanks> kOnMissingRanks[] = {
    {"no_verdict", OnMissingRanks::kNoVerdict},
    {"warn", OnMissingRanks::kWarn},
    {"fail", OnMissingRanks::kFail}};
constexpr Decoder::Word<Unrecorded> kUnrecorded[] = {
    {"use", Unrecorded::kUse}, {"ignore", Unrecorded::kIgnore}, {"require", Unrecorded::kRequire}};
constexpr Decoder::Word<OnInconclusive> kOnInconclusive[] = {
    {"warn", OnInconclusive::kWarn},
    {"pass", OnInconclusive::kPass},
    {"no_verdict", OnInconclusive::kNoVerdict}};
constexpr Decoder::Word<RuleSetting::Choice> kChoices[] = {
    {"off", RuleSetting::Choice::kOff},         {"info", RuleSetting::Choice::kInfo},
    {"warn", RuleSetting::Choice::kWarn},       {"error", RuleSetting::Choice::kError},
    {"default", RuleSetting::Choice::kDefault},
};
constexpr Decoder::Word<bool> kUnknownKernels[] = {{"lower_bound", false}, {"upper_bound", true}};

// Reads one end of the iterations: a position, or a recorded number like "#5".
void DecodeBound(Decoder& decoder, const YamlNode& node, std::string_view name,
                 std::optional<std::int64_t>& position, std::optional<std::int64_t>& number) {
  if (!node.text.starts_with('#')) {
    return Set(position, decoder.Integer(node, name, 0, kMostIterations));
  }
  YamlNode digits = node;
  digits.text.erase(0, 1);
  Set(number, decoder.Integer(digits, name, 0, kMostIterations));
}

// Reads how to find iterations: `marker`, `key_op`, or `phase`, which is a marker with a known
// pattern. If a file has one of these, it replaces the setting of extended policies.
void DecodeIterations(Decoder& decoder, const YamlNode& node, PolicyIterations& out) {
  const auto integer = [&](std::string_view name, std::optional<std::int64_t>& target) {
    return Decoder::Key{name, [&decoder, &target, name](const YamlNode& n) {
                          Set(target, decoder.Integer(n, name, 0, kMostIterations));
                        }};
  };
  std::optional<std::string> marker, key_op;
  // The known phases, each with the pattern of its marker.
  constexpr Decoder::Word<std::string_view> kPhases[] = {{"decode", "decode"},
                                                         {"prefill", "prefill"},
                                                         {"mixed", "mixed"},
                                                         {"diffusion", "diffusion"},
                                                         {"evaluation", "evaluation"}};
  std::optional<std::string_view> phase;
  const Decoder::Key kKeys[] = {
      {"marker", [&](const YamlNode& n) { Set(marker, decoder.Text(n, "marker")); }},
      {"key_op", [&](const YamlNode& n) { Set(key_op, decoder.Text(n, "key_op")); }},
      {"phase",
       [&](const YamlNode& n) {
         Set(phase, decoder.OneOf<std::string_view>(n, "phase", kPhases));
       }},
      {"start",
       [&](const YamlNode& n) { DecodeBound(decoder, n, "start", out.start, out.start_number); }},
      {"stop",
       [&](const YamlNode& n) { DecodeBound(decoder, n, "stop", out.stop, out.stop_number); }},
      integer("warmup", out.warmup),
      integer("min", out.min),
  };
  decoder.Map(node, "`iterations`", kKeys);
  if ((marker || phase) && key_op) {
    decoder.Add(node, "policy/two-markers", "`marker` and `key_op` exclude each other")
        .notes.emplace_back("help: keep the one that marks the start of iterations");
  } else if (marker && phase) {
    decoder.Add(node, "policy/two-markers", "`marker` and `phase` exclude each other")
        .notes.emplace_back("help: keep `phase`; it knows the names of engines' steps");
  } else if (phase) {
    out.marker = analysis::iterations::MarkerPatternOfPhase(*phase);
    out.key_op.reset();
  } else if (marker || key_op) {  // Either replaces the setting of an extended policy.
    out.marker = std::move(marker);
    out.key_op = std::move(key_op);
  }
  const auto check = [&](const auto& start, const auto& stop, std::string_view sign) {
    if (!start || !stop || *start <= *stop) return;
    decoder.Add(node, "policy/empty-range",
                fmt::format("no iteration lies between `start` {}{} and `stop` {}{}", sign, *start,
                            sign, *stop));
  };
  check(out.start, out.stop, "");
  check(out.start_number, out.stop_number, "#");
}

// Rejects a required number of ranks that every run has, like a limit that no run can miss.
void DecodeRanks(Decoder& decoder, const YamlNode& node, PolicyRanks& out) {
  const Decoder::Key kKeys[] = {
      {"expect",
       [&](const YamlNode& n) { Set(out.expect, decoder.Integer(n, "expect", 1, kMostRanks)); }},
      {"allow_missing",
       [&](const YamlNode& n) {
         Set(out.allow_missing, decoder.Integer(n, "allow_missing", 0, kMostRanks));
       }},
      {"on_missing",
       [&](const YamlNode& n) {
         Set(out.on_missing, decoder.OneOf<OnMissingRanks>(n, "on_missing", kOnMissingRanks));
       }},
  };
  decoder.Map(node, "`ranks`", kKeys);
  if (out.expect && out.allow_missing >= *out.expect) {
    decoder.Add(node, "policy/never-missed",
                fmt::format("of {} expected ranks {} may be missing, so no rank has to be there",
                            *out.expect, out.allow_missing));
  }
}

void DecodeRuleSetting(Decoder& decoder, const YamlNode& key, const YamlNode& value,
                       std::vector<RuleSetting>& out) {
  RuleSetting setting;
  setting.pattern = key.text;
  setting.where = decoder.document().At(key);
  const auto decode_choice = [&](const YamlNode& n) {
    setting.choice = decoder.OneOf<RuleSetting::Choice>(n, "level", kChoices);
  };
  if (value.kind == YamlNode::Kind::kMap) {
    const Decoder::Key kKeys[] = {
        {"level", decode_choice},
        {"params",
         [&](const YamlNode& params) {
           decoder.EachEntry(params, "`params`", [&](const YamlNode& name, const YamlNode& n) {
             if (const auto literal = decoder.Number(n, name.text)) {
               setting.params.insert_or_assign(
                   name.text, RuleSetting::Param{*literal, decoder.document().At(n)});
             }
           });
         }},
    };
    decoder.Map(value, "a rule's setting", kKeys);
  } else {
    decode_choice(value);
  }
  out.push_back(std::move(setting));
}

}  // namespace

void DecodeScales(Decoder& decoder, const YamlNode& node, std::string_view what,
                  std::vector<WhatIfScale>& out) {
  decoder.EachItem(node, what, [&](const YamlNode& item) {
    WhatIfScale scale;
    const Decoder::Key kKeys[] = {
        {"where", [&](const YamlNode& n) { Set(scale.where, decoder.Source(n, "where")); }, true},
        {"by",
         [&](const YamlNode& n) {
           const auto literal = decoder.Number(n, "by");
           if (!literal) return;
           if (!IsFactor(*literal)) {
             decoder.Add(n, "config/number", fmt::format("`by`: expected {}", kFactors));
             return;
           }
           scale.factor = literal->value;
         },
         true},
    };
    decoder.Map(item, "a change", kKeys);
    out.push_back(std::move(scale));
  });
}

namespace {

bool IsScenarioName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void DecodeWhatIf(Decoder& decoder, const YamlNode& node, std::vector<WhatIf>& out) {
  WhatIf scenario;
  scenario.place = decoder.document().At(node);
  const Decoder::Key kKeys[] = {
      {"name",
       [&](const YamlNode& n) {
         Set(scenario.name, decoder.Text(n, "name"));
         if (IsScenarioName(scenario.name)) return;
         decoder
             .Add(n, "policy/name",
                  fmt::format("`name`: expected lower case letters, digits and `_`, found `{}`",
                              PrintableShort(scenario.name, 40)))
             .notes.emplace_back("help: it becomes a part of metrics, what_if.NAME.gain_share");
       },
       true},
      {"scale", [&](const YamlNode& n) { DecodeScales(decoder, n, "`scale`", scenario.scales); }},
      {"without_waiting",
       [&](const YamlNode& n) {
         Set(scenario.without_waiting, decoder.Bool(n, "without_waiting"));
       }},
      {"findings",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`findings`", [&](const YamlNode& item) {
           if (auto rule = decoder.Source(item, "a rule")) {
             scenario.findings.push_back(*std::move(rule));
           }
         });
       }},
  };
  decoder.Map(node, "a scenario", kKeys);
  if (node.kind != YamlNode::Kind::kMap) return;
  if (node.Find("scale") == nullptr && node.Find("without_waiting") == nullptr &&
      node.Find("findings") == nullptr) {
    decoder.Add(node, "policy/no-change", "the scenario changes nothing")
        .notes.emplace_back("help: add `scale: [{where: \"...\", by: 0.5}]`");
  }
  std::erase_if(out, [&](const WhatIf& other) { return other.name == scenario.name; });
  out.push_back(std::move(scenario));
}

void NamedFile(Decoder& decoder, const YamlNode& node, std::string_view what, PolicyFile& out) {
  const auto path = decoder.Source(node, what);
  if (path) out = {ResolvePath(path->text, decoder.document().file), path->All()};
}

void DecodeTensorCore(Decoder& decoder, const YamlNode& node, Policy& policy) {
  const Decoder::Key kKeys[] = {
      {"unknown",
       [&](const YamlNode& n) {
         Set(policy.knowledge.undecided_use_tensor_cores,
             decoder.OneOf<bool>(n, "unknown", kUnknownKernels));
       }},
      {"names",
       [&](const YamlNode& n) { NamedFile(decoder, n, "names", policy.tensor_core_names); }},
  };
  decoder.Map(node, "`tensor_core`", kKeys);
}

}  // namespace

void CheckSide(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
               bool limits_high, bool limits_low, bool any, std::string_view high,
               std::string_view low) {
  const bool lower =
      metric.direction == analysis::Direction::kLowerIsBetter && limits_low && !limits_high;
  const bool higher =
      metric.direction == analysis::Direction::kHigherIsBetter && limits_high && !limits_low;
  if (any || (!lower && !higher)) return;
  decoder
      .Add(node, "policy/wrong-side",
           fmt::format(
               "`{}`: {} is better, so `{}` would fail good runs and pass bad ones; did you "
               "mean `{}`?",
               metric.id, lower ? "lower" : "higher", lower ? low : high, lower ? high : low))
      .notes.emplace_back("help: `side: any` inside of the limit says that it is meant");
}

bool DecodeSide(Decoder& decoder, const YamlNode& node) {
  static constexpr Decoder::Word<bool> kSides[] = {{"any", true}};
  return decoder.OneOf<bool>(node, "side", kSides).value_or(false);
}

std::string BeyondRange(const analysis::MetricSpec& metric, double value) {
  if (value < metric.range.least) return "never negative";
  if (value > metric.range.most) {
    return fmt::format("at most {}", FormatLimit(metric.range.most, metric.unit));
  }
  return {};
}

std::string ResolvePath(std::string_view path, std::string_view file) {
  if (path.starts_with(kBuiltinPrefix)) return std::string(path);
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

void DecodePolicy(Decoder& decoder, Policy& policy) {
  const Decoder::Key kKeys[] = {
      {"schema", [&](const YamlNode& n) { decoder.Schema(n); }, true},
      {"extends", [&](const YamlNode& n) { decoder.NoteSources(n, "extends"); }},
      {"fail_on",
       [&](const YamlNode& n) {
         policy.sets_fail_on = true;
         Set(policy.fail_on, decoder.OneOf<FailOn>(n, "fail_on", kFailOn));
       }},
      {"on_missing",
       [&](const YamlNode& n) {
         Set(policy.on_missing, decoder.OneOf<OnMissing>(n, "on_missing", kOnMissing));
       }},
      {"on_inconclusive",
       [&](const YamlNode& n) {
         Set(policy.on_inconclusive,
             decoder.OneOf<OnInconclusive>(n, "on_inconclusive", kOnInconclusive));
       }},
      {"unrecorded",
       [&](const YamlNode& n) {
         Set(policy.unrecorded, decoder.OneOf<Unrecorded>(n, "unrecorded", kUnrecorded));
       }},
      {"ranks", [&](const YamlNode& n) { DecodeRanks(decoder, n, policy.ranks); }},
      {"iterations", [&](const YamlNode& n) { DecodeIterations(decoder, n, policy.iterations); }},
      {"rules",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`rules`", [&](const YamlNode& key, const YamlNode& value) {
           DecodeRuleSetting(decoder, key, value, policy.rules);
         });
       }},
      {"rule_files",
       [&](const YamlNode& n) {
         for (const SourceText& path : decoder.Sources(n, "rule_files")) {
           policy.rule_files.push_back(ResolvePath(path.text, decoder.document().file));
         }
       }},
      {"thresholds", [&](const YamlNode& n) { DecodeThresholds(decoder, n, policy); }},
      {"thresholds_of_analysis",
       [&](const YamlNode& n) {
         DecodeAnalysisThresholds(decoder, n, policy.knowledge.thresholds);
       }},
      {"baseline",
       [&](const YamlNode& n) {
         if (!policy.baseline) policy.baseline.emplace();
         DecodeBaseline(decoder, n, *policy.baseline);
       }},
      {"require",
       [&](const YamlNode& n) {
         for (const SourceText& rule : decoder.Sources(n, "require")) {
           policy.require.push_back({rule.text, rule.All()});
         }
       }},
      {"waivers",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`waivers`", [&](const YamlNode& item) {
           DecodeWaiver(decoder, item, policy.waivers);
         });
       }},
      {"what_if",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`what_if`", [&](const YamlNode& item) {
           DecodeWhatIf(decoder, item, policy.what_if);
         });
       }},
      {"tensor_core", [&](const YamlNode& n) { DecodeTensorCore(decoder, n, policy); }},
      {"devices", [&](const YamlNode& n) { NamedFile(decoder, n, "devices", policy.devices); }},
  };
  decoder.Map(decoder.document().root, "a policy", kKeys);
}

// Decodes `waivers:` of a policy.

namespace {

// A waiver must name exactly one rule or limit; for a limit, also a bound.
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

// The id of the metric that a value names; empty if it names none.
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
