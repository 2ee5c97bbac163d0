// Text for Markdown as GitHub and GitLab render it: text from a profile must not become markup,
// mention a person, link an issue or leave its table cell.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/rich_text.h"

namespace profgauge::render {

/// Longer names of kernels and operators are shortened.
inline constexpr std::size_t kMarkdownNameCharacters = 60;

/// Escapes text for sentences and table cells; one line. Characters that start markup get a
/// backslash; `<`, `>` and `&` become references; "@name" and "#12" get an invisible character that
/// ends them; a leading "1. " or "- " makes no list.
std::string EscapeMarkdown(std::string_view text);

/// Escapes text within HTML tags, where Markdown's escapes have no effect; one line.
std::string EscapeMarkdownHtml(std::string_view text);

/// Renders our own sentences: text in backticks becomes a code span, other text is escaped as by
/// EscapeMarkdown().
std::string MarkdownProse(std::string_view text, bool in_table);
std::string MarkdownProse(const RichText& parts, bool in_table);

/// A code span, shortened in its middle at kMarkdownNameCharacters; "–" for an empty text. Its
/// fence has one backtick more than the longest sequence in the text. Only in table cells, `|`
/// becomes `\|`.
std::string MarkdownCode(std::string_view text, bool in_table);

/// A code span as markup for a table cell of a view.
boost::json::value MarkdownCell(std::string_view text);

/// Advice by the author of a rule: Markdown stays, HTML is escaped. A list with one item per point.
std::string MarkdownAdvice(const std::vector<RichText>& points);

/// A bar of ten characters for a share of 0..1: "████▌░░░░░".
std::string MarkdownBar(double share);

/// A name for the hidden marker by which a CI job finds its earlier comment. Characters that could
/// end an HTML comment become `-`; at most 80.
std::string MarkerName(std::string_view text);

}  // namespace profgauge::render
