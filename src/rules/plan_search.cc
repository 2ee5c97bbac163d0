#include "rules/plan_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace profgauge::rules {
namespace {

using OptionSet = std::vector<std::size_t>;

class Search {
 public:
  Search(std::span<const PlanOption> options, const PlanLimits& limits, const TimeWith& time_with)
      : options_(options), limits_(limits), time_with_(time_with), left_(options.size()) {
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    std::stable_sort(left_.begin(), left_.end(), [&](std::size_t a, std::size_t b) {
      return options[a].at_most > options[b].at_most;
    });
  }

  PlannedSteps Run() {
    TakeKnown();
    while (found_.steps.size() < limits_.most_steps && !IsAllSaved()) {
      PlannedStep best = BestOption();
      if (best.saves < limits_.least_saving) best = BestPair();
      if (best.options.empty() || best.saves < limits_.least_saving) break;
      Take(std::move(best));
    }
    std::vector<OptionSet> steps;
    for (const PlannedStep& step : found_.steps) steps.push_back(step.options);
    LookAhead(std::move(steps));
    for (PlannedStep& step : found_.steps) {
      const std::optional<double> alone = SavedBy({}, step.options);
      step.alone = alone.value_or(0);
    }
    for (const std::size_t option : left_) {
      if (options_[option].is_asked_for && IsSeen(option)) found_.no_effect.push_back(option);
    }
    std::sort(found_.no_effect.begin(), found_.no_effect.end());
    return std::move(found_);
  }

 private:
  /// Uses the savings that findings have already simulated.
  void TakeKnown() {
    const std::optional<double> recorded = TimeOf({});
    for (std::size_t option = 0; recorded && option < options_.size(); ++option) {
      const std::optional<double> alone = options_[option].alone;
      if (alone) times_.emplace(OptionSet{option}, *recorded - *alone);
    }
  }

  /// True if all options together would save too little in addition to the steps.
  bool IsAllSaved() {
    const auto now = times_.find(taken_);
    return now != times_.end() && now->second - limits_.least_time < limits_.least_saving;
  }

  /// The time with a set of options; nothing if no simulations are left.
  std::optional<double> TimeOf(OptionSet set) {
    std::sort(set.begin(), set.end());
    const auto known = times_.find(set);
    if (known != times_.end()) return known->second;
    if (found_.replays >= limits_.most_replays) {
      found_.complete = false;
      return std::nullopt;
    }
    ++found_.replays;
    const auto ahead = ahead_.find(set);
    const double time = ahead != ahead_.end() ? ahead->second : time_with_(set);
    times_.emplace(std::move(set), time);
    return time;
  }

  /// Simulates the unknown ones of these sets concurrently: TimeOf() may need them.
  void LookAhead(std::vector<OptionSet> sets) {
    for (OptionSet& set : sets) std::sort(set.begin(), set.end());
    std::erase_if(sets, [this](const OptionSet& set) {
      return times_.contains(set) || ahead_.contains(set);
    });
    if (limits_.at_once <= 1 || sets.size() <= 1) return;
    const std::size_t left = limits_.most_replays - std::min(found_.replays, limits_.most_replays);
    if (sets.size() > left) sets.resize(left);
    std::vector<double> times(sets.size());
    ForEachAtOnce(
        sets.size(), [&](std::size_t i) { times[i] = time_with_(sets[i]); }, limits_.at_once);
    for (std::size_t i = 0; i < sets.size(); ++i) ahead_.emplace(std::move(sets[i]), times[i]);
  }

  std::optional<double> SavedBy(const OptionSet& steps, const OptionSet& more) {
    const std::optional<double> before = TimeOf(steps);
    OptionSet with = steps;
    with.insert(with.end(), more.begin(), more.end());
    const std::optional<double> after = TimeOf(std::move(with));
    if (!before || !after) return std::nullopt;
    return *before - *after;
  }

  bool MayBeNext(std::size_t option) const {
    return options_[option].is_asked_for || !found_.steps.empty();
  }

  void Offer(OptionSet more, PlannedStep& best) {
    const std::optional<double> saves = SavedBy(taken_, more);
    if (!saves) return;
    const bool is_tie = std::abs(*saves - best.saves) <= limits_.tie && !best.options.empty();
    const bool is_better = is_tie ? more < best.options : *saves > best.saves;
    if (is_better && IsBottleneck(more, *saves)) best = {std::move(more), *saves, 0};
  }

  /// True if findings ask for all of it, or if it saves so much that the steps before it made it a
  /// bottleneck.
  bool IsBottleneck(const OptionSet& more, double saves) {
    const bool is_asked_for = std::all_of(more.begin(), more.end(), [this](std::size_t option) {
      return options_[option].is_asked_for;
    });
    return is_asked_for || saves >= limits_.new_share * TimeOf(taken_).value_or(0);
  }

  /// Tries options in descending order of bounds; stops at the first that cannot beat the best:
  ///
  ///     at_most   50   40   12    9         saves   20   31   -    -      12 < 31: not tried
  PlannedStep BestOption() {
    PlannedStep best;
    const auto ends = [&](std::size_t option) {
      return (!best.options.empty() && options_[option].at_most <= best.saves) ||
             options_[option].at_most < limits_.least_saving;
    };
    std::size_t ahead = 0;  // Index in left_: earlier options were already simulated.
    for (std::size_t i = 0; i < left_.size() && !ends(left_[i]); ++i) {  // Largest bound first.
      std::vector<OptionSet> next;
      for (bool is_due = i == ahead; is_due && next.size() < limits_.at_once; ++ahead) {
        if (ahead == left_.size() || ends(left_[ahead])) break;
        if (!MayBeNext(left_[ahead])) continue;
        next.push_back(taken_);
        next.back().push_back(left_[ahead]);
      }
      LookAhead(std::move(next));
      if (MayBeNext(left_[i])) Offer({left_[i]}, best);
    }
    return best;
  }

  /// The best pair, if no single option saves enough. Its bound is the sum of both bounds.
  PlannedStep BestPair() {
    OptionSet first;
    for (const std::size_t option : left_) {
      if (MayBeNext(option) && first.size() < limits_.paired) first.push_back(option);
    }
    PlannedStep best;
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t k = i + 1; k < first.size(); ++k) {
        OptionSet pair = {std::min(first[i], first[k]), std::max(first[i], first[k])};
        const double most = options_[first[i]].at_most + options_[first[k]].at_most;
        if (most >= std::max(limits_.least_saving, best.saves)) Offer(std::move(pair), best);
      }
    }
    return best;
  }

  void Take(PlannedStep step) {
    for (const std::size_t option : step.options) {
      std::erase(left_, option);
      taken_.push_back(option);
    }
    std::sort(taken_.begin(), taken_.end());
    found_.steps.push_back(std::move(step));
  }

  /// True if the option's saving after the last step is known, or its bound is too small.
  bool IsSeen(std::size_t option) {
    if (options_[option].at_most < limits_.least_saving || IsAllSaved()) return true;
    OptionSet with = taken_;
    with.push_back(option);
    std::sort(with.begin(), with.end());
    const auto before = times_.find(taken_), after = times_.find(with);
    return before != times_.end() && after != times_.end() &&
           before->second - after->second < limits_.least_saving;
  }

  std::span<const PlanOption> options_;
  const PlanLimits& limits_;
  const TimeWith& time_with_;
  OptionSet left_;   // In descending order of bounds.
  OptionSet taken_;  // Ascending.
  std::map<OptionSet, double> times_, ahead_;
  PlannedSteps found_;
};

}  // namespace

PlannedSteps SearchPlan(std::span<const PlanOption> options, const PlanLimits& limits,
                        const TimeWith& time_with) {
  return Search(options, limits, time_with).Run();
}

}  // namespace profgauge::rules
