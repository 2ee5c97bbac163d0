#include "analysis/context/marker_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace profgauge {
namespace {

// `all`: of one thread, sorted by start, the longest first.
std::vector<Marker> WithoutThoseAroundSeveral(const std::vector<Marker>& all) {
  constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> parents(all.size(), kNoParent), children(all.size(), 0), open;
  for (std::size_t i = 0; i < all.size(); ++i) {
    while (!open.empty() && all[open.back()].host.end < all[i].host.end) open.pop_back();
    if (!open.empty()) {
      parents[i] = open.back();
      ++children[open.back()];
    }
    open.push_back(i);
  }
  std::vector<bool> is_one(all.size());  // Of one thing: no more than one is directly inside, …
  for (std::size_t i = all.size(); i-- > 0;) {
    is_one[i] = is_one[i] || children[i] == 0;
    if (is_one[i] && parents[i] != kNoParent && children[parents[i]] == 1)
      is_one[parents[i]] = true;
  }
  std::vector<Marker> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_one[i] && (parents[i] == kNoParent || !is_one[parents[i]])) kept.push_back(all[i]);
  }
  return kept;
}

struct ThreadMarkers {
  ThreadId thread;
  std::vector<Marker> markers;
  std::int64_t launches = 0;  // That the thread makes under them.
};

std::vector<ThreadMarkers> MarkersByThread(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<ThreadMarkers> threads;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kIterationMarker) continue;
    // Rows are sorted by thread.
    if (threads.empty() || threads.back().thread != host.thread[row]) {
      threads.push_back({host.thread[row], {}, 0});
    }
    threads.back().markers.push_back({RowSpan(host, row), host.name[row]});
  }
  for (ThreadMarkers& one : threads) one.markers = WithoutThoseAroundSeveral(one.markers);
  return threads;
}

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

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "iter#_forward" and "0" of "iter0_forward", "step #" and "5" of "step 5, loss 0.3".
struct Name {
  std::string family, number;
};

Name Split(std::string_view text) {
  Name name;
  std::size_t at = 0;
  while (at < text.size() && !IsDigit(text[at])) ++at;
  name.family = text.substr(0, at);
  if (at == text.size()) return name;
  const std::size_t begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  name.number = text.substr(begin, at - begin);
  name.family += '#';
  while (at < text.size() &&
         (text[at] == '_' || std::isalpha(static_cast<unsigned char>(text[at])) != 0)) {
    name.family += text[at++];
  }
  return name;
}

struct Family {
  std::int64_t count = 0;
  Ns time = 0;
};

// One marker for each number, from the first phase's start to the last one's end, where every
// number has one stretch of markers, most of them one of each family. Else nothing.
std::vector<Marker> MergePhases(const std::vector<Marker>& markers, const std::vector<Name>& names,
                                std::size_t families) {
  std::vector<Marker> merged;
  std::map<std::string_view, int> seen;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (i > 0 && names[i].number == names[i - 1].number) {
      merged.back().host.end = std::max(merged.back().host.end, markers[i].host.end);
      continue;
    }
    if (names[i].number.empty() || ++seen[names[i].number] > 1) return {};
    merged.push_back(markers[i]);
  }
  if (merged.size() == markers.size()) return {};
  // The recording may begin and end within a number.
  const bool is_whole = markers.size() + 2 * (families - 1) >= families * merged.size();
  return is_whole ? merged : std::vector<Marker>{};
}

ChosenMarkers OfOneFamily(const Profile& profile, std::vector<Marker> markers) {
  std::vector<Name> names;
  std::map<std::string, Family> families;
  for (const Marker& marker : markers) {
    names.push_back(Split(profile.Name(marker.name)));
    Family& family = families[names.back().family];
    ++family.count;
    family.time += marker.host.length();
  }
  if (families.size() < 2) return {std::move(markers), {}, {}};
  if (auto merged = MergePhases(markers, names, families.size()); !merged.empty()) {
    return {std::move(merged), {}, {}};
  }
  const auto most =
      std::max_element(families.begin(), families.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.time, a.second.count) < std::pair(b.second.time, b.second.count);
      });
  ChosenMarkers chosen;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (names[i].family == most->first) chosen.found.push_back(markers[i]);
  }
  std::string others;
  for (const auto& [family, of_family] : families) {
    if (family == most->first) continue;
    others += fmt::format("{}`{}`", others.empty() ? "" : ", ", family);
  }
  chosen.families = fmt::format("`{}`, not {}", most->first, others);
  return chosen;
}

}  // namespace

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
  ChosenMarkers chosen = OfOneFamily(profile, std::move(best->markers));
  chosen.thread = best->thread;
  return chosen;
}

}  // namespace profgauge
