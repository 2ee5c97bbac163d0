#include "analysis/iterations/marker_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/iterations/marker_names.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::iterations {
namespace {

// The nesting of one thread's markers, sorted by start, the longest first. Example: epoch 0 around
// steps 0 and 1, each around one `train`:
//
//   marker     epoch0  step0  train  step1  train
//   parent     -       0      1      0      3
//   children   1 3     2             4              epoch0 has two: it is a larger unit
struct Nesting {
  static constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

  explicit Nesting(const std::vector<Marker>& all)
      : parents(all.size(), kNoParent), children(all.size()) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < all.size(); ++i) {
      while (!open.empty() && all[open.back()].host.end < all[i].host.end) open.pop_back();
      if (!open.empty()) {
        parents[i] = open.back();
        children[open.back()].push_back(i);
      }
      open.push_back(i);
    }
  }
  // Also flags innermost markers, and each marker whose only child is flagged.
  void Complete(std::vector<bool>& is_one) const {
    for (std::size_t i = parents.size(); i-- > 0;) {
      is_one[i] = is_one[i] || children[i].empty();
      const bool alone = parents[i] != kNoParent && children[parents[i]].size() == 1;
      if (is_one[i] && alone) is_one[parents[i]] = true;
    }
  }

  std::vector<std::size_t> parents;
  std::vector<std::vector<std::size_t>> children;
};

// Whether the markers of `outer` are iterations and the inner ones their parts: the outer numbers
// rise, and each contains the same names, apart from its own number.
bool AreAroundParts(const Profile& profile, const std::vector<Marker>& all, const Nesting& nesting,
                    const std::vector<std::size_t>& outer) {
  std::vector<std::vector<std::string>> by_name, by_own;
  std::int64_t before = -1;
  for (const std::size_t i : outer) {
    const std::string own = NameOfMarker(profile.Name(all[i].name)).number;
    std::int64_t number = -1;
    std::from_chars(own.data(), own.data() + own.size(), number);
    if (number <= before) return false;
    before = number;
    std::vector<std::string>& names = by_name.emplace_back();
    std::vector<std::string>& of_own = by_own.emplace_back();
    for (const std::size_t child : nesting.children[i]) {
      const std::string_view text = profile.Name(all[child].name);
      const NumberedName name = NameOfMarker(text);
      names.emplace_back(text);
      of_own.push_back(name.number == own ? name.family + " " + name.rest : names.back());
    }
  }
  return outer.size() > 1 && (HaveSameParts(by_name) || HaveSameParts(by_own));
}

struct ThreadMarkers {
  ThreadId thread;
  std::vector<Marker> markers;
  std::set<std::string> nested = {};      // Outer or inner families, ignored.
  std::int64_t launches = 0;              // Launches of the thread under them.
  std::vector<Marker> not_parts = {};     // All markers except parts.
  std::int64_t open = 0;                  // Number of repaired ends.
  std::set<std::string> unfinished = {};  // Whose last marker has no end.
};

// Keeps the outermost markers that each cover one iteration: innermost markers, those around at
// most one such, and those around their own parts. Families of markers around several others, and
// of parts, go to `nested`.
void Unnest(const Profile& profile, ThreadMarkers& of) {
  of.unfinished = EndMarkersWithoutLength(profile, of.markers);
  of.open = EndOpenMarkers(profile, of.markers);
  const std::vector<Marker> all = std::move(of.markers);
  const Nesting nesting(all);
  std::vector<bool> is_one(all.size()), is_part(all.size());
  nesting.Complete(is_one);
  std::map<std::string, std::vector<std::size_t>> around;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_one[i]) around[NameOfMarker(profile.Name(all[i].name)).family].push_back(i);
  }
  for (const auto& [family, outer] : around) {
    if (!AreAroundParts(profile, all, nesting, outer)) {
      of.nested.insert(family);
      continue;
    }
    for (const std::size_t i : outer) {
      is_one[i] = true;
      for (const std::size_t child : nesting.children[i]) {
        is_part[child] = true;
        of.nested.insert(NameOfMarker(profile.Name(all[child].name)).family);
      }
    }
  }
  nesting.Complete(is_one);
  of.markers.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_part[i]) of.not_parts.push_back(all[i]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t parent = nesting.parents[i];
    if (is_one[i] && (parent == Nesting::kNoParent || !is_one[parent])) {
      of.markers.push_back(all[i]);
    }
  }
}

// The unnested markers of each thread with markers.
std::vector<ThreadMarkers> MarkersByThread(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<ThreadMarkers> threads;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kIterationMarker) continue;
    // Rows are sorted by thread.
    if (threads.empty() || threads.back().thread != host.thread[row]) {
      threads.push_back({host.thread[row], {}});
    }
    threads.back().markers.push_back({RowSpan(host, row), host.name[row]});
  }
  for (ThreadMarkers& one : threads) Unnest(profile, one);
  return threads;
}

// Counts launches under markers: a loader's worker marks batches, but launches no work.
void CountLaunches(const Profile& profile, std::vector<ThreadMarkers>& threads) {
  const ApiTable& api = profile.api;
  std::map<std::uint32_t, ThreadMarkers*> of_thread;
  for (ThreadMarkers& one : threads) of_thread.emplace(one.thread.value, &one);
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] != ApiKind::kLaunch) continue;
    const auto found = of_thread.find(api.thread[call].value);
    if (found == of_thread.end()) continue;
    const std::vector<Marker>& markers = found->second->markers;
    const auto after =
        std::upper_bound(markers.begin(), markers.end(), api.start[call],
                         [](Ns time, const Marker& marker) { return time < marker.host.start; });
    if (after == markers.begin()) continue;
    if (api.start[call] <= std::prev(after)->host.end) ++found->second->launches;
  }
}

// The number of markers in a family, and their time.
struct Family {
  std::int64_t count = 0;
  Ns time = 0;
};

// "`train #`, `eval #`"; empty if there is only `kept`.
std::string ListOf(std::set<std::string> families, const std::string& kept) {
  families.erase(kept);
  std::string list;
  for (const std::string& family : families) {
    list += fmt::format("{}`{}`", list.empty() ? "" : ", ", FamilyText(family));
  }
  return list;
}

// Merges parts, or else keeps the family with most time.
ChosenMarkers OfOneFamily(const Profile& profile, ThreadMarkers of) {
  std::vector<Marker>& markers = of.markers;
  std::vector<NumberedName> names;
  std::map<std::string, Family> families;
  for (const Marker& marker : markers) {
    names.push_back(NameOfMarker(profile.Name(marker.name)));
    Family& family = families[names.back().family];
    ++family.count;
    family.time += marker.host.length();
  }
  if (markers.empty()) return {};
  ChosenMarkers chosen;
  chosen.thread = of.thread;
  chosen.found = MergeParts(markers, names, families.size());
  chosen.faults.open = of.open;
  if (!chosen.found.empty()) {
    chosen.faults.unfinished = of.unfinished.empty() ? 0 : 1;
    chosen.faults.all = static_cast<std::int64_t>(chosen.found.size());
    chosen.faults.displaced = CountDisplaced(profile, chosen.found, {});
    chosen.nested = ListOf(std::move(of.nested), names.front().family);
    return chosen;
  }
  const auto most =
      std::max_element(families.begin(), families.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.time, a.second.count) < std::pair(b.second.time, b.second.count);
      });
  std::set<std::string> all;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    all.insert(names[i].family);
    if (names[i].family == most->first) chosen.found.push_back(markers[i]);
  }
  if (const std::string others = ListOf(std::move(all), most->first); !others.empty()) {
    chosen.families = fmt::format("`{}`, not {}", FamilyText(most->first), others);
  }
  chosen.nested = ListOf(std::move(of.nested), most->first);
  chosen.faults.unfinished = of.unfinished.contains(most->first) ? 1 : 0;
  chosen.faults.displaced = CountDisplaced(profile, chosen.found, of.not_parts);
  chosen.faults.all =
      std::count_if(of.not_parts.begin(), of.not_parts.end(), [&](const Marker& marker) {
        return NameOfMarker(profile.Name(marker.name)).family == most->first;
      });
  return chosen;
}

// The number as an integer, -1 without one.
std::int64_t NumberIn(const NumberedName& name) {
  std::int64_t number = -1;
  std::from_chars(name.number.data(), name.number.data() + name.number.size(), number);
  return number;
}

}  // namespace

std::set<std::string> EndMarkersWithoutLength(const Profile& profile,
                                              std::vector<Marker>& markers) {
  std::set<std::string> unfinished;
  const auto has_length = [](const Marker& marker) { return marker.host.end > marker.host.start; };
  if (std::all_of(markers.begin(), markers.end(), has_length)) return unfinished;
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const NumberedName name = NameOfMarker(profile.Name(markers[i].name));
    families[name.family + '\n' + name.rest].push_back(i);
  }
  std::vector<bool> is_left_out(markers.size(), false);
  for (const auto& [family, of] : families) {
    if (std::none_of(of.begin(), of.end(), [&](std::size_t i) { return has_length(markers[i]); })) {
      continue;
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      Marker& marker = markers[of[i]];
      if (has_length(marker)) continue;
      if (i + 1 < of.size()) {
        marker.host.end = markers[of[i + 1]].host.start;
      } else {
        is_left_out[of[i]] = true;
        unfinished.insert(NameOfMarker(profile.Name(marker.name)).family);
      }
    }
  }
  std::vector<Marker> kept;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (!is_left_out[i]) kept.push_back(markers[i]);
  }
  markers = std::move(kept);
  return unfinished;
}

std::int64_t EndOpenMarkers(const Profile& profile, std::vector<Marker>& markers) {
  struct Last {
    std::size_t position = 0;
    std::int64_t number = -1;
  };
  std::map<std::string, Last> last_of;  // By the common part of names.
  std::int64_t mended = 0;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const NumberedName name = NameOfMarker(profile.Name(markers[i].name));
    const std::int64_t number = NumberIn(name);
    Last& last = last_of.try_emplace(name.family + '\n' + name.rest, Last{i, -1}).first->second;
    Span& before = markers[last.position].host;
    const bool follows = last.number >= 0 && number == last.number + 1;
    if (follows && markers[i].host.start > before.start && markers[i].host.end <= before.end) {
      before.end = markers[i].host.start;
      ++mended;
    }
    last = {i, number};
  }
  return mended;
}

std::int64_t CountDisplaced(const Profile& profile, const std::vector<Marker>& kept,
                            const std::vector<Marker>& all) {
  std::int64_t displaced = 0;
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    const Ns both = kept[i].host.end - kept[i + 1].host.start;
    const Ns shorter = std::min(kept[i].host.length(), kept[i + 1].host.length());
    if (static_cast<double>(both) >
        knowledge::kIterationsMarkerTouchShare * static_cast<double>(shorter))
      ++displaced;
  }
  if (kept.empty()) return displaced;
  const std::string family = NameOfMarker(profile.Name(kept.front().name)).family;
  std::size_t next = 0;
  for (const Marker& marker : all) {
    while (next < kept.size() && kept[next].host.end < marker.host.start) ++next;
    const auto is_same = [&](const Marker& other) {
      return other.host == marker.host && other.name == marker.name;
    };
    // Kept markers that it overlaps: few, as they are mostly disjoint.
    bool is_known = false;
    for (std::size_t i = next; i < kept.size() && kept[i].host.start <= marker.host.end; ++i) {
      // A duplicate has the name of the used marker.
      is_known = is_known || is_same(kept[i]) || kept[i].name == marker.name;
    }
    if (!is_known && NameOfMarker(profile.Name(marker.name)).family == family) ++displaced;
  }
  return displaced;
}

Span RowSpan(const HostTable& host, std::size_t row) {
  return {host.start[row], host.start[row] + std::max<Ns>(host.duration[row], 0)};
}

ChosenMarkers ChooseMarkers(const Profile& profile) {
  std::vector<ThreadMarkers> threads = MarkersByThread(profile);
  if (threads.empty()) return {};
  if (threads.size() > 1) CountLaunches(profile, threads);
  const auto best = std::max_element(
      threads.begin(), threads.end(), [](const ThreadMarkers& a, const ThreadMarkers& b) {
        return std::pair(a.launches, a.markers.size()) < std::pair(b.launches, b.markers.size());
      });
  return OfOneFamily(profile, std::move(*best));
}

}  // namespace profgauge::analysis::iterations
