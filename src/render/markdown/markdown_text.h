// Text for Markdown as GitHub and GitLab draw it: nothing of a profile becomes markup, mentions a
// person, links an issue or leaves its table cell.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/rich_text.h"

namespace profgauge::render {

/// Longest kernel or op name that is shown whole.
inline constexpr std::size_t kMarkdownNameCharacters = 60;

/// For text in sentences and table cells; one line. Characters that begin markup get a backslash,
/// `<`, `>` and `&` become references, "@name" and "#12" get an invisible character that ends them,
/// and a beginning like "1. " or "- " makes no list.
std::string EscapeMarkdown(std::string_view text);

/// For text inside an HTML tag pair, where Markdown's own escapes are not read; one line.
std::string EscapeMarkdownHtml(std::string_view text);

/// For our own sentences: text between a pair of backticks is a code span, all other text like
/// EscapeMarkdown.
std::string MarkdownProse(std::string_view text, bool in_table);
std::string MarkdownProse(const RichText& parts, bool in_table);

/// A code span, elided in its middle at kMarkdownNameCharacters; "–" of nothing. The fence has one
/// backtick more than the longest run in the text. For table cells too: `|` is written `\|` there,
/// and nowhere else.
std::string MarkdownCode(std::string_view text, bool in_table);

/// The same in a view's table cell, as markup.
boost::json::value MarkdownCell(std::string_view text);

/// Advice written by the author of a rule: Markdown stays, HTML does not. A list with one item for
/// each point.
std::string MarkdownAdvice(const std::vector<RichText>& points);

/// "████▌░░░░░" for a share of 0..1, ten characters.
std::string MarkdownBar(double share);

/// A name for the hidden marker: characters that could end a comment become `-`; at most 80. The
/// marker lets a CI job find its own earlier comment.
std::string MarkerName(std::string_view text);

}  // namespace profgauge::render
