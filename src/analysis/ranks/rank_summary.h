// The stored data of one rank, and its conversion to the columns of a summary.
//
//   profile --> RankContext --> facts by analysis --> RankSummary --> Summary (columns) --> file
//                                                          ^                                  |
//                                                          +----------- ReadRankSummary <-----+
//
// Both directions use the same structs, and each analysis has one function from facts to metrics.
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

/// Everything that a run needs from one rank, except events.
struct RankSummary {
  Profile profile;                    ///< Without events: source, devices, groups, facts, log.
  std::size_t position = 0;           ///< Position among the inputs.
  std::string selection;              ///< SelectionText() used for it.
  iterations::Iterations iterations;  ///< Without data by device row.
  std::vector<Span> unobserved;
  Ns captured = 0;  ///< Like in RankContext.
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
  std::shared_ptr<StringPool> strings;  ///< Texts of a read summary; otherwise null.
  /// Whether the stored data is sufficient. It is not for files without times, or of a NeuronCore.
  bool is_told = true;
  /// Ids of metrics and tables reported by the file itself, which are not stored.
  std::vector<std::string> stated;
};

/// The selection and the project's knowledge, in one line; equal texts mean equal choices. Excludes
/// `rank`, which only chooses among summaries.
std::string SelectionText(const Selection& selection);

/// The summary of one rank. Equal profiles and selections give equal bytes.
Summary Summarize(const iterations::RankContext& rank, const Selection& selection);
/// Reads a summary. None if columns are missing or inconsistent. The result's profile has no
/// rows, but describes the rank. `strings`: the pool for its texts, which ranks in memory together
/// can share.
std::optional<RankSummary> ReadRankSummary(
    const Summary& summary, const std::string& path,
    std::shared_ptr<StringPool> strings = std::make_shared<StringPool>());
/// Reads the attribution of the rank's `iterations` selected iterations. It is larger than all
/// other data, and only needed to compare runs. None if columns are missing or inconsistent.
std::optional<breakdown::AttributionFacts> ReadAttribution(const Summary& summary,
                                                           std::size_t iterations);

}  // namespace profgauge::analysis::ranks
