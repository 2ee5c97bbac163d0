// Decodes tests of rules.
#pragma once

#include "analysis/analysis.h"
#include "rules/decode.h"
#include "rules/facts.h"
#include "rules/rule_test.h"

namespace profgauge::rules {

void DecodeRuleTests(Decoder& decoder, RuleTestFile& out);

// The `given` of a rule test: an Analysis and Facts that are made from YAML.

struct Given {
  analysis::Analysis analysis;  ///< All metrics and tables are absent except those of the test.
  Facts facts;
};

/// Decodes `given`. Errors: unknown metrics, facts, tables and columns, and values of another unit.
Given DecodeGiven(Decoder& decoder, const YamlNode& node);

}  // namespace profgauge::rules
