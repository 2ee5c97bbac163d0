// Ranges of the host that could mark iterations where none are marked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/context/iteration_ways.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::context {
namespace {

constexpr std::size_t kMostProposed = 3;

bool IsDigitInName(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Stands between quotes in a shell and between backticks in a text, and is no framework's operator.
bool IsProposable(std::string_view name, HostKind kind) {
  const bool is_plain = std::ranges::all_of(
      name, [](char c) { return c >= ' ' && c < 127 && c != '\'' && c != '`' && c != '\\'; });
  const bool is_operator = kind == HostKind::kOp && name.find("::") != std::string_view::npos;
  return is_plain && !is_operator && !name.empty();
}

// Each number of the name by `number`, and the rest by `text`.
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

// "step 12": "^step \d+$" and "step #".
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

// Launches by thread, in order.
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

// By pattern and thread. Operators count where nothing is around them.
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

// From the first event to the last.
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
    if (lines.size() == kMostProposed) break;
    lines.push_back(fmt::format("`{}` occurs {} times: `--iteration-marker '{}'`",
                                family->second.family, family->second.count, family->first.first));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace profgauge::analysis::context
