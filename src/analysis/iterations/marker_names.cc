#include "analysis/iterations/marker_names.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "knowledge/iterations.h"

namespace profgauge::analysis::iterations {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whole numbers of a text: "2" and "5" of "epoch 2 step 5, loss 0.3". 0.3 is not whole.
std::vector<std::string_view> CountsIn(std::string_view text) {
  std::vector<std::string_view> counts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!IsDigit(text[at])) continue;
    const std::size_t begin = at;
    bool is_decimal = false;
    while (at < text.size()) {
      const bool is_point = text[at] == '.' && at + 1 < text.size() && IsDigit(text[at + 1]);
      if (!is_point && !IsDigit(text[at])) break;
      is_decimal = is_decimal || is_point;
      ++at;
    }
    if (!is_decimal) counts.push_back(text.substr(begin, at - begin));
  }
  return counts;
}

// Whether all steps between neighbors are equal and positive. False if a number does not fit into
// 64 bits. REQUIRES: at least two texts.
bool RisesEvenly(std::span<const std::string_view> texts) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view text : texts) {
    std::int64_t& number = numbers.emplace_back();
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{})
      return false;
  }
  const std::int64_t step = numbers[1] - numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (step <= 0 || numbers[i] - numbers[i - 1] != step) return false;
  }
  return true;
}

// The family before the number: "iter" of "iter#_forward".
std::string_view UpToHash(std::string_view family) { return family.substr(0, family.find('#')); }

// The number as an integer, -1 without one.
std::int64_t NumberOf(const NumberedName& name) {
  std::int64_t number = -1;
  std::from_chars(name.number.data(), name.number.data() + name.number.size(), number);
  return number;
}

// Merges each run of consecutive markers into one, from its first start to its latest end.
// `stretches` has the positions of the runs' first markers. REQUIRES: the first is 0.
std::vector<Marker> MergeStretches(const std::vector<Marker>& markers,
                                   const std::vector<std::size_t>& stretches) {
  std::vector<Marker> merged;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (merged.size() < stretches.size() && stretches[merged.size()] == i) {
      merged.push_back(markers[i]);
    }
    merged.back().host.end = std::max(merged.back().host.end, markers[i].host.end);
  }
  return merged;
}

// If most numbers have several consecutive markers with different endings ("iter 5 fwd", "iter
// 5/bwd"), returns one marker for each number, from the first start to the last end.
std::vector<Marker> MergeNumbers(const std::vector<Marker>& markers,
                                 const std::vector<NumberedName>& names) {
  std::vector<std::size_t> stretches;
  std::set<std::string_view> rests;
  std::size_t several = 0;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const bool goes_on = i > 0 && !names[i].number.empty() &&
                         names[i].number == names[i - 1].number &&
                         UpToHash(names[i].family) == UpToHash(names[i - 1].family);
    if (!goes_on || rests.contains(names[i].rest)) {
      stretches.push_back(i);
      rests.clear();
    }
    rests.insert(names[i].rest);
    if (rests.size() == 2) ++several;
  }
  if (several == 0 || 2 * several < stretches.size()) return {};
  return MergeStretches(markers, stretches);
}

// If numbered names alternate ("step1_forward", "step2_backward", "Step 3: update"), returns one
// marker for each cycle, which begins when the numbers start over. Names may be missing in a cycle.
std::vector<Marker> MergeTurns(const std::vector<Marker>& markers,
                               const std::vector<NumberedName>& names) {
  std::map<std::string, std::int64_t> number_of;
  std::set<std::int64_t> numbers;
  std::vector<std::size_t> turns;
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const std::int64_t number = NumberOf(names[i]);
    const std::string kind = std::string(UpToHash(names[i].family)) + '#' + names[i].rest;
    const auto [known, is_new] = number_of.try_emplace(kind, number);
    if (number < 0 || known->second != number) return {};
    if (is_new && !numbers.insert(number).second) return {};
    if (number <= before) turns.push_back(i);
    before = number;
  }
  if (numbers.size() < 2 || turns.size() < 2 || turns.size() == markers.size()) return {};
  return MergeStretches(markers, turns);
}

// If markers count their parts ("step 5 mb 0", "step 5 mb 1"), returns one marker for each number.
// The numbers must rise by one, and each must have the same parts, some possibly missing. Otherwise
// the parts are the actual count ("batch 32 iter 7").
std::vector<Marker> MergeCounted(const std::vector<Marker>& markers,
                                 const std::vector<NumberedName>& names) {
  std::vector<std::size_t> stretches;
  std::vector<std::vector<std::string>> parts;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const bool goes_on = i > 0 && names[i].number == names[i - 1].number;
    if (i > 0 && UpToHash(names[i].family) != UpToHash(names[i - 1].family)) return {};
    if (i > 0 && !goes_on && NumberOf(names[i]) != NumberOf(names[i - 1]) + 1) return {};
    if (!goes_on) {
      stretches.push_back(i);
      parts.emplace_back();
    }
    parts.back().push_back(names[i].tail);
  }
  if (stretches.size() < knowledge::kIterationsUsualLeast || 2 * stretches.size() > markers.size())
    return {};
  // The profile may begin in the middle of the first one.
  return HaveSameParts(std::span(parts).subspan(1)) ? MergeStretches(markers, stretches)
                                                    : std::vector<Marker>{};
}

// If every number has one run of markers, most with one marker of each family, returns one marker
// for each number, from the first phase's start to the last one's end. Else returns an empty list.
std::vector<Marker> MergePhases(const std::vector<Marker>& markers,
                                const std::vector<NumberedName>& names, std::size_t families) {
  if (families < 2) return {};
  std::vector<std::size_t> stretches;
  std::map<std::string_view, int> seen;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (i > 0 && names[i].number == names[i - 1].number) continue;
    if (names[i].number.empty() || ++seen[names[i].number] > 1) return {};
    stretches.push_back(i);
  }
  if (stretches.size() == markers.size()) return {};
  // The profile may begin and end in the middle of a number.
  const bool is_whole = markers.size() + 2 * (families - 1) >= families * stretches.size();
  return is_whole ? MergeStretches(markers, stretches) : std::vector<Marker>{};
}

}  // namespace

bool HaveSameParts(std::span<const std::vector<std::string>> all) {
  const std::vector<std::string>& most =
      *std::ranges::max_element(all, {}, &std::vector<std::string>::size);
  return std::ranges::all_of(all, [&most](const auto& own) {
    std::size_t found = 0;
    for (const std::string& part : most) {
      if (found < own.size() && own[found] == part) ++found;
    }
    return own.front() == most.front() && found == own.size();
  });
}

NumberedName NameOfMarker(std::string_view text) {
  NumberedName name;
  std::size_t at = 0;
  while (at < text.size() && !IsDigit(text[at])) ++at;
  name.family = text.substr(0, at);
  if (at == text.size()) return name;
  const std::size_t begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  name.number = text.substr(begin, at - begin);
  name.tail = text.substr(at);
  name.family += '#';
  for (std::size_t i = at; i < text.size(); ++i) {
    if (!IsDigit(text[i])) {
      name.rest += text[i];
    } else if (!IsDigit(text[i - 1])) {
      name.rest += '#';
    }
  }
  while (at < text.size() &&
         (text[at] == '_' || std::isalpha(static_cast<unsigned char>(text[at])) != 0)) {
    name.family += text[at++];
  }
  return name;
}

std::vector<std::string_view> NumbersOfMarkers(std::span<const std::string_view> names) {
  std::vector<std::vector<std::string_view>> counts;
  std::size_t common = std::numeric_limits<std::size_t>::max();
  for (const std::string_view name : names) {
    counts.push_back(CountsIn(name));
    common = std::min(common, counts.back().size());
  }
  std::vector<std::string_view> texts(names.size());
  // With two numbers, the step is always constant.
  for (std::size_t which = 0; which < common && names.size() > 2; ++which) {
    std::ranges::transform(counts, texts.begin(), [which](const auto& of) { return of[which]; });
    if (RisesEvenly(texts)) return texts;
  }
  std::set<std::string_view> apart;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (counts[i].empty() || !names[i].ends_with(counts[i].back())) return {};
    texts[i] = counts[i].back();
    apart.insert(texts[i]);
  }
  return apart.size() == texts.size() ? texts : std::vector<std::string_view>();
}

std::string FamilyText(std::string family) {
  if (const std::size_t at = family.find("##"); at != family.npos) family.erase(at, 1);
  return family;
}

std::vector<Marker> MergeParts(const std::vector<Marker>& markers,
                               const std::vector<NumberedName>& names, std::size_t families) {
  std::vector<Marker> merged = MergeNumbers(markers, names);
  if (merged.empty()) merged = MergeTurns(markers, names);
  if (merged.empty()) merged = MergeCounted(markers, names);
  if (merged.empty()) merged = MergePhases(markers, names, families);
  return merged;
}

}  // namespace profgauge::analysis::iterations
