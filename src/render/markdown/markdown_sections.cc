#include "render/markdown/markdown_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/format.h"
#include "base/text.h"
#include "render/markdown/markdown_text.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

// A short document shows a reviewer's first questions; the rest opens on a click.

/// Names in the sentence about sections that are left out, and bytes that it takes at most.
constexpr std::size_t kNamed = 4, kReserve = 400;

}  // namespace

std::string JoinSections(std::span<const MarkdownSection> sections, std::size_t max_bytes,
                         std::string_view page) {
  std::string out;
  std::size_t index = 0;
  for (; index < sections.size(); ++index) {
    const std::string text = (out.empty() ? "" : "\n") + sections[index].text;
    const bool is_last = index + 1 == sections.size();
    const std::size_t needed = out.size() + text.size() + (is_last ? 0 : kReserve);
    if (index > 0 && max_bytes > 0 && needed > max_bytes) break;
    out += text;
  }
  if (index == sections.size()) return out;
  const std::size_t missing = sections.size() - index;
  out += fmt::format(
      "\n… {} omitted to limit the size: ",
      Counted(static_cast<std::int64_t>(missing), "more section is", "more sections are"));
  for (std::size_t i = index; i < std::min(index + kNamed, sections.size()); ++i) {
    out += (i == index ? "" : ", ") + EscapeMarkdown(ElideMiddle(sections[i].name, 40));
  }
  if (missing > kNamed) out += ", …";
  return out + fmt::format(". See {}.\n", page);
}

}  // namespace profgauge::render
