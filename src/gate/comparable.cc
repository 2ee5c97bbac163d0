#include "gate/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/iterations/markers.h"
#include "analysis/ranks/analyze_run.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/gate.h"
#include "knowledge/usual.h"

namespace profgauge::gate {
namespace {

constexpr std::array<std::string_view, 8> kHardProperties = {
    "format",     "gpu",        "gpus",        "ranks",
    "world_size", "iterations", "cuda_graphs", kSelectionProperty};
// Profiler options that slow the host, and so slow runs whose devices wait for the host.
constexpr std::array<std::string_view, 3> kSlowSwitches = {"with_stack", "with_modules",
                                                           "profile_memory"};
constexpr double kWaitsForHost = knowledge::kGateWaitsForHost.value();
// Profiles of equal work differ by less than this share, e.g. by a warm-up kernel.
constexpr double kSameWork = knowledge::kGateSameWork.value();

template <std::size_t size>
bool IsOneOf(std::string_view property, const std::array<std::string_view, size>& properties) {
  return std::find(properties.begin(), properties.end(), property) != properties.end();
}

// True if the host may determine the speed: the devices idle, or their idle time is unknown.
bool MayWaitForHost(const Snapshot& run) {
  const auto idle = run.metrics.find(metric::kGpuIdleMean.text());
  return idle == run.metrics.end() || idle->second > kWaitsForHost;
}

// Properties of a profile that a file of times does not have.
constexpr std::array<std::string_view, 5> kOfRecording = {"format", "gpus", "ranks", "iterations",
                                                          "cuda_graphs"};

std::string PropertyOf(const Snapshot& run, std::string_view property) {
  if (property == "format") return run.format;
  const std::string_view value = run.Environment(property);
  return std::string(
      value.empty() && property == kSelectionProperty ? analysis::ranks::kAllIterations : value);
}

// The properties of both runs: in the base's order, then those that only the current run has.
std::vector<std::string> AllProperties(const Snapshot& base, const Snapshot& current) {
  std::vector<std::string> all = {"format"};
  for (const Snapshot* run : {&base, &current}) {
    for (const auto& [property, value] : run->environment) {
      if (std::find(all.begin(), all.end(), property) == all.end()) all.push_back(property);
    }
  }
  return all;
}

// True for a range of time instead of iterations: the whole profile, or the --range.
bool IsWindow(const Snapshot& run) {
  const IterationsBy by = ParseIterationSource(run.Environment("iterations")).by;
  return by == IterationsBy::kUndivided || by == IterationsBy::kRange;
}

bool KnowsIterations(const Snapshot& run) { return !run.Environment("iterations").empty(); }

// The number of kernels, copies and memsets in a range of time, or of operators without a device.
// Nothing if iterations are marked, or if counts are unknown.
std::optional<std::int64_t> WorkOfWindow(const Snapshot& run) {
  if (!IsWindow(run)) return std::nullopt;
  const std::vector<analysis::breakdown::WorkSum>& sums =
      run.work.has_gpu ? run.work.kernels : run.work.ops;
  if (sums.empty()) return std::nullopt;
  std::int64_t events = 0;
  for (const analysis::breakdown::WorkSum& sum : sums) events += sum.count;
  return events;
}

// The shares of device time outside of the iterations, there and here; nothing if one is unknown.
std::optional<std::pair<double, double>> Outside(const Snapshot& base, const Snapshot& current) {
  const std::string_view id = metric::kCoverageOutsideShare.text();
  const auto there = base.metrics.find(id), here = current.metrics.find(id);
  if (there == base.metrics.end() || here == current.metrics.end()) return std::nullopt;
  return std::pair(there->second, here->second);
}

std::string OutsideText(std::pair<double, double> shares) {
  return fmt::format(
      "{} of the device time is outside the iterations, in the baseline {}: that time is not "
      "compared; mark all iterations",
      FormatShare(shares.second), FormatShare(shares.first));
}

// Why lost markers make runs incomparable: much more device time is outside the iterations.
std::optional<std::string> WhyOutside(const Snapshot& base, const Snapshot& current) {
  const auto shares = Outside(base, current);
  if (!shares || shares->second - shares->first < knowledge::kGateLostMarksShare.value()) {
    return std::nullopt;
  }
  return OutsideText(*shares) + " [baseline/outside]";
}

}  // namespace

std::string KindOf(const Snapshot& run) {
  std::string kind;
  for (const std::string_view property : kHardProperties) {
    kind += fmt::format("{}{}", kind.empty() ? "" : "; ", PropertyOf(run, std::string(property)));
  }
  return kind;
}

bool IsOfKind(std::string_view property) { return IsOneOf(property, kHardProperties); }

bool GrowsWithIterations(std::string_view metric) {
  constexpr MetricId kIterations = metric::kProfileIterations, kWall = metric::kProfileWallTime;
  const analysis::MetricSpec* spec = analysis::FindMetric(metric);
  if (spec == nullptr || metric == kIterations) return false;
  // These metrics grow with the number of iterations, but not exactly, because iterations overlap.
  if (metric == kWall || (metric.starts_with("critical.") && spec->unit == Unit::kTime))
    return true;
  return spec->pooling == analysis::Pooling::kSum;
}

double SummedIterations(const Snapshot& run) {
  const auto count = run.metrics.find(metric::kProfileIterations.text());
  const double iterations =
      count != run.metrics.end() ? count->second : static_cast<double>(run.iteration_times.size());
  return std::max(1.0, iterations);
}

std::vector<Difference> FindDifferences(const Snapshot& base, const Snapshot& current,
                                        const rules::PolicyBaseline& policy) {
  std::vector<Difference> differences;
  for (const std::string& property : AllProperties(base, current)) {
    Difference difference{property, PropertyOf(base, property), PropertyOf(current, property)};
    if (difference.base == difference.current) continue;
    const bool is_known = !difference.base.empty() && !difference.current.empty();
    const bool is_listed = policy.match_any ? false
                           : policy.match   ? std::find(policy.match->begin(), policy.match->end(),
                                                        property) != policy.match->end()
                                            : IsOneOf(property, kHardProperties) ||
                                                (IsOneOf(property, kSlowSwitches) &&
                                                 (MayWaitForHost(base) || MayWaitForHost(current)));
    const bool is_asked =
        !(IsOfTimes(base) || IsOfTimes(current)) || !IsOneOf(property, kOfRecording);
    const bool is_of_load = property.starts_with(kLoadProperty) && !policy.match_any;
    difference.is_hard = is_known && is_asked && (is_listed || is_of_load);
    differences.push_back(std::move(difference));
  }
  std::stable_partition(differences.begin(), differences.end(),
                        [](const Difference& d) { return d.is_hard; });
  return differences;
}

namespace {

template <class Wanted>
std::string InWords(std::span<const Difference> differences, Wanted wanted) {
  std::string text;
  for (const Difference& difference : differences) {
    if (!wanted(difference)) continue;
    text += fmt::format("{}{} is `{}` there and `{}` here", text.empty() ? "" : "; ",
                        difference.property, difference.base, difference.current);
  }
  return text;
}

}  // namespace

std::string HardDifferences(std::span<const Difference> differences) {
  return InWords(differences, [](const Difference& one) { return one.is_hard; });
}

std::string AllowedDifferences(std::span<const Difference> differences) {
  return InWords(differences, [](const Difference& one) {
    const bool is_known = !one.base.empty() && !one.current.empty();
    return one.is_hard || (is_known && IsOneOf(one.property, kHardProperties));
  });
}

// Uses the default list, not a policy's `match`, because a baseline serves every policy.
Misfit FindMisfit(const Snapshot& run, std::span<const Snapshot> others) {
  Misfit misfit;
  for (const Snapshot& other : others) {
    if (!run.source.empty() && other.source == run.source) misfit.same = &other;
    for (Difference& difference : FindDifferences(other, run, {})) {
      misfit.has_other_shapes |= difference.property == "shape_signature" &&
                                 !difference.base.empty() && !difference.current.empty();
      if (difference.is_hard) misfit.differences.push_back(std::move(difference));
    }
  }
  return misfit;
}

std::vector<Difference> AllDifferences(std::span<const Snapshot> baselines,
                                       std::span<const Snapshot> candidates,
                                       const rules::PolicyBaseline& policy) {
  std::vector<Difference> all;
  for (const Snapshot& base : baselines) {
    for (const Snapshot& current : candidates) {
      for (Difference& difference : FindDifferences(base, current, policy)) {
        const auto same = [&difference](const Difference& d) {
          return d.property == difference.property && d.base == difference.base &&
                 d.current == difference.current;
        };
        if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(difference));
      }
    }
  }
  std::stable_partition(all.begin(), all.end(), [](const Difference& d) { return d.is_hard; });
  return all;
}

std::vector<std::pair<std::string, std::string>> AlikeProperties(
    const Snapshot& base, const Snapshot& current, std::span<const Difference> differences) {
  std::vector<std::pair<std::string, std::string>> alike;
  for (const std::string& property : AllProperties(base, current)) {
    const auto differs = [&property](const Difference& d) { return d.property == property; };
    if (std::any_of(differences.begin(), differences.end(), differs)) continue;
    alike.emplace_back(property, PropertyOf(current, property));
  }
  return alike;
}

std::string MoreOutside(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates) {
  for (const Snapshot& current : candidates) {
    std::optional<std::pair<double, double>> least;  // Of the run that has most outside, too.
    for (const Snapshot& base : baselines) {
      const auto shares = Outside(base, current);
      if (!shares) return {};
      if (!least || shares->first > least->first) least = shares;
    }
    if (least && least->second - least->first >= knowledge::kUsualMinor.value()) {
      return OutsideText(*least);
    }
  }
  return {};
}

std::optional<std::string> WhyNoLengths(std::span<const Snapshot> baselines,
                                        std::span<const Snapshot> candidates) {
  for (const Snapshot& base : baselines) {
    const std::optional<std::int64_t> there = WorkOfWindow(base);
    for (const Snapshot& current : candidates) {
      if (KnowsIterations(base) && KnowsIterations(current) &&
          IsWindow(base) != IsWindow(current)) {
        return "one side has no iterations, so iteration times cannot be compared; mark iterations "
               "in both profiles [baseline/no-iterations]";
      }
      if (auto outside = WhyOutside(base, current)) return outside;
      const std::optional<std::int64_t> here = WorkOfWindow(current);
      if (!there || !here) continue;
      const double most = static_cast<double>(std::max(*there, *here));
      if (std::abs(static_cast<double>(*here - *there)) <= kSameWork * most) continue;
      return fmt::format(
          "the runs have no iterations and different amounts of work ({} and {} events), so their "
          "times cannot be compared: mark iterations, or select them with --key-op or "
          "--iteration-marker [baseline/other-work]",
          FormatValue(Value(*there), Unit::kCount), FormatValue(Value(*here), Unit::kCount));
    }
  }
  return std::nullopt;
}

}  // namespace profgauge::gate
