// The view of a run in a comparison: the contents of an iteration, and its events.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.h"
#include "base/table.h"
#include "profgauge/profgauge.h"
#include "report/report.h"

namespace profgauge {

/// The picture of its first rank.
struct RunPicture {
  bool is_summarized = false;  ///< Known by summaries: there are no events to show.
  std::optional<Table> tree;   ///< `op_tree`; nothing where the profile has no host operators.
  report::Timeline timeline;
  Ns iteration_start = 0;  ///< Start of the tree's iteration, which is nearest the median.
};

/// `analysis` is of these ranks and `selection`. `events`: how many the timeline holds, half as
/// many as of one run. REQUIRES: `ranks` is not empty.
RunPicture PictureOf(std::span<const Profile> ranks, const Analysis& analysis,
                     const Selection& selection, EventsInPage events);

/// Puts the table `tree_change` and the timelines of both runs, iteration beside iteration, into
/// the report of their comparison; parts that one of them does not have are skipped.
void AddPictures(RunPicture base, RunPicture current, report::Report& comparison);

}  // namespace profgauge
