// A Markdown document of sections, most important first. A size limit drops whole sections from the
// end, and a line names them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::render {

struct MarkdownSection {
  std::string name;  ///< Its name if it is dropped.
  std::string text;  ///< Ends with a line end.
};

/// Joins the sections that fit into `max_bytes` (0: all), always the first, with an empty line
/// between two. A sentence at the end names up to four of the others, and `page`, where they are:
/// "report.html". Space for that sentence is reserved until the last section.
std::string JoinSections(std::span<const MarkdownSection> sections, std::size_t max_bytes,
                         std::string_view page);

}  // namespace profgauge::render
