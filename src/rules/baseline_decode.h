// `baseline:` of a policy: limits on changes, and requirements for a baseline.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/classify/knowledge.h"
#include "rules/decode.h"
#include "rules/policy.h"

namespace profgauge::rules {

void DecodeBaseline(Decoder& decoder, const YamlNode& node, PolicyBaseline& out);

/// The metric that `key` names; an error when there is none, or when no limit can be on it.
std::shared_ptr<const analysis::MetricSpec> MetricOf(
    Decoder& decoder, const YamlNode& key, std::string_view code = "policy/unknown-metric");

/// Metrics that a limit can be on.
std::vector<std::string_view> LimitedMetrics();

}  // namespace profgauge::rules
