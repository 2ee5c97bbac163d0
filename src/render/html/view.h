// The view of a report that templates/html draws: the report's facts as JSON, each number as text
// with its exact value beside it, in the order of the page.
//
// All names are always there. A missing part of a report is an empty string or an empty list, so
// that a template asks {{#name}}.
//
// A number is {text, exact, absent}; a list has a flag `has_…` where a template needs to know that
// it is not empty. The functions below return one part each; PageView() joins them. The page:
//
//   +----------+------------------------------------------------+
//   | sections | header     verdict, name, first screen         |  VerdictView, FirstView, RunView
//   |          | findings   each with advice and evidence       |  FindingsView
//   |          | timeline   overview, replaced by scripts       |  OverviewView
//   |          | path       critical path, scenarios            |  PathView
//   |          | breakdown  parts of an iteration               |  BreakdownView
//   |          | dashboard  panels                              |  PanelsView
//   |          | tables     rows here, more in the payload      |  TablesView
//   |          | ranks, iterations, memory, change              |  RanksView, IterationsView, …
//   |          | limits, quality, environment, definitions      |  GateView, NotesView
//   +----------+------------------------------------------------+
//   | payload, timeline data, scripts                           |  TablePacker, PackTimeline
//
// Without scripts all of it can be read except the payload and the timeline; with them tables are
// sorted and filtered, too.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rich_text.h"
#include "render/shared/change.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "report/report.h"

namespace profgauge::render::html {

/// Rows of a table that are in the page itself, for readers without scripts: of operators and
/// kernels, of the other tables that most look for, of the rest. The table states the number of
/// missing rows.
inline constexpr std::size_t kStaticRows = 100;
inline constexpr std::size_t kStaticRowsOfMain = 40;
inline constexpr std::size_t kStaticRowsOfOthers = 10;
inline constexpr std::size_t kLeastStaticRows = 3;
/// For a tree, the rows of the most time; their ancestors are among them.
inline constexpr std::size_t kStaticRowsOfTrees = 16;
/// Bytes of a table's rows with names whole; past them, rows have short names and bare numbers.
inline constexpr std::size_t kStaticBytes = 4'600;
inline constexpr std::size_t kStaticBytesOfMain = 1'200;
inline constexpr std::size_t kStaticBytesOfOthers = 600;
inline constexpr std::size_t kStaticBytesOfTrees = 1'400;
/// Tables of at most this many cells have all columns without scripts too.
inline constexpr std::size_t kSmallCells = 120;
/// Rows of a table that travel with the page for report.js.
inline constexpr std::size_t kPayloadRows = 100'000;
/// The same in a page without a timeline, which is to stay small enough for mail: of the tables
/// that most look for, of the others, and of trees.
inline constexpr std::size_t kSmallPayloadRows = 200;
inline constexpr std::size_t kSmallPayloadRowsOfOthers = 12;
/// Of tables by iteration, of which scripts sum a chosen rank and range; above it they cannot.
inline constexpr std::size_t kSummedRows = 20'000;
/// From so many ranks on, a page without a timeline has these of each rank.
inline constexpr std::size_t kManyRanks = 32, kRowsOfEachRank = 24;
inline constexpr std::size_t kSmallPayloadRowsOfTrees = 80;
/// Cells that such a page has room for, of all tables together: about 90 kB of it.
inline constexpr std::size_t kPayloadCells = 30'000;
/// Up to this many ranks have a bar each; for more, percentiles are shown, and the extremes by
/// name.
inline constexpr std::size_t kRankBars = 32;
/// Files that a page lists one by one.
inline constexpr std::size_t kListed = 24;

struct ComparisonLimits {
  std::size_t paired_rows = 60;        ///< Paired kernels and ops.
  ChangeTreeOptions tree = {0.01, 6};  ///< Parts of the change.
  bool has_values = true;              ///< All metrics side by side.
};

/// Bus bandwidth over the size of messages.
boost::json::object BandwidthView(const report::Report& report);

/// Draws the table `sbuf_allocations` into its view: `charts` and `charts_note`.
void AddSbufCharts(const Table& table, bool several_ranks, boost::json::object& view);
/// The panels of the dashboard, and those that the profile has nothing for, with why.
struct Panels {
  boost::json::array shown;
  std::vector<std::pair<std::string, std::string>> absent;  ///< Title, reason.
};
Panels PanelsView(const report::Report& report);

inline constexpr std::size_t kFold = 84;

/// All of the above: the data of page.html, except for style, script and policy.
boost::json::object PageView(const report::Report& report, const ComparisonLimits& limits = {});

/// A text of the page, which may name parts of a device as `{{ device.core }}`, in the words of the
/// report's devices.
std::string WordsOf(const report::Report& report, std::string_view text);

/// "2026-03-01T12:00:00Z" as people read it: "2026-03-01 12:00:00 UTC"; other texts as they are.
std::string DateText(std::string_view iso);

/// A long text as the page folds it: `head`…`tail` is seen, `head` + `rest` is all of it. `rest` is
/// empty for short ones, which are whole in `head`. Views into the text that was folded.
struct Folded {
  std::string_view head, rest, tail;
};
Folded Fold(std::string_view text, std::size_t most = kFold);

/// A short form of a long name: without the common prefix of most kernels' names ("void
/// at::native::"), and with its middle cut.
std::string CutName(std::string_view text, std::size_t most);
/// The same for the names of a column, so that different ones look different.
std::map<std::string, std::string> CutNames(const std::set<std::string>& names, std::size_t most);

/// The missing parts, by reason: [{titles: "Runtime calls, Host", reason: [pieces],
/// sep}]. `sep` is before all but the first. A reason's pieces are {text, code}: words between
/// backticks are code.
boost::json::array AbsentView(const std::vector<std::pair<std::string, std::string>>& absent);
boost::json::array PiecesOf(std::string_view text);
/// The same of a text that has its parts.
boost::json::array PiecesOf(const RichText& parts);

/// {text, exact, absent}: `exact` is empty when `text` says it all.
boost::json::object NumberView(const report::Quantity& quantity);
boost::json::object NumberView(const Value& value, Unit unit);

/// The exact value for a cell's title; empty when its text has all digits already. Reals have nine
/// digits there.
std::string ExactTitle(const Value& value, Unit unit, std::string_view text);

/// The metric if it has a value; nullptr when the report has no such metric or it is absent.
/// O(metrics). report::FindMetricById() also finds absent ones, for their reason.
const report::Metric* FindMetric(const report::Report& report, std::string_view id);
/// A metric's value in its base unit; `otherwise` where there is none.
double MetricOr(const report::Report& report, std::string_view id, double otherwise);
/// nullptr for a table that is not there or has no columns.
const Table* FindTable(const report::Report& report, std::string_view id);

}  // namespace profgauge::render::html
