// The order of findings: causes with their symptoms, by their savings.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "knowledge/quantity.h"
#include "rules/evaluator.h"

namespace profgauge {

/// The category of rules about the profile itself. They come first: when it cannot be trusted,
/// nothing else can.
inline constexpr std::string_view kAboutRecording = "recording";

/// Links fired findings to the fired finding that explains them (of several the one with the
/// largest gain) and puts all in the order that evaluator.h promises. `rule_of` is the rule index
/// of each. A cause gains at least
/// `explained` of its symptom's saving.
void RankFindings(std::span<const CompiledRule> rules, std::vector<std::size_t> rule_of,
                  knowledge::Ratio explained, std::vector<Finding>& findings);

}  // namespace profgauge
