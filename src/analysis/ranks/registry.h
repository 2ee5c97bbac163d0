// The only list of analyses. It serves four cases: a run with events, profiles with only sums, the
// rows that a summary stores of a rank, and a run from summaries.
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

/// A run known from summaries. Each analysis moves its facts out of `ranks`.
struct SummarizedRun {
  std::span<const iterations::RankContext> contexts;  ///< Without events.
  std::vector<RankSummary>& ranks;
  ops::OpPool ops;
  TablePool tables;
};

/// When an analysis runs. Those of one stage run in parallel, in any order.
enum class Stage : std::uint8_t {
  kExposed,  ///< Its rows have exposures (breakdown/row_exposures.h), which come in stage kOther.
  kOther,
};

/// An analysis, with one function per kind of input. Null means not applicable.
struct AnalysisRow {
  using OfRanks = void (*)(std::span<const iterations::RankContext>, catalog::Output&);

  std::string_view id;
  Stage stage = Stage::kOther;
  OfRanks of_events = nullptr;
  /// For a profile without times; nullptr: it has no data for this analysis.
  OfRanks of_sums = nullptr;
  /// For a run from summaries; nullptr: these only contain rows of its tables.
  void (*of_summaries)(SummarizedRun&, catalog::Output&) = nullptr;
  bool keeps_rows = false;  ///< Summaries store its rows: ranks/kept_tables.h.
};

/// The longest first in each stage. No analysis reads another one's results.
std::span<const AnalysisRow> Analyses();

/// Makes the last step for a run with times: work at the edges, numbers without the profiler,
/// device conditions, and doubts due to lost launches and graphs recorded as one event. Returns the
/// unrecorded iterations that judge the run; null if there are none.
std::shared_ptr<const trust::JudgedSteps> MarkRun(std::span<const iterations::RankContext> ranks,
                                                  std::span<const trust::EdgeFacts> edges,
                                                  catalog::Output& out);

}  // namespace profgauge::analysis::ranks
