// Texts, tree and waterfall bars for all renderings of a comparison. Renderers only do the layout,
// so that page, terminal and workbook have the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

/// True if the report has only a comparison. `compare` makes such reports.
bool IsComparisonAlone(const report::Report& report);

/// The verdict of a comparison that a policy judges: "FAIL: 1 error · 6 measured and good · policy
/// team.yaml". Empty without a policy, and for a report of `check`.
std::string JudgedText(const report::Report& report);
/// Why that verdict is undecided; empty if it is not.
std::string UndecidedText(const report::Report& report);

/// The title of a property: "GPU model" for "gpu". If it has none, the property itself.
std::string PropertyTitle(std::string_view property, const report::Comparison& comparison);
/// A property's value for people; "not recorded" if empty.
std::string PropertyText(std::string_view value);

/// The name of a part: the title of a category, or the name of an operator or kernel.
std::string StepTitle(const report::ComparisonStep& step, const report::Comparison& comparison);

/// The look of a metric's result. `name` is a CSS class.
struct ResultLook {
  std::string_view sign, word, name;
};
ResultLook LookOfResult(const report::ComparedMetric& metric);

/// "added", "removed", "renamed"; empty for parts in both runs.
std::string_view ChangeWord(gate::PartChange change);

/// The change of the mean iteration time, "+60.1 %". Empty if the base is 0.
std::string RelativeText(const report::Comparison& comparison);
/// True if both runs have iteration times. Otherwise, speed cannot be compared.
bool HasTimes(const report::Comparison& comparison);
/// The comparison's statement about speed. "Faster" and "slower" need an interval that excludes 0,
/// because they claim something about the program, not only about two runs.
enum class Speed : std::uint8_t {
  kNoTimes,        ///< A run has no iteration times.
  kNotComparable,  ///< The lengths cover different amounts of time.
  kOtherWork,      ///< An iteration does other or less work.
  kNotTested,      ///< No limit on iteration time, or too few iterations for an interval.
  kSame,           ///< The times are exactly equal.
  kUndecided,      ///< The interval contains 0.
  kFaster,
  kSlower,
};
Speed SpeedOf(const report::Comparison& comparison);
/// The word for each value of Speed: "slower", "no significant change", "not comparable", …
std::string_view SpeedWord(const report::Comparison& comparison);
/// The change of one metric, with its word: "Median iteration time: 177 ms → 127 ms, −27.6 % (98 %
/// CI −37.9 % to −15.4 %): faster". If iteration time has no limit, the means of both runs, without
/// an interval.
std::string ChangeSentence(const report::Comparison& comparison);
/// How the work of two runs differs most: "2 kernels per iteration fewer (5 → 3)", else what is
/// gone and new; empty if neither is known.
std::string WorkText(const report::Comparison& comparison);
/// The change that explains a missed limit, with its evidence: "every kernel
/// takes 8.4 % longer: …; driver 550.54 → 560.28". Empty if no limit is missed.
std::string MovementText(const report::Report& report);
/// " of rank 3" if the waterfall describes only one rank; else empty.
std::string OfRank(const report::Comparison& comparison);
/// The percentage in ChangeSentence(), "−27.6 %"; empty if it has none.
std::string TestedChange(const report::Comparison& comparison);
/// The sign and CSS class that belong to SpeedWord().
struct SpeedLook {
  std::string_view sign, name;
};
SpeedLook LookOfSpeed(const report::Comparison& comparison);
/// -1 if a metric certainly fell, 1 if it certainly rose, else 0. A change is certain if its
/// interval excludes 0. The result is 0 for a metric that is not in Comparison::metrics.
int CertainChange(const report::Comparison& comparison, std::string_view metric);
/// True if at least one part is significant, so that the mark needs a legend.
bool HasSignificant(const report::Comparison& comparison);
/// The change of the mean: "+350 µs", "±0"; "–" if there are no times.
std::string TotalChange(const report::Comparison& comparison);
/// A count per iteration: "1 462", "2.5"; "–" for 0.
std::string PerIteration(double count);
/// The interval: "[+46.6 %, +57.3 %]"; empty if there is none.
std::string IntervalText(const report::ComparedMetric& metric);
/// The interval in words: "−37.9 % to −15.4 %". One text if both ends look equal in these digits.
std::string RangeOfChange(const report::ComparedMetric& metric);
/// The baseline: "main, the median of 3 runs"; for a single run, only its name.
std::string BaselineText(const report::Comparison& comparison);

/// One bar of the waterfall. Its ends are times on an axis from 0.
struct ChangeBar {
  std::string title;
  std::int64_t from = 0, to = 0;
  bool is_total = false;
  /// The length of a change or of a total.
  std::int64_t Length() const { return is_total ? to : to - from; }
};
/// The bars: the base, the changed categories, largest change first, the current run. Each bar
/// starts where the bar before it ends. A bar may go down.
///
///   base       |==================|  177 ms    from 0
///   GPU idle   |              ====|  -40 ms    from 177 to 137
///   copies     |              =   |  +10 ms    from 137 to 147
///   current    |===============   |  147 ms    from 0
std::vector<ChangeBar> WaterfallBars(const report::Comparison& comparison);

/// A row of the tree of changes; `depth` 0 is a category. `step` points into the comparison. Rows
/// that do not matter are omitted.
struct ChangeRow {
  const report::ComparisonStep* step = nullptr;  ///< nullptr: a sum of smaller parts.
  std::int64_t delta = 0;
  std::size_t depth = 0;
  std::size_t smaller = 0;  ///< Number of summed parts.
};
struct ChangeTreeOptions {
  double least_share = 0.03;      ///< Below this share of the largest category, summed.
  std::size_t most_children = 5;  ///< Most rows below one part.
};
/// The tree from categories down, largest change first. The rows below a part, with the sum of
/// smaller ones, add up to it.
///
///   GPU kernels            +30 ms     depth 0
///     convolution          +25 ms     depth 1
///     3 smaller             +5 ms     depth 1, step nullptr, smaller 3
std::vector<ChangeRow> ChangeTree(const report::Comparison& comparison,
                                  const ChangeTreeOptions& options);

/// The waterfall as SVG, with text and numbers beside each bar. Empty if nothing changed.
std::string SvgWaterfall(const report::Comparison& comparison);

}  // namespace profgauge::render
