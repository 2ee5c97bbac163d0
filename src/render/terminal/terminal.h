// The layout of the answer on a terminal: rows with columns, wrapped texts, ink.
//
//   |  error  gpu.idle.mean  31.4 %  (error above 30 %)
//   |  warn   comm/exposed    5.0 %                      saves 39.0 ms/iteration
//   |         rank 3 waits for rank 0 in 12 of 16 collectives
//   |         do: …
//   |         next: profgauge rules explain comm/exposed …
//      ^verb  ^name          ^value  ^limit              ^gain; text below or beside
//
// A column is as wide as its widest cell, up to a limit. A wider cell only shifts its own row.
// Widths count characters, so a wide East Asian character takes two columns unnoticed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::render {

enum class Ink { kNone, kBold, kRed, kYellow, kGreen, kDim };

/// One row of the list: a verb, then columns that are aligned over all rows, then a sentence. All
/// texts are printable. A row that has no name has only a verb and a sentence.
struct Row {
  std::string verb;
  Ink ink = Ink::kNone;
  std::string name, value, limit, gain, text;
  std::string advice;  ///< What to do, wrapped below the text.
  std::string next;    ///< A command on its own line, unbroken.
};

/// `text` in this color if `color` is true.
std::string Painted(std::string_view text, Ink ink, bool color);

/// Breaks `text` at spaces into lines of at most `width` characters. Longer words stay whole.
/// Several spaces count as one. An empty text gives one empty line.
std::vector<std::string> Wrapped(const std::string& text, std::size_t width);

/// Joins parts by two spaces and wraps them at `width`. Later lines start below the first part.
std::string Flowed(const std::string& lead, const std::vector<std::string>& parts,
                   std::size_t width);

/// Shortens lists of 24 bytes or more in brackets after a name: "void at::native::kernel<4,
/// at::detail::Array<char*, 1> >(int, float)" becomes "void at::native::kernel<…>(int, float)".
/// Only for terminals: a pipe gets whole names, so that they can be searched.
std::string WithFoldedNames(std::string_view text);

/// The rows as text with aligned columns. Text that does not fit goes below its row.
std::string ListText(const std::vector<Row>& rows, std::size_t width, bool color);

}  // namespace profgauge::render
