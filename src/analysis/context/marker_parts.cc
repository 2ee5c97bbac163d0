#include "analysis/context/marker_parts.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>

namespace profgauge {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view UpToHash(std::string_view family) { return family.substr(0, family.find('#')); }

// One marker for each of `stretches`, which begin at these positions.
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

// Where most numbers have several markers in a row whose names go on differently ("iter 5 fwd",
// "iter 5/bwd"): one for each number, from the first one's start to the last one's end.
std::vector<Marker> MergeNumbers(const std::vector<Marker>& markers,
                                 const std::vector<MarkerName>& names) {
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

// Where the same few names of several families take turns ("step1_forward", "step2_backward"): one
// for each turn.
std::vector<Marker> MergeTurns(const std::vector<Marker>& markers, std::size_t families) {
  if (families < 2 || markers.size() < 2 * families) return {};
  std::vector<std::size_t> turns;
  std::set<StringId> seen;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (i < families && !seen.insert(markers[i].name).second) return {};
    if (i >= families && markers[i].name != markers[i - families].name) return {};
    if (i % families == 0) turns.push_back(i);
  }
  return MergeStretches(markers, turns);
}

// One marker for each number, from the first phase's start to the last one's end, where every
// number has one stretch of markers, most of them one of each family. Else nothing.
std::vector<Marker> MergePhases(const std::vector<Marker>& markers,
                                const std::vector<MarkerName>& names, std::size_t families) {
  if (families < 2) return {};
  std::vector<std::size_t> stretches;
  std::map<std::string_view, int> seen;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (i > 0 && names[i].number == names[i - 1].number) continue;
    if (names[i].number.empty() || ++seen[names[i].number] > 1) return {};
    stretches.push_back(i);
  }
  if (stretches.size() == markers.size()) return {};
  // The recording may begin and end within a number.
  const bool is_whole = markers.size() + 2 * (families - 1) >= families * stretches.size();
  return is_whole ? MergeStretches(markers, stretches) : std::vector<Marker>{};
}

}  // namespace

MarkerName NameOfMarker(std::string_view text) {
  MarkerName name;
  std::size_t at = 0;
  while (at < text.size() && !IsDigit(text[at])) ++at;
  name.family = text.substr(0, at);
  if (at == text.size()) return name;
  const std::size_t begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  name.number = text.substr(begin, at - begin);
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

std::vector<Marker> MergeParts(const std::vector<Marker>& markers,
                               const std::vector<MarkerName>& names, std::size_t families) {
  std::vector<Marker> merged = MergeNumbers(markers, names);
  if (merged.empty()) merged = MergeTurns(markers, families);
  if (merged.empty()) merged = MergePhases(markers, names, families);
  return merged;
}

}  // namespace profgauge
