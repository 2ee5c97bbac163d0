// Exposed time of one rank: one sweep for each kind of work, whoever asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/flops/op_tree.h"
#include "analysis/flops/op_work.h"
#include "analysis/iterations/gpu_use.h"
#include "analysis/iterations/iterations.h"
#include "analysis/iterations/kept.h"
#include "base/interval.h"
#include "base/units.h"
#include "model/optional_column.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

struct RankContext;

/// Kept columns of exposed times, made when they are first asked for; several threads may ask. A
/// copy of the rank shares them.
class ExposedColumns {
 public:
  ExposedColumns();
  /// Of `rank`: ExposedTimes() of classify/device_spans.h without UncountedParts() of observed.h.
  /// REQUIRES: always the rank that these are part of, measured (MeasureContexts()).
  const OptionalColumn<Ns>& Of(const RankContext& rank, classify::Exposable wanted) const;

 private:
  struct Columns;
  std::shared_ptr<Columns> columns_;
};

// The common inputs of every analysis of one rank: the profile, its classes, iterations, window and
// op tree, worked out once by BuildRankContexts() and read-only afterwards. Numbers of one theme do
// not belong here; inputs that several rooms need do.
//
// An analysis is a free function `void AddX(std::span<const RankContext> ranks, Output& out)` that
// sets metrics and adds tables (analysis/catalog/output.h). It pools over `ranks`; there is at
// least one. Several run in parallel on the same contexts.

/// One rank, ready for every analysis. Analyses read it in parallel and never change it. A context
/// of a summary has an empty profile and no tree (ContextsOf() of ranks/read_ranks.cc): analyses
/// that summaries serve state which members they read.
struct RankContext {
  const Profile* profile = nullptr;
  std::int64_t rank = 0;            ///< As recorded, else its position in the run.
  classify::KernelClasses classes;  ///< One per row of profile->device.
  Iterations iterations;            ///< All, with the selected range and the window.
  flops::OpTree tree;               ///< Over the whole profile, until all tables are made.
  flops::OpWorks works;             ///< Also.
  std::vector<Span>
      unobserved;            ///< Unobserved parts of the window: analysis/iterations/observed.h.
  Ns captured = 0;           ///< Of these parts, graph captures.
  std::vector<GpuUse> gpus;  ///< GPUs with work, by id: analysis/iterations/utilization.h.
  classify::Knowledge knowledge;  ///< From the selection.
  std::vector<Gpu> devices;       ///< profile->gpus, with known properties added.
  ExposedColumns exposed;         ///< Until all tables are made.
  Kept waits;                     ///< breakdown::WaitsOf(), also.

  Span window() const { return iterations.window; }
  /// Per row of the device table; see classify::Exposable.
  const OptionalColumn<Ns>& ExposedOf(classify::Exposable wanted) const {
    return exposed.Of(*this, wanted);
  }
  bool has_device() const { return profile->device.size() > 0; }
  bool has_host() const { return profile->host.size() > 0; }
  /// Whether the window ends with the last device work, whatever the host does after it: nothing
  /// divides the profile (FindObservable() of markers.h).
  bool EndsWithWork() const {
    return iterations.is_whole && iterations.source.by == IterationsBy::kUndivided &&
           profile->has_timeline && profile->neuron == nullptr && has_device();
  }

  /// Whether tables count this row. They cover the whole trace when the selection is "all", else
  /// rows that start (host) or were launched (device) in the selected iterations.
  bool InTables(DeviceId row) const { return iterations.SelectsDevice(row.value); }
  bool InTables(ApiId row) const {
    return iterations.SelectsHostTime(profile->api.start[row.value]);
  }
  bool InTables(HostId row) const {
    return iterations.SelectsHostTime(profile->host.start[row.value]);
  }
  /// Whether metrics count this row: it is in the selected iterations. For a row that tables have
  /// and metrics do not, tables have its time in their column `outside`.
  bool InIterations(DeviceId row) const { return iterations.CountsDevice(row.value); }
  bool InIterations(HostId row) const {
    return iterations.CountsHostTime(profile->host.start[row.value]);
  }
};

/// One context for each profile that the selection takes, in their order. Errors: kUsage when the
/// selection matches no iteration ("analysis/empty-selection", "analysis/no-such-iteration") or no
/// rank ("analysis/no-rank"), or when a marker is not a regular expression. The contexts keep
/// pointers to `profiles`, which must outlive them. O(n log n) in events.
Result<std::vector<RankContext>> BuildRankContexts(std::span<const Profile> profiles,
                                                   const Selection& selection,
                                                   const IterationsOfRun& run = {});

/// The same in two steps: all but tree, works, unobserved and gpus, then these. Iterations are
/// found of all profiles, also of those that are not selected: ranks are matched by number.
Result<std::vector<RankContext>> FindRankContexts(std::span<const Profile> profiles,
                                                  const Selection& selection,
                                                  const IterationsOfRun& run = {});
/// The second step: fills tree, works, unobserved and gpus of all ranks, in parallel. `beside` runs
/// meanwhile on the same contexts, and must not read these four. REQUIRES: the first step made
/// `ranks`.
void MeasureContexts(std::span<RankContext> ranks, const std::function<void()>& beside);

}  // namespace profgauge::analysis::iterations
