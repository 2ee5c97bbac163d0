#include "analysis/context/iteration_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/context/derived_markers.h"
#include "base/text.h"
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

}  // namespace profgauge
