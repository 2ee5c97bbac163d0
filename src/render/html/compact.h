// Our own scripts and style sheet without the parts that only their authors read.
//
// A page without a timeline is to stay below 300 kB, so that mail and CI systems take it. The page
// looks and works the same with these functions and without. Scripts and styles of a user's folder
// are left as they are, since the rules below hold for ours; markup is shortened whoever wrote its
// template.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render::html {

/// Without comments, indentation, and blanks beside signs. Lines stay lines, so that a place in the
/// page's script can be found in its file. A string, template or pattern ends in the line that it
/// begins in.
std::string CompactScript(std::string_view js);

/// Without comments, indentation, and blanks that separate nothing. No string of it holds a brace,
/// semicolon or comment.
std::string CompactStyle(std::string_view css);

// A page without the parts that a browser adds by itself.

/// White space between words of markup.
constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

/// The same document without quotes that an attribute's value does not need, end tags that HTML
/// lets out (of rows, cells and items of lists) and empty lines. Scripts and styles stay as they
/// are: their digests are known. `meta` does, too: its text names the tool. O(bytes).
///
///   <tr><td class="num">1</td>
///   <td class="a b">2</td></tr>   ->    <tr><td class=num>1<td class="a b">2<tr>
///   <tr>
///
/// Blanks after an end tag that is left out go with it.
/// Source of the optional tags: https://html.spec.whatwg.org/#optional-tags
std::string CompactMarkup(std::string_view html);

// Ids of a document, made unique among several.

/// `html` with `prefix` before every id and every reference to one: id, for, aria-labelledby and
/// similar ones, and links within the document. Texts, scripts and data stay as they are. A page of
/// several runs holds several pages, each of which has an id "findings". O(bytes).
///
///   <h2 id="gate"> … <a href="#gate">     with "r1-":  <h2 id="r1-gate"> … <a href="#r1-gate">
std::string ScopeIds(std::string_view html, std::string_view prefix);

}  // namespace profgauge::render::html
