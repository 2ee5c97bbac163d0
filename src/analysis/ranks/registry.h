// The one list of analyses. Four walks use this list: a run from its events, profiles with only
// sums, the rows that a summary keeps of a rank, and a run from summaries.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/ops/op_tables.h"
#include "analysis/ranks/kept_tables.h"
#include "analysis/ranks/rank_summary.h"

namespace profgauge::analysis::ranks {

/// A run of which summaries are known. Each analysis takes its facts out of `ranks`.
struct SummarizedRun {
  std::span<const iterations::RankContext> contexts;  ///< As far as summaries have them: no events.
  std::vector<RankSummary>& ranks;
  ops::OpPool ops;
  TablePool tables;
};

/// When an analysis runs. Those of one stage run side by side, in any order.
enum class Stage : std::uint8_t {
  kExposed,  ///< Its rows have exposures (breakdown/row_exposures.h), which come in stage kOther.
  kOther,
};

/// One analysis and its forms for the kinds of inputs. A null form means that it does not apply.
struct AnalysisRow {
  using OfRanks = void (*)(std::span<const iterations::RankContext>, catalog::Output&);

  std::string_view id;
  Stage stage = Stage::kOther;
  OfRanks of_events = nullptr;
  /// For a profile without times; nullptr: such a profile has no data for it.
  OfRanks of_sums = nullptr;
  /// For a summarized run; nullptr: summaries keep nothing of it except rows of its tables.
  void (*of_summaries)(SummarizedRun&, catalog::Output&) = nullptr;
  bool keeps_rows = false;  ///< Rows of its tables are kept of each rank: ranks/kept_tables.h.
};

/// The longest first in each stage. None reads the results of others.
std::span<const AnalysisRow> Analyses();

/// The last step, for a run with times: work at its edges, numbers without the profiler, conditions
/// of the device, and the doubts that follow from lost launches and whole graphs. Returns the
/// unrecorded iterations that judge the run; null: none do.
std::shared_ptr<const trust::JudgedSteps> MarkRun(std::span<const iterations::RankContext> ranks,
                                                  std::span<const trust::EdgeFacts> edges,
                                                  catalog::Output& out);

}  // namespace profgauge::analysis::ranks
