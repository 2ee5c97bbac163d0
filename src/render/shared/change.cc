#include "render/shared/change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "knowledge/gate.h"
#include "render/shared/looks.h"
#include "render/shared/words.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kProperties = {{
    {"format", "Format"},
    {"gpu", "{{ device.device }} model"},
    {"gpus", "{{ device.device }}s"},
    {"ranks", "Ranks"},
    {"world_size", "World size"},
    {"iterations", "Source of iterations"},
    {"selection", "Selected iterations, known names and devices"},
    {"driver", "Driver"},
    {"runtime", "{{ device.device }} runtime"},
    {"nccl", "{{ device.collective_library }}"},
    {"framework", "Framework"},
    {"record_shapes", "Profiler records shapes"},
    {"profile_memory", "Profiler records memory"},
    {"with_stack", "Profiler records stacks"},
    {"with_flops", "Profiler records FLOPs"},
    {"with_modules", "Profiler records modules"},
    {"cuda_graphs", "CUDA graphs recorded"},
    {"shape_signature", "{{ device.device }} work: operators, input shapes and launches"},
}};

// Builds the tree of changes. In `steps`, children come after their parent.
class TreeBuilder {
 public:
  TreeBuilder(const std::vector<report::ComparisonStep>& steps, const ChangeTreeOptions& options)
      : steps_(steps), options_(options), children_(steps.size()) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::int64_t parent = steps[i].parent;
      (parent < 0 ? top_ : children_[static_cast<std::size_t>(parent)]).push_back(i);
      if (parent < 0) largest_ = std::max(largest_, std::abs(steps[i].delta));
    }
  }

  std::vector<ChangeRow> Build() {
    AddLevel(top_, 0, true);
    return std::move(rows_);
  }

 private:
  // Adds the rows of one level, and below each row its children. `all` keeps small rows, which is
  // for categories. If all rows of a level are small, their sum is omitted.
  void AddLevel(const std::vector<std::size_t>& level, std::size_t depth, bool all) {
    ChangeRow rest;
    rest.depth = depth;
    std::size_t shown = 0;
    for (const std::size_t part : level) {
      const std::size_t index = Resolved(part);
      const report::ComparisonStep& step = steps_[index];
      if (step.delta == 0) continue;
      const bool is_large = static_cast<double>(std::abs(step.delta)) >=
                            options_.least_share * static_cast<double>(largest_);
      if (!all && (!is_large || shown == options_.most_children)) {
        rest.delta += step.delta;
        ++rest.smaller;
        continue;
      }
      ++shown;
      rows_.push_back({&step, step.delta, depth, 0});
      AddLevel(Below(index), depth + 1, false);
    }
    if (rest.smaller > 0 && shown > 0) rows_.push_back(rest);
  }

  // True if a child repeats its parent, because names contain the type: "aten::mm" and "mm".
  bool Repeats(std::size_t child, std::size_t index) const {
    return steps_[child].name.find(steps_[index].name) != std::string::npos ||
           steps_[child].name.starts_with("(not in an operator)");
  }

  // Replaces an operator type by its only operator: "aten::copy_ [[2, 3]]" instead of "copy".
  std::size_t Resolved(std::size_t index) const {
    const auto& below = children_[index];
    const bool is_only = below.size() == 1 && steps_[below[0]].level == gate::PartLevel::kOp;
    return is_only && Repeats(below[0], index) ? below[0] : index;
  }

  // The parts below a part. If a child only repeats it ("mm", then "aten::mm [[2, 3]]" with nearly
  // all of its change), the child's own children replace the child.
  std::vector<std::size_t> Below(std::size_t index) const {
    constexpr double kNearlyAll = 0.9;
    const report::ComparisonStep& step = steps_[index];
    std::vector<std::size_t> below;
    for (const std::size_t child : children_[index]) {
      const report::ComparisonStep& part = steps_[child];
      const bool nearly_all = static_cast<double>(std::abs(part.delta)) >=
                              kNearlyAll * static_cast<double>(std::abs(step.delta));
      const bool same_sign = (part.delta > 0) == (step.delta > 0);
      if (Repeats(child, index) && nearly_all && same_sign && !children_[child].empty()) {
        const std::vector<std::size_t> deeper = Below(child);
        below.insert(below.end(), deeper.begin(), deeper.end());
      } else {
        below.push_back(child);
      }
    }
    std::stable_sort(below.begin(), below.end(), [this](std::size_t a, std::size_t b) {
      return std::abs(steps_[a].delta) > std::abs(steps_[b].delta);
    });
    return below;
  }

  const std::vector<report::ComparisonStep>& steps_;
  ChangeTreeOptions options_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> top_;
  std::vector<ChangeRow> rows_;
  std::int64_t largest_ = 0;
};

bool HasInterval(const report::ComparedMetric& metric) {
  return !IsAbsent(metric.low.value) && !IsAbsent(metric.high.value);
}

// On which side of 0 the interval is: -1 or 1; 0 if it contains 0 or does not exist.
int SideOfZero(const report::ComparedMetric& metric) {
  if (!HasInterval(metric)) return 0;
  if (AsNumber(metric.low.value, 0) > 0) return 1;
  return AsNumber(metric.high.value, 0) < 0 ? -1 : 0;
}

// The compared iteration time: the median, else the mean. nullptr if the policy limits neither.
const report::ComparedMetric* TestedTime(const report::Comparison& comparison) {
  for (const MetricId id : {metric::kIterationTimeMedian, metric::kIterationTimeMean}) {
    for (const report::ComparedMetric& metric : comparison.metrics) {
      if (metric.metric == id) return &metric;
    }
  }
  if (HasTimes(comparison)) return nullptr;
  // For times without a profile, the time of a step.
  for (const report::ComparedMetric& metric : comparison.metrics) {
    if (metric.metric == metric::kStepTimeMedian) return &metric;
  }
  return nullptr;
}

// True if iterations do other or less work. Their times then do not show speed.
bool IsOtherWork(const report::Comparison& comparison) {
  return !comparison.work.empty() && comparison.work != "same" && comparison.work != "changed";
}

// A clause about the slow rank: "; rank 3 takes 4.97 ms more …"
std::string SlowRankText(const report::Comparison& comparison) {
  return comparison.slow_rank.empty() ? std::string() : "; " + comparison.slow_rank;
}

// "; mean 9.99 ms → 32.4 ms, +225 %", if the mean of all iterations is outside of the typical one's
// interval, because of a start or of slow iterations.
std::string MeanText(const report::Comparison& comparison, const report::ComparedMetric& tested) {
  // The mean is not per sample.
  if (tested.title.ends_with(report::kPerSample)) return {};
  if (tested.metric == metric::kIterationTimeMean || comparison.rank >= 0 || comparison.base <= 0 ||
      !HasInterval(tested) || tested.change.unit != Unit::kShare) {
    return {};
  }
  const double mean = static_cast<double>(comparison.delta) / static_cast<double>(comparison.base);
  if (mean >= AsNumber(tested.low.value, 0) && mean <= AsNumber(tested.high.value, 0)) return {};
  return fmt::format("; mean {} → {}, {}", FormatDuration(static_cast<double>(comparison.base)),
                     FormatDuration(static_cast<double>(comparison.current)),
                     RelativeText(comparison));
}

}  // namespace

std::string MovementText(const report::Report& report) {
  if (!report.comparison || !report.comparison->movement) return {};
  const report::Movement& movement = *report.comparison->movement;
  std::string text = movement.text;
  for (const std::string& one : movement.evidence) text += "; " + one;
  return text;
}

std::string OfRank(const report::Comparison& comparison) {
  return comparison.rank < 0 ? std::string() : fmt::format(" of rank {}", comparison.rank);
}

bool IsComparisonAlone(const report::Report& report) {
  return report.comparison && report.metrics.empty();
}

std::string JudgedText(const report::Report& report) {
  const report::VerdictInfo& verdict = report.verdict;
  const bool is_judged = verdict.status != State::kNotJudged && verdict.status != State::kNone;
  if (!IsComparisonAlone(report) || !is_judged) return {};
  return fmt::format("{}: {} · policy {}", VerdictWord(verdict.status), CountsText(verdict),
                     verdict.policy);
}

std::string UndecidedText(const report::Report& report) {
  if (!IsComparisonAlone(report) || report.verdict.status != State::kNoVerdict) return {};
  return fmt::format("{}", fmt::join(report.verdict.reasons, "; "));
}

std::string PropertyTitle(std::string_view property, const report::Comparison& comparison) {
  for (const auto& [id, title] : kProperties) {
    if (id == property) return report::TextFor(comparison.accelerator, title);
  }
  return std::string(property);
}

std::string PropertyText(std::string_view value) {
  return value.empty() ? "not recorded" : std::string(value);
}

std::string StepTitle(const report::ComparisonStep& step, const report::Comparison& comparison) {
  if (step.level != gate::PartLevel::kCategory) return step.name;
  const auto category = FindCategory(step.name);
  return category ? report::TextFor(comparison.accelerator, InfoOf(*category).title) : step.name;
}

// The look of the result of a limit on a change. The words are "within the limit" and "beyond the
// limit", not "pass" and "fail".
ResultLook LookOfResult(const report::ComparedMetric& metric) {
  const State result = metric.result;
  // A limit that only warns does not fail.
  const bool only_warns = result == State::kFail && metric.level == State::kWarn;
  const StatusLook& look = LookOf(only_warns ? State::kWarn : result);
  ResultLook out{look.sign, look.word, look.name()};
  if (result == State::kFail) out.word = "beyond the limit";
  if (result == State::kPass) out.word = "within the limit";
  return out;
}

std::string_view ChangeWord(gate::PartChange change) {
  return change == gate::PartChange::kChanged ? std::string_view() : gate::NameOf(change);
}

std::string RelativeText(const report::Comparison& comparison) {
  if (comparison.base == 0) return {};
  // From this change on, digits mean nothing, because the base is nearly zero.
  constexpr double kBeyondDigits = knowledge::kGateShownChange.value();
  const double share = static_cast<double>(comparison.delta) / static_cast<double>(comparison.base);
  if (share > kBeyondDigits) return "over +" + FormatLimit(kBeyondDigits, Unit::kShare);
  return (comparison.delta > 0   ? "+"
          : comparison.delta < 0 ? "−"
                                 : "") +
         FormatShare(std::abs(share));
}

bool HasTimes(const report::Comparison& comparison) {
  return comparison.base > 0 || comparison.current > 0;
}

namespace {

/// True for times without a profile. They have no iterations, so their steps are compared.
bool IsBySteps(const report::Comparison& comparison) {
  const report::ComparedMetric* tested = TestedTime(comparison);
  return !HasTimes(comparison) && tested != nullptr && tested->metric.starts_with("step.");
}

}  // namespace

Speed SpeedOf(const report::Comparison& comparison) {
  if (!HasTimes(comparison) && !IsBySteps(comparison)) return Speed::kNoTimes;
  const report::ComparedMetric* tested = TestedTime(comparison);
  if (tested == nullptr) return Speed::kNotTested;
  const bool is_unjudged = !comparison.comparable && tested->result == State::kNotApplicable;
  if (tested->result == State::kMissing || is_unjudged) return Speed::kNotComparable;
  if (IsOtherWork(comparison)) return Speed::kOtherWork;
  const int change = SideOfZero(*tested);
  if (change != 0) return change > 0 ? Speed::kSlower : Speed::kFaster;
  // Equal typical iterations beside a total that is open or over the limit are not the same.
  if (tested->result == State::kOpen || tested->result == State::kFail) return Speed::kUndecided;
  const bool is_same = comparison.delta == 0 && AsNumber(tested->change.value, 1) == 0;
  return is_same ? Speed::kSame : HasInterval(*tested) ? Speed::kUndecided : Speed::kNotTested;
}

std::string_view SpeedWord(const report::Comparison& comparison) {
  switch (SpeedOf(comparison)) {
    case Speed::kNoTimes:
      return "unknown: a run has no iteration times";
    case Speed::kNotComparable:
      return "not comparable";
    case Speed::kOtherWork:
      return "different work";
    case Speed::kNotTested:
      return "not tested";
    case Speed::kSame:
      return "no change";
    case Speed::kUndecided: {
      // The typical iteration may be equal although some iterations are much slower.
      const State result = TestedTime(comparison)->result;
      return result == State::kOpen   ? "undecided"
             : result == State::kFail ? "slower in total"
                                      : "no significant change";
    }
    case Speed::kFaster:
      return "faster";
    case Speed::kSlower:
      return "slower";
  }
  return {};
}

std::string TestedChange(const report::Comparison& comparison) {
  if (!HasTimes(comparison) || SpeedOf(comparison) == Speed::kOtherWork) return {};
  const report::ComparedMetric* tested = TestedTime(comparison);
  const bool is_tested = tested != nullptr && !IsAbsent(tested->change.value);
  return is_tested ? tested->change.text : RelativeText(comparison);
}

namespace {

std::string WhyNotComparable(const report::Comparison& comparison) {
  std::vector<std::string> titles;
  for (const report::Difference& difference : comparison.differences) {
    if (difference.blocks) titles.push_back(PropertyTitle(difference.property, comparison));
  }
  return fmt::format("different: {}", fmt::join(titles, ", "));
}

}  // namespace

std::string ChangeSentence(const report::Comparison& comparison) {
  const std::string_view word = SpeedWord(comparison);
  const report::ComparedMetric* tested = TestedTime(comparison);
  if (SpeedOf(comparison) == Speed::kNoTimes) {
    return comparison.benchmarks.empty() ? fmt::format("Iteration time: {}", word)
                                         : comparison.benchmarks;
  }
  if (SpeedOf(comparison) == Speed::kNotComparable) {
    return fmt::format(
        "{}: {} ({})", tested->title, word,
        tested->result == State::kMissing ? tested->note : WhyNotComparable(comparison));
  }
  if (tested == nullptr || IsAbsent(tested->change.value)) {
    const bool is_other = SpeedOf(comparison) == Speed::kOtherWork;
    const std::string relative = is_other ? std::string() : RelativeText(comparison);
    const std::string work = is_other ? WorkText(comparison) : std::string();
    return fmt::format("Mean iteration time: {} → {}{}: {}{}",
                       FormatDuration(static_cast<double>(comparison.base)),
                       FormatDuration(static_cast<double>(comparison.current)),
                       relative.empty() ? "" : ", " + relative, word,
                       work.empty() ? "" : ", " + work);
  }
  const std::string interval = HasInterval(*tested) && SpeedOf(comparison) != Speed::kSame
                                   ? fmt::format(" (98 % CI {})", RangeOfChange(*tested))
                                   : std::string();
  // Neither the medians nor the interval show how much slower a total is.
  const bool is_by_total = SpeedOf(comparison) == Speed::kUndecided &&
                           tested->result == State::kFail && !IsAbsent(tested->total.value);
  const std::string total = is_by_total ? tested->total.text + ", " : std::string();
  // The median change of all pairs of iterations, which is not that of the medians.
  return fmt::format("{}: {} → {}, {}{}{}: {}{}{}{}", tested->title, tested->base.text,
                     tested->current.text, interval.empty() ? "" : "typically ",
                     tested->change.text, interval, total, word,
                     HasTimes(comparison) ? MeanText(comparison, *tested) : std::string(),
                     SlowRankText(comparison));
}

std::string WorkText(const report::Comparison& comparison) {
  constexpr std::pair<MetricId, std::string_view> kCounts[] = {
      {metric::kKernelCountPerIteration, "kernel"},
      {metric::kTensorCoreKernelsPerIteration, "{{ device.matrix_unit }} kernel"}};
  std::vector<std::string> parts;
  const auto add = [&](std::string_view what, const report::Quantity& base,
                       const report::Quantity& current) {
    const double change = AsNumber(current.value, 0) - AsNumber(base.value, 0);
    if (IsAbsent(base.value) || IsAbsent(current.value) || change == 0) return;
    parts.push_back(fmt::format(
        "{} {}{} per iteration {} ({} → {})", PerIteration(std::abs(change)), what,
        std::abs(change) == 1 ? "" : "s", change < 0 ? "fewer" : "more", base.text, current.text));
  };
  for (const auto& [id, words] : kCounts) {
    const std::string what = report::TextFor(comparison.accelerator, words);
    const std::size_t before = parts.size();
    for (const report::ComparedMetric& metric : comparison.metrics) {
      if (metric.metric == id && parts.size() == before) add(what, metric.base, metric.current);
    }
    for (const report::PairedValue& value : comparison.values) {
      if (value.metric == id && parts.size() == before) add(what, value.base, value.current);
    }
  }
  if (!parts.empty()) return fmt::format("{}", fmt::join(parts, "; "));
  if (!comparison.work_gone.empty()) parts.push_back("gone: " + comparison.work_gone);
  if (!comparison.work_come.empty()) parts.push_back("new: " + comparison.work_come);
  return fmt::format("{}", fmt::join(parts, "; "));
}

SpeedLook LookOfSpeed(const report::Comparison& comparison) {
  switch (SpeedOf(comparison)) {
    case Speed::kFaster:
      return {"▼", "good"};
    case Speed::kSlower:
      return {"▲", "bad"};
    case Speed::kUndecided: {
      const State result = TestedTime(comparison)->result;
      if (result == State::kFail) return {"▲", "bad"};
      if (result == State::kOpen) break;
      return {"=", "mute"};
    }
    case Speed::kSame:
      return {"=", "mute"};
    case Speed::kNoTimes:
    case Speed::kNotComparable:
    case Speed::kOtherWork:
    case Speed::kNotTested:
      break;
  }
  return {"?", "mute"};
}

int CertainChange(const report::Comparison& comparison, std::string_view metric) {
  for (const report::ComparedMetric& compared : comparison.metrics) {
    if (compared.metric == metric && compared.result != State::kMissing) {
      return SideOfZero(compared);
    }
  }
  return 0;
}

bool HasSignificant(const report::Comparison& comparison) {
  const auto is_significant = [](const auto& row) { return row.significant; };
  return std::any_of(comparison.waterfall.begin(), comparison.waterfall.end(), is_significant) ||
         std::any_of(comparison.kernels.rows.begin(), comparison.kernels.rows.end(),
                     is_significant) ||
         std::any_of(comparison.ops.rows.begin(), comparison.ops.rows.end(), is_significant);
}

std::string TotalChange(const report::Comparison& comparison) {
  return HasTimes(comparison) ? DeltaText(comparison.delta) : "–";
}

std::string PerIteration(double count) {
  if (count == 0) return "–";
  return FormatNumber(std::abs(count - std::round(count)) < 1e-9 ? std::round(count) : count);
}

std::string RangeOfChange(const report::ComparedMetric& metric) {
  const std::string &low = metric.low.text, &high = metric.high.text;
  return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string IntervalText(const report::ComparedMetric& metric) {
  if (metric.low.text.empty() || metric.high.text.empty()) return {};
  return fmt::format("[{}, {}]", metric.low.text, metric.high.text);
}

std::string BaselineText(const report::Comparison& comparison) {
  if (comparison.baseline_runs < 2) return comparison.baseline;
  return fmt::format("{}, the median of {} runs", comparison.baseline, comparison.baseline_runs);
}

// The largest change comes first. Each change starts where the bar before it ends.
std::vector<ChangeBar> WaterfallBars(const report::Comparison& comparison) {
  std::vector<const report::ComparisonStep*> steps;
  for (const report::ComparisonStep& step : comparison.waterfall) {
    if (step.parent < 0 && step.delta != 0) steps.push_back(&step);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const auto* a, const auto* b) {
    return std::abs(a->delta) > std::abs(b->delta);
  });
  std::vector<ChangeBar> bars = {{comparison.baseline, 0, comparison.base, true}};
  std::int64_t at = comparison.base;
  for (const report::ComparisonStep* step : steps) {
    bars.push_back({StepTitle(*step, comparison), at, at + step->delta, false});
    at += step->delta;
  }
  bars.push_back({comparison.candidate, 0, comparison.current, true});
  return bars;
}

std::vector<ChangeRow> ChangeTree(const report::Comparison& comparison,
                                  const ChangeTreeOptions& options) {
  return TreeBuilder(comparison.waterfall, options).Build();
}

}  // namespace profgauge::render
