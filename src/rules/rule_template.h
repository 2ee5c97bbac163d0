// Arguments of templates.
#pragma once

#include "rules/decode.h"
#include "rules/rule_library.h"
#include "rules/rule_lower.h"

namespace profgauge {

RuleArgument DecodeArgument(Decoder& decoder, const YamlNode& key, const YamlNode& node);

/// Gives `arguments` the types that `used` declares. Adds errors for missing, unknown or wrong
/// ones; `with` is the rule's mapping of them, null where it has none.
void CheckArguments(Decoder& decoder, const Where& place, const YamlNode* with,
                    const RuleTemplate& used, RuleArguments& arguments);

}  // namespace profgauge
