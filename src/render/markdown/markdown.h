// A Markdown document of sections, in the order of their weight: a limit on the size drops whole
// sections from the last one, and a line says which.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::render {

struct MarkdownSection {
  std::string name;  ///< As named when it is dropped.
  std::string text;  ///< Ends with a line end.
};

/// The sections that fit into `max_bytes` (0: all do), the first in any case, with an empty line
/// between two. The rest is named at the end, up to four of them, with `page` where they are found:
/// "report.html". Room for that sentence is kept until the last section.
std::string JoinSections(std::span<const MarkdownSection> sections, std::size_t max_bytes,
                         std::string_view page);

}  // namespace profgauge::render
