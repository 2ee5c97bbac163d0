// A Markdown document of sections, most important first. If its size is limited, whole sections are
// dropped from the end, and a line names them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::render {

struct MarkdownSection {
  std::string name;  ///< Named if it is dropped.
  std::string text;  ///< Ends with a line end.
};

/// Joins the sections that fit into `max_bytes` (0: all), but always the first, with empty lines
/// between them. A last sentence names up to four of the others, and the option whose output has
/// them. Before every section but the last, space for that sentence is reserved.
std::string JoinSections(std::span<const MarkdownSection> sections, std::size_t max_bytes);

}  // namespace profgauge::render
