// Names of ranges that show iterations where none is marked: the tables `steps` and `witnesses` of
// rules/knowledge/markers.yaml.
#pragma once

#include <string_view>

namespace profgauge {

/// Steps of a serving engine, of one phase.
struct EngineStep {
  std::string_view engine;   ///< "vLLM"
  std::string_view phase;    ///< "decode"
  std::string_view pattern;  ///< RE2 that their names match.
};
inline constexpr EngineStep kEngineSteps[] = {
#include "knowledge/steps.inc"
};

/// Ranges that occur once in each iteration.
struct IterationWitness {
  std::string_view id;
  bool closes =
      false;  ///< The iteration ends where the range does; else it begins where it begins.
  std::string_view pattern;
};
inline constexpr IterationWitness kIterationWitnesses[] = {
#include "knowledge/witnesses.inc"
};

static_assert(kIterationWitnesses[0].id == "optimizer_step" && kIterationWitnesses[0].closes);

}  // namespace profgauge
