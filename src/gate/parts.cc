#include "gate/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "gate/change_text.h"
#include "gate/constants.h"
#include "gate/pairing.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// The accepted probability of any false alarm in a run without a change.
constexpr double kPartDiscoveries = knowledge::kGatePartDiscoveries.value();
// For the noise of a part: the weight of the spread common to all parts, in degrees of freedom; the
// least noise, in noise floors; and the runs below which noise is never less than observed.
constexpr double kPartPrior = knowledge::kGatePartPrior.value();
constexpr double kPartFloor = knowledge::kGatePartFloor.value();
constexpr double kTrustedRuns = knowledge::kGatePartTrustedRuns.value();
// The median of squares of normal values, in variances. Rounded: the weight was tuned with it.
constexpr double kMedianOfSquares = 0.7;
// The assumed spread of the iterations of a part without a series.
constexpr double kAssumedPartSpread = knowledge::kGatePartSpread.value();
constexpr std::size_t kNamedParts = 10, kNamedBeside = 5;
constexpr std::string_view kOthers = "others";

// A part in one run: the logarithm of its time per iteration, and the error of this logarithm.
struct PartTime {
  double log = 0, error = 0;
  bool is_assumed = true;  // The error is assumed: the run has no times by iteration.
};

using PartSums = const std::vector<analysis::breakdown::WorkSum> analysis::breakdown::WorkSums::*;

// True for benchmarks, which belong to no iteration: each has its own number of values.
constexpr bool AreBenchmarks(PartSums sums) {
  return sums == &analysis::breakdown::WorkSums::benchmarks;
}

PartTime TimeOf(const analysis::breakdown::WorkSum& sum, std::int64_t iterations) {
  const auto n = static_cast<double>(iterations);
  const double mean = static_cast<double>(sum.gpu_time > 0 ? sum.gpu_time : sum.host_time) / n;
  PartTime time{std::log(mean), kAssumedPartSpread / std::sqrt(n)};
  if (sum.series.size() < 2) return time;
  const std::vector<double> series(sum.series.begin(), sum.series.end());
  const auto count = static_cast<double>(series.size());
  time.error = std::sqrt(stats::Variance(series) / count) / mean;
  time.is_assumed = false;
  return time;
}

using Parts = std::map<std::string, PartTime, std::less<>>;

// The name by which parts are compared, without a compiler's numbers that make kernels differ.
std::string KeyOf(const std::string& name, PartSums sums) {
  return sums == &analysis::breakdown::WorkSums::kernels ? CanonicalKernel(name) : name;
}

void AddTo(const analysis::breakdown::WorkSum& sum, analysis::breakdown::WorkSum& into) {
  into.gpu_time += sum.gpu_time;
  into.host_time += sum.host_time;
  if (sum.series.size() != into.series.size()) return into.series.clear();
  for (std::size_t i = 0; i < sum.series.size(); ++i) into.series[i] += sum.series[i];
}

Parts PartsOf(const Snapshot& run, PartSums sums) {
  std::map<std::string, analysis::breakdown::WorkSum, std::less<>> merged;
  for (const analysis::breakdown::WorkSum& sum : run.work.*sums) {
    if (sum.gpu_time + sum.host_time <= 0 || run.work.iterations < 1) continue;
    const auto [part, is_new] = merged.try_emplace(KeyOf(sum.name, sums), sum);
    if (!is_new) AddTo(sum, part->second);
  }
  Parts parts;
  for (const auto& [name, sum] : merged) {
    parts.emplace(name, TimeOf(sum, AreBenchmarks(sums) ? sum.count : run.work.iterations));
  }
  return parts;
}

// One part in all runs.
struct Series {
  std::string name;
  std::vector<double> base;  // Logarithms, by run.
  double base_level = 0, within = 0;
  bool is_assumed = false;  // A run's spread within is assumed.
  double time = 0, change = 0, share = 0;
  std::vector<double> rest;  // Deviations of the baseline's runs from their level.
};

double IterationOf(const Snapshot& run) {
  double sum = 0;
  for (const double time : ObservedTimes(run)) sum += time;
  return sum / static_cast<double>(run.iteration_times.size());
}

// For each kernel, the operator that launches most of it, with the operator's type.
struct Launcher {
  Ns time = 0;
  std::string_view op, op_type;
};

std::map<std::string, Launcher> LaunchersOf(const Snapshot& run) {
  std::map<std::string, Launcher> launchers;
  for (const analysis::breakdown::TimePart& part : run.parts) {
    Launcher& known = launchers[CanonicalKernel(part.kernel)];
    if (part.time > known.time) known = {part.time, part.op, part.op_type};
  }
  return launchers;
}

using NamesOfPools = std::map<std::string, std::vector<std::pair<double, std::string>>>;

// Keeps names that all runs have. Pools the other names of a run, by type of operator.
NamesOfPools PoolOthers(const Snapshot& run, PartSums sums,
                        const std::set<std::string, std::less<>>& all, Parts& parts) {
  NamesOfPools names;
  // New and vanished benchmarks are reported, not pooled, because they replace no other one.
  if (AreBenchmarks(sums)) return names;
  const bool are_kernels = sums == &analysis::breakdown::WorkSums::kernels;
  const auto launchers = LaunchersOf(run);
  std::map<std::string, double, std::less<>> pools;
  for (auto it = parts.begin(); it != parts.end();) {
    if (all.contains(it->first)) {
      ++it;
      continue;
    }
    std::string pool(kOthers);
    const auto launcher = launchers.find(it->first);
    if (are_kernels && launcher != launchers.end() && !launcher->second.op_type.empty()) {
      pool = fmt::format("{}: {}", launcher->second.op_type, kOthers);
    }
    pools[pool] += std::exp(it->second.log);
    names[pool].emplace_back(-std::exp(it->second.log), it->first);
    it = parts.erase(it);
  }
  const double error = kAssumedPartSpread / std::sqrt(static_cast<double>(run.work.iterations));
  for (const auto& [pool, time] : pools) parts.emplace(pool, PartTime{std::log(time), error});
  return names;
}

// The names in a pool: "gemm_64 and 2 more", longest first; empty if `pool` is no pool.
std::string MostOf(const NamesOfPools& pools, const std::string& pool) {
  const auto found = pools.find(pool);
  if (found == pools.end()) return {};
  const auto& most = *std::min_element(found->second.begin(), found->second.end());
  const std::size_t more = found->second.size() - 1;
  return PrintableShort(most.second) + (more == 0 ? "" : fmt::format(" and {} more", more));
}

// The names of a pool in the run and in the last baseline run: "gemm_64 for gemm_128".
std::string NamesOf(const NamesOfPools& now, const NamesOfPools& before, const std::string& pool) {
  const std::string here = MostOf(now, pool), there = MostOf(before, pool);
  return here.empty() || there.empty() ? here + there : here + " for " + there;
}

std::set<std::string, std::less<>> InAll(const std::vector<Parts>& runs, const Parts& candidate) {
  std::set<std::string, std::less<>> all;
  for (const auto& [name, time] : candidate) {
    const auto has = [&name = name](const Parts& run) { return run.contains(name); };
    if (std::all_of(runs.begin(), runs.end(), has)) all.insert(name);
  }
  return all;
}

// Adds the parts of one side that the other does not have, if their share is at least `least`.
void AddLone(const Parts& those, const Parts& named, double iteration, double least, bool is_new,
             std::vector<LonePart>& out) {
  for (const auto& [name, time] : named) {
    const double share = iteration > 0 ? std::exp(time.log) / iteration : 0;
    if ((share >= least || least <= 0) && !those.contains(name))
      out.push_back({name, {}, share, is_new});
  }
}

std::vector<Series> AllSeriesOf(const std::vector<Parts>& runs, const Parts& candidate,
                                double iteration) {
  std::vector<Series> all;
  for (const auto& [name, time] : candidate) {
    Series series;
    series.name = name;
    series.is_assumed = time.is_assumed;
    std::vector<double> errors;
    for (const Parts& run : runs) {
      const auto found = run.find(name);
      if (found == run.end()) break;
      series.base.push_back(found->second.log);
      errors.push_back(found->second.error);
      series.is_assumed = series.is_assumed || found->second.is_assumed;
    }
    if (series.base.size() != runs.size()) continue;
    series.base_level = stats::Median(series.base);
    const double error = stats::Median(errors);
    series.within = (error * error + time.error * time.error) / 2;
    series.time = time.log;
    series.change = time.log - series.base_level;
    series.share = iteration > 0 ? std::exp(time.log) / iteration : 1;
    for (const double value : series.base) series.rest.push_back(value - series.base_level);
    all.push_back(std::move(series));
  }
  return all;
}

// The weighted median of changes: parts with half of the time change by at most this.
//
//     change      -1 %    0 %    +4 %    +4 %    +9 %        the weighted median: a clock that is
//     share       10 %   10 %    30 %    40 %    10 %        4 % lower slows nearly all parts
//     sum         10     20      50                          half of the time: +4 % is common
template <class Of>
double SharedBy(const std::vector<Series>& all, const Of& of) {
  std::vector<std::pair<double, double>> changes;
  double whole = 0;
  for (const Series& series : all) {
    changes.emplace_back(of(series), series.share);
    whole += series.share;
  }
  std::sort(changes.begin(), changes.end());
  double sum = 0;
  for (const auto& [change, share] : changes) {
    sum += share;
    if (sum >= whole / 2) return change;
  }
  return 0;
}

double SlackOf(double common) {
  return knowledge::kGateMovementPoint.value() +
         knowledge::kGateMovementPart.value() * std::abs(common);
}

// The part of the common change that is subtracted. A slower machine slows all parts, so nothing is
// subtracted if a fifth of the time did not change. A common speedup is not subtracted, because a
// part that did not become faster did not become slower.
double TakenOff(const std::vector<Series>& all, double shared) {
  if (std::abs(shared) <= 2 * SlackOf(shared)) return shared;  // Noise of all parts.
  if (shared < 0) return 0;
  double whole = 0, unmoved = 0;
  for (const Series& series : all) {
    whole += series.share;
    if (std::abs(series.change) <= SlackOf(0)) unmoved += series.share;
  }
  return unmoved >= (1 - knowledge::kGateMovementMost.value()) * whole ? 0 : shared;
}

// Counts the tested parts that changed like `shared`. Sets whether nearly all of the time did.
void CountAlike(const std::vector<Series>& all, double shared, double min_share,
                PartFindings& out) {
  double whole = 0, alike = 0;
  for (const Series& series : all) {
    whole += series.share;
    if (std::abs(series.change - shared) > SlackOf(shared)) continue;
    alike += series.share;
    if (series.share >= min_share) ++out.alike;
  }
  out.is_alike = alike >= knowledge::kGateMovementMost.value() * whole;
}

// Excludes the last runs of a history from a part's baseline if they show a step of the part over
// `limit`, while enough other runs remain.
void LeaveOutStep(Series& series, double limit) {
  const std::size_t all = series.rest.size();
  while (series.rest.size() > stats::kPartRuns && series.rest.back() > limit)
    series.rest.pop_back();
  if (series.rest.size() == all) return;
  const double off = stats::Median(series.rest);
  for (double& rest : series.rest) rest -= off;
  series.base_level += off;
  series.change = series.time - series.base_level;
}

double SquaresOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

// Sets the pools and the parts that only one side has.
void SetLone(std::span<const Snapshot> baselines, const Snapshot& candidate,
             const std::vector<Parts>& runs, const Parts& now, const NamesOfPools& pools_now,
             const NamesOfPools& pools_before, double least, PartFindings& out) {
  Parts there;
  for (const Parts& run : runs) there.insert(run.begin(), run.end());
  AddLone(there, now, IterationOf(candidate), least, true, out.lone);
  AddLone(now, runs.back(), IterationOf(baselines.back()), least, false, out.lone);
  std::stable_sort(out.lone.begin(), out.lone.end(),
                   [](const LonePart& a, const LonePart& b) { return a.share > b.share; });
  for (LonePart& part : out.lone)
    part.names = MostOf(part.is_new ? pools_now : pools_before, part.name);
}

double DegreesOf(const std::vector<double>& rest) { return static_cast<double>(rest.size()) - 1; }

// The one-sided probability of `change` from the median of runs with this variance.
double ChanceOfChange(double change, double variance, double degrees) {
  constexpr double kHalfPi = std::numbers::pi / 2;
  const double factor = 1 + kHalfPi / (degrees + kHalfPi);
  return boost::math::cdf(boost::math::complement(boost::math::students_t(kPartPrior + degrees),
                                                  change / std::sqrt(variance * factor)));
}

// The probability of a common change, computed from the common changes of the baseline's runs like
// that of a part. The noise floor replaces the spread of other parts.
double ChanceOfCommon(const std::vector<double>& moves, double common, double noise_floor) {
  const double degrees = DegreesOf(moves);
  const double own = SquaresOf(moves) / degrees;
  const double pooled =
      (kPartPrior * noise_floor * noise_floor + degrees * own) / (kPartPrior + degrees);
  return ChanceOfChange(common, std::max(pooled, own), degrees);
}

std::string OperatorAbove(std::span<const Snapshot> baselines, const Snapshot& candidate,
                          const std::string& kernel, double common) {
  const auto launchers = LaunchersOf(candidate);
  const auto launcher = launchers.find(kernel);
  if (launcher == launchers.end() || launcher->second.op.empty()) return {};
  const std::string op(launcher->second.op);
  const Parts now = PartsOf(candidate, &analysis::breakdown::WorkSums::ops);
  std::vector<double> levels;
  for (const Snapshot& run : baselines) {
    const Parts parts = PartsOf(run, &analysis::breakdown::WorkSums::ops);
    if (const auto found = parts.find(op); found != parts.end()) {
      levels.push_back(found->second.log);
    }
  }
  const auto here = now.find(op);
  if (here == now.end() || levels.empty()) return op;
  const double change = std::expm1(here->second.log - stats::Median(levels) - common);
  return fmt::format("{} {}", op, RelativeChange(change));
}

}  // namespace

// Tests each part by Student's t against a spread that borrows from all parts (like limma for
// genes, Smyth 2004): five runs do not show the spread of a part, but 200 parts show the usual one.
//
//     variance = (8 * max(usual, within) + degrees * own) / (8 + degrees), with least values
//     t = (change - common) / sqrt(variance * factor), with 8 + degrees degrees of freedom
//
// `factor` is 1 for the candidate plus the variance of a median of runs for the baseline.
PartFindings JudgeParts(std::span<const Snapshot> baselines, const Snapshot& candidate,
                        PartSums sums, const rules::PartLimit& limit, double noise_floor,
                        bool is_ordered) {
  PartFindings out;
  out.runs = baselines.size();
  out.is_of_history = is_ordered;
  if (baselines.size() < stats::kPartRuns) return out;
  std::vector<Parts> runs;
  for (const Snapshot& run : baselines) runs.push_back(PartsOf(run, sums));
  Parts now = PartsOf(candidate, sums);
  const auto in_all = InAll(runs, now);
  NamesOfPools before;
  for (std::size_t i = 0; i < runs.size(); ++i)
    before = PoolOthers(baselines[i], sums, in_all, runs[i]);
  const NamesOfPools here = PoolOthers(candidate, sums, in_all, now);
  out.are_benchmarks = AreBenchmarks(sums);
  std::vector<Series> all = AllSeriesOf(runs, now, IterationOf(candidate));
  SetLone(baselines, candidate, runs, now, here, before, out.are_benchmarks ? 0 : limit.min_share,
          out);
  out.is_judged = true;
  if (all.empty()) return out;
  const double shared = SharedBy(all, [](const Series& series) { return series.change; });
  out.common = std::expm1(shared);
  // No other limit judges benchmarks, so a change that they all share is not subtracted.
  const double common = out.are_benchmarks ? 0 : TakenOff(all, shared);
  const double most = std::log1p(limit.max_increase);
  out.taken = std::expm1(common);
  std::vector<double> moves;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (out.are_benchmarks) break;
    const double moved = SharedBy(all, [run](const Series& series) { return series.rest[run]; });
    for (Series& series : all) series.rest[run] -= moved;
    moves.push_back(moved);
  }
  if (common > most) {
    out.is_common = ChanceOfCommon(moves, common, noise_floor) < kPartDiscoveries;
    CountAlike(all, shared, limit.min_share, out);
  }
  if (is_ordered) {
    for (Series& series : all) LeaveOutStep(series, most);
  }
  std::erase_if(all, [&](const Series& series) {
    return !out.are_benchmarks && series.share < limit.min_share;
  });
  out.tested = all.size();
  if (all.empty()) return out;
  std::vector<double> own;
  for (const Series& series : all) own.push_back(SquaresOf(series.rest) / DegreesOf(series.rest));
  const double prior = stats::Median(own) / kMedianOfSquares;
  const double floor = out.are_benchmarks ? noise_floor : kPartFloor * noise_floor;
  std::vector<double> chances;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double degrees = DegreesOf(all[i].rest);
    const double pooled =
        (kPartPrior * std::max(prior, all[i].within) + degrees * own[i]) / (kPartPrior + degrees);
    const bool is_few = degrees + 1 < kTrustedRuns;
    const double variance = std::max({pooled, is_few ? own[i] : 0, floor * floor + all[i].within});
    chances.push_back(ChanceOfChange(all[i].change - common, variance, degrees));
  }
  const std::vector<bool> is_found = stats::BenjaminiHochberg(chances, kPartDiscoveries);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double change = all[i].change - common;
    if (!is_found[i] || change <= most) continue;
    out.found.push_back({all[i].name, NamesOf(here, before, all[i].name), std::expm1(change),
                         all[i].share, chances[i], all[i].rest.size(),
                         sums == &analysis::breakdown::WorkSums::kernels
                             ? OperatorAbove(baselines, candidate, all[i].name, common)
                             : std::string(),
                         1, all[i].is_assumed});
  }
  return out;
}

namespace {

void SortByTimeAdded(std::vector<PartFinding>& parts) {
  std::ranges::stable_sort(parts, std::ranges::greater(), [](const PartFinding& part) {
    return part.share * part.change / (1 + part.change);
  });
}

// Combines the findings about one part in several runs.
PartFinding MeanOf(const std::vector<const PartFinding*>& seen) {
  PartFinding mean = *seen.front();
  double change = 0, share = 0;
  for (const PartFinding* part : seen) {
    change += std::log1p(part->change);
    share += part->share;
    mean.chance = std::max(mean.chance, part->chance);
    mean.of_runs = std::min(mean.of_runs, part->of_runs);
  }
  mean.in_runs = seen.size();
  mean.change = std::expm1(change / static_cast<double>(seen.size()));
  mean.share = share / static_cast<double>(seen.size());
  return mean;
}

std::vector<LonePart> LoneOfAll(std::span<const PartFindings> candidates) {
  std::vector<LonePart> lone = candidates.front().lone;
  std::erase_if(lone, [&](const LonePart& part) {
    return !std::ranges::all_of(candidates, [&](const PartFindings& findings) {
      return std::ranges::any_of(findings.lone, [&](const LonePart& other) {
        return other.name == part.name && other.is_new == part.is_new;
      });
    });
  });
  return lone;
}

std::string ChanceOf(const PartFinding& part) {
  constexpr double kLeastChance = 1e-5;
  return part.chance < kLeastChance ? std::string("under 1 of 100 000")
                                    : fmt::format("1 of {:.0f}", 1 / part.chance);
}

}  // namespace

ConfirmedParts ConfirmParts(std::span<const PartFindings> candidates, const PartFindings* newest) {
  ConfirmedParts out;
  out.candidates = candidates.size();
  out.runs = candidates.front().runs;
  out.is_judged = candidates.front().is_judged;
  out.are_benchmarks = candidates.front().are_benchmarks;
  out.is_of_history = candidates.front().is_of_history;
  out.lone = LoneOfAll(candidates);
  std::map<std::string, std::vector<const PartFinding*>, std::less<>> seen;
  out.is_alike = true;
  out.alike = out.tested = candidates.front().tested;
  const auto count = static_cast<double>(candidates.size());
  for (const PartFindings& findings : candidates) {
    out.common += std::log1p(findings.common) / count;
    out.taken += std::log1p(findings.taken) / count;
    out.common_runs += findings.is_common ? 1 : 0;
    out.is_alike = out.is_alike && findings.is_alike;
    out.alike = std::min(out.alike, findings.alike);
    out.tested = std::min(out.tested, findings.tested);
    for (const PartFinding& part : findings.found) seen[part.name].push_back(&part);
  }
  out.common = std::expm1(out.common);
  out.taken = std::expm1(out.taken);
  if (newest != nullptr) {
    if (out.common_runs > 0 && newest->is_common) ++out.common_runs;
    for (const PartFinding& part : newest->found) {
      if (const auto found = seen.find(part.name); found != seen.end())
        found->second.push_back(&part);
    }
  }
  for (const auto& [name, runs] : seen) {
    (runs.size() > 1 ? out.slower : out.once).push_back(MeanOf(runs));
  }
  SortByTimeAdded(out.slower);
  SortByTimeAdded(out.once);
  return out;
}

namespace {

// The compared runs: "10 baseline runs"; for a history, "12 runs of the history"; if its last runs
// show the step, too, "10 runs of the history before it".
std::string RunsText(const ConfirmedParts& parts, const PartFinding& part) {
  if (!parts.is_of_history) return fmt::format("{} baseline runs", parts.runs);
  return fmt::format("{} runs of the history{}", part.of_runs,
                     part.of_runs < parts.runs ? " before it" : "");
}

// Further parts as text: "; also kernel b: +20 %, kernel c: +10 % and 5 more".
std::string AlsoText(const ConfirmedParts& parts, std::string_view word) {
  std::string text;
  const std::size_t named = std::min(parts.slower.size(), kNamedBeside + 1);
  for (std::size_t i = 1; i < named; ++i) {
    const PartFinding& part = parts.slower[i];
    text += fmt::format("{}{}: {}", i == 1 ? "; also " : ", ",
                        PartTitle(word, part.name, part.names), RelativeChange(part.change));
  }
  return parts.slower.size() > named
             ? text + fmt::format(" and {} more", parts.slower.size() - named)
             : text;
}

}  // namespace

std::string PartsText(const ConfirmedParts& parts, std::string_view word) {
  if (!parts.is_judged) {
    return fmt::format("{}s are not judged: {} baseline run{}, {} are needed", word, parts.runs,
                       parts.runs == 1 ? "" : "s", stats::kPartRuns);
  }
  if (parts.slower.empty()) return {};
  const PartFinding& part = parts.slower.front();
  const std::string runs =
      parts.candidates == 1 ? "this run and the one before" : fmt::format("{} runs", part.in_runs);
  const std::string share =
      parts.are_benchmarks ? "" : fmt::format("{} of the iteration; ", FormatShare(part.share));
  std::string text = fmt::format(
      "{}: {} in {} ({}by chance {}{}; {})", PartTitle(word, part.name, part.names),
      RelativeChange(part.change), runs, share, ChanceOf(part),
      part.is_assumed ? ", spread between iterations assumed" : "", RunsText(parts, part));
  if (!part.above.empty()) text += ", operator above it: " + PrintableShort(part.above);
  text += AlsoText(parts, word);
  const std::string common = RelativeChange(parts.common);
  if (parts.are_benchmarks && common != RelativeChange(0)) {
    text += fmt::format("; half of all {}s {} or less", word, common);
  } else if (!parts.are_benchmarks &&
             std::abs(parts.taken) >= knowledge::kGateMovementPoint.value()) {
    text +=
        fmt::format("; the typical {} {}, which is taken off", word, RelativeChange(parts.taken));
  }
  return text;
}

std::string PartsOnceText(const ConfirmedParts& parts, std::string_view word) {
  constexpr std::size_t kNamedOnce = 3;
  if (parts.once.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.once.size(), kNamedOnce); ++i) {
    const PartFinding& part = parts.once[i];
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", PartTitle(word, part.name, part.names),
                        RelativeChange(part.change));
  }
  if (parts.once.size() > kNamedOnce) {
    text += fmt::format(" and {} more", parts.once.size() - kNamedOnce);
  }
  if (!parts.IsOpen()) return fmt::format("{} in one of {} runs only", text, parts.candidates);
  return text +
         " in this run; one run may be chance. A second run decides: profgauge "
         "check A B --baseline …";
}

std::string PartsCommonText(const ConfirmedParts& parts, std::string_view word) {
  if (parts.common_runs == 0) return {};
  std::string who = fmt::format("half of the {}s' time or more is", word);
  if (parts.is_alike) {
    const std::string of = parts.alike == parts.tested ? "" : fmt::format(" of {}", parts.tested);
    who = fmt::format("{}{} {}s of the same work are all", parts.alike, of, word);
  }
  std::string where = "this run";
  if (parts.candidates > 1 && parts.common_runs == 1) {
    where = fmt::format("one of {} runs only", parts.candidates);
  } else if (parts.candidates > 1) {
    where = fmt::format("{} runs", parts.common_runs);
  } else if (parts.common_runs > 1) {
    where = "this run and the one before";
  }
  return fmt::format(
      "{} about {:.0f} % slower in {}; that is no single {}, and no limit on time "
      "is missed",
      who, parts.common * 100, where, word);
}

std::string PartTitle(std::string_view word, std::string_view name, std::string_view names) {
  if (names.empty()) return fmt::format("{} {}", word, PrintableShort(name));
  const std::size_t type = name.rfind(fmt::format(": {}", kOthers));
  const std::string of =
      type == std::string_view::npos ? "" : " of " + PrintableShort(name.substr(0, type));
  return fmt::format("{} group{} under other names ({})", word, of, names);
}

std::vector<std::string> LonePartTexts(const ConfirmedParts& parts, std::string_view word) {
  std::vector<std::string> texts;
  for (const LonePart& part : parts.lone) {
    if (texts.size() == kNamedParts) break;
    const std::string_view side = part.is_new ? "new" : "gone";
    if (parts.are_benchmarks) {
      texts.push_back(fmt::format("{} {} is {}: there is nothing to compare it with", word,
                                  PrintableShort(part.name), side));
      continue;
    }
    const std::string who = part.names.empty()
                                ? fmt::format("{} {} is", word, PrintableShort(part.name))
                                : fmt::format("{}s {} are", word, part.names);
    texts.push_back(fmt::format("{} {}: {} of the iteration, with nothing to compare", who, side,
                                FormatShare(part.share)));
  }
  if (parts.lone.size() > kNamedParts) {
    texts.push_back(fmt::format("{} more {}s are new or gone, with nothing to compare",
                                parts.lone.size() - kNamedParts, word));
  }
  return texts;
}

}  // namespace profgauge::gate
