#include "base/source_text.h"

#include <algorithm>

namespace profgauge {

Where SourceText::At(std::size_t offset, std::size_t length) const {
  Where where;
  where.file = file;
  if (runs.empty()) return where;
  offset = std::min(offset, text.size());
  const auto next =
      std::upper_bound(runs.begin(), runs.end(), offset,
                       [](std::size_t value, const Run& run) { return value < run.offset; });
  const Run& run = next == runs.begin() ? runs.front() : *std::prev(next);
  where.line = run.line;
  where.column = run.column + static_cast<std::uint32_t>(offset - run.offset);
  const std::size_t end = next == runs.end() ? text.size() : next->offset;
  where.length = static_cast<std::uint32_t>(std::min(length, end - std::min(end, offset)));
  return where;
}

}  // namespace profgauge
