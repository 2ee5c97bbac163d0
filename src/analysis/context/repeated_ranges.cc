#include "analysis/context/repeated_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "base/text.h"

namespace profgauge {
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

}  // namespace profgauge
