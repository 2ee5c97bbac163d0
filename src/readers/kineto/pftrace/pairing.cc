#include "readers/kineto/pftrace/pairing.h"

#include "readers/kineto/pftrace/decoder.h"

#include <algorithm>

namespace profgauge::readers::pftrace {
namespace {

using Marks = std::span<const SliceMark>;

/// The length of the run of marks at `from` that have one writer and are all begins, or all ends.
std::size_t RunFrom(Marks marks, std::size_t from, bool begins) {
  std::size_t at = from;
  while (at < marks.size() && marks[at].is_begin == begins &&
         marks[at].sequence == marks[from].sequence) {
    ++at;
  }
  return at - from;
}

/// True if the marks are in order of time. Two nested slices in this order are B B E E, which looks
/// like a group; then the stack is right.
bool IsInTime(Marks marks) {
  return std::is_sorted(marks.begin(), marks.end(),
                        [](const SliceMark& a, const SliceMark& b) { return a.time < b.time; });
}

/// True if the second half of `marks` are the ends of the first half, one by one. False for a
/// single begin and end, for which the stack finds the same pair.
bool IsGroup(Marks marks) {
  const std::size_t count = marks.size() / 2;
  if (count < 2 || marks.front().sequence != marks.back().sequence) return false;
  for (std::size_t k = 0; k < count; ++k) {
    const SliceMark &begin = marks[k], &end = marks[k + count];
    if (begin.track != end.track || end.time < begin.time) return false;
  }
  return !IsInTime(marks);
}

/// Pairs the marks of one track at `places`: an end closes the slice that began last.
void PairTrack(Marks marks, std::span<std::uint32_t> places, Paired& paired) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return marks[a].time < marks[b].time;
  };
  if (!std::is_sorted(places.begin(), places.end(), earlier)) {
    std::stable_sort(places.begin(), places.end(), earlier);
  }
  std::vector<std::uint32_t> begun;
  for (const std::uint32_t place : places) {
    if (marks[place].is_begin) {
      begun.push_back(place);
    } else if (begun.empty()) {
      ++paired.ends_alone;
    } else {
      paired.end_of[begun.back()] = place;
      begun.pop_back();
    }
  }
  paired.begins_alone += begun.size();
}

void PairByTrack(Marks marks, std::vector<std::uint32_t>& rest, Paired& paired) {
  std::stable_sort(rest.begin(), rest.end(), [&](std::uint32_t a, std::uint32_t b) {
    return marks[a].track < marks[b].track;
  });
  for (std::size_t from = 0; from < rest.size();) {
    std::size_t to = from + 1;
    while (to < rest.size() && marks[rest[to]].track == marks[rest[from]].track) ++to;
    PairTrack(marks, std::span(rest).subspan(from, to - from), paired);
    from = to;
  }
}

}  // namespace

// Pairs marks by position in groups, and the others track by track:
//
//   marks    B B B B   E E E   B E      begins 4, ends 3
//            ^ first begin: without an end, kept for the stack
//              B B B   E E E            a group: k-th with k-th
//                              B E      one pair: kept for the stack
Paired Pair(Marks marks) {
  Paired paired;
  paired.end_of.assign(marks.size(), Paired::kNone);
  std::vector<std::uint32_t> rest;
  const auto keep = [&](std::size_t from, std::size_t to) {
    for (; from < to; ++from) rest.push_back(static_cast<std::uint32_t>(from));
  };
  for (std::size_t at = 0; at < marks.size();) {
    const std::size_t begins = marks[at].is_begin ? RunFrom(marks, at, true) : 0;
    const std::size_t middle = at + begins;
    const std::size_t ends = middle < marks.size() ? RunFrom(marks, middle, false) : 0;
    // There may be begins without an end before the group.
    const std::size_t first = middle - std::min(begins, ends), behind = middle + ends;
    keep(at, first);
    if (begins >= ends && IsGroup(marks.subspan(first, behind - first))) {
      for (std::size_t k = first; k < middle; ++k) {
        paired.end_of[k] = static_cast<std::uint32_t>(k + ends);
      }
    } else {
      keep(first, behind);
    }
    at = behind;
  }
  PairByTrack(marks, rest, paired);
  return paired;
}

}  // namespace profgauge::readers::pftrace
