// Text for Markdown as GitHub and GitLab render it. Text from a profile must not become markup,
// mention a person, link an issue or leave its table cell.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/rich_text.h"

namespace profgauge::render {

/// Most characters of a kernel's or operator's name. Longer names are shortened.
inline constexpr std::size_t kMarkdownNameCharacters = 60;

/// Escapes text for sentences and table cells, on one line. Characters that start markup get a
/// backslash; `<`, `>` and `&` become references; an invisible character ends "@name" and "#12";
/// "1. " or "- " at the start makes no list.
std::string EscapeMarkdown(std::string_view text);

/// Escapes text within HTML tags, where Markdown's escapes have no effect, on one line.
std::string EscapeMarkdownHtml(std::string_view text);

/// Renders our own sentences. Text in backticks becomes a code span; other text is escaped by
/// EscapeMarkdown().
std::string MarkdownProse(std::string_view text, bool in_table);
std::string MarkdownProse(const RichText& parts, bool in_table);

/// A code span; "–" for an empty text. A text longer than kMarkdownNameCharacters is shortened in
/// its middle. The fence has one backtick more than the longest sequence in the text. Only in table
/// cells, `|` becomes `\|`.
std::string MarkdownCode(std::string_view text, bool in_table);

/// A code span as markup for a table cell of a view.
boost::json::value MarkdownCell(std::string_view text);

/// A list of the points of a rule's advice. Markdown stays, but HTML is escaped.
std::string MarkdownAdvice(const std::vector<RichText>& points);

/// A bar of ten characters for a share of 0..1: "████▌░░░░░".
std::string MarkdownBar(double share);

/// A name for the hidden marker by which a CI job finds its earlier comment, at most 80 characters.
/// Characters that could end an HTML comment become `-`.
std::string MarkerName(std::string_view text);

}  // namespace profgauge::render
