#include "analysis/context/iteration_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/context/derived_markers.h"
#include "base/text.h"
#include "knowledge/iterations.h"
#include "model/iteration_source.h"

namespace profgauge {
namespace {

constexpr std::string_view kLater = "not needed: an earlier way holds";

// "train #" of "train 12": names that differ in their number only are of one family.
std::string FamilyOf(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return std::string(name);
}

// How often each family of recorded markers occurs, over all threads.
std::map<std::string, std::int64_t> CountMarkers(const Profile& profile) {
  std::map<std::string, std::int64_t> counts;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] != HostKind::kIterationMarker) continue;
    ++counts[FamilyOf(profile.Name(profile.host.name[row]))];
  }
  return counts;
}

bool IsByMarkers(const IterationSource& source) {
  return source.by == IterationsBy::kMarkers || source.by == IterationsBy::kProfilerSteps;
}

// Steps of engines are recorded as ordinary ranges: no reader calls them markers.
bool IsByEngine(const IterationSource& source) { return !PhaseOf(source).empty(); }

IterationWay RecordedMarkers(const Profile& profile, const Iterations& iterations) {
  IterationWay way{"recorded markers", {}, {}, {}, false};
  const auto counts = CountMarkers(profile);
  for (const auto& [family, count] : counts) {
    way.found +=
        fmt::format("{}{} × {}", way.found.empty() ? "" : ", ", count, PrintableShort(family));
  }
  way.chosen = IsByMarkers(iterations.source) && !IsByEngine(iterations.source);
  if (counts.empty()) {
    way.reason = "no range has the name of a marker";
  } else if (!way.chosen) {
    way.reason = "fewer than two: they divide nothing";
  } else {
    way.reason = fmt::format("chosen: {}", iterations.source.Text());
    if (!iterations.nested.empty()) {
      way.reason += fmt::format("; around or inside of others: {}", iterations.nested);
    }
  }
  return way;
}

IterationWay Engine(const Profile& profile, const Iterations& iterations, bool is_decided) {
  IterationWay way{"steps of an engine", {}, {}, {}, IsByEngine(iterations.source)};
  const DerivedMarkers steps = EngineSteps(profile);
  if (!steps.found.empty()) {
    way.found = fmt::format("{} × {}", steps.found.size(), steps.source.detail);
    way.pattern = MarkerPatternOfPhase(PhaseOf(steps.source));
  }
  if (way.chosen) {
    way.reason = "chosen: the phase that covers the most time";
  } else if (steps.found.empty()) {
    way.reason = "no engine's names twice";
  } else {
    way.reason = is_decided ? kLater : "too few";
  }
  return way;
}

bool Is(const IterationSource& source, const IterationCandidate& candidate) {
  switch (source.by) {
    case IterationsBy::kOptimizer:
    case IterationsBy::kLoader:
      return !candidate.range.empty() && source.detail == candidate.range;
    case IterationsBy::kRepetition:
      return candidate.kind == "repetition";
    default:
      return false;
  }
}

}  // namespace

std::vector<IterationWay> IterationWays(const Profile& profile, const Iterations& iterations) {
  const IterationSource& source = iterations.source;
  std::vector<IterationWay> ways = {RecordedMarkers(profile, iterations)};
  ways.push_back(Engine(profile, iterations, ways.front().chosen));
  bool is_decided = ways[0].chosen || ways[1].chosen;
  for (IterationCandidate& candidate : IterationCandidates(profile)) {
    std::string kind(candidate.kind);
    std::ranges::replace(kind, '_', ' ');
    IterationWay way{std::move(kind),
                     std::move(candidate.text),
                     {},
                     std::move(candidate.pattern),
                     !is_decided && Is(source, candidate)};
    way.reason = way.chosen ? "chosen: the first way that holds"
                            : std::string(is_decided ? kLater : candidate.why_not);
    is_decided = is_decided || way.chosen;
    ways.push_back(std::move(way));
  }
  if (source.by == IterationsBy::kUndivided) {
    ways.push_back({"undivided", "1", "chosen: nothing divides it", {}, true});
  }
  return ways;
}

namespace {

constexpr std::size_t kMostNamed = 6;

struct Repeated {
  std::string name;
  std::int64_t count = 0;
  Ns time = 0;
};

// "batch 12" as "batch N".
std::string WithoutNumbers(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(name[i])) != 0;
    if (!digit) {
      out += name[i];
    } else if (i == 0 || std::isdigit(static_cast<unsigned char>(name[i - 1])) == 0) {
      out += 'N';
    }
  }
  return out;
}

// Names are in backticks.
std::string Quoted(std::string_view name) {
  constexpr std::size_t kMostCharacters = 60;
  std::string text = PrintableShort(name, kMostCharacters);
  std::replace(text.begin(), text.end(), '`', '\'');
  return "`" + text + "`";
}

}  // namespace

std::string RepeatedRanges(const Profile& profile, bool numbered) {
  const HostTable& host = profile.host;
  std::vector<Repeated> by_id(profile.strings.size());
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool is_outer = !host.parent[row].valid() || host.kind[row] == HostKind::kAnnotation ||
                          host.kind[row] == HostKind::kIterationMarker;
    if (!is_outer || !host.name[row].valid()) continue;
    Repeated& range = by_id[host.name[row].value];
    ++range.count;
    range.time += host.duration[row];
  }
  std::map<std::string, Repeated> by_name;
  for (std::uint32_t id = 0; id < by_id.size(); ++id) {
    const Repeated& range = by_id[id];
    if (range.count == 0) continue;
    const std::string_view name = profile.Name(StringId{id});
    Repeated& all = by_name[numbered ? WithoutNumbers(name) : std::string(name)];
    all.count += range.count;
    all.time += range.time;
  }
  std::vector<Repeated> ranges;
  for (const auto& [name, range] : by_name) {
    if (range.count > 1 && !name.empty()) ranges.push_back({name, range.count, range.time});
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Repeated& a, const Repeated& b) { return a.time > b.time; });
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(ranges.size(), kMostNamed); ++i) {
    named.push_back(fmt::format("{} ({} times)", Quoted(ranges[i].name), ranges[i].count));
  }
  return fmt::format("{}{}", fmt::join(named, ", "), ranges.size() > kMostNamed ? ", …" : "");
}

std::vector<std::string> RepeatedRangesHelp(const Profile& profile, bool numbered) {
  const std::string ranges = RepeatedRanges(profile, numbered);
  if (ranges.empty()) return {"help: no range of the host occurs twice in this profile"};
  return {"help: ranges that repeat: " + ranges};
}

namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view UpToHash(std::string_view family) { return family.substr(0, family.find('#')); }

// -1 without one.
std::int64_t NumberOf(const NumberedName& name) {
  std::int64_t number = -1;
  std::from_chars(name.number.data(), name.number.data() + name.number.size(), number);
  return number;
}

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

// Where names with a number each take turns ("step1_forward", "step2_backward", "Step 3: update"):
// one for each cycle, which begins where the numbers start over. A cycle may miss some of them.
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

// Where markers count their parts ("step 5 mb 0", "step 5 mb 1"): one for each number. The numbers
// rise one by one, and each has the same parts from the first on, or some of them: else it is the
// parts that are counted on ("batch 32 iter 7").
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
  // The profile may begin within the first one.
  return HaveSameParts(std::span(parts).subspan(1)) ? MergeStretches(markers, stretches)
                                                    : std::vector<Marker>{};
}

// One marker for each number, from the first phase's start to the last one's end, where every
// number has one range of markers, most of them one of each family. Else nothing.
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
  // The profile may begin and end within a number.
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

std::vector<Marker> MergeParts(const std::vector<Marker>& markers,
                               const std::vector<NumberedName>& names, std::size_t families) {
  std::vector<Marker> merged = MergeNumbers(markers, names);
  if (merged.empty()) merged = MergeTurns(markers, names);
  if (merged.empty()) merged = MergeCounted(markers, names);
  if (merged.empty()) merged = MergePhases(markers, names, families);
  return merged;
}

}  // namespace profgauge
