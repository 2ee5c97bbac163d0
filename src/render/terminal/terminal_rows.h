// How the answer on a terminal is laid out: rows with columns, texts of a width, ink.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::render {

enum class Ink { kNone, kBold, kRed, kYellow, kGreen, kDim };

/// One row of the list: a verb, then columns that are aligned over all rows, then a sentence.
struct Row {
  std::string verb;
  Ink ink = Ink::kNone;
  std::string name, value, limit, gain, text;
  std::string advice;  ///< What to do, wrapped below the text.
  std::string next;    ///< A command, on a separate line that is never broken.
};

/// `text` in this ink, where colors are wanted.
std::string Painted(std::string_view text, Ink ink, bool color);

/// `text` in lines of at most `width` characters, broken at spaces; longer words stay whole.
std::vector<std::string> Wrapped(const std::string& text, std::size_t width);

/// Parts side by side, two spaces between them, wrapped at `width` below `lead`.
std::string Flowed(const std::string& lead, const std::vector<std::string>& parts,
                   std::size_t width);

/// "void at::native::kernel<4, at::detail::Array<char*, 1> >(int, float)" as
/// "void at::native::kernel<…>(…)": long lists in brackets that follow a name.
std::string WithFoldedNames(std::string_view text);

/// The rows below each other, their columns aligned. Text that does not fit goes below its row.
std::string ListText(const std::vector<Row>& rows, std::size_t width, bool color);

}  // namespace profgauge::render
