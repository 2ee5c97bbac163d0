// Tests of rules, from YAML.
#pragma once

#include "rules/decode.h"
#include "rules/rule_test.h"

namespace profgauge {

void DecodeRuleTests(Decoder& decoder, RuleTestFile& out);

}  // namespace profgauge
