// Shortens our scripts and style sheet by removing parts that only their authors read.
//
// A page without a timeline must stay below 300 kB, so that mail and CI systems accept it. These
// functions do not change how it looks or works. Scripts and styles from a user's folder stay
// unchanged, since the rules below are only valid for ours; markup of all templates is shortened.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render::html {

/// Removes comments, indentation, and spaces beside symbols. Lines stay, so that a line of the
/// page's script can be found in its file. Strings, templates and patterns must end on their first
/// line.
std::string CompactScript(std::string_view js);

/// Removes comments, indentation, and unneeded spaces. Strings must not contain braces, semicolons
/// or comments.
std::string CompactStyle(std::string_view css);

// Removes parts of a page that browsers add themselves.

/// True for white space between words of markup.
constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

/// Removes unneeded quotes of attribute values, optional end tags (of rows, cells and list items)
/// and empty lines. Scripts and styles stay, because their digests are known, and so does `meta`,
/// whose text names the tool. O(bytes).
///
///   <tr><td class="num">1</td>
///   <td class="a b">2</td></tr>   ->    <tr><td class=num>1<td class="a b">2<tr>
///   <tr>
///
/// Spaces after an omitted end tag are removed as well.
/// Source of the optional tags: https://html.spec.whatwg.org/#optional-tags
std::string CompactMarkup(std::string_view html);

// Makes ids of a document unique among several documents.

/// Adds `prefix` to every id and every reference to one: id, for, aria-labelledby and similar, and
/// links within the document. Texts, scripts and data stay. A page of several runs contains several
/// pages, each with an id "findings". O(bytes).
///
///   <h2 id="gate"> … <a href="#gate">     with "r1-":  <h2 id="r1-gate"> … <a href="#r1-gate">
std::string ScopeIds(std::string_view html, std::string_view prefix);

}  // namespace profgauge::render::html
