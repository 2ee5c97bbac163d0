#include "analysis/context/iteration_parts.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "knowledge/launches.h"

namespace profgauge::analysis::context {
namespace {

/// Names of an iteration's launches, the last one first.
using Backwards = std::vector<std::uint32_t>;

// The launches of each iteration of [first, last), the last one first. Equal starts are in the
// order of names, so that two streams of one call do not differ by chance.
std::vector<Backwards> CollectLaunches(const Profile& profile,
                                       std::span<const std::uint32_t> of_device, std::size_t first,
                                       std::size_t last) {
  struct Launch {
    std::uint32_t iteration = 0;
    Ns start = 0;
    std::uint32_t name = 0;
  };
  std::vector<Launch> launches;
  for (std::size_t row = 0; row < of_device.size(); ++row) {
    const ApiId call = profile.device.launch[row];
    if (of_device[row] < first || of_device[row] >= last || !call.valid()) continue;
    launches.push_back(
        {of_device[row], profile.api.start[call.value], profile.device.name[row].value});
  }
  std::ranges::sort(launches, [](const Launch& a, const Launch& b) {
    return std::tuple(a.iteration, b.start, a.name) < std::tuple(b.iteration, a.start, b.name);
  });
  std::vector<Backwards> all(last - first);
  for (const Launch& launch : launches) all[launch.iteration - first].push_back(launch.name);
  return all;
}

/// How many launches the end has at least that occurs nowhere else before it (Z-function), and at
/// least launches.sequence_least. From the end, where `a` is the last launch:
///
///   names    a b c x a b y      `a b` occurs twice, so that three show the end: `a b c`
///   equal    0 0 0 0 2 0 0      how far the sequence from there on is like the beginning
std::size_t LengthOfOwnEnd(const Backwards& names) {
  std::vector<std::size_t> equal(names.size(), 0);
  std::size_t longest = 0, left = 0, right = 0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (i < right) equal[i] = std::min(right - i, equal[i - left]);
    while (i + equal[i] < names.size() && names[equal[i]] == names[i + equal[i]]) ++equal[i];
    if (i + equal[i] > right) {
      left = i;
      right = i + equal[i];
    }
    longest = std::max(longest, equal[i]);
  }
  return std::max(longest + 1, knowledge::kLaunchesSequenceLeast.as<std::size_t>());
}

}  // namespace

// One earlier iteration with the same end is enough: an optimizer may run in every k-th only.
bool LastEndsLikeOthers(const Profile& profile, std::span<const std::uint32_t> of_device,
                        std::size_t first, std::size_t last) {
  const std::vector<Backwards> all = CollectLaunches(profile, of_device, first, last);
  const Backwards& end = all.back();
  return std::ranges::any_of(std::span(all).first(all.size() - 1), [&](const Backwards& other) {
    const std::size_t length = LengthOfOwnEnd(other);
    return length <= other.size() && length <= end.size() &&
           std::equal(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(length),
                      end.begin());
  });
}

}  // namespace profgauge::analysis::context
