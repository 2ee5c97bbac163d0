// What is kept of one rank, and how it is written into the columns of a summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/communication/rank_facts.h"
#include "analysis/context/context.h"
#include "analysis/time/run_iterations.h"
#include "model/summary/summary.h"

namespace profgauge {

struct RankSummary {
  Profile profile;        ///< Without events: where it came from, devices, groups, facts, log.
  std::string selection;  ///< SelectionText() that it was made with.
  Iterations iterations;  ///< The selected ones only, as all there are.
  std::vector<GpuUse> gpus;
  IterationFacts times;
  RankFacts communication;
};

/// What a selection chooses and the project knows, in one line; equal texts mean equal choices.
/// `rank` is no part of it: that chooses among summaries.
std::string SelectionText(const Selection& selection);

Summary Summarize(const RankContext& rank, const Selection& selection);
/// Nothing when columns are missing or disagree. Its profile stands for the summary.
std::optional<RankSummary> ReadRankSummary(const Summary& summary, const std::string& path);

}  // namespace profgauge
