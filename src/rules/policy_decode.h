// Decodes the keys of a policy, with one function per section. Each call adds one file to the
// policy decoded so far.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/classify/knowledge.h"
#include "rules/decode.h"
#include "rules/policy.h"

namespace profgauge::rules {

inline constexpr Decoder::Word<Level> kLevels[] = {
    {"info", Level::kInfo}, {"warn", Level::kWarn}, {"error", Level::kError}};

inline constexpr Decoder::Word<OnMissing> kOnMissing[] = {
    {"no_verdict", OnMissing::kNoVerdict}, {"skip", OnMissing::kSkip}, {"fail", OnMissing::kFail}};

/// Decodes the whole document into `policy`. Of `extends`, only the shape is checked.
void DecodePolicy(Decoder& decoder, Policy& policy);

/// Decodes `thresholds:`. Errors: unknown metrics, and limits that every run or no run misses.
void DecodeThresholds(Decoder& decoder, const YamlNode& node, Policy& policy);

/// Decodes `thresholds_of_analysis:`. Errors: rows that no policy may set, values out of range.
void DecodeAnalysisThresholds(Decoder& decoder, const YamlNode& node,
                              knowledge::TunableThresholds& out);

/// Decodes a list of changes, `[{where: ..., by: ...}]`. Their conditions are checked later.
void DecodeScales(Decoder& decoder, const YamlNode& node, std::string_view what,
                  std::vector<WhatIfScale>& out);

/// Adds one of `waivers:`.
void DecodeWaiver(Decoder& decoder, const YamlNode& node, std::vector<Waiver>& out);

/// Adds an error at `node` if a limit is on the wrong side of `metric`: a minimum for a metric that
/// should be small, or a maximum for one that should be large. `high` and `low` end the error's
/// help. With `any`, the policy allows it (`side: any`).
void CheckSide(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
               bool limits_high, bool limits_low, bool any, std::string_view high,
               std::string_view low);

/// Reads `side`, whose only value is `any`.
bool DecodeSide(Decoder& decoder, const YamlNode& node);

/// Why `metric` can never have this value: "never negative", "at most 100 %"; empty if it can.
std::string BeyondRange(const analysis::MetricSpec& metric, double value);

/// Resolves `path`, which `file` names, relative to the folder of `file`. Built-in names stay.
std::string ResolvePath(std::string_view path, std::string_view file);

}  // namespace profgauge::rules
