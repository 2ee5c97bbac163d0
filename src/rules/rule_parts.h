// Shared parts of the decoders of both schemas of rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge {

inline constexpr int kMostEvidence = 1000;

inline constexpr Decoder::Word<GroupReport> kReports[] = {{"worst", GroupReport::kWorst},
                                                          {"each", GroupReport::kEach}};
inline constexpr Decoder::Word<GainBound> kBounds[] = {{"upper", GainBound::kUpper},
                                                       {"typical", GainBound::kTypical},
                                                       {"measured", GainBound::kMeasured}};
inline constexpr Decoder::Word<bool> kStyles[] = {{"code", true}, {"text", false}};

/// A part of an id: "eligible-not-used".
std::optional<std::string> IdPart(Decoder& decoder, const YamlNode& node, std::string_view what);
/// Whether `key` is a name that expressions can spell.
bool CheckVariable(Decoder& decoder, const YamlNode& key, std::string_view what);
std::optional<ShowAs> DecodeShowAs(Decoder& decoder, const YamlNode& node);
/// A text that may name parts of the device as `{{ device.core }}`, and nothing else.
std::optional<std::string> TextWithWords(Decoder& decoder, const YamlNode& node,
                                         std::string_view what);
/// Adds errors of the words for parts of the device in `text`.
void CheckDeviceWords(Decoder& decoder, const Where& where, std::string_view text);
/// A rule says when it fires in exactly one way: limits on its metric, or a level.
void CheckFires(Decoder& decoder, const YamlNode& node, const Rule& rule);

}  // namespace profgauge
