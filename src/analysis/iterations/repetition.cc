#include "analysis/iterations/repetition.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "knowledge/repetition.h"

namespace profgauge::analysis::iterations {
namespace {

// For each position, the length of the longest proper prefix that also ends there. The shortest
// period of all tokens is their number minus the last of these lengths:
//
//   tokens    a b c a b c a b c
//   length    0 0 0 1 2 3 4 5 6      9 - 6 = 3
std::vector<std::uint32_t> PrefixFunction(std::span<const std::uint32_t> tokens) {
  std::vector<std::uint32_t> length(tokens.size(), 0);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    std::uint32_t known = length[i - 1];
    while (known > 0 && tokens[known] != tokens[i]) known = length[known - 1];
    length[i] = tokens[known] == tokens[i] ? known + 1 : 0;
  }
  return length;
}

// Whether a period of that length is long enough and occurs often enough: three times, or twice if
// it is long.
bool Repeats(std::size_t tokens, std::size_t period) {
  if (period == 0 || knowledge::kRepetitionLeastKernels > period) return false;
  if (tokens / period >= knowledge::kRepetitionLeastPeriods.as<std::size_t>()) return true;
  return tokens == 2 * period && period >= knowledge::kRepetitionLeastOfTwo.as<std::size_t>();
}

// A call that launched kernels, and a number for its name. A call that launches several kernels is
// a graph, whose token is the call's name.
struct LaunchCall {
  ApiId call;
  Ns start = 0, end = 0;
  std::uint32_t token = 0;
  bool is_graph = false;
};

// The launches of kernels by thread, in order. Each has the name of the kernel, or of the call if
// it launches several.
std::map<std::uint32_t, std::vector<LaunchCall>> LaunchesByThread(const Profile& profile) {
  const DeviceTable& device = profile.device;
  const ApiTable& api = profile.api;
  std::vector<std::uint32_t> kernels(api.size(), 0);
  std::vector<std::uint32_t> token(api.size(), 0);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (!launch.valid() || device.kind[row] != DeviceKind::kKernel) continue;
    const bool is_new = ++kernels[launch.value] == 1;
    token[launch.value] = (is_new ? device.name[row] : api.name[launch.value]).value;
  }
  std::map<std::uint32_t, std::vector<LaunchCall>> threads;
  for (std::uint32_t call = 0; call < api.size(); ++call) {
    if (kernels[call] == 0) continue;
    const Ns end = api.start[call] + std::max<Ns>(api.duration[call], 0);
    threads[api.thread[call].value].push_back(
        {ApiId{call}, api.start[call], end, token[call], kernels[call] > 1});
  }
  return threads;
}

// The kind of range that occurs once in each iteration; nullptr if it is none.
const IterationWitness* WitnessOf(std::string_view name) {
  static const auto compiled = [] {
    std::array<std::unique_ptr<RE2>, std::size(kIterationWitnesses)> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::make_unique<RE2>(kIterationWitnesses[i].pattern);
    }
    return all;
  }();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    if (RE2::PartialMatch(name, *compiled[i])) return &kIterationWitnesses[i];
  }
  return nullptr;
}

// Whether at least nine tenths of the whole periods contain exactly one mark.
bool IsOnceEach(const std::vector<Ns>& marks, const std::vector<Ns>& starts, Ns end) {
  if (starts.size() < 2) return false;
  std::vector<std::size_t> count(starts.size(), 0);
  for (const Ns mark : marks) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), mark);
    if (after == starts.begin() || mark > end) continue;
    ++count[static_cast<std::size_t>(after - starts.begin()) - 1];
  }
  // Work before the first launch of the first period, and after the last launch of the last one,
  // may have been cut off by the profile.
  const auto inner = std::span(count).first(count.size() - 1);
  const auto once = std::count(inner.begin(), inner.end(), std::size_t{1});
  return once > 0 &&
         static_cast<std::size_t>(once) >= knowledge::kRepetitionWitnessShare.Of(inner.size());
}

// The launches of graphs, as marks.
WitnessMarks GraphLaunches(const Profile& profile, std::span<const LaunchCall> launches) {
  WitnessMarks graphs;
  for (const LaunchCall& launch : launches) {
    if (!launch.is_graph) continue;
    graphs.name = profile.Name(profile.api.name[launch.call.value]);
    graphs.marks.push_back(launch.start);
  }
  return graphs;
}

}  // namespace

std::vector<WitnessMarks> FindWitnessRanges(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<const IterationWitness*> kinds(profile.strings.size(), nullptr);
  std::vector<bool> known(profile.strings.size(), false);
  std::map<std::pair<const IterationWitness*, std::string_view>, std::vector<Ns>> ranges;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const StringId name = host.name[row];
    if (!name.valid() || host.kind[row] == HostKind::kOverhead) continue;
    if (!known[name.value]) {
      known[name.value] = true;
      kinds[name.value] = WitnessOf(profile.strings[name]);
    }
    const IterationWitness* kind = kinds[name.value];
    if (kind == nullptr) continue;
    const Ns end = host.start[row] + std::max<Ns>(host.duration[row], 0);
    ranges[{kind, profile.strings[name]}].push_back(kind->closes ? end : host.start[row]);
  }
  std::vector<WitnessMarks> found;
  for (auto& [range, marks] : ranges) {
    std::sort(marks.begin(), marks.end());
    found.push_back({std::string(range.second), range.first, std::move(marks)});
  }
  // Sorted by kind, in table order, then the most frequent first.
  std::stable_sort(found.begin(), found.end(), [](const WitnessMarks& a, const WitnessMarks& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.marks.size() > b.marks.size();
  });
  return found;
}

// Tries all tokens first, then suffixes, where the run is settled. On the reversed tokens, the
// prefix function gives the period of every suffix in one pass:
//
//   tokens     w w x a b c a b c a b c        nothing repeats from the beginning
//   reversed   c b a c b a c b a x w w        the first nine have the period 3 (a real period has
//                                             at least 8)
Period FindPeriod(std::span<const std::uint32_t> tokens) {
  const std::size_t count = tokens.size();
  if (count < 2) return {};
  const std::size_t whole = count - PrefixFunction(tokens).back();
  if (Repeats(count, whole)) return {0, whole, count / whole};
  const std::vector<std::uint32_t> reversed(tokens.rbegin(), tokens.rend());
  const std::vector<std::uint32_t> length = PrefixFunction(reversed);
  for (std::size_t taken = count; taken > 0; --taken) {
    if (taken < knowledge::kRepetitionLeastShare.Of(count)) break;
    const std::size_t period = taken - length[taken - 1];
    const bool repeats = knowledge::kRepetitionLeastKernels <= period &&
                         taken / period >= knowledge::kRepetitionLeastPeriods.as<std::size_t>();
    // Only whole periods count; the rest belongs to the warm-up.
    if (repeats) return {count - taken / period * period, period, taken / period};
  }
  return {};
}

// Uses only the thread with most launches: other threads prepare, copy or serve its work.
Repetition FindRepetition(const Profile& profile, bool only_with_witness) {
  Repetition found;
  if (!profile.has_timeline) return found;
  const auto threads = LaunchesByThread(profile);
  const auto most = std::max_element(
      threads.begin(), threads.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == threads.end()) return found;
  const std::vector<LaunchCall>& launches = most->second;
  std::vector<WitnessMarks> witnesses = FindWitnessRanges(profile);
  witnesses.push_back(GraphLaunches(profile, launches));
  std::erase_if(witnesses, [](const WitnessMarks& some) { return some.marks.size() < 2; });
  if (only_with_witness && witnesses.empty()) return found;
  std::vector<std::uint32_t> tokens;
  for (const LaunchCall& launch : launches) tokens.push_back(launch.token);
  const Period period = FindPeriod(tokens);
  if (period.length == 0) return found;
  found.thread = ThreadId{most->first};
  found.kernels = period.length;
  for (std::size_t i = 0; i < period.count; ++i) {
    found.starts.push_back(launches[period.first + i * period.length].start);
  }
  found.end = launches[period.first + period.count * period.length - 1].end;
  const auto witness = std::find_if(
      witnesses.begin(), witnesses.end(),
      [&](const WitnessMarks& some) { return IsOnceEach(some.marks, found.starts, found.end); });
  if (witness != witnesses.end()) found.witness = std::move(*witness);
  return found;
}

}  // namespace profgauge::analysis::iterations
