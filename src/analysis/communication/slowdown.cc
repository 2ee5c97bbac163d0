// The slowdown of one rank's kernels relative to the other ranks.

#include "analysis/communication/slowdown.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/communication/blame.h"
#include "base/numbers.h"
#include "knowledge/blame.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::communication {
namespace {

/// Kernels of one kind: time on one rank, and the median of the others.
struct Pace {
  Ns own = 0, typical = 0;
  bool is_matrix = false;
  double ratio() const { return static_cast<double>(own) / static_cast<double>(typical); }
};

/// Returns the ratio that kernels with at least this share of the time reach or exceed.
///
/// Example: ratios 3, 2, 1 with typical times 10, 70, 20 and a share of 3/4. Kernels with 80 of 100
/// have at least ratio 2, so the result is 2. A few much slower kernels do not count. 1 without
/// kernels.
double SharedBy(std::vector<Pace> paces, double share) {
  std::sort(paces.begin(), paces.end(),
            [](const Pace& a, const Pace& b) { return a.ratio() > b.ratio(); });
  Ns all = 0, sum = 0;
  for (const Pace& pace : paces) all += pace.typical;
  for (const Pace& pace : paces) {
    sum += pace.typical;
    if (static_cast<double>(sum) >= share * static_cast<double>(all)) return pace.ratio();
  }
  return 1;
}

/// The slowdown of a device. A slow device slows nearly all matrix kernels (low clocks), nearly all
/// other kernels (slow memory), or both. If only one kind is slower, it has more work (experts with
/// more tokens, longer sequences), so its ratio is capped.
std::optional<double> SlowdownOf(std::span<const Pace> paces) {
  std::array<std::vector<Pace>, 2> classes;
  for (const Pace& pace : paces) classes[pace.is_matrix ? 1 : 0].push_back(pace);
  double own = 0, typical = 0;
  for (std::vector<Pace>& alike : classes) {
    const double most = knowledge::kBlameSlowKernelFactor *
                        SharedBy(alike, knowledge::kBlameSlowKernelShare.value());
    for (const Pace& pace : alike) {
      own += std::min(pace.ratio(), most) * static_cast<double>(pace.typical);
      typical += static_cast<double>(pace.typical);
    }
  }
  return typical > 0 ? std::optional(own / typical) : std::nullopt;
}

bool IsBefore(const KernelSum& a, const KernelSum& b) {
  return std::tie(a.name, a.shape, a.inputs) < std::tie(b.name, b.shape, b.inputs);
}

/// Kernels of each rank in comparable form: input shapes are used if all ranks recorded them.
std::vector<std::vector<KernelSum>> ComparableKernels(std::span<const RankFacts> ranks) {
  const bool have_inputs = std::all_of(ranks.begin(), ranks.end(), [](const RankFacts& rank) {
    return rank.kernels.empty() ||
           std::any_of(rank.kernels.begin(), rank.kernels.end(),
                       [](const KernelSum& kernel) { return kernel.inputs != 0; });
  });
  std::vector<std::vector<KernelSum>> kernels;
  for (const RankFacts& rank : ranks) {
    std::vector<KernelSum>& own = kernels.emplace_back();
    for (KernelSum kernel : rank.kernels) {
      if (!have_inputs) kernel.inputs = 0;
      if (own.empty() || IsBefore(own.back(), kernel)) {
        own.push_back(kernel);
      } else {
        own.back().calls += kernel.calls;
        own.back().time += kernel.time;
      }
    }
  }
  return kernels;
}

}  // namespace

double SlowdownAmong(std::span<const RankFacts> ranks, std::size_t rank,
                     std::span<const std::size_t> others) {
  const auto kernels = ComparableKernels(ranks);
  std::vector<Pace> paces;
  for (const KernelSum& kernel : kernels[rank]) {
    std::vector<Ns> times;
    for (const std::size_t other : others) {
      const std::vector<KernelSum>& sums = kernels[other];
      const auto found = std::lower_bound(sums.begin(), sums.end(), kernel, IsBefore);
      if (found != sums.end() && !IsBefore(kernel, *found) && found->calls == kernel.calls) {
        times.push_back(found->time);
      }
    }
    if (times.empty() || times.size() < others.size()) continue;
    const Ns typical = Median(std::move(times));
    if (typical > 0) paces.push_back({kernel.time, typical, kernel.is_matrix});
  }
  return SlowdownOf(paces).value_or(1);
}

std::vector<std::optional<double>> KernelSlowdowns(std::span<const RankFacts> ranks) {
  struct Alike {
    std::vector<Ns> times;
    Ns typical = 0;
  };
  using Key = std::tuple<std::string_view, std::array<std::int64_t, 6>, std::int64_t, std::int64_t>;
  const auto key_of = [](const KernelSum& kernel) {
    return Key{kernel.name, kernel.shape, kernel.inputs, kernel.calls};
  };
  const auto kernels = ComparableKernels(ranks);
  std::map<Key, Alike> all;
  for (const std::vector<KernelSum>& rank : kernels) {
    for (const KernelSum& kernel : rank) all[key_of(kernel)].times.push_back(kernel.time);
  }
  for (auto& [key, alike] : all) {
    if (alike.times.size() >= knowledge::kBlameUsualLeast)
      alike.typical = Median(std::move(alike.times));
  }
  std::vector<std::optional<double>> slowdowns;
  for (const std::vector<KernelSum>& rank : kernels) {
    std::vector<Pace> paces;
    for (const KernelSum& kernel : rank) {
      const Ns typical = all.at(key_of(kernel)).typical;
      if (typical > 0) paces.push_back({kernel.time, typical, kernel.is_matrix});
    }
    slowdowns.push_back(SlowdownOf(paces));
  }
  return slowdowns;
}

}  // namespace profgauge::analysis::communication
