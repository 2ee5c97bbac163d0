#include "analysis/iterations/iteration_ways.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/iterations/derived_markers.h"
#include "analysis/iterations/marker_names.h"
#include "base/text.h"
#include "knowledge/iterations.h"
#include "model/iteration_source.h"

namespace profgauge::analysis::iterations {
namespace {

constexpr std::string_view kLater = "not needed: an earlier way holds";

// The number of markers of each recorded family, over all threads.
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

// Engines record steps as ordinary ranges, which readers do not treat as markers.
bool IsByEngine(const IterationSource& source) { return !PhaseOf(source).empty(); }

// The first way. A single marker is only used if there are no steps of an engine.
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

// `is_decided`: whether recorded markers were already chosen.
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

// Lists recorded markers, engines, then the candidates in the order of DeriveMarkers(). All ways
// after the chosen one are "not needed".
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

// A range, its number of occurrences and its total time.
struct Repeated {
  std::string name;
  std::int64_t count = 0;
  Ns time = 0;
};

// Turns "batch 12" into "batch N".
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

// Puts a name in backticks. Names come from files, so they are shortened, made printable, and freed
// of backticks.
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

// Host ranges that could mark iterations if none are marked.

namespace {

constexpr std::size_t kMostProposed = 3;

bool IsDigitInName(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether the name is no framework's operator, and valid in shell quotes and in backticks.
bool IsProposable(std::string_view name, HostKind kind) {
  const bool is_plain = std::ranges::all_of(
      name, [](char c) { return c >= ' ' && c < 127 && c != '\'' && c != '`' && c != '\\'; });
  const bool is_operator = kind == HostKind::kOp && name.find("::") != std::string_view::npos;
  return is_plain && !is_operator && !name.empty();
}

// Replaces each number of the name by `number`, and the rest by `text`.
template <class Text>
std::string WithNumbersAs(std::string_view name, std::string_view number, Text text) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < name.size(); begin = end) {
    const bool is_number = IsDigitInName(name[begin]);
    while (end < name.size() && IsDigitInName(name[end]) == is_number) ++end;
    out += is_number ? std::string(number) : text(name.substr(begin, end - begin));
  }
  return out;
}

// For "step 12": "^step \d+$" and "step #".
std::string PatternOf(std::string_view name) {
  return "^" +
         WithNumbersAs(name, "\\d+",
                       [](std::string_view part) {
                         std::string escaped;
                         for (const char c : part) {
                           if (std::string_view(".^$*+?()[]{}|").find(c) != std::string_view::npos)
                             escaped += '\\';
                           escaped += c;
                         }
                         return escaped;
                       }) +
         "$";
}
std::string FamilyOf(std::string_view name) {
  return WithNumbersAs(name, "#", [](std::string_view part) { return std::string(part); });
}

// The ranges of a family on one thread.
struct Ranges {
  std::string family;
  std::int64_t count = 0, launches = 0;
  Ns time = 0, end = std::numeric_limits<Ns>::min();
  bool overlap = false;

  void Add(Span range, std::int64_t launched) {
    overlap = overlap || range.start < end;
    end = std::max(end, range.end);
    time += range.length();
    launches += launched;
    ++count;
  }
};

// Sorted launches by thread.
class LaunchesByThread {
 public:
  explicit LaunchesByThread(const ApiTable& api) {
    for (std::size_t call = 0; call < api.size(); ++call) {
      if (api.kind[call] != ApiKind::kLaunch) continue;
      starts_[api.thread[call].value].push_back(api.start[call]);
      ++all_;
    }
    for (auto& [thread, starts] : starts_) std::sort(starts.begin(), starts.end());
  }
  std::int64_t all() const { return all_; }
  std::int64_t In(ThreadId thread, Span range) const {
    const auto of_thread = starts_.find(thread.value);
    if (of_thread == starts_.end()) return 0;
    const std::vector<Ns>& starts = of_thread->second;
    return std::ranges::lower_bound(starts, range.end) -
           std::ranges::lower_bound(starts, range.start);
  }

 private:
  std::map<std::uint32_t, std::vector<Ns>> starts_;
  std::int64_t all_ = 0;
};

// Families by pattern and thread. Operators only count if they are outermost.
std::map<std::pair<std::string, std::uint32_t>, Ranges> FindFamilies(
    const Profile& profile, const LaunchesByThread& launches) {
  const HostTable& host = profile.host;
  boost::unordered_flat_map<std::uint32_t, std::string> patterns;  // By name; empty: none.
  std::map<std::pair<std::string, std::uint32_t>, Ranges> families;
  for (std::size_t row = 0; row < host.size(); ++row) {  // By thread and start.
    const HostKind kind = host.kind[row];
    if (kind == HostKind::kOp && host.parent[row].valid()) continue;
    const auto [known, is_new] = patterns.try_emplace(host.name[row].value);
    const std::string_view name = profile.Name(host.name[row]);
    if (is_new && IsProposable(name, kind)) known->second = PatternOf(name);
    if (known->second.empty()) continue;
    const Span range{host.start[row], host.start[row] + std::max<Ns>(host.duration[row], 0)};
    Ranges& ranges = families[{known->second, host.thread[row].value}];
    if (ranges.count == 0) ranges.family = FamilyOf(name);
    ranges.Add(range, launches.In(host.thread[row], range));
  }
  return families;
}

// The time from the first event to the last.
Ns ExtentOf(const Profile& profile) {
  Ns first = std::numeric_limits<Ns>::max(), last = 0;
  const auto extend = [&](const auto& table) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      first = std::min<Ns>(first, table.start[row]);
      last = std::max<Ns>(last, table.start[row] + table.duration[row]);
    }
  };
  extend(profile.host);
  extend(profile.device);
  return std::max<Ns>(last - first, 0);
}

}  // namespace

std::string ProposedMarkers(const Profile& profile) {
  if (profile.host.size() == 0) return {};
  const LaunchesByThread launches(profile.api);
  const auto families = FindFamilies(profile, launches);
  const Ns extent = ExtentOf(profile);
  std::vector<const std::pair<const std::pair<std::string, std::uint32_t>, Ranges>*> proposed;
  for (const auto& family : families) {
    const Ranges& ranges = family.second;
    const bool holds_much =
        ranges.time >= knowledge::kIterationsProposedShare.Of(extent) ||
        (launches.all() > 0 &&
         ranges.launches >= knowledge::kIterationsProposedShare.Of(launches.all()));
    if (ranges.count >= knowledge::kIterationsUsualLeast && !ranges.overlap && holds_much) {
      proposed.push_back(&family);
    }
  }
  std::stable_sort(proposed.begin(), proposed.end(), [](const auto* a, const auto* b) {
    return a->second.launches > b->second.launches;
  });
  std::vector<std::string> lines;
  for (const auto* family : proposed) {
    if (lines.size() == kMostProposed) {
      lines.push_back(fmt::format("and {} more", proposed.size() - kMostProposed));
      break;
    }
    lines.push_back(fmt::format("`{}` occurs {} times: `--iteration-marker '{}'`",
                                family->second.family, family->second.count, family->first.first));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace profgauge::analysis::iterations
