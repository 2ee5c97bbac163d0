// Describes the different work of two runs whose signatures differ.
#include "gate/compare_signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "gate/change_text.h"
#include "knowledge/gate.h"
#include "model/category.h"

namespace profgauge::gate {
namespace {

constexpr std::size_t kMostFacts = 3;
constexpr std::size_t kShapesWidth = 60;
constexpr double kLeastLaunches = knowledge::kGateChangedKernels.value();

struct Launched {
  double launches = 0, time = 0;  // Per iteration.
};
using ByShapes = std::map<std::string, Launched>;
using ByOp = std::map<std::string, ByShapes>;

bool IsOfDevice(const std::string& category) {
  const auto found = FindCategory(category);
  return found && *found <= Category::kMemset;
}

// Operators with the work that they launch. Skips folded parts, which have no operator.
ByOp LaunchingOps(const Snapshot& run) {
  ByOp ops;
  const auto iterations = static_cast<double>(std::max<std::size_t>(1, run.iteration_times.size()));
  for (const analysis::breakdown::TimePart& part : run.parts) {
    if (part.op.empty() || part.kernel.empty() || !IsOfDevice(part.category)) continue;
    Launched& work = ops[part.op][part.shapes];
    work.launches += static_cast<double>(part.count) / iterations;
    work.time += static_cast<double>(part.time) / iterations;
  }
  return ops;
}

double LaunchesOfOp(const ByShapes& shapes) {
  double sum = 0;
  for (const auto& [text, work] : shapes) sum += work.launches;
  return sum;
}

double TimeOfOp(const ByShapes& shapes) {
  double sum = 0;
  for (const auto& [text, work] : shapes) sum += work.time;
  return sum;
}

std::vector<std::string> OnlyIn(const ByShapes& one, const ByShapes& other) {
  std::vector<std::string> only;
  for (const auto& [text, work] : one) {
    if (!other.contains(text)) only.push_back(text);
  }
  std::ranges::stable_sort(only, std::ranges::greater(),
                           [&](const std::string& text) { return one.at(text).time; });
  return only;
}

std::string ShortName(const std::string& op) { return PrintableShort(op, kShapesWidth); }

// An operator with its count: "aten::copy_: 2 launches per iteration".
std::string CountedOp(const std::string& op, double launches) {
  return launches == 0 ? "no " + ShortName(op)
                       : fmt::format("{}: {:.6g} launch{} per iteration", ShortName(op), launches,
                                     launches == 1 ? "" : "es");
}

// The same shapes, launched differently often: those whose count changed most, because the sums of
// all may be equal.
WorkFact ChangeOfCounts(const std::string& op, const ByShapes& there, const ByShapes& here) {
  const auto change = [&](const auto& one) {
    return std::abs(here.at(one.first).launches - one.second.launches);
  };
  const auto most = std::ranges::max_element(there, {}, change);
  const std::string name = ShortName(op) + (most->first.empty() ? "" : " " + most->first);
  return {CountedOp(name, most->second.launches), CountedOp(name, here.at(most->first).launches)};
}

WorkFact ChangeOfOp(const std::string& op, const ByShapes& there, const ByShapes& here) {
  WorkFact fact;
  const std::vector<std::string> gone = OnlyIn(there, here), come = OnlyIn(here, there);
  if (there.empty() || here.empty()) {
    fact = {CountedOp(op, LaunchesOfOp(there)), CountedOp(op, LaunchesOfOp(here))};
  } else if (gone.empty() && come.empty()) {
    fact = ChangeOfCounts(op, there, here);
  }
  fact.time = std::max(TimeOfOp(there), TimeOfOp(here));
  if (!fact.base.empty()) return fact;
  const auto shown = [](const std::vector<std::string>& texts) {
    if (texts.empty() || texts.front().empty()) return std::string("no shapes");
    return PrintableShort(texts.front(), kShapesWidth);
  };
  // Each side is read by itself.
  const std::string name = ShortName(op);
  fact.base = name + (gone.empty() ? " without " + shown(come) : " " + shown(gone));
  fact.current = name + (come.empty() ? " without " + shown(gone) : " " + shown(come));
  const std::size_t of = std::max(there.size(), here.size());
  if (of > 1) {
    fact.current += fmt::format(" ({} of {} shapes)", std::max(gone.size(), come.size()), of);
  }
  fact.is_of_inputs = true;
  return fact;
}

bool Differs(const ByShapes& there, const ByShapes& here) {
  if (there.size() != here.size()) return true;
  return std::ranges::any_of(there, [&](const auto& one) {
    const auto found = here.find(one.first);
    return found == here.end() ||
           std::abs(found->second.launches - one.second.launches) >= kLeastLaunches;
  });
}

}  // namespace

std::vector<WorkFact> DescribeSignatures(const Snapshot& base, const Snapshot& current) {
  ByOp there = LaunchingOps(base), here = LaunchingOps(current);
  for (const auto& [op, shapes] : there) here.try_emplace(op);
  std::vector<WorkFact> facts;
  for (const auto& [op, shapes] : here) {
    const ByShapes& before = there[op];
    if (Differs(before, shapes)) facts.push_back(ChangeOfOp(op, before, shapes));
  }
  if (facts.empty()) return {{"small operators", "other small operators, inputs or launches"}};
  std::ranges::stable_sort(facts, std::ranges::greater(), &WorkFact::time);
  if (facts.size() > kMostFacts) {
    const std::size_t left = facts.size() - kMostFacts;
    const std::string more = fmt::format("{} more operator{}", left, left == 1 ? "" : "s");
    facts.resize(kMostFacts);
    facts.push_back({more, more + " with other inputs or launches"});
  }
  return facts;
}

}  // namespace profgauge::gate
