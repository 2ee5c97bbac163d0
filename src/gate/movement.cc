#include "gate/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "base/text.h"
#include "gate/change_text.h"
#include "gate/circumstances.h"
#include "gate/compare.h"
#include "gate/compare_series.h"
#include "gate/unrecorded.h"
#include "knowledge/gate.h"
#include "knowledge/unrecorded.h"
#include "model/category.h"

namespace profgauge::gate {
namespace {

// From this share on, a part of the change is nearly all of it.
constexpr double kNearlyAll = knowledge::kGateMovementMost.value();

// True if parts are slower in two runs, or in one run if a second run decides the verdict.
bool IsMissedOf(const PartsComparison& parts) {
  return !parts.found.empty() || (!parts.once.empty() && parts.level == rules::Level::kError);
}

bool IsCommonOf(const PartsComparison& parts) { return !parts.common.empty(); }

// The missed limit that says most about time: one on a typical time, else on a mean, else on any
// time, share of time or throughput. nullptr if there is none.
const MetricComparison* MissedTime(const RunComparison& comparison) {
  const auto weight = [](const MetricComparison& metric) {
    if (IsTypicalTime(metric.metric)) return 3;
    if (IsMeanTime(metric.metric)) return 2;
    const bool is_of_time = metric.unit == Unit::kTime || metric.unit == Unit::kShare ||
                            metric.metric == metric::kStepThroughput;
    return is_of_time ? 1 : 0;
  };
  const MetricComparison* found = nullptr;
  for (const MetricComparison& metric : comparison.metrics) {
    if (!IsMissed(metric) || weight(metric) == 0) continue;
    if (found == nullptr || weight(metric) > weight(*found)) found = &metric;
  }
  return found;
}

struct KernelMove {
  double base = 0, delta = 0;  // ns per iteration.
  std::string_view name;
  std::optional<double> longer;  // Relative change of a launch's duration.
};

std::optional<double> LongerOf(const PairedWork& row) {
  if (row.base <= 0 || row.base_count <= 0 || row.current_count <= 0) return std::nullopt;
  const double launches = row.current_count / row.base_count;
  return static_cast<double>(row.base + row.delta) / static_cast<double>(row.base) / launches - 1;
}

class Finder {
 public:
  Finder(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
         const RunComparison& comparison)
      : baselines_(baselines),
        candidates_(candidates),
        of_(comparison),
        missed_(MissedTime(comparison)),
        base_(static_cast<double>(comparison.waterfall.base)),
        delta_(static_cast<double>(comparison.waterfall.delta)) {
    for (const PairedWork& row : comparison.kernels.rows) {
      kernels_.push_back(
          {static_cast<double>(row.base), static_cast<double>(row.delta), row.name, LongerOf(row)});
    }
  }

  Movement Find() const {
    const bool is_known = std::ranges::all_of(baselines_, IsTimed) &&
                          std::ranges::all_of(candidates_, IsTimed) && base_ > 0;
    const auto try_all = [&](auto... rows) -> Movement {
      std::optional<Movement> found;
      (void)((found = (this->*rows)(), found.has_value()) || ...);
      if (found) return *std::move(found);
      return {MovementKind::kUnknown,
              is_known ? "no single kind explains it" : "times without a profile show no cause",
              {}};
    };
    if (!is_known) return try_all(&Finder::SomeIterations);
    // If times are not compared, no share of their change can be named.
    if (IsOfOtherWork()) return try_all(&Finder::Inputs, &Finder::Work);
    Movement found =
        try_all(&Finder::Inputs, &Finder::Between, &Finder::SomeIterations, &Finder::Clock,
                &Finder::OneRank, &Finder::Work, &Finder::OnlyParts, &Finder::AllAlike,
                &Finder::FewKernels, &Finder::Host, &Finder::SmallWork);
    if (found.kind != MovementKind::kWork && IsSmallWork()) found.evidence = {WorkSaid()};
    return found;
  }

 private:
  using Found = std::optional<Movement>;

  // True if all parts of one kind are slower and no limit on time is missed.
  bool IsCommon() const { return std::ranges::any_of(of_.parts, IsCommonOf); }

  static Found Of(MovementKind kind, std::string text) {
    return Movement{kind, std::move(text), {}};
  }

  // The relative change of the mean iteration.
  double Change() const { return delta_ / base_; }

  // "96 %" of the change; "all" if it is more, because other parts became shorter.
  static std::string OfChange(double share) {
    return share >= 0.995 ? "all" : fmt::format("{:.0f} %", 100 * share);
  }

  std::string ShareOfChange(double part) const { return OfChange(part / delta_); }

  bool IsMost(double part) const { return part * delta_ > 0 && part / delta_ >= kNearlyAll; }

  bool IsOfOtherWork() const { return missed_ != nullptr && missed_->is_of_other_work; }

  Found Inputs() const {
    const double longer = missed_ == nullptr ? 0 : missed_->inputs;
    if (longer != 0 && longer / Change() > knowledge::kGateMovementHalf.value()) {
      return Of(MovementKind::kInputs,
                fmt::format("the inputs are {}: {} of the {}", longer > 0 ? "longer" : "shorter",
                            RelativeChange(longer), RelativeChange(Change())));
    }
    if (!of_.changed_inputs.empty()) {
      return Of(MovementKind::kInputs, "other input shapes: " + of_.changed_inputs);
    }
    if (of_.work.kind != WorkKind::kInputs || !of_.work.samples) return {};
    return Of(MovementKind::kInputs, fmt::format("an iteration has {} of the baseline's samples",
                                                 FormatShare(*of_.work.samples)));
  }

  // True if the waterfall's two runs show at least half of the judged change or of its limit. With
  // several candidates, or for a change between iterations, they may not.
  bool IsShown() const {
    if (missed_ == nullptr) return IsCommon();
    if (!IsTypicalTime(missed_->metric) && !IsMeanTime(missed_->metric)) return true;
    const double judged = std::max(
        {std::abs(missed_->shift), std::abs(missed_->total.value_or(0)), missed_->allowed});
    return std::abs(Change()) >= knowledge::kGateMovementHalf.value() * judged;
  }

  static bool AreNearlyAll(const SeriesList& base, const SeriesList& current, double limit) {
    const double bound = LevelOf(base) * (1 + limit);
    std::ptrdiff_t over = 0, all = 0;
    for (const stats::Series& run : current) {
      all += std::ssize(run.values);
      over += std::ranges::count_if(run.values, [bound](double value) { return value > bound; });
    }
    return static_cast<double>(over) >= kNearlyAll * static_cast<double>(all);
  }

  Found SomeIterations() const {
    if (missed_ == nullptr || !missed_->total_limit || missed_->shift > *missed_->total_limit) {
      return {};
    }
    const bool is_of_some = IsOfSomeIterations(*missed_) || missed_->open == stats::Open::kStart ||
                            missed_->open == stats::Open::kStalls;
    if (!is_of_some) return {};
    const bool is_by_steps = StepsUseOf(baselines_, candidates_) == StepsUse::kBoth;
    SeriesList base = is_by_steps ? AllSteps(baselines_) : TotalsOf(baselines_);
    SeriesList current = is_by_steps ? AllSteps(candidates_) : TotalsOf(candidates_);
    if (base.empty() || current.empty()) {
      base = TimesOf(baselines_, missed_->metric);
      current = TimesOf(candidates_, missed_->metric);
    }
    // The text has no numbers, because the sentence about the limit has them.
    const bool is_known = !base.empty() && !current.empty();
    if (is_known && AreNearlyAll(base, current, *missed_->total_limit)) return {};
    return Of(MovementKind::kSomeIterations, "some of the iterations, not the typical one");
  }

  // The mean time from an iteration's end to the next start; nothing without times between starts.
  static std::optional<double> MeanBetween(std::span<const Snapshot> runs) {
    double sum = 0, count = 0;
    for (const Snapshot& run : runs) {
      const std::size_t periods = run.iteration_periods.size();
      if (periods == 0 || run.iteration_times.size() < periods) return std::nullopt;
      const std::span<const Ns> lengths = std::span(run.iteration_times).first(periods);
      sum += static_cast<double>(
          std::accumulate(run.iteration_periods.begin(), run.iteration_periods.end(), Ns{0}) -
          std::accumulate(lengths.begin(), lengths.end(), Ns{0}));
      count += static_cast<double>(periods);
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

  Found Between() const {
    if (missed_ == nullptr || !missed_->total || !IsTypicalTime(missed_->metric)) return {};
    const auto there = MeanBetween(baselines_), here = MeanBetween(candidates_);
    if (!there || !here) return {};
    const double more = *here - *there, change = more + delta_;
    if (change * *missed_->total <= 0 || more / change < kNearlyAll) return {};
    return Of(
        MovementKind::kBetween,
        fmt::format("{}{} from an iteration's end to the next start makes {} of it",
                    more < 0 ? "−" : "+", FormatDuration(std::abs(more)), OfChange(more / change)));
  }

  Found Clock() const {
    const std::optional<ClockChange> clocks = FindClockChange(baselines_, candidates_);
    if (!clocks || (missed_ == nullptr && !IsCommon())) return {};
    const bool is_judged =
        missed_ != nullptr && missed_->is_relative && missed_->method == CompareMethod::kStatistics;
    const double change = is_judged ? missed_->shift : Change();
    if (change == 0) return {};
    const auto [least, most] = std::minmax({clocks->low / change, clocks->high / change});
    if (least < kNearlyAll) return {};
    return Of(MovementKind::kClock,
              fmt::format("the GPU ran at {:.0f} instead of {:.0f} MHz: {}", clocks->current,
                          clocks->base, ShareText(least, most)));
  }

  static std::string ShareText(double least, double most) {
    least = std::min(1.0, least), most = std::min(1.0, most);
    const std::string range = least == most ? "" : fmt::format("{:.0f} to ", 100 * least);
    return fmt::format("{}{:.0f} % of the change", range, 100 * most);
  }

  Found OneRank() const {
    if (!of_.slow_rank) return {};
    return Of(MovementKind::kOneRank, of_.slow_rank->text);
  }

  // The time of other work, i.e. of launches that only one side has.
  double TimeOfWork() const {
    double time = 0;
    for (const PairedWork& row : of_.kernels.rows) time += static_cast<double>(row.count_effect);
    return time;
  }

  // True if other work explains less than half of the change. Then later kinds are tried first.
  // Otherwise other work comes before kernels and the host, because it changes both.
  bool IsSmallWork() const {
    const bool is_of_some = of_.work.kind == WorkKind::kChanged || of_.work.kind == WorkKind::kLess;
    if (!is_of_some || IsOfOtherWork()) return false;
    if (of_.kernels.rows.empty() || !IsShown() || delta_ == 0) return false;
    return TimeOfWork() / delta_ < knowledge::kGateMovementHalf.value();
  }

  Found Work() const {
    if (of_.work.kind == WorkKind::kSame || IsSmallWork()) return {};
    return Of(MovementKind::kWork, WorkSaid());
  }

  // Names other work that is less than half of the change, if nothing else explains the rest.
  Found SmallWork() const {
    if (!IsSmallWork()) return {};
    return Of(MovementKind::kWork, fmt::format("{}; no single kind explains the rest", WorkSaid()));
  }

  // Describes other work: "an iteration does other work: +12 launches per iteration; new:
  // `fused_x`; that makes 3 % of it".
  std::string WorkSaid() const {
    if (of_.work.kind == WorkKind::kCollapsed) {
      return fmt::format("the same launches take {} of the baseline's device time",
                         FormatShare(std::exp(of_.work.kept)));
    }
    double launches = 0;
    for (const PairedWork& row : of_.kernels.rows) launches += row.current_count - row.base_count;
    std::vector<std::string> said;
    if (std::abs(launches) >= knowledge::kGateChangedKernels.value()) {
      said.push_back(fmt::format("{}{:.3g} launch{} per iteration", launches > 0 ? "+" : "−",
                                 std::abs(launches), std::abs(launches) == 1 ? "" : "es"));
    }
    if (!of_.work.come.empty()) said.push_back("new: " + of_.work.come);
    if (!of_.work.gone.empty()) said.push_back("gone: " + of_.work.gone);
    if (IsSmallWork()) said.push_back(fmt::format("that makes {} of it", ShareOfWork()));
    return said.empty() ? "an iteration does other work"
                        : fmt::format("an iteration does other work: {}", fmt::join(said, "; "));
  }

  // The share of the change that other work explains; "nothing" if its sign is opposite.
  std::string ShareOfWork() const {
    return TimeOfWork() * delta_ > 0 ? ShareOfChange(TimeOfWork()) : "nothing";
  }

  // Only single parts are slower; they need not change the iteration's time.
  Found OnlyParts() const {
    if (std::ranges::any_of(of_.metrics, IsMissed)) return {};
    if (IsCommon()) {
      if (Found all = AllAlike()) return all;
    }
    for (const PartsComparison& parts : of_.parts) {
      if (!IsMissedOf(parts)) continue;
      return Of(MovementKind::kParts,
                fmt::format("single {}, while no limit on the iteration is missed: {}", parts.kind,
                            parts.most));
    }
    return {};
  }

  Found FewKernels() const {
    if (!IsShown()) return {};
    std::vector<KernelMove> moved = kernels_;
    std::erase_if(moved, [&](const KernelMove& kernel) { return kernel.delta * delta_ <= 0; });
    std::ranges::stable_sort(moved, std::ranges::greater(),
                             [](const KernelMove& kernel) { return std::abs(kernel.delta); });
    double sum = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(moved.size(), kMostParts); ++i) {
      sum += moved[i].delta;
      if (!IsMost(sum)) continue;
      const std::string name = PrintableShort(moved.front().name);
      return Of(MovementKind::kParts,
                i == 0 ? fmt::format("`{}` makes {} of it", name, ShareOfChange(sum))
                       : fmt::format("{} kernels make {} of it, `{}` most", i + 1,
                                     ShareOfChange(sum), name));
    }
    return {};
  }

  // The median change of a launch's duration, weighted by kernel time.
  double CommonChange(double time) const {
    std::vector<std::pair<double, double>> changes;
    for (const KernelMove& kernel : kernels_) {
      if (kernel.longer) changes.emplace_back(*kernel.longer, kernel.base);
    }
    std::sort(changes.begin(), changes.end());
    double sum = 0;
    for (const auto& [change, weight] : changes) {
      sum += weight;
      if (sum >= time / 2) return change;
    }
    return 0;
  }

  Found AllAlike() const {
    double time = 0, alike = 0;
    for (const KernelMove& kernel : kernels_) time += kernel.base;
    if (!IsShown() || time <= 0) return {};
    const double common = CommonChange(time);
    const double slack = knowledge::kGateMovementPoint.value() +
                         knowledge::kGateMovementPart.value() * std::abs(common);
    for (const KernelMove& kernel : kernels_) {
      if (kernel.longer && std::abs(*kernel.longer - common) <= slack) alike += kernel.base;
    }
    const bool is_much =
        common * delta_ > 0 && common * time / delta_ >= knowledge::kGateMovementHalf.value();
    // Without a missed limit on time, kernels may be any share of the iteration.
    if (alike < kNearlyAll * time || !(is_much || missed_ == nullptr)) return {};
    const std::string which = alike >= time
                                  ? "every kernel takes"
                                  : fmt::format("kernels of {} of the kernel time take",
                                                FormatShare(std::min(alike / time, 0.999)));
    return Of(
        MovementKind::kAllAlike,
        fmt::format("{} {} {}: the machine, its clock or a library, rather than one place in "
                    "the code",
                    which, FormatShare(std::abs(common)), common > 0 ? "longer" : "less time"));
  }

  // The subject and verb of "… 99 % of it".
  static std::string_view MostIs(Category part) {
    switch (part) {
      case Category::kDataLoader:
        return "waiting for the data loader makes";
      case Category::kRuntime:
        return "runtime calls make";
      case Category::kOther:
        return "time without a recorded operator or call makes";
      default:
        return "the host makes";
    }
  }

  Found Host() const {
    if (!IsShown()) return {};
    double host = 0;
    std::string_view most = "the host makes";  // One part, if it makes nearly all.
    for (const WaterfallStep& step : of_.waterfall.steps) {
      const auto category = step.parent < 0 ? FindCategory(step.name) : std::nullopt;
      if (!category || *category < Category::kRuntime) continue;
      host += static_cast<double>(step.delta);
      if (IsMost(static_cast<double>(step.delta))) most = MostIs(*category);
    }
    if (!IsMost(host)) return {};
    double kernels = 0;
    for (const KernelMove& kernel : kernels_) kernels += kernel.delta;
    const bool are_alike =
        !kernels_.empty() && std::abs(kernels) <= (1 - kNearlyAll) * std::abs(delta_);
    return Of(MovementKind::kHost,
              fmt::format("{}{} {} of it", are_alike ? "kernels take as long; " : "", most,
                          ShareOfChange(host)));
  }

  // As many as a line of a report can name.
  static constexpr std::size_t kMostParts = 5;

  std::span<const Snapshot> baselines_, candidates_;
  const RunComparison& of_;
  const MetricComparison* missed_;
  double base_ = 0, delta_ = 0;  // ns: time of the mean iteration, and its change.
  std::vector<KernelMove> kernels_;
};

// ---- Evidence ----

constexpr std::array<std::string_view, 5> kMachine = {"gpu", "driver", "runtime", "nccl",
                                                      "framework"};
constexpr std::array<std::string_view, 5> kSwitches = {"record_shapes", "profile_memory",
                                                       "with_stack", "with_flops", "with_modules"};

// The largest value of any run; nothing if no run has one.
std::optional<double> LargestOf(std::span<const Snapshot> runs, MetricId id) {
  std::optional<double> largest;
  for (const Snapshot& run : runs) {
    const auto found = run.metrics.find(id.text());
    if (found != run.metrics.end())
      largest = std::max(largest.value_or(found->second), found->second);
  }
  return largest;
}

void AddDifferences(const RunComparison& comparison, std::span<const std::string_view> of,
                    std::string_view before, std::vector<std::string>& out) {
  for (const Difference& difference : comparison.differences) {
    if (std::ranges::find(of, difference.property) == of.end()) continue;
    if (difference.base.empty() || difference.current.empty()) continue;
    out.push_back(fmt::format("{}{} {} → {}", before, difference.property,
                              PrintableShort(difference.base), PrintableShort(difference.current)));
  }
}

void AddShare(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
              MetricId id, std::string_view what, std::vector<std::string>& out) {
  const auto here = LargestOf(candidates, id), there = LargestOf(baselines, id);
  if (!here || *here <= knowledge::kUnrecordedThrottledShare) return;
  out.push_back(fmt::format("{} for {} of the time{}", what, FormatShare(*here),
                            there ? fmt::format(", in the baseline {}", FormatShare(*there)) : ""));
}

void AddCount(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
              MetricId id, std::string_view one, std::string_view many,
              std::vector<std::string>& out) {
  const auto here = LargestOf(candidates, id), there = LargestOf(baselines, id);
  if (!here || *here <= 0) return;
  out.push_back(fmt::format("{:.0f} {}{}", *here, *here == 1 ? one : many,
                            there ? fmt::format(", in the baseline {:.0f}", *there) : ""));
}

std::vector<std::string> EvidenceOf(std::span<const Snapshot> baselines,
                                    std::span<const Snapshot> candidates,
                                    const RunComparison& comparison,
                                    std::span<const std::int64_t> same_commit) {
  std::vector<std::string> out;
  if (!same_commit.empty()) {
    out.push_back(
        fmt::format("the same commit as run {}, which passed: not the code", same_commit.back()));
  }
  AddDifferences(comparison, kMachine, "", out);
  AddShare(baselines, candidates, metric::kConditionsThrottled, "throttled", out);
  AddShare(baselines, candidates, metric::kConditionsPowerCapped, "at the power limit", out);
  AddCount(baselines, candidates, metric::kConditionsOtherProcesses,
           "process of others on the device", "processes of others on the device", out);
  AddCount(baselines, candidates, metric::kConditionsEccUncorrected,
           "uncorrected memory error (ECC)", "uncorrected memory errors (ECC)", out);
  AddDifferences(comparison, kSwitches, "profiler: ", out);
  return out;
}

}  // namespace

std::optional<Movement> FindMovement(std::span<const Snapshot> baselines,
                                     std::span<const Snapshot> candidates,
                                     const RunComparison& comparison,
                                     std::span<const std::int64_t> same_commit) {
  const bool is_of_parts = std::ranges::any_of(comparison.parts, IsMissedOf) ||
                           std::ranges::any_of(comparison.parts, IsCommonOf);
  const bool is_missed = is_of_parts || std::ranges::any_of(comparison.metrics, IsMissed);
  if (!comparison.is_judged || !is_missed) return std::nullopt;
  Movement movement = Finder(baselines, candidates, comparison).Find();
  // The kinds are about time and work: a change of memory alone has none.
  const bool is_of_time = is_of_parts || MissedTime(comparison) != nullptr;
  if (movement.kind == MovementKind::kUnknown && !is_of_time) return std::nullopt;
  // Candidates with different kinds of change have no common cause.
  for (std::size_t i = 0; i < candidates.size() && candidates.size() > 1; ++i) {
    if (Finder(baselines, candidates.subspan(i, 1), comparison).Find().kind == movement.kind) {
      continue;
    }
    movement = {MovementKind::kUnknown, "the runs moved in different ways", {}};
    break;
  }
  std::ranges::move(EvidenceOf(baselines, candidates, comparison, same_commit),
                    std::back_inserter(movement.evidence));
  return movement;
}

}  // namespace profgauge::gate
