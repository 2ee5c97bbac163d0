// Shortens our scripts and style sheet by removing text that only their authors read.
//
// A page without a timeline must stay below 300 kB, so that mail and CI systems accept it. This
// does not change how it looks or works. Scripts and styles from a user's folder stay unchanged,
// because these rules are valid only for ours; the markup of all templates is shortened.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render::html {

/// Removes comments, indentation, and spaces beside symbols. Line ends stay, so that a line of the
/// page's script can be found in its file. REQUIRES: strings, templates and patterns end on their
/// first line.
std::string CompactScript(std::string_view js);

/// Removes comments, indentation, and unneeded spaces. REQUIRES: strings contain no braces,
/// semicolons or comments.
std::string CompactStyle(std::string_view css);

// Removes parts of a page that browsers add by themselves.

/// True for white space between words of markup.
constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

/// Removes unneeded quotes of attribute values, optional end tags (of rows, cells and list items)
/// and empty lines. Scripts and styles stay, because the page has their digests. `meta` stays,
/// because its text names the tool. O(bytes).
///
///   <tr><td class="num">1</td>
///   <td class="a b">2</td></tr>   ->    <tr><td class=num>1<td class="a b">2<tr>
///   <tr>
///
/// Spaces after an omitted end tag are removed as well.
/// Source of the optional tags: https://html.spec.whatwg.org/#optional-tags
std::string CompactMarkup(std::string_view html);

// Makes the ids of one document different from those of other documents.

/// Adds `prefix` to every id and every reference to an id: for, aria-labelledby etc., and links
/// within the document. Texts, scripts and data stay. A page of several runs consists of several
/// pages that each have an id such as "findings". O(bytes).
///
///   <h2 id="gate"> … <a href="#gate">     with "r1-":  <h2 id="r1-gate"> … <a href="#r1-gate">
std::string ScopeIds(std::string_view html, std::string_view prefix);

}  // namespace profgauge::render::html
