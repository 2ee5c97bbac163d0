#include "api/run_picture.h"

#include <algorithm>
#include <utility>

#include "analysis/context/iterations.h"
#include "model/summary/summary.h"
#include "report/timeline.h"
#include "report/timeline_pair.h"
#include "report/tree_change.h"

namespace profgauge {
namespace {

// When the iteration begins that the tree is of; without a tree, the first selected one.
Ns IterationStart(const Profile& profile, const Selection& selection, const RunPicture& picture) {
  const auto iterations = FindIterations(profile, selection);
  if (!iterations) return 0;
  std::size_t position = iterations->first;
  if (picture.tree && picture.tree->rows() > 0) {
    const Value recorded = picture.tree->At(0, "iteration");
    if (const auto* number = std::get_if<std::int64_t>(&recorded)) {
      position = static_cast<std::size_t>(std::max<std::int64_t>(0, *number));
    }
  }
  return iterations->all[std::min(position, iterations->all.size() - 1)].time.start;
}

}  // namespace

RunPicture PictureOf(std::span<const Profile> ranks, const Analysis& analysis,
                     const Selection& selection, EventsInPage events) {
  RunPicture picture;
  picture.is_summarized = std::any_of(ranks.begin(), ranks.end(), IsSummary);
  if (picture.is_summarized) return picture;
  if (const Table* tree = analysis.FindTable("op_tree")) picture.tree = *tree;
  report::TimelineOptions options;
  using Mode = report::TimelineOptions::Mode;
  options.mode = events == EventsInPage::kAll    ? Mode::kFull
                 : events == EventsInPage::kNone ? Mode::kOff
                                                 : Mode::kAuto;
  options.budget /= 2;
  options.knowledge = selection.knowledge;
  for (const auto& [name, time] : selection.marks) options.marks.push_back({name, time});
  picture.timeline = report::BuildTimeline(ranks.first(1), {}, options);
  picture.iteration_start = IterationStart(ranks.front(), selection, picture);
  return picture;
}

void AddPictures(RunPicture base, RunPicture current, report::Report& comparison) {
  if (base.tree && current.tree && comparison.comparison) {
    comparison.tables.push_back(
        report::AlignTrees(*base.tree, *current.tree, comparison.comparison->accelerator));
  }
  if (base.timeline.empty() || current.timeline.empty()) return;
  comparison.timeline =
      report::StackTimelines({std::move(base.timeline), base.iteration_start, "base"},
                             {std::move(current.timeline), current.iteration_start, "this run"});
}

}  // namespace profgauge
