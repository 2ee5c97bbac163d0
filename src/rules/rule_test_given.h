// The `given` of a rule test: an Analysis and Facts made from YAML.
#pragma once

#include "analysis/analysis.h"
#include "rules/decode.h"
#include "rules/facts.h"

namespace profgauge {

struct Given {
  Analysis analysis;  ///< Every metric and every table is absent except those of the test.
  Facts facts;
};

/// Mistakes are errors: unknown metrics, facts, tables and columns, values of another unit.
Given DecodeGiven(Decoder& decoder, const YamlNode& node);

}  // namespace profgauge
