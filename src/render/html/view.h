// The view of a report for templates/html: its facts as JSON in the order of the page. Numbers are
// text, beside the exact value.
//
// All names always exist. A missing part is an empty string or list, which a template tests with
// {{#name}}.
//
// A number is {text, exact, absent}. A list has a flag `has_…` if a template must know that it is
// not empty. Each function below makes one part, and PageView() joins them. The page:
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
// Without scripts, everything is readable except the payload and the timeline. With scripts, tables
// can also be sorted and filtered.
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

/// Most rows of a table in the page itself, for readers without scripts: of operators and kernels,
/// of other important tables, and of the rest. The table counts the missing rows.
inline constexpr std::size_t kStaticRows = 100;
inline constexpr std::size_t kStaticRowsOfMain = 40;
inline constexpr std::size_t kStaticRowsOfOthers = 10;
inline constexpr std::size_t kLeastStaticRows = 3;
/// Most rows of a tree in the page itself: those with most time, whose ancestors are among them.
inline constexpr std::size_t kStaticRowsOfTrees = 16;
/// Bytes for rows with whole names. Later rows have short names and no exact values.
inline constexpr std::size_t kStaticBytes = 4'600;
inline constexpr std::size_t kStaticBytesOfMain = 1'200;
inline constexpr std::size_t kStaticBytesOfOthers = 600;
inline constexpr std::size_t kStaticBytesOfTrees = 1'400;
/// A table with at most this many cells shows all columns, also without scripts.
inline constexpr std::size_t kSmallCells = 120;
/// Most rows of a table in the payload for report.js.
inline constexpr std::size_t kPayloadRows = 100'000;
/// Most rows of a table in the payload if the page has no timeline, because it must stay small
/// enough for mail: of important tables, of others, and (below) of trees.
inline constexpr std::size_t kSmallPayloadRows = 200;
inline constexpr std::size_t kSmallPayloadRowsOfOthers = 12;
/// Most rows of a table by iteration, which scripts sum for a chosen rank and range. A larger table
/// offers no choice.
inline constexpr std::size_t kSummedRows = 20'000;
/// With more than kManyRanks ranks, a page without a timeline has this many rows of each rank.
inline constexpr std::size_t kManyRanks = 32, kRowsOfEachRank = 24;
inline constexpr std::size_t kSmallPayloadRowsOfTrees = 80;
/// Most cells of all tables in a page without a timeline, about 90 kB.
inline constexpr std::size_t kPayloadCells = 30'000;
/// Most ranks that have a bar each. If there are more, percentiles and extreme ranks are shown.
inline constexpr std::size_t kRankBars = 32;
/// Most files that a page lists.
inline constexpr std::size_t kListed = 24;

struct ComparisonLimits {
  std::size_t paired_rows = 60;        ///< Most paired kernels and ops.
  ChangeTreeOptions tree = {0.01, 6};  ///< How deep the tree of changes goes.
  bool has_values = true;              ///< True: lists all metrics of both runs.
};

/// The bus bandwidth by message size.
boost::json::object BandwidthView(const report::Report& report);

/// Adds charts of the table `sbuf_allocations` to its view: `charts` and `charts_note`.
void AddSbufCharts(const Table& table, bool several_ranks, boost::json::object& view);
/// The panels of the dashboard, and the missing ones with reasons.
struct Panels {
  boost::json::array shown;
  std::vector<std::pair<std::string, std::string>> absent;  ///< Titles and reasons.
};
Panels PanelsView(const report::Report& report);

inline constexpr std::size_t kFold = 84;

/// Joins all parts: the data of page.html without style, script and policy.
boost::json::object PageView(const report::Report& report, const ComparisonLimits& limits = {});

/// A text of the page, in which `{{ device.core }}` etc. are replaced by words for this report's
/// devices.
std::string WordsOf(const report::Report& report, std::string_view text);

/// A date for people: "2026-03-01 12:00:00 UTC" for "2026-03-01T12:00:00Z". Other texts stay.
std::string DateText(std::string_view iso);

/// A long text that the page folds: it shows `head`…`tail`; `head` + `rest` is the whole text. For
/// a short text, `head` is the whole and `rest` is empty. All point into the folded text.
struct Folded {
  std::string_view head, rest, tail;
};
Folded Fold(std::string_view text, std::size_t most = kFold);

/// A short form of a long name, without the prefix of most kernel names ("void at::native::") and
/// without its middle.
std::string CutName(std::string_view text, std::size_t most);
/// Short forms of the names in a column. Different names keep different forms.
std::map<std::string, std::string> CutNames(const std::set<std::string>& names, std::size_t most);

/// Missing parts by reason: [{titles: "Runtime calls, Host", reason: [pieces], sep}]. `sep` is
/// before every element but the first. A piece is {text, code}: words in backticks are code.
boost::json::array AbsentView(const std::vector<std::pair<std::string, std::string>>& absent);
boost::json::array PiecesOf(std::string_view text);
/// The pieces of a text with parts, as {text, code}.
boost::json::array PiecesOf(const RichText& parts);

/// {text, exact, absent}; `exact` is empty if `text` is exact.
boost::json::object NumberView(const report::Quantity& quantity);
boost::json::object NumberView(const Value& value, Unit unit);

/// The exact value for a cell's title; empty if the text has all digits. Reals get nine digits.
std::string ExactTitle(const Value& value, Unit unit, std::string_view text);

/// The metric if it has a value; nullptr if it is missing or absent. report::FindMetricById() also
/// finds absent metrics, which have a reason. O(metrics).
const report::Metric* FindMetric(const report::Report& report, std::string_view id);
/// A metric's value in its base unit; `otherwise` if it has none.
double MetricOr(const report::Report& report, std::string_view id, double otherwise);
/// The table if it has columns; else nullptr.
const Table* FindTable(const report::Report& report, std::string_view id);

}  // namespace profgauge::render::html
