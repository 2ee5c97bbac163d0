// The keys of a rule, one function a section.
#pragma once

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge {

/// Decodes a whole rule file. What has errors is left out of `out` or incomplete.
void DecodeRuleFile(Decoder& decoder, RuleFile& out);

}  // namespace profgauge
