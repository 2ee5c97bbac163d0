// Parts of the page that several of its views share.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/table.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "report/runs.h"

namespace profgauge::render::html {

// The parts that the dashboard's panels are made of.

/// A panel without content: every name that the template asks for, all empty. Its title is in the
/// words of the report's devices. LeaveEmpty() where there is nothing to fill in.
boost::json::object MakePanel(const report::Report& report, std::string_view id,
                              std::string_view title);

/// A line of a panel: a swatch of color, a label, a number and a remark; each may be empty. The
/// definition of `metric`, if it is one, is shown where the reader points at the label.
boost::json::object PanelRow(std::string swatch, std::string_view label, boost::json::object number,
                             std::string_view about, std::string_view metric = {});

/// A panel that has nothing to show, with why.
void LeaveEmpty(boost::json::object& panel, std::string_view reason);
bool IsEmptyPanel(const boost::json::object& panel);

boost::json::object TopOpsPanel(const report::Report& report);
boost::json::object TopHostOpsPanel(const report::Report& report);
boost::json::object SystemPanel(const report::Report& report);
boost::json::object GuidancePanel(const report::Report& report);
/// The cards of a NeuronCore's summary; none for other devices.
std::vector<boost::json::object> NeuronPanels(const report::Report& report);

// The parts of a rank's iterations, as the tables of ranks have them, with their colors.

struct RankPart {
  std::string_view column, label;
  Paint paint;
};
/// No category: both together.
inline constexpr Paint kBothPaint = {"k-both", "#7E6BB5", "#fff"};
/// As the table of ranks has them; they add up to the rank's iterations.
inline constexpr std::array<RankPart, 8> kRankParts = {
    {{"compute_only", "computing", PaintOf(Category::kOtherKernel)},
     {"overlapped", "computing and communicating", kBothPaint},
     {"transfer_exposed", "transferring", PaintOf(Category::kCommunication)},
     {"waiting_exposed", "waiting for ranks", PaintOf(Category::kWait)},
     {"copy", "copying", PaintOf(Category::kMemcpy)},
     {"dataloader", "data loader", PaintOf(Category::kDataLoader)},
     {"host_time", "host", PaintOf(Category::kCpu)},
     {"unattributed", "unattributed", PaintOf(Category::kOther)}}};

// Which columns of a table the page shows, and in which order.

struct ColumnChoice {
  std::vector<const Column*> shown;  ///< Names of a row first; fits a window of 1 400 px.
  std::vector<const Column*> extra;  ///< One click away where scripts run.
  std::vector<std::pair<std::string, std::string>> gaps;  ///< Absent ones: title, reason.
  std::string constants;  ///< "Rank 0, GPU 0": columns of places that say the same in every row.
};
/// Which columns are shown: those of the table's look, in its order, else names, the sort column,
/// numbers, wide texts; as many as fit a window of 1 400 px, at least one. `by`: the column that
/// rows are sorted by, or nullptr. Pointers are into `table`.
///
///   all columns -> without value: gaps     -> one place for all rows: constants
///               -> by look or Arrange()    -> until kWindow is full: shown, the rest: extra
ColumnChoice ChooseColumns(const Table& table, const Column* by);

/// Texts and yes/no are on the left.
bool IsLeft(Unit unit);

// The common view of the page of several runs.

/// A row for each run: its verdict, its mean iteration, the change against each earlier run with
/// the id of the comparison ("p1" for the first pair).
boost::json::array RunRowsView(const report::Runs& runs);

/// Where an iteration of each run goes, on one scale, and all metrics with a column for each run:
/// those in which the runs differ come first.
boost::json::object TogetherView(const report::Runs& runs);

}  // namespace profgauge::render::html
