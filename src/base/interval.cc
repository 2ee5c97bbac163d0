#include "base/interval.h"

#include <algorithm>
#include <utility>

namespace profgauge {
namespace {

// Calls `visit(overlap)` for every overlap of two span lists, in order. Advances the list whose
// span ends first; the other span may overlap the next one, too.
//
//   a   [0 ------- 5)  [7 -- 9)         i: 0   0   1
//   b      [2 - 3)  [4 ---- 8)          j: 0   1   1
//   visit  [2, 3)   [4, 5) [7, 8)
template <class Visit>
void ForEachOverlap(std::span<const Span> a, std::span<const Span> b, Visit visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Span common{std::max(a[i].start, b[j].start), std::min(a[i].end, b[j].end)};
    if (common.start < common.end) visit(common);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

// Sorts by start. Spans of several streams or threads come as concatenated sorted lists: these are
// merged in pairs, which is much less work than a general sort.
void SortByStart(std::vector<Span>& spans) {
  constexpr std::size_t kFewLists = 64;
  // Three streams of a device, each in order; `ends` has the end of each list:
  //
  //   | stream 7, sorted | stream 20, sorted | stream 24, sorted |
  //                      ^                   ^                   ^
  //   1st round: 7 and 20 are joined, 24 stays; 2nd round: both lists. O(n log lists).
  const auto by_start = [](const Span& a, const Span& b) { return a.start < b.start; };
  std::vector<std::vector<Span>::iterator> ends;
  for (auto at = spans.begin(); at != spans.end() && ends.size() <= kFewLists;) {
    at = std::is_sorted_until(at, spans.end(), by_start);
    ends.push_back(at);
  }
  if (ends.size() > kFewLists) return std::sort(spans.begin(), spans.end(), by_start);
  for (; ends.size() > 1;) {
    std::size_t kept = 0;
    auto begin = spans.begin();
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const auto end = ends[std::min(i + 1, ends.size() - 1)];
      std::inplace_merge(begin, ends[i], end, by_start);
      ends[kept++] = begin = end;
    }
    ends.resize(kept);
  }
}

}  // namespace

std::vector<Span> Merge(std::vector<Span> spans) {
  std::erase_if(spans, [](const Span& span) { return span.end <= span.start; });
  SortByStart(spans);
  std::size_t kept = 0;
  for (const Span span : spans) {
    if (kept > 0 && span.start <= spans[kept - 1].end) {
      spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
  return spans;
}

std::vector<Span> Intersect(std::span<const Span> a, std::span<const Span> b) {
  std::vector<Span> out;
  ForEachOverlap(a, b, [&out](Span common) { out.push_back(common); });
  return out;
}

// Removes `b` from `a`. Spans of `b` before the next span of `a` are passed only once: O(a + b).
//
//   a        |---------------|    |-------|
//   b      |---|   |--|   |----------|
//   out        |---|  |---|          |----|
std::vector<Span> Subtract(std::span<const Span> a, std::span<const Span> b) {
  std::vector<Span> out;
  std::size_t j = 0;
  for (const Span whole : a) {
    while (j < b.size() && b[j].end <= whole.start) ++j;
    Ns start = whole.start;
    // `j` may overlap several spans of `a`, so it stays; `k` moves inside this one.
    for (std::size_t k = j; k < b.size() && b[k].start < whole.end; ++k) {
      if (b[k].start > start) out.push_back({start, b[k].start});
      start = std::max(start, b[k].end);
      if (b[k].end < whole.end) j = k;
    }
    if (start < whole.end) out.push_back({start, whole.end});
  }
  return out;
}

std::vector<Span> Clip(std::span<const Span> a, Span window) {
  if (window.end <= window.start) return {};
  return Intersect(a, std::span(&window, 1));
}

Ns Length(std::span<const Span> spans) {
  Ns sum = 0;
  for (const Span span : spans) sum += span.length();
  return sum;
}

Ns OverlapLength(std::span<const Span> a, std::span<const Span> b) {
  Ns sum = 0;
  ForEachOverlap(a, b, [&sum](Span common) { sum += common.length(); });
  return sum;
}

std::span<const Span> Near(std::span<const Span> spans, Span range) {
  const auto first = std::partition_point(
      spans.begin(), spans.end(), [&](const Span& span) { return span.end <= range.start; });
  const auto last = std::partition_point(first, spans.end(),
                                         [&](const Span& span) { return span.start < range.end; });
  return {first, last};
}

void SpanCollector::Add(Ns start, Ns duration) {
  if (duration <= 0) return;
  const Ns end = start + duration;
  if (!spans_.empty() && start >= spans_.back().start && start <= spans_.back().end) {
    spans_.back().end = std::max(spans_.back().end, end);
  } else {
    spans_.push_back({start, end});
  }
}

std::vector<Span> SpanCollector::Take() { return Merge(std::exchange(spans_, {})); }

}  // namespace profgauge
