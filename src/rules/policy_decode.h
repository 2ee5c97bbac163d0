// The keys of a policy, one function a section. Applies one file on top of the policy so
// far.
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

/// Decodes the whole document into `policy`. `extends` is checked for its shape only.
void DecodePolicy(Decoder& decoder, Policy& policy);

/// `thresholds:`; errors: of metrics that do not exist, and of limits that every run or no run
/// misses.
void DecodeThresholds(Decoder& decoder, const YamlNode& node, Policy& policy);

/// `thresholds_of_analysis:`; errors: of rows that no policy may set, and of values out of their
/// range.
void DecodeAnalysisThresholds(Decoder& decoder, const YamlNode& node,
                              knowledge::TunableThresholds& out);

/// Decodes a list of changes, `[{where: ..., by: ...}]`, whose conditions are checked later.
void DecodeScales(Decoder& decoder, const YamlNode& node, std::string_view what,
                  std::vector<WhatIfScale>& out);

/// Adds one of `waivers:`.
void DecodeWaiver(Decoder& decoder, const YamlNode& node, std::vector<Waiver>& out);

/// Whether a limit is on the good side of `metric`: a minimum for a metric that should be
/// small, or a maximum for one that should be large. Then an error at `node`, which
/// `help` ends; `any`: the policy allows it (`side: any`).
void CheckSide(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
               bool limits_high, bool limits_low, bool any, std::string_view high,
               std::string_view low);

/// The value of `side`: any.
bool DecodeSide(Decoder& decoder, const YamlNode& node);

/// "never negative", "at most 100 %": why `metric` never has this value; empty: it may.
std::string BeyondRange(const analysis::MetricSpec& metric, double value);

/// `path` as named in `file`: relative ones start from the folder of `file`; built-in names stay.
std::string ResolvePath(std::string_view path, std::string_view file);

}  // namespace profgauge::rules
