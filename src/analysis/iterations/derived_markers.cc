#include "analysis/iterations/derived_markers.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "analysis/flops/recomputation.h"
#include "analysis/iterations/repetition.h"
#include "base/numbers.h"
#include "base/text.h"
#include "knowledge/iterations.h"
#include "knowledge/repetition.h"
#include "model/known_names.h"

namespace profgauge::analysis::iterations {
namespace {

// A regular expression that matches only this text; RE2's own function escapes more than needed.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.^$|()[]{}*+?").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

constexpr std::size_t kNoStep = std::size(kEngineSteps);

// The row of kEngineSteps that matches the name, or kNoStep.
std::size_t StepOf(std::string_view name) {
  static const auto compiled = [] {
    std::array<std::unique_ptr<RE2>, std::size(kEngineSteps)> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::make_unique<RE2>(kEngineSteps[i].pattern);
    }
    return all;
  }();
  std::size_t step = 0;
  while (step < kNoStep && !RE2::PartialMatch(name, *compiled[step])) ++step;
  return step;
}

// The steps of one phase, with their total time.
struct PhaseSteps {
  std::vector<Marker> found;
  Ns time = 0;
};

// Steps of one engine on one thread, by row of kEngineSteps.
using StepsOfThread = std::map<std::size_t, PhaseSteps>;

// The outermost steps of each thread and engine.
std::map<std::pair<std::uint32_t, std::string_view>, StepsOfThread> FindSteps(
    const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<std::size_t> steps(profile.strings.size(), kNoStep + 1);
  std::map<std::pair<std::uint32_t, std::string_view>, StepsOfThread> found;
  Ns covered = 0;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (row == 0 || host.thread[row] != host.thread[row - 1]) covered = 0;
    const StringId name = host.name[row];
    if (!name.valid() || host.kind[row] == HostKind::kOverhead) continue;
    std::size_t& step = steps[name.value];
    if (step > kNoStep) step = StepOf(profile.strings[name]);
    const Span time = RowSpan(host, row);
    if (step == kNoStep || time.end <= covered) continue;
    covered = time.end;
    PhaseSteps& phase = found[{host.thread[row].value, kEngineSteps[step].engine}][step];
    phase.found.push_back({time, name});
    phase.time += time.length();
  }
  return found;
}

// Sorted launch times of kernels; `thread`: only those of this thread, if valid.
std::vector<Ns> LaunchTimes(const Profile& profile, ThreadId thread) {
  std::vector<bool> launches(profile.api.size(), false);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (launch.valid() && profile.device.kind[row] == DeviceKind::kKernel) {
      launches[launch.value] = true;
    }
  }
  std::vector<Ns> times;
  for (std::size_t call = 0; call < launches.size(); ++call) {
    const bool is_of = !thread.valid() || profile.api.thread[call] == thread;
    if (launches[call] && is_of) times.push_back(profile.api.start[call]);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// A part between two marks, and the number of kernels that the host launched in it.
struct Part {
  Span time;
  std::int64_t launches = 0;
};

// The parts of `extent` between the marks, with their launches: one more than marks inside.
// REQUIRES: both lists are sorted.
std::vector<Part> Divide(Span extent, const std::vector<Ns>& marks,
                         const std::vector<Ns>& launches) {
  std::vector<Ns> edges = {extent.start};
  for (const Ns mark : marks) {
    if (mark > edges.back() && mark < extent.end) edges.push_back(mark);
  }
  edges.push_back(extent.end);
  std::vector<Part> parts;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const auto first = std::lower_bound(launches.begin(), launches.end(), edges[i]);
    const auto last = std::lower_bound(first, launches.end(), edges[i + 1]);
    parts.push_back({{edges[i], edges[i + 1]}, last - first});
  }
  return parts;
}

// The parts, without those at both ends that `is_whole` rejects.
template <class IsWhole>
std::vector<Marker> WholeParts(const std::vector<Part>& parts, IsWhole is_whole) {
  std::size_t first = 0, last = parts.size();
  while (first < last && !is_whole(parts[first])) ++first;
  while (last > first && !is_whole(parts[last - 1])) --last;
  std::vector<Marker> found;
  for (std::size_t i = first; i < last; ++i) found.push_back({parts[i].time, {}});
  return found;
}

// Parts between marks; also before the first and after the last if about as much is launched there.
std::vector<Marker> BetweenMarks(const Profile& profile, Span extent,
                                 const std::vector<Ns>& marks) {
  const std::vector<Part> parts = Divide(extent, marks, LaunchTimes(profile, {}));
  if (parts.size() < 3) return {};
  std::vector<std::int64_t> inner;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) inner.push_back(parts[i].launches);
  const std::int64_t usual = Median(inner);
  return WholeParts(parts, [&](const Part& part) {
    const bool is_edge = &part == &parts.front() || &part == &parts.back();
    return !is_edge ||
           (usual > 0 && part.launches >= knowledge::kIterationsCompleteShare.Of(usual));
  });
}

// Uses the first suitable range in the table of witnesses: an optimizer before a loader. A loader
// divides only training: without a backward pass its calls are no evidence.
DerivedMarkers ByCalls(const Profile& profile, Span extent) {
  for (const WitnessMarks& range : FindWitnessRanges(profile)) {
    const bool is_optimizer = range.kind->id == "optimizer_step";
    const bool is_loader = range.kind->id == "loader" && flops::HasBackward(profile);
    if (!is_optimizer && !is_loader) continue;
    if (knowledge::kRepetitionLeastPeriods > range.marks.size()) continue;
    std::vector<Marker> found = BetweenMarks(profile, extent, range.marks);
    if (found.size() < 2) continue;
    const IterationsBy by = is_optimizer ? IterationsBy::kOptimizer : IterationsBy::kLoader;
    return {std::move(found), {}, {by, range.name}};
  }
  return {};
}

// The reason why ByCalls() does not use this range.
std::string_view WhyNot(const Profile& profile, const WitnessMarks& range) {
  const bool is_loader = range.kind->id == "loader";
  if (range.kind->id != "optimizer_step" && !is_loader) return "divides only exact repetitions";
  if (is_loader && !flops::HasBackward(profile))
    return "divides training only, and no backward pass ran";
  if (knowledge::kRepetitionLeastPeriods > range.marks.size()) return "too few";
  return "fewer than two parts with about as much work";
}

// The parts between the marks of the witness. Those at both ends count only if they launch exactly
// one period.
DerivedMarkers ByRepetition(const Profile& profile, Span extent) {
  const Repetition repetition = FindRepetition(profile, true);
  if (repetition.starts.size() < 2 || repetition.witness.name.empty()) return {};
  const std::vector<Part> parts =
      Divide(extent, repetition.witness.marks, LaunchTimes(profile, repetition.thread));
  const auto kernels = static_cast<std::int64_t>(repetition.kernels);
  std::vector<Marker> found =
      WholeParts(parts, [&](const Part& part) { return part.launches == kernels; });
  if (found.size() < 2) return {};
  return {std::move(found),
          repetition.thread,
          {IterationsBy::kRepetition,
           fmt::format("of {} launches, by {}", kernels, repetition.witness.name)}};
}

}  // namespace

// A server alternates between decoding and prefill, which differ in length, so only one phase is
// judged. The source names the others: "`decode` of vLLM, not `prefill`".
DerivedMarkers EngineSteps(const Profile& profile) {
  DerivedMarkers best;
  Ns most = -1;
  for (auto& [of, phases] : FindSteps(profile)) {
    Ns all = 0;
    for (const auto& [step, phase] : phases) all += phase.time;
    const auto largest = std::max_element(
        phases.begin(), phases.end(),
        [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
    if (largest->second.found.size() < 2 || all <= most) continue;
    most = all;
    std::string others;
    for (const auto& [step, phase] : phases) {
      if (step == largest->first) continue;
      others += fmt::format("{}`{}`", others.empty() ? ", not " : ", ", kEngineSteps[step].phase);
    }
    const EngineStep& step = kEngineSteps[largest->first];
    best.found = std::move(largest->second.found);
    best.thread = ThreadId{of.first};
    best.source = {IterationsBy::kMarkers,
                   fmt::format("`{}` of {}{}", step.phase, step.engine, others)};
  }
  return best;
}

DerivedMarkers DeriveMarkers(const Profile& profile, Span extent) {
  DerivedMarkers found = EngineSteps(profile);
  if (found.found.empty() && profile.has_timeline) found = ByCalls(profile, extent);
  if (found.found.empty() && profile.has_timeline) found = ByRepetition(profile, extent);
  return found;
}

std::string_view PhaseOf(const IterationSource& source) {
  if (source.by != IterationsBy::kMarkers && source.by != IterationsBy::kPattern) return {};
  for (const EngineStep& step : kEngineSteps) {
    const bool is_of =
        source.by == IterationsBy::kPattern
            ? source.detail == MarkerPatternOfPhase(step.phase)
            : source.detail.starts_with(fmt::format("`{}` of {}", step.phase, step.engine));
    if (is_of) return step.phase;
  }
  return {};
}

// All candidates, with the reason why each is not used: users choose.
std::vector<IterationCandidate> IterationCandidates(const Profile& profile) {
  std::vector<IterationCandidate> found;
  const std::vector<Ns> launches = LaunchTimes(profile, {});
  for (const WitnessMarks& range : FindWitnessRanges(profile)) {
    if (range.marks.size() < 2) continue;
    std::map<std::int64_t, std::int64_t> counts;
    const Span between{range.marks.front(), range.marks.back()};
    for (const Part& part : Divide(between, range.marks, launches)) ++counts[part.launches];
    std::int64_t equal = 0;
    for (const auto& [launches, count] : counts) equal = std::max(equal, count);
    const std::string_view family =
        std::string_view(range.name).substr(0, range.name.find('#') + 1);
    const std::string_view name = family.empty() ? std::string_view(range.name) : family;
    found.push_back({range.kind->id, range.name,
                     fmt::format("{} × {}, equal work in {}", range.marks.size(),
                                 PrintableShort(range.name), equal),
                     "^" + Escaped(name), std::string(WhyNot(profile, range))});
  }
  const Repetition repetition = FindRepetition(profile, false);
  if (repetition.starts.size() < 2) return found;
  IterationCandidate candidate{"repetition", {}, {}, {}, {}};
  candidate.text = fmt::format("{} × {} kernels in the same order", repetition.starts.size(),
                               repetition.kernels);
  if (repetition.witness.name.empty()) {
    candidate.text += ": layers or iterations, nothing recorded says which";
    candidate.why_not = "no range and no graph occurs once in each period";
  } else {
    candidate.text += fmt::format(", each with one {}", PrintableShort(repetition.witness.name));
    candidate.why_not = "fewer than two whole periods between the marks";
  }
  found.push_back(std::move(candidate));
  return found;
}

std::string MarkerPatternOfPhase(std::string_view phase) {
  std::string pattern;
  for (const EngineStep& step : kEngineSteps) {
    if (step.phase != phase) continue;
    pattern += fmt::format("{}(?:{})", pattern.empty() ? "" : "|", step.pattern);
  }
  return pattern;
}

}  // namespace profgauge::analysis::iterations
