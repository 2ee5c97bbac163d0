// What changed between two runs, for a terminal: differences, metrics, then where the change of the
// iteration time comes from, as a tree whose parts sum to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "render/renderer.h"
#include "render/words.h"

namespace profgauge::render {
namespace {

// Steps below this share of the largest are summed up in one line.
constexpr double kShownShare = 0.03;
constexpr std::size_t kMostChildren = 5;
constexpr std::size_t kNameWidth = 60;

std::string DifferenceLines(const report::Comparison& comparison) {
  std::string out;
  for (const report::Difference& difference : comparison.differences) {
    const auto shown = [](const std::string& value) {
      return value.empty() ? std::string("not recorded") : PrintableShort(value, kNameWidth);
    };
    out += fmt::format("  {}  {}: {} → {}\n", difference.blocks ? "blocks " : "differs",
                       Printable(difference.property), shown(difference.base),
                       shown(difference.current));
  }
  return out.empty() ? out : out + "\n";
}

std::string MetricLine(const report::ComparedMetric& metric) {
  std::string line = fmt::format("  {:<12}  {}  ", metric.result, Printable(metric.metric));
  if (metric.result == "missing") return line + Printable(metric.note) + "\n";
  line += fmt::format("{} → {}  {}", metric.base.text, metric.current.text, metric.change.text);
  if (!metric.low.text.empty()) {
    line += fmt::format(" [{}, {}]", metric.low.text, metric.high.text);
  }
  if (!metric.limit.empty()) line += fmt::format("  (limit {})", metric.limit);
  if (!metric.note.empty()) line += "  " + Printable(metric.note);
  return line + "\n";
}

class Tree {
 public:
  explicit Tree(const std::vector<report::ComparisonStep>& steps) : steps_(steps) {
    children_.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::int64_t parent = steps[i].parent;
      (parent < 0 ? top_ : children_[static_cast<std::size_t>(parent)]).push_back(i);
      if (parent < 0) largest_ = std::max(largest_, std::abs(steps[i].delta));
    }
  }

  std::string Draw() const { return DrawLevel(top_, 0, /*all=*/true); }

 private:
  std::string DrawLevel(const std::vector<std::size_t>& level, std::size_t depth, bool all) const {
    std::string out;
    std::size_t shown = 0;
    std::size_t left_out = 0;
    std::int64_t rest = 0;
    for (const std::size_t index : level) {
      const report::ComparisonStep& step = steps_[index];
      const bool is_large =
          static_cast<double>(std::abs(step.delta)) >= kShownShare * static_cast<double>(largest_);
      if (step.delta == 0 || (!all && (!is_large || shown == kMostChildren))) {
        rest += step.delta;
        left_out += step.delta != 0;
        continue;
      }
      ++shown;
      out += DrawStep(step, depth);
      const auto& below = children_[index];
      // A level that says nothing new is passed over.
      const bool same = below.size() == 1 && (steps_[below[0]].name == step.name ||
                                              steps_[below[0]].name.starts_with("(not in an op)"));
      out += same ? DrawLevel(children_[below[0]], depth + 1, false)
                  : DrawLevel(below, depth + 1, false);
    }
    if (left_out > 0 && shown > 0) {
      out += Line(rest, depth, fmt::format("{} smaller", left_out), "");
    }
    return out;
  }

  static std::string Line(std::int64_t delta, std::size_t depth, const std::string& name,
                          const std::string& effects) {
    const std::string amount = DeltaText(delta);
    const std::size_t width = CharactersIn(amount);
    return fmt::format("  {}{}  {}{}{}\n", std::string(width < 9 ? 9 - width : 0, ' '), amount,
                       std::string(2 * depth, ' '), name, effects);
  }

  static std::string DrawStep(const report::ComparisonStep& step, std::size_t depth) {
    std::string name = PrintableShort(step.name, kNameWidth);
    if (step.change != "changed") name += " (" + step.change + ")";
    std::string effects;
    if (step.count_effect != 0 && step.duration_effect != 0) {
      effects = fmt::format("  = {} by count {} by duration", DeltaText(step.count_effect),
                            DeltaText(step.duration_effect));
    } else if (step.count_effect != 0) {
      effects = "  by count";
    }
    if (step.significant) effects += "  *";
    return Line(step.delta, depth, name, effects);
  }

  const std::vector<report::ComparisonStep>& steps_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> top_;
  std::int64_t largest_ = 0;
};

}  // namespace

std::string RenderComparison(const report::Report& report) {
  if (!report.comparison) return {};
  const report::Comparison& comparison = *report.comparison;
  std::string out =
      fmt::format("{} against {}", Printable(report.profile.name), Printable(comparison.baseline));
  if (comparison.baseline_runs > 1) {
    out += fmt::format(", the middle one of {} runs", comparison.baseline_runs);
  }
  out += "\n\n" + DifferenceLines(comparison);
  for (const report::ComparedMetric& metric : comparison.metrics) out += MetricLine(metric);
  if (!comparison.metrics.empty()) out += "\n";
  out += "  where the change of an iteration comes from   (* significant beyond noise)\n\n";
  out += Tree(comparison.waterfall).Draw();
  const double relative = comparison.base == 0 ? 0
                                               : static_cast<double>(comparison.delta) /
                                                     static_cast<double>(comparison.base);
  out += fmt::format("\n{}  {} → {} per iteration ({:+.1f} %)\n", DeltaText(comparison.delta),
                     FormatDuration(static_cast<double>(comparison.base)),
                     FormatDuration(static_cast<double>(comparison.current)), relative * 100);
  return out;
}

}  // namespace profgauge::render
