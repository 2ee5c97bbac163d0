#include "gate/waterfall.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "gate/significance.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"
#include "model/category.h"

namespace profgauge::gate {
namespace {

constexpr std::string_view kNoName = "(not in an op)";
constexpr std::string_view kFolded = "(smaller parts)";
// A run folds parts below 0.02 % of its time. A part that is barely larger in one run may be folded
// in the other, so it is neither new nor gone.
constexpr double kFoldedInEither = knowledge::kGateFoldedInEither.value();

// The limit of an effect, ten hours: more comes from impossible counts; sums must fit 64 bits.
constexpr double kMostEffect = 0x1p45;

// A kernel, copy or function at its place: the leaf of the waterfall.
struct Leaf {
  std::array<std::string, 4> path;  // Category, op type, op with shapes, kernel.
  PartChange change = PartChange::kChanged;
  double base_time = 0, current_time = 0;    // Per iteration, ns.
  double base_count = 0, current_count = 0;  // Per iteration.
  std::vector<Ns> base_series, current_series;

  bool InBase() const { return base_count != 0 || base_time != 0; }
  bool InCurrent() const { return current_count != 0 || current_time != 0; }
  double Delta() const { return current_time - base_time; }
  double CountEffect() const {
    if (base_count == 0 || current_count == 0) return Delta();
    const double effect = (current_count - base_count) * base_time / base_count;
    return std::clamp(effect, -kMostEffect, kMostEffect);
  }
};

using Place = std::tuple<std::string, std::string, std::string, std::string, std::int64_t>;

Place PlaceOf(const analysis::breakdown::TimePart& part) {
  return {part.category, part.op_type, part.op, part.shapes, part.position};
}

std::string Named(const std::string& name) { return name.empty() ? std::string(kNoName) : name; }

Leaf MakeLeaf(const analysis::breakdown::TimePart& part) {
  Leaf leaf;
  leaf.path = {part.category, Named(part.op_type), Named(part.op), Named(part.kernel)};
  if (!part.shapes.empty()) leaf.path[2] += " " + part.shapes;
  return leaf;
}

void SetSide(Leaf& leaf, bool current, const analysis::breakdown::TimePart& part,
             double iterations) {
  (current ? leaf.current_time : leaf.base_time) += static_cast<double>(part.time) / iterations;
  (current ? leaf.current_count : leaf.base_count) += static_cast<double>(part.count) / iterations;
  auto& series = current ? leaf.current_series : leaf.base_series;
  if (series.empty()) series = part.series;
}

// All parts of both runs, by place and kernel name.
using Leaves = std::map<std::pair<Place, std::string>, Leaf>;

Leaves CollectLeaves(const Snapshot& base, const Snapshot& current) {
  Leaves leaves;
  for (const bool is_current : {false, true}) {
    const Snapshot& run = is_current ? current : base;
    const auto iterations = static_cast<double>(run.iteration_times.size());
    for (const analysis::breakdown::TimePart& part : run.parts) {
      const auto [it, is_new] = leaves.try_emplace({PlaceOf(part), part.kernel}, MakeLeaf(part));
      SetSide(it->second, is_current, part, iterations);
    }
  }
  return leaves;
}

Leaf Join(const Leaf& old, Leaf joined) {
  joined.base_time = old.base_time;
  joined.base_count = old.base_count;
  joined.base_series = old.base_series;
  return joined;
}

// Joins a vanished and a new kernel at the same place into one renamed kernel.
Leaf Rename(const Leaf& old, Leaf renamed) {
  renamed = Join(old, std::move(renamed));
  renamed.change = PartChange::kRenamed;
  renamed.path[3] += " ← " + old.path[3];
  return renamed;
}

// The key of the run's folded parts of the same category and operator type.
std::pair<Place, std::string> FoldedKey(const Place& place) {
  return {{std::get<0>(place), std::get<1>(place), "", "", 0}, std::string(kFolded)};
}

// The mean iteration time, as the sum of the parts.
Ns MeanOf(const Snapshot& run) {
  double sum = 0;
  for (const analysis::breakdown::TimePart& part : run.parts) sum += static_cast<double>(part.time);
  if (run.parts.empty()) {
    for (const double time : ObservedTimes(run)) sum += time;
  }
  return std::llround(sum / static_cast<double>(run.iteration_times.size()));
}

// Moves small parts that only one run has into the folded parts of both runs.
Leaves FoldOverBoth(Leaves leaves, const Snapshot& base, const Snapshot& current) {
  const double least[] = {kFoldedInEither * static_cast<double>(MeanOf(base)),
                          kFoldedInEither * static_cast<double>(MeanOf(current))};
  for (auto it = leaves.begin(); it != leaves.end();) {
    const auto& [key, leaf] = *it;
    const auto folded = leaves.find(FoldedKey(key.first));
    const bool in_base = leaf.InBase();
    const double time = in_base ? leaf.base_time : leaf.current_time;
    const bool is_small = time < least[in_base ? 0 : 1];
    if (folded == it || folded == leaves.end() || (in_base && leaf.InCurrent()) || !is_small ||
        !(in_base ? folded->second.InCurrent() : folded->second.InBase())) {
      ++it;
      continue;
    }
    Leaf& into = folded->second;
    into.base_time += leaf.base_time;
    into.current_time += leaf.current_time;
    into.base_count += leaf.base_count;
    into.current_count += leaf.current_count;
    it = leaves.erase(it);
  }
  return leaves;
}

// Makes new or gone calls and operators of the host longer ones. They count only while no device
// works, so the other run may have folded them. It must have at least as many folded calls:
//
//     runtime, linear      there: 3 folded, 0 ns       here: cudaLaunchKernel 3, 600 us
//                          cudaLaunchKernel 3 and 3, +600 us by duration
void UnfoldHost(Leaves& leaves) {
  for (auto& [key, leaf] : leaves) {
    const auto category = FindCategory(leaf.path[0]);
    if (!category || *category < Category::kRuntime || leaf.path[3] == kFolded) continue;
    if (leaf.InBase() && leaf.InCurrent()) continue;
    const auto folded = leaves.find(FoldedKey(key.first));
    if (folded == leaves.end()) continue;
    const bool is_new = !leaf.InBase();
    double& left = is_new ? folded->second.base_count : folded->second.current_count;
    double& time = is_new ? folded->second.base_time : folded->second.current_time;
    const double count = is_new ? leaf.current_count : leaf.base_count;
    if (count <= 0 || left < count) continue;
    const double part = time * count / left;
    (is_new ? leaf.base_count : leaf.current_count) = count;
    (is_new ? leaf.base_time : leaf.current_time) = part;
    left -= count;
    time -= part;
    leaf.base_series.clear();
    leaf.current_series.clear();
  }
}

using OneSided = std::map<Place, std::pair<std::vector<Leaf>, std::vector<Leaf>>>;  // Gone, new.

// Matches an operator's work on other inputs as the same work, if it is launched equally often:
//
//     aten::mm [[1024, 64]]  gemm 3, gone     aten::mm [[1024, 32]]  gemm 3, new
//     aten::mm [[1024, 32]] ← [[1024, 64]]    gemm 3 and 3, by duration
void MatchShapes(OneSided& one_sided, std::vector<Leaf>& matched) {
  const auto at_kernel = static_cast<std::size_t>(PartLevel::kKernel);
  const auto at_op = static_cast<std::size_t>(PartLevel::kOp);
  using Elsewhere = std::tuple<std::string, std::string, std::string, std::int64_t>;
  std::map<Elsewhere, std::vector<OneSided::iterator>> places;
  for (auto place = one_sided.begin(); place != one_sided.end(); ++place) {
    const auto& [category, type, op, shapes, position] = place->first;
    if (!shapes.empty()) places[{category, type, op, position}].push_back(place);
  }
  const auto is_alike = [](const Leaf& gone, const Leaf& added) {
    return std::abs(gone.base_count - added.current_count) < knowledge::kGateChangedKernels.value();
  };
  for (auto& [elsewhere, of] : places) {
    for (const auto& from : of) {
      auto& gone = from->second.first;
      if (gone.size() != 1 || !from->second.second.empty()) continue;
      const auto to = std::ranges::find_if(of, [&](const auto& place) {
        return place->second.first.empty() && place->second.second.size() == 1 &&
               is_alike(gone.front(), place->second.second.front());
      });
      if (to == of.end()) continue;
      Leaf& added = (*to)->second.second.front();
      Leaf leaf = added.path[at_kernel] == gone.front().path[at_kernel]
                      ? Join(gone.front(), added)
                      : Rename(gone.front(), added);
      leaf.path[at_op] += " ← " + std::get<3>(from->first);
      matched.push_back(std::move(leaf));
      gone.clear();
      (*to)->second.second.clear();
    }
  }
}

// Pairs several parts at one place in the order of their names; the others stay gone or new:
//
//     place (mm, [64,1024], 0)      gone: gemm_a, gemm_b      new: gemm_x
//                                   gemm_x ← gemm_a renamed,  gemm_b removed
std::vector<Leaf> MatchParts(const Snapshot& base, const Snapshot& current) {
  std::vector<Leaf> matched;
  OneSided one_sided;
  Leaves leaves = FoldOverBoth(CollectLeaves(base, current), base, current);
  UnfoldHost(leaves);
  for (auto& [key, leaf] : leaves) {
    if (!leaf.InBase()) {
      one_sided[key.first].second.push_back(leaf);
    } else if (!leaf.InCurrent()) {
      one_sided[key.first].first.push_back(leaf);
    } else {
      matched.push_back(leaf);
    }
  }
  MatchShapes(one_sided, matched);
  for (auto& [place, sides] : one_sided) {
    auto& [gone, added] = sides;
    const std::size_t pairs = std::min(gone.size(), added.size());
    for (std::size_t i = 0; i < gone.size(); ++i) {
      gone[i].change = PartChange::kRemoved;
      matched.push_back(i < pairs ? Rename(gone[i], added[i]) : gone[i]);
    }
    for (std::size_t i = pairs; i < added.size(); ++i) {
      added[i].change = PartChange::kAdded;
      matched.push_back(added[i]);
    }
  }
  return matched;
}

PartChange Merge(std::span<const Leaf* const> leaves) {
  const auto all = [&](PartChange change) {
    return std::all_of(leaves.begin(), leaves.end(),
                       [change](const Leaf* leaf) { return leaf->change == change; });
  };
  if (all(PartChange::kAdded)) return PartChange::kAdded;
  if (all(PartChange::kRemoved)) return PartChange::kRemoved;
  return PartChange::kChanged;
}

using Group = std::vector<const Leaf*>;

double SumOf(const Group& leaves, double (*value)(const Leaf&)) {
  double sum = 0;
  for (const Leaf* leaf : leaves) sum += value(*leaf);
  return sum;
}

double DeltaOf(const Leaf& leaf) { return leaf.Delta(); }
double CountEffectOf(const Leaf& leaf) { return leaf.CountEffect(); }

// Makes the steps of one level below `parent`, then those below each of them. The parts of a step
// are rounded to its delta, which the level above already rounded, so every sum is exact.
class WaterfallBuilder {
 public:
  WaterfallBuilder(std::size_t base_iterations, std::size_t current_iterations, Waterfall& out)
      : base_iterations_(base_iterations), current_iterations_(current_iterations), out_(out) {}

  void Split(const Group& leaves, std::size_t level, std::int32_t parent, Ns delta,
             Ns count_effect) {
    std::map<std::string, Group> by_name;
    for (const Leaf* leaf : leaves) by_name[leaf->path[level]].push_back(leaf);
    std::vector<double> deltas, counts;
    for (const auto& [name, group] : by_name) {
      deltas.push_back(SumOf(group, DeltaOf));
      counts.push_back(SumOf(group, CountEffectOf));
    }
    const std::vector<Ns> whole_deltas = stats::RoundToSum(deltas, delta);
    const std::vector<Ns> whole_counts = stats::RoundToSum(counts, count_effect);
    std::vector<std::pair<WaterfallStep, Group>> steps;
    std::size_t i = 0;
    for (auto& [name, group] : by_name) {
      WaterfallStep step = Describe(group, level);
      step.name = name;
      step.parent = parent;
      step.delta = whole_deltas[i];
      step.count_effect = whole_counts[i];
      step.duration_effect = step.delta - step.count_effect;
      steps.emplace_back(std::move(step), std::move(group));
      ++i;
    }
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
      return std::abs(a.first.delta) > std::abs(b.first.delta);
    });
    for (auto& [step, group] : steps) {
      levels_[level].emplace_back(std::move(step), std::move(group));
    }
  }

  // Appends one level after the other, so that parents precede their parts.
  void Build(const Group& leaves) {
    const Ns count_effect = std::llround(SumOf(leaves, CountEffectOf));
    Split(leaves, 0, -1, out_.delta, count_effect);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      for (auto& [step, group] : levels_[level]) {
        const auto index = static_cast<std::int32_t>(out_.steps.size());
        out_.steps.push_back(step);
        if (level + 1 < levels_.size()) {
          Split(group, level + 1, index, step.delta, step.count_effect);
        }
      }
    }
  }

 private:
  // If a run does not have a part, the part took 0 in each of its iterations.
  double PValueOfLeaf(const Leaf& leaf) const {
    const std::vector<Ns> no_base(leaf.InBase() ? 0 : base_iterations_, 0);
    const std::vector<Ns> no_current(leaf.InCurrent() ? 0 : current_iterations_, 0);
    return PValueOf(leaf.InBase() ? leaf.base_series : no_base,
                    leaf.InCurrent() ? leaf.current_series : no_current);
  }

  WaterfallStep Describe(const Group& group, std::size_t level) const {
    WaterfallStep step;
    step.level = static_cast<PartLevel>(level);
    step.change = level + 1 == kLevels ? group.front()->change : Merge(group);
    double base = 0;
    double current = 0;
    for (const Leaf* leaf : group) {
      base += leaf->base_time;
      current += leaf->current_time;
      step.base_count += leaf->base_count;
      step.current_count += leaf->current_count;
    }
    step.base = std::llround(base);
    step.current = std::llround(current);
    if (group.size() == 1) {
      step.p_value = PValueOfLeaf(*group.front());
    }
    return step;
  }

  static constexpr std::size_t kLevels = 4;
  std::size_t base_iterations_, current_iterations_;
  Waterfall& out_;
  std::array<std::vector<std::pair<WaterfallStep, Group>>, kLevels> levels_;
};

void MarkSignificant(Waterfall& waterfall) {
  std::vector<TestedChange> changes;
  for (const WaterfallStep& step : waterfall.steps) {
    const bool is_tested = step.level == PartLevel::kKernel;
    changes.push_back({is_tested ? step.p_value : -1, step.delta});
  }
  const std::vector<bool> significant = FindSignificant(changes, waterfall.base);
  for (std::size_t i = 0; i < changes.size(); ++i) waterfall.steps[i].significant = significant[i];
}

}  // namespace

Waterfall Explain(const Snapshot& base, const Snapshot& current) {
  Waterfall waterfall;
  waterfall.base = MeanOf(base);
  waterfall.current = MeanOf(current);
  waterfall.delta = waterfall.current - waterfall.base;
  const std::vector<Leaf> leaves = MatchParts(base, current);
  Group group;
  for (const Leaf& leaf : leaves) group.push_back(&leaf);
  WaterfallBuilder(base.iteration_times.size(), current.iteration_times.size(), waterfall)
      .Build(group);
  MarkSignificant(waterfall);
  return waterfall;
}

}  // namespace profgauge::gate
