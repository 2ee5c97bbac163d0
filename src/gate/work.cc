#include "gate/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "gate/circumstances.h"
#include "gate/pairing.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

using analysis::breakdown::WorkSum;
using analysis::breakdown::WorkSums;
using Sums = std::vector<WorkSum> WorkSums::*;

// The launches and the time of one name per iteration.
struct Load {
  double launches = 0, time = 0;
};
using Loads = std::map<std::string, Load>;

bool KnowsWork(const Snapshot& run, Sums sums) {
  return run.work.iterations > 0 && !(run.work.*sums).empty();
}

void Add(const Snapshot& run, Sums sums, double weight, Loads& loads) {
  const double part = weight / static_cast<double>(run.work.iterations);
  for (const WorkSum& sum : run.work.*sums) {
    Load& load = loads[CanonicalKernel(sum.name)];
    load.launches += part * static_cast<double>(sum.count);
    load.time += part * static_cast<double>(sum.gpu_time > 0 ? sum.gpu_time : sum.host_time);
  }
}

// The mean over the runs, with equal weights; nothing if the work of a run is unknown.
std::optional<Loads> MeanOf(std::span<const Snapshot> runs, Sums sums) {
  Loads loads;
  for (const Snapshot& run : runs) {
    if (!KnowsWork(run, sums)) return std::nullopt;
    Add(run, sums, 1 / static_cast<double>(runs.size()), loads);
  }
  return loads;
}

Load Find(const Loads& loads, const std::string& name) {
  const auto found = loads.find(name);
  return found == loads.end() ? Load{} : found->second;
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The shared part: gemm 48 and 48, relu 12 and 0, gelu 0 and 12 give 48 of 72 (minima / maxima).
double Shared(const Loads& a, const Loads& b) {
  double both = 0, all = 0;
  for (const auto& [name, load] : a) {
    const double there = Find(b, name).launches;
    both += std::min(load.launches, there);
    all += std::max(load.launches, there);
  }
  for (const auto& [name, load] : b) {
    if (!a.contains(name)) all += load.launches;
  }
  return Ratio(both, all);
}

struct Sides {
  Loads base, run;
};

void Measure(const Sides& sides, WorkChange& out) {
  double launches = 0, time = 0, kept_base = 0, kept_run = 0;
  for (const auto& [name, load] : sides.base) launches += load.launches, time += load.time;
  for (const auto& [name, there] : sides.base) {
    const Load here = Find(sides.run, name);
    if (there.launches <= 0) continue;
    const double left = std::min(1.0, here.launches / there.launches);
    out.gone_launches += there.launches * (1 - left);
    out.gone_time += there.time * (1 - left);
    const bool is_kept = std::abs(here.launches - there.launches) <=
                         knowledge::kGateWorkTold.value() * there.launches;
    if (!is_kept) continue;
    kept_base += there.time;
    kept_run += here.time;
  }
  for (const auto& [name, here] : sides.run) {
    const Load there = Find(sides.base, name);
    if (here.launches <= there.launches) continue;
    out.new_launches += here.launches - there.launches;
    out.new_time += here.time * (1 - there.launches / here.launches);
  }
  out.gone_launches = Ratio(out.gone_launches, launches);
  out.new_launches = Ratio(out.new_launches, launches);
  out.gone_time = Ratio(out.gone_time, time);
  out.new_time = Ratio(out.new_time, time);
  if (kept_base > 0 && kept_run > 0) out.kept = std::log(kept_run / kept_base);
}

// The normal variation of work between equal runs: the largest share that one of them is missing.
double OwnChange(std::span<const Snapshot> runs, Sums sums) {
  double own = 0;
  if (runs.size() < 2) return own;
  Loads all;
  for (const Snapshot& run : runs) Add(run, sums, 1, all);
  for (const Snapshot& run : runs) {
    Loads one;
    Add(run, sums, 1, one);
    Loads others = all;
    for (auto& [name, load] : others) {
      const Load its = Find(one, name);
      const double rest = static_cast<double>(runs.size()) - 1;
      load.launches = std::max(0.0, (load.launches - its.launches) / rest);
      load.time = std::max(0.0, (load.time - its.time) / rest);
    }
    WorkChange change;
    Measure({std::move(others), std::move(one)}, change);
    own = std::max({own, change.gone_launches, change.gone_time});
  }
  return own;
}

// The names with more launches in `from` than in `to` as text, longest time first.
std::string NamesOf(const Loads& from, const Loads& to) {
  constexpr std::size_t kNamed = 3;
  double time = 0;
  std::vector<std::pair<double, std::string>> names;
  for (const auto& [name, load] : from) {
    time += load.time;
    const double more = load.launches - Find(to, name).launches;
    if (more <= knowledge::kGateWorkTold.value() * load.launches) continue;
    names.emplace_back(load.time * more / load.launches, name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    const auto& [part, name] = names[i];
    text += fmt::format("{}`{}` ({:.3g} an iteration{})", i == 0 ? "" : ", ",
                        PrintableShort(Trim(name), 60),
                        Find(from, name).launches - Find(to, name).launches,
                        time > 0 ? fmt::format(", {} of the time", FormatShare(part / time)) : "");
  }
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

bool IsLess(const WorkChange& work) {
  const double gone = std::max(work.gone_launches, work.gone_time);
  if (gone <= knowledge::kGateWorkGone.value() + 2 * work.own) return false;
  const double least = knowledge::kGateWorkReplaced.value();
  // Kernels with nearly no duration replace nothing, whatever their number.
  const bool is_tiny = work.new_time < knowledge::kGateWorkTiny.value() * work.gone_time;
  return is_tiny ||
         (work.new_launches < least * work.gone_launches && work.new_time < least * work.gone_time);
}

WorkKind KindOf(const WorkChange& work) {
  if (work.samples && *work.samples != 1 && !work.is_counted) return WorkKind::kInputs;
  if (work.share < knowledge::kGateSharedWork.value()) return WorkKind::kOther;
  if (IsLess(work)) return WorkKind::kLess;
  if (work.kept < -knowledge::kGateWorkCollapsed.value()) return WorkKind::kCollapsed;
  const double told = knowledge::kGateWorkTold.value() + 2 * work.own;
  const double most =
      std::max({work.gone_launches, work.gone_time, work.new_launches, work.new_time});
  return most > told ? WorkKind::kChanged : WorkKind::kSame;
}

// The candidates' samples divided by those of the baseline's runs; nothing if unknown for a pair.
std::optional<double> SamplesOf(std::span<const Snapshot> baselines,
                                std::span<const Snapshot> candidates) {
  std::optional<double> all;
  for (const Snapshot& base : baselines) {
    for (const Snapshot& run : candidates) {
      const std::optional<double> one = SamplesRatio(base, run);
      if (!one) return std::nullopt;
      // Keeps the ratio that differs most from 1.
      if (!all || std::abs(std::log(*one)) > std::abs(std::log(*all))) all = one;
    }
  }
  return all;
}

std::string Listed(const WorkChange& work) {
  return fmt::format("gone: {}; new: {}", work.gone.empty() ? "nothing" : work.gone,
                     work.come.empty() ? "nothing" : work.come);
}

double ShareOf(const Snapshot& run, MetricId metric) {
  const auto found = run.metrics.find(metric.text());
  return found == run.metrics.end() ? 0 : found->second;
}

/// Text if the candidates answered less than the baseline's runs, because latencies of answered
/// requests do not describe the others. Empty if they answered as much.
std::string Unanswered(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates) {
  std::vector<double> requests, tokens;
  double failed = 0;
  for (const Snapshot& run : baselines) {
    requests.push_back(run.answered);
    tokens.push_back(run.answered_tokens);
    failed = std::max(failed, ShareOf(run, metric::kServeFailedShare));
  }
  const double least = knowledge::kGateAnswered.value();
  for (const Snapshot& run : candidates) {
    const double share = ShareOf(run, metric::kServeFailedShare);
    if (share > failed + knowledge::kGateFailedMore.value()) {
      const double all = std::round(run.answered / (1 - std::min(share, 0.999999)));
      return fmt::format(
          "{:.0f} of {:.0f} requests failed: latencies are of the other {:.0f} and cannot be "
          "compared with runs in which {} were answered",
          all - run.answered, all, run.answered, failed > 0 ? "more" : "all");
    }
    if (stats::Median(requests) > 0 && run.answered < least * stats::Median(requests)) {
      return fmt::format("{:.0f} requests were completed, in the baseline {:.0f}", run.answered,
                         stats::Median(requests));
    }
    if (stats::Median(tokens) > 0 && run.answered_tokens < least * stats::Median(tokens)) {
      return fmt::format("{:.0f} output tokens were completed, in the baseline {:.0f}",
                         run.answered_tokens, stats::Median(tokens));
    }
  }
  return {};
}

constexpr std::string_view kAcceptIt =
    "If the work changed on purpose: `Profgauge-Accept: work: REASON`";

}  // namespace

std::string_view WorkKindName(WorkKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"same",  "changed", "inputs",
                                                      "other", "less",    "collapsed"};
  return kNames[static_cast<std::size_t>(kind)];
}

WorkChange CompareWork(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       bool accepts) {
  WorkChange out;
  const auto counts = [](const Snapshot& run) { return run.samples > 0; };
  out.is_counted =
      std::ranges::all_of(baselines, counts) && std::ranges::all_of(candidates, counts);
  out.samples = SamplesOf(baselines, candidates);
  std::optional<Sides> ops;
  const auto sides_of = [&](Sums sums) -> std::optional<Sides> {
    std::optional<Loads> base = MeanOf(baselines, sums), run = MeanOf(candidates, sums);
    if (!base || !run) return std::nullopt;
    return Sides{*std::move(base), *std::move(run)};
  };
  std::optional<Sides> sides = sides_of(&WorkSums::kernels);
  ops = sides_of(&WorkSums::ops);
  const Sums judged = sides ? &WorkSums::kernels : &WorkSums::ops;
  if (sides && ops)
    out.share = std::max(Shared(sides->base, sides->run), Shared(ops->base, ops->run));
  if (sides.has_value() != ops.has_value()) {
    if (!sides) sides = std::move(ops);
    out.share = Shared(sides->base, sides->run);
  }
  if (sides) {
    Measure(*sides, out);
    out.own = OwnChange(baselines, judged);
    out.gone = NamesOf(sides->base, sides->run);
    out.come = NamesOf(sides->run, sides->base);
  }
  out.kind = KindOf(out);
  out.answered = Unanswered(baselines, candidates);
  if (!out.answered.empty()) out.kind = WorkKind::kLess;
  const bool leaves_open = LeavesOpen(out);
  if (out.is_counted && out.samples) {
    out.by_sample = std::abs(*out.samples - 1) > knowledge::kGateSameSamples.value();
    if (leaves_open || out.by_sample) out.kind = WorkKind::kChanged;
  } else if (leaves_open && accepts) {
    out.kind = WorkKind::kChanged;
    out.is_accepted = true;
    // The time of a smaller batch says nothing about speed.
    out.by_sample = out.samples && std::abs(*out.samples - 1) > knowledge::kGateSameSamples.value();
  }
  return out;
}

std::optional<std::string> WhyNoTimes(const WorkChange& work, bool is_failure, bool is_improved) {
  switch (work.kind) {
    case WorkKind::kSame:
    case WorkKind::kChanged:
      return std::nullopt;
    case WorkKind::kInputs:
      return fmt::format(
          "an iteration has {} of the baseline's samples, by the shapes of its inputs: times are "
          "not compared. Limit the time `per: sample`, or save a new baseline. {} "
          "[baseline/other-inputs]",
          FormatShare(*work.samples), kAcceptIt);
    case WorkKind::kOther:
      return fmt::format(
          "only {} of the launches are the baseline's: times are not compared. {}. Count samples "
          "in the training loop to compare them. {} [baseline/other-work]",
          FormatShare(work.share), Listed(work), kAcceptIt);
    case WorkKind::kLess:
      // Even a failure has no verdict then, because unanswered requests lower the rate, too.
      if (!work.answered.empty()) {
        return fmt::format("{}. {} [baseline/less-work]", work.answered, kAcceptIt);
      }
      if (is_failure) return std::nullopt;
      return fmt::format(
          "an iteration does less than the baseline's: times are not compared. {}. Are steps "
          "marked differently, or skipped? {} [baseline/less-work]",
          Listed(work), kAcceptIt);
    case WorkKind::kCollapsed:
      if (is_failure || !is_improved) return std::nullopt;
      return fmt::format(
          "the same launches take {} of the baseline's device time: was the work done? Times are "
          "not compared. {} [baseline/implausible]",
          FormatShare(std::exp(work.kept)), kAcceptIt);
  }
  return std::nullopt;
}

std::string WorkText(const WorkChange& work) {
  if (work.kind == WorkKind::kSame) return {};
  if (!work.answered.empty()) return work.answered;
  std::string text = work.gone.empty() && work.come.empty() ? "the work of an iteration changed"
                                                            : "work: " + Listed(work);
  if (work.by_sample) {
    text += fmt::format("; {} of the baseline's samples: times are compared per sample",
                        FormatShare(*work.samples));
  }
  return text;
}

double WorkOverlap(const Snapshot& a, const Snapshot& b) {
  if (a.work.iterations < 1 || b.work.iterations < 1) return 1;
  // Files of times contain no work. Unknown work counts as equal.
  const auto knows = [](const Snapshot& run) {
    return !run.work.kernels.empty() || !run.work.ops.empty();
  };
  if (!knows(a) || !knows(b)) return 1;
  const auto shared = [&](Sums sums) {
    Loads one, other;
    Add(a, sums, 1, one);
    Add(b, sums, 1, other);
    return Shared(one, other);
  };
  return std::max(shared(&WorkSums::kernels), shared(&WorkSums::ops));
}

}  // namespace profgauge::gate
