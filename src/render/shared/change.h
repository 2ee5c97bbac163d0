// Shared by all renderings of a comparison: its words, its tree, and the bars of its waterfall. A
// renderer lays them out and computes nothing, so that page, terminal and workbook cannot disagree
// about a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

/// Whether the report is nothing but a comparison: that of `compare`.
bool IsComparisonAlone(const report::Report& report);

/// "GPU model" for "gpu"; the property itself when it has no title.
std::string PropertyTitle(std::string_view property, const report::Comparison& comparison);
/// A property's value for people: "not recorded" when empty.
std::string PropertyText(std::string_view value);

/// A step's name: titles of categories, names of ops and kernels.
std::string StepTitle(const report::ComparisonStep& step, const report::Comparison& comparison);

/// How the result of a compared metric looks; `name` is a CSS class.
struct ResultLook {
  std::string_view sign, word, name;
};
ResultLook LookOfResult(const report::ComparedMetric& metric);

/// "added", "removed", "renamed"; empty for parts of both runs.
std::string_view ChangeWord(gate::PartChange change);

/// "+60.1 %" of the mean iteration time; empty when the base is 0.
std::string RelativeText(const report::Comparison& comparison);
/// Whether both runs have iteration times; without, nothing can be said about speed.
bool HasTimes(const report::Comparison& comparison);
/// The comparison's statement on speed. A word needs an interval that excludes 0: "slower" is a
/// claim about the program, not about two runs.
enum class Speed : std::uint8_t {
  kNoTimes,        ///< A run has no iteration times.
  kNotComparable,  ///< The lengths are of different amounts of time.
  kOtherWork,      ///< An iteration does other work, or less.
  kNotTested,      ///< No limit on the iteration time, or too few of them for an interval.
  kSame,           ///< Exactly the same times.
  kUndecided,      ///< The interval holds 0.
  kFaster,
  kSlower,
};
Speed SpeedOf(const report::Comparison& comparison);
/// "slower", "no significant change", "not comparable"… One for each Speed.
std::string_view SpeedWord(const report::Comparison& comparison);
/// "Median iteration time: 177 ms → 127 ms, −27.6 % (98 % CI −37.9 % to −15.4 %): faster": one
/// change, named, with the word. Without a limit on the iteration time the means of both runs,
/// without an interval.
std::string ChangeSentence(const report::Comparison& comparison);
/// "all_alike: every kernel takes 8.4 % longer: …; driver 550.54 → 560.28": the kind of movement
/// behind a missed limit, with its evidence; empty where every limit is kept.
std::string MovementText(const report::Report& report);
/// " of rank 3", where the waterfall is of one rank.
std::string OfRank(const report::Comparison& comparison);
/// The percentage in it: "−27.6 %"; empty without one.
std::string TestedChange(const report::Comparison& comparison);
/// The sign and the CSS class that go with the word.
struct SpeedLook {
  std::string_view sign, name;
};
SpeedLook LookOfSpeed(const report::Comparison& comparison);
/// Whether the change of a metric is certain: -1 it falls, 1 it rises, 0 no one knows. Certain are
/// changes whose interval excludes 0. A metric that is not in Comparison::metrics is 0.
int CertainChange(const report::Comparison& comparison, std::string_view metric);
/// Whether any part is significant, so that the mark needs its legend.
bool HasSignificant(const report::Comparison& comparison);
/// "+350 µs", "±0"; "–" without times.
std::string TotalChange(const report::Comparison& comparison);
/// A count per iteration: "1 462", "2.5"; "–" for none.
std::string PerIteration(double count);
/// "[+46.6 %, +57.3 %]", empty without an interval.
std::string IntervalText(const report::ComparedMetric& metric);
/// "−37.9 % to −15.4 %"; one text where both ends read the same, as beyond what is shown in digits.
std::string RangeOfChange(const report::ComparedMetric& metric);
/// "main, the median of 3 runs"; of a single run only its name.
std::string BaselineText(const report::Comparison& comparison);

/// One bar of the waterfall: both ends are times from 0.
struct ChangeBar {
  std::string title;
  std::int64_t from = 0, to = 0;
  bool is_total = false;
  /// The change, or the total.
  std::int64_t Length() const { return is_total ? to : to - from; }
};
/// The base, then the categories that changed, the largest first, then the current run. Each bar
/// begins where the one before ends; bars may go down.
///
///   base       |==================|  177 ms    from 0
///   GPU idle   |              ====|  -40 ms    from 177 to 137
///   copies     |              =   |  +10 ms    from 137 to 147
///   current    |===============   |  147 ms    from 0
std::vector<ChangeBar> WaterfallBars(const report::Comparison& comparison);

/// A row of the tree of changes; `depth` counts from 0, the categories. `step` points into the
/// comparison. Rows that say little are left out.
struct ChangeRow {
  const report::ComparisonStep* step = nullptr;  ///< nullptr: the sum of smaller ones.
  std::int64_t delta = 0;
  std::size_t depth = 0;
  std::size_t smaller = 0;  ///< How many steps are summed up.
};
struct ChangeTreeOptions {
  double least_share = 0.03;      ///< Share of the largest category: smaller steps are summed up.
  std::size_t most_children = 5;  ///< Steps shown below one.
};
/// The tree from the categories down, largest change first. Steps of one parent, with their sum of
/// smaller ones, add up to it.
///
///   GPU kernels            +30 ms     depth 0
///     convolution          +25 ms     depth 1
///     3 smaller             +5 ms     depth 1, step nullptr, smaller 3
std::vector<ChangeRow> ChangeTree(const report::Comparison& comparison,
                                  const ChangeTreeOptions& options);

/// The waterfall as SVG, text and numbers beside each bar. Empty when nothing changed.
std::string SvgWaterfall(const report::Comparison& comparison);

}  // namespace profgauge::render
