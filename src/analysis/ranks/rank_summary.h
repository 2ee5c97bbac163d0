// The kept data of one rank, and its form in the columns of a summary.
//
//   profile --> RankContext --> facts of each room --> RankSummary --> Summary (columns) --> file
//                                                          ^                                  |
//                                                          +----------- ReadRankSummary <-----+
//
// The facts are the same structs on both ways: a room has one function from facts to metrics.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/breakdown/idle.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/device/copies.h"
#include "analysis/device/device_tables.h"
#include "analysis/device/launches.h"
#include "analysis/device/roofline.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/host/host.h"
#include "analysis/iterations/context.h"
#include "analysis/ops/iteration_ops.h"
#include "analysis/ops/modules.h"
#include "analysis/ops/op_tables.h"
#include "analysis/ranks/kept_tables.h"
#include "analysis/simulation/path_facts.h"
#include "analysis/trust/coverage.h"
#include "model/summary/summary.h"

namespace profgauge::analysis::breakdown {
struct AttributionFacts;  // analysis/breakdown/rank_attribution.h
}  // namespace profgauge::analysis::breakdown

namespace profgauge::analysis::ranks {

/// Everything that a run needs from one rank: without its events.
struct RankSummary {
  Profile profile;           ///< Without events: where it came from, devices, groups, facts, log.
  std::size_t position = 0;  ///< Among the inputs.
  std::string selection;     ///< SelectionText() that it was made with.
  iterations::Iterations iterations;  ///< Without the parts by device row.
  std::vector<Span> unobserved;
  Ns captured = 0;  ///< As RankContext's.
  std::vector<iterations::GpuUse> gpus;
  breakdown::IterationFacts times;
  communication::RankFacts communication;
  ops::CountFacts counts;
  trust::CoverageFacts coverage;
  trust::EdgeFacts edges;
  host::CallFacts calls;
  device::CopyFacts copies;
  device::LaunchFacts launches;
  device::KernelFacts kernels;
  device::TensorCoreFacts tensor_cores;
  breakdown::IdleFacts idle;
  device::MemoryFacts memory;
  device::RooflineFacts roofline;
  simulation::PathFacts path;
  ops::OpFacts ops;
  ops::ModuleFacts modules;
  ops::RangeFacts ranges;
  KeptTables tables;
  std::shared_ptr<StringPool> strings;  ///< Those of a summary that was read; else none.
  /// The analysis needs only the kept data: not for files without times, nor for a NeuronCore.
  bool is_told = true;
  /// Ids of metrics and tables that the file states itself; these are not kept.
  std::vector<std::string> stated;
};

/// A selection's choices and the project's knowledge, in one line; equal texts mean equal choices.
/// `rank` is no part of it: that chooses among summaries.
std::string SelectionText(const Selection& selection);

/// The summary of one rank. The same profile and selection give the same bytes.
Summary Summarize(const iterations::RankContext& rank, const Selection& selection);
/// Nothing when columns are missing or disagree. Its profile represents the summary. `strings`:
/// where its texts go; ranks that are kept together share one.
std::optional<RankSummary> ReadRankSummary(
    const Summary& summary, const std::string& path,
    std::shared_ptr<StringPool> strings = std::make_shared<StringPool>());
/// Attribution of the rank's `iterations` selected iterations: larger than all other data,
/// and needed only where runs are compared. Nothing when columns are missing or disagree.
std::optional<breakdown::AttributionFacts> ReadAttribution(const Summary& summary,
                                                           std::size_t iterations);

}  // namespace profgauge::analysis::ranks
