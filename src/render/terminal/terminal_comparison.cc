// The change between two runs for a terminal: differences, metrics, then the parts of the change of
// the iteration time, as a tree whose parts add up to it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "render/shared/change.h"
#include "render/shared/changed_values.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kNameWidth = 60;

// Marks differences that make the runs incomparable as "not comparable", others as "differs".
std::string DifferenceLines(const report::Comparison& comparison) {
  std::string out;
  const std::size_t width =
      std::ranges::any_of(comparison.differences, &report::Difference::blocks) ? 14 : 7;
  for (const report::Difference& difference : comparison.differences) {
    const auto shown = [&difference](const std::string& value) {
      return PrintableShort(PropertyText(value), 2 * kNameWidth);
    };
    const std::string_view word = difference.blocks ? "not comparable" : "differs";
    out += fmt::format("  {:<{}}  {}: {} → {}\n", word, width,
                       Printable(PropertyTitle(difference.property, comparison)),
                       shown(difference.base), shown(difference.current));
  }
  return out.empty() ? out : out + "\n";
}

// A line for one compared metric.
std::string MetricLine(const report::ComparedMetric& metric) {
  // A limit that only warns does not fail. The words are those of `check`.
  const std::string_view word = metric.result == State::kOpen            ? "undecided"
                                : metric.result == State::kNotApplicable ? "not judged"
                                : metric.result == State::kInconclusive  ? "warn"
                                : metric.result == State::kImproved      ? "pass"
                                : metric.result == State::kFail ? report::NameOf(metric.level)
                                                                : report::NameOf(metric.result);
  std::string line = fmt::format("  {:<12}  {}  ", word, Printable(metric.metric));
  if (metric.result == State::kMissing) return line + Printable(metric.note) + "\n";
  if (metric.result == State::kNotApplicable) {  // The differences say why.
    return line + fmt::format("{} → {}\n", metric.base.text, metric.current.text);
  }
  // If there is an interval, the note has everything: change, interval, limit and levels.
  if (!metric.low.text.empty() && !metric.note.empty()) return line + Printable(metric.note) + "\n";
  line += fmt::format("{} → {}  {}", metric.base.text, metric.current.text, metric.change.text);
  if (!metric.limit.empty()) line += fmt::format("  (limit {})", metric.limit);
  if (!metric.note.empty()) line += "  " + Printable(metric.note);
  return line + "\n";
}

/// The ten largest changes of metrics without a limit, in columns. The files have the others.
std::string ValueLines(const report::Comparison& comparison) {
  constexpr std::size_t kMostLines = 10;
  const std::vector<const report::PairedValue*> all = ChangedValues(comparison);
  const std::span<const report::PairedValue* const> shown(all.data(),
                                                          std::min(all.size(), kMostLines));
  if (shown.empty()) return {};
  std::size_t name = 0, base = 0, current = 0;
  for (const report::PairedValue* value : shown) {
    name = std::max(name, CharactersIn(PrintableShort(value->metric, kNameWidth)));
    base = std::max(base, CharactersIn(value->base.text));
    current = std::max(current, CharactersIn(value->current.text));
  }
  std::string out =
      comparison.metrics.empty() ? "  Changes\n\n" : "  Other metrics that changed\n\n";
  for (const report::PairedValue* value : shown) {
    out +=
        fmt::format("  {}  {} → {}  {}\n", Padded(PrintableShort(value->metric, kNameWidth), name),
                    Padded(value->base.text, base, true),
                    Padded(value->current.text, current, true), value->change.text);
  }
  if (all.size() > shown.size()) {
    out += fmt::format("  and {} more: --html, --xlsx and --json list all\n",
                       all.size() - shown.size());
  }
  return out + "\n";
}

// "    +350 µs  name": the amount ends in column 10, then come two spaces for each level.
std::string Line(std::int64_t delta, std::size_t depth, const std::string& name,
                 const std::string& effects) {
  const std::string amount = DeltaText(delta);
  const std::size_t width = CharactersIn(amount);
  return fmt::format("  {}{}  {}{}{}\n", std::string(width < 9 ? 9 - width : 0, ' '), amount,
                     std::string(2 * depth, ' '), name, effects);
}

// A row of the tree. If the number and the length of calls both matter, it has both effects: "=
// +3.00 ms by count −1.00 ms by duration". `*` marks a significant change.
std::string TreeLine(const ChangeRow& row, const report::Comparison& comparison) {
  if (row.step == nullptr) {
    return Line(row.delta, row.depth, fmt::format("{} smaller", row.smaller), "");
  }
  const report::ComparisonStep& step = *row.step;
  std::string name = PrintableShort(StepTitle(step, comparison), kNameWidth);
  if (step.change != gate::PartChange::kChanged)
    name += fmt::format(" ({})", gate::NameOf(step.change));
  std::string effects;
  // The other effect may be only a rounding error.
  const bool only_count = std::abs(step.duration_effect) * 1000 < std::abs(step.count_effect);
  if (step.count_effect != 0 && step.duration_effect != 0 && !only_count) {
    effects = fmt::format("  = {} by count {} by duration", DeltaText(step.count_effect),
                          DeltaText(step.duration_effect));
  } else if (step.count_effect != 0) {
    effects = "  by count";
  }
  if (step.significant) effects += "  *";
  return Line(step.delta, row.depth, name, effects);
}

std::string ChangeLine(const report::Comparison& comparison) {
  if (SpeedOf(comparison) == Speed::kNoTimes && comparison.metrics.empty()) {
    // Files of load tests have neither iterations nor benchmarks.
    return comparison.benchmarks.empty() ? "" : Printable(comparison.benchmarks) + "\n";
  }
  if (SpeedOf(comparison) == Speed::kNoTimes) {
    return "The change of the iteration time cannot be explained: a run has no iteration times.\n";
  }
  return Printable(ChangeSentence(comparison)) + "\n";
}

// The reasons for an undecided verdict, and the verdict. Empty if no verdict was requested.
std::string VerdictLine(const report::Report& report) {
  if (report.verdict.status == State::kNotJudged) return {};
  std::string out;
  if (report.verdict.status == State::kNoVerdict) {
    for (const std::string& reason : report.verdict.reasons) {
      out += fmt::format("  {:<12}  {}\n", "undecided", Printable(reason));
    }
  }
  out += fmt::format("{}  {}\n", VerdictWord(report.verdict.status), CountsText(report.verdict));
  if (const std::string movement = MovementText(report); !movement.empty())
    out += fmt::format("moved  {}\n", Printable(movement));
  return out;
}

}  // namespace

//   run against base, the median of 3 runs
//
//     differences, limits, notes, values
//     tree of the change
//
//   sentence on the change
//   verdict                                  only if requested
std::string RenderComparison(const report::Report& report, int verbosity) {
  if (!report.comparison) return {};
  const report::Comparison& comparison = *report.comparison;
  if (verbosity < 0) return ChangeLine(comparison) + VerdictLine(report);
  std::string out =
      fmt::format("{} against {}", Printable(report.profile.name), Printable(comparison.baseline));
  if (comparison.baseline_runs > 1) {
    out += fmt::format(", the median of {} runs", comparison.baseline_runs);
  }
  if (comparison.current_runs > 1) {
    out += fmt::format("; {} candidate runs", comparison.current_runs);
  }
  out += "\n\n" + DifferenceLines(comparison);
  for (const report::ComparedMetric& metric : comparison.metrics) out += MetricLine(metric);
  for (const report::Remark& remark : report.remarks) {
    out += fmt::format("  {:<12}  {}\n", "note", Printable(remark.text));
  }
  if (!comparison.metrics.empty()) out += "\n";
  out += ValueLines(comparison);
  if (!HasTimes(comparison)) {
    return out + ChangeLine(comparison) +
           "Values of both runs are compared in --html, --md, --xlsx and --json.\n" +
           VerdictLine(report);
  }
  const bool is_other_work = SpeedOf(comparison) == Speed::kOtherWork;
  out += fmt::format("  Iteration time change{} by part{}{}\n\n", OfRank(comparison),
                     is_other_work ? ", of different work: a shorter part is no gain" : "",
                     HasSignificant(comparison) ? "   (* statistically significant)" : "");
  for (const ChangeRow& row : ChangeTree(comparison, {})) out += TreeLine(row, comparison);
  return out + "\n" + ChangeLine(comparison) + VerdictLine(report);
}

}  // namespace profgauge::render
