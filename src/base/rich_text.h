// Texts as parts: text, code, numbers, links. Made once, where a sentence is made; renderers
// draw parts and parse nothing, so names from a profile stay names.
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
  std::string text;             ///< As it is shown; of a number with its unit.
  std::optional<double> value;  ///< Only for kNumber, in its base unit.
  Unit unit = Unit::kText;      ///< Only for kNumber.
  std::string href;             ///< Only for kLink.
};
using RichText = std::vector<TextPart>;

std::string_view TextPartName(TextPart::Kind kind);  ///< "text", "code", "number", "link"

/// Adds text or code; adjacent parts of one kind become one part.
void AddPart(RichText& to, TextPart::Kind kind, std::string_view text);
/// Parts of a text in which code is between backticks. For texts of ours, and of files that
/// have no parts.
/// A backtick without a partner is text. Numbers and links are not found: those who know them add
/// them as parts.
RichText PartsOf(std::string_view text);
/// The text, with code between backticks.
std::string TextOf(const RichText& parts);
/// The points of a list in Markdown, by parts; lines without a dash go on with the one before.
std::vector<RichText> PointsOf(std::string_view list);

}  // namespace profgauge
