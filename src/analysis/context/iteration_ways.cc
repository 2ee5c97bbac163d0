#include "analysis/context/iteration_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/context/derived_markers.h"
#include "analysis/context/marker_names.h"
#include "base/text.h"
#include "knowledge/iterations.h"
#include "model/iteration_source.h"

namespace profgauge::analysis::context {
namespace {

constexpr std::string_view kLater = "not needed: an earlier way holds";

// How often each family of recorded markers occurs, over all threads.
std::map<std::string, std::int64_t> CountMarkers(const Profile& profile) {
  std::map<std::string, std::int64_t> counts;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] != HostKind::kIterationMarker) continue;
    ++counts[FamilyText(NameOfMarker(profile.Name(profile.host.name[row])).family)];
  }
  return counts;
}

bool IsByMarkers(const IterationSource& source) {
  return source.by == IterationsBy::kMarkers || source.by == IterationsBy::kProfilerSteps;
}

// Steps of engines are recorded as ordinary ranges: no reader calls them markers.
bool IsByEngine(const IterationSource& source) { return !PhaseOf(source).empty(); }

// The way that comes first. A single marker is taken only where no engine's steps are found.
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

// `is_decided`: recorded markers were chosen.
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

// Whether the chosen source is this candidate, by the name of its range.
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

// Recorded markers, engines, then the candidates in the order of DeriveMarkers(). The chosen one
// makes all later ones "not needed".
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

// A range, how often it occurs and its time together.
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

// Names are in backticks: shortened, printable, and without backticks inside, as they come from
// files.
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

}  // namespace profgauge::analysis::context
