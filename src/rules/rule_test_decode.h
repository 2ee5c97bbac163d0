// Tests of rules, from YAML.
#pragma once

#include "analysis/analysis.h"
#include "rules/decode.h"
#include "rules/facts.h"
#include "rules/rule_test.h"

namespace profgauge::rules {

void DecodeRuleTests(Decoder& decoder, RuleTestFile& out);

// The `given` of a rule test: an Analysis and Facts made from YAML.

struct Given {
  analysis::Analysis
      analysis;  ///< Every metric and every table is absent except those of the test.
  Facts facts;
};

/// Mistakes are errors: unknown metrics, facts, tables and columns, values of another unit.
Given DecodeGiven(Decoder& decoder, const YamlNode& node);

}  // namespace profgauge::rules
