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

/// The status as sign and word, counts, policy and baseline. The reasons are listed only where no
/// other part of the first screen says them.
boost::json::object VerdictView(const report::Report& report);
/// The hero number, diagnosis, an iteration now and the plan as a waterfall, else what to do first;
/// a line about the profile. All steps of a plan; at most kFirstSteps limits and findings.
boost::json::object FirstView(const report::Report& report);
/// The color of a part of an iteration: the strong one for the cause that the headline names.
Paint PaintIn(const report::Report& report, Category category);
/// Whether the first screen has something to do.
bool HasFirstRows(const report::Report& report);
/// {sign, word, name}.
boost::json::object StatusView(report::State state);
/// Where a rule's finding is in the page: "f-gpu-idle" for "gpu/idle". Two rules whose ids differ
/// only in other signs would share one.
std::string AnchorOf(std::string_view rule);
/// Name, facts, files and lost data of the run. Devices and iterations are always said, other facts
/// only where the profile states them. At most kListed files are named; the others are counted.
boost::json::object RunView(const report::Report& report);
/// The limits, by weight. Two limits of one metric at both levels are one row where nothing else
/// distinguishes them; limits that do not apply or were skipped fold up, each with its reason.
///
///   warn  | time per iteration | 1.2 s |
///   error | time per iteration | 1.2 s |   ->  one row, with both limits and one meter
boost::json::object GateView(const report::Report& report);
struct ComparisonLimits {
  std::size_t paired_rows = 60;        ///< Paired kernels and ops.
  ChangeTreeOptions tree = {0.01, 6};  ///< Parts of the change.
  bool has_values = true;              ///< All metrics side by side.
};
/// The change against the baseline. `known` is false without a comparison; the lists are empty
/// then.
boost::json::object ComparisonView(const report::Report& report,
                                   const ComparisonLimits& limits = {});
/// All rules in four lists: fired, waived, passed, not applicable. Rules that cannot be evaluated
/// are among the fired ones. A long name is whole where it is first shown: findings are to be drawn
/// in this order.
boost::json::object FindingsView(const report::Report& report);
/// Long names that the page has whole elsewhere: in its findings, in its table of kernels.
using SeenNames = std::set<std::string_view>;
/// Long names that the table of kernels has whole; none where the page may not have all of its
/// rows.
SeenNames NamesOfKernels(const report::Report& report);
/// Columns of the evidence that have a value in some row.
std::vector<std::size_t> EvidenceColumns(const report::Finding& finding);
/// Rows of evidence, at most `max_rows`, fewer where they would need too many bytes. Texts refer to
/// `finding`. `seen` gets the long names that are shown whole here, so that later ones are cut.
/// Each row has the interval that it is of, "start,end,rank" in ns, for links into the timeline.
boost::json::array EvidenceRows(const report::Report& report, const report::Finding& finding,
                                std::size_t max_rows, SeenNames& seen);
/// DLProf's own advice: [{problem, pieces: [{text, href}]}].
boost::json::array DlprofAdviceView(const report::Report& report);
/// The parts of an iteration: a row for each part, a bar for each rank where these are few enough.
/// Parts that the profile cannot measure have no row, but a reason in `absent`. `known` is false
/// where nothing was measured.
boost::json::object BreakdownView(const report::Report& report);
/// Chart, facts and table of the iterations. The second chart has also those that were not
/// selected. No chart for a single iteration, as it is the breakdown's bar.
boost::json::object IterationsView(const report::Report& report, TablePacker& payload);
/// The iterations' chart as small as a panel.
std::string IterationSketch(const report::Report& report);
/// The slowest and a typical iteration on one axis, with the events that the plan's findings cite:
/// a picture for the first screen. Empty without a timeline.
boost::json::object StripView(const report::Report& report);
/// The slowest iteration as a picture with its table, from the timeline's events, for readers
/// without scripts.
boost::json::object OverviewView(const report::Report& report);
/// The allocator's curve of each device, accelerators first, and the peaks. At most eight charts;
/// `more` counts the others.
boost::json::object MemoryView(const report::Report& report);
/// Ranks side by side: lateness and waiting by iteration, percentiles beyond kRankBars, extremes.
boost::json::object RanksView(const report::Report& report);
/// Bus bandwidth over the size of messages.
boost::json::object BandwidthView(const report::Report& report);
/// The critical path by kind, and the scenarios of the policy.
boost::json::object PathView(const report::Report& report);
/// Draws the table `sbuf_allocations` into its view: `charts` and `charts_note`.
void AddSbufCharts(const Table& table, bool several_ranks, boost::json::object& view);
/// The panels of the dashboard, and those that the profile has nothing for, with why.
struct Panels {
  boost::json::array shown;
  std::vector<std::pair<std::string, std::string>> absent;  ///< Title, reason.
};
Panels PanelsView(const report::Report& report);
/// The tables but `iterations` and those that another section has, the important ones first. Their
/// rows that do not fit into the page are added to `payload`.
boost::json::array TablesView(const report::Report& report, TablePacker& payload);
/// Environment, import log, definitions, provenance, absent tables, remarks.
boost::json::object NotesView(const report::Report& report);
/// All metrics with their definitions, and those that are absent by reason: definitions.html, which
/// NotesView has packed.
boost::json::object DefinitionsView(const report::Report& report);

inline constexpr std::size_t kFold = 84;

/// How much of a table is in the page. Rows are cut by number first, then by bytes; rows that are
/// cut travel in the payload where there is one.
struct TableLimits {
  std::size_t rows = 0;               ///< Rows in the page; fewer where their names are long.
  std::size_t payload_rows = 0;       ///< Rows that travel along when the page does not have all.
  bool always_packs = false;          ///< Its rows open to others where scripts run.
  std::size_t bytes = 0;              ///< Bytes of the rows in the page; 0: as their number says.
  std::string_view docs_of = {};      ///< Table that its columns are of; empty: itself.
  std::string_view accelerator = {};  ///< For the words of definitions.
  std::size_t fold = kFold;           ///< Texts of more characters fold up.
  /// Names of iterations that are not their position; may be nullptr.
  const std::map<std::int64_t, std::string>* iterations = nullptr;
};
/// One table. A rank or GPU that is the same in every row goes to its note. Rows that are to travel
/// along are added to `payload`, if there is one; without one, every column is in the page.
///
///   rows of the table     0 ......... limits.rows ......... limits.payload_rows ......... all
///   in the page           |-- markup --|
///   in the payload        |----------- packed columns -----------|
///   elsewhere                                                    |-- report.json, workbook --|
///
/// The heaviest rows come first (report::HeaviestColumn); a tree keeps its order, and shows the
/// ancestors of each row that it shows.
boost::json::object TableView(const Table& table, const TableLimits& limits,
                              TablePacker* payload = nullptr);

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
