// The keys of a rule, one function a section.
#pragma once

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge {

/// Decodes a whole rule file. Parts with errors are missing in `out` or incomplete.
void DecodeRuleFile(Decoder& decoder, RuleFile& out);

/// The same of a file of schema 2, with the files that it imports. The rules are as those of schema
/// 1: templates, names of rows and everything shared are put in.
void DecodeRuleFile2(Decoder& decoder, RuleFile& out);

}  // namespace profgauge
