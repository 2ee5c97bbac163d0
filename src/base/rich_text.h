// Texts as parts: text, code, numbers, links. Parts are made when a sentence is made; renderers do
// not parse, so names from a profile stay names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace profgauge {

struct TextPart {
  enum class Kind : std::uint8_t { kText, kCode, kNumber, kLink };
  Kind kind = Kind::kText;
  std::string text;             ///< As shown; for a number with its unit.
  std::optional<double> value;  ///< Only for kNumber, in its base unit.
  Unit unit = Unit::kText;      ///< Only for kNumber.
  std::string href;             ///< Only for kLink.
};
using RichText = std::vector<TextPart>;

std::string_view TextPartName(TextPart::Kind kind);  ///< "text", "code", "number", "link"

/// Adds text or code; adjacent parts of one kind become one part.
void AddPart(RichText& to, TextPart::Kind kind, std::string_view text);
/// Splits a text in which code is between backticks, for our own texts and those of files without
/// parts. A backtick without a partner is text. Numbers and links are not detected: the code that
/// knows them adds them as parts.
RichText PartsOf(std::string_view text);
/// The plain text, with code between backticks.
std::string TextOf(const RichText& parts);
/// The items of a Markdown list; a line without a dash continues the previous item.
std::vector<RichText> PointsOf(std::string_view list);

}  // namespace profgauge
