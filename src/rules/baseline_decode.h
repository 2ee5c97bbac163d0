// Decodes `baseline:` of a policy: limits on changes, and requirements for a baseline.
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

/// The metric that `key` names. Adds an error if it does not exist or can have no limit.
std::shared_ptr<const analysis::MetricSpec> MetricOf(
    Decoder& decoder, const YamlNode& key, std::string_view code = "policy/unknown-metric");

/// Names of the metrics that can have a limit.
std::vector<std::string_view> LimitedMetrics();

}  // namespace profgauge::rules
