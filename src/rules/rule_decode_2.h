// Rule files of schema 2.
#pragma once

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge {

/// Decodes a whole rule file of schema 2 and the files that it imports. What has errors is left out
/// of `out` or incomplete. The rules are as those of schema 1: templates, names of rows and
/// everything shared are put in.
void DecodeRuleFile2(Decoder& decoder, RuleFile& out);

}  // namespace profgauge
