// Exposed time of one rank, computed once per kind of work; then the context of a rank.
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

/// Caches the exposed times of a rank, each computed at the first request. Safe for several
/// threads. Copies of a RankContext share the cache.
class ExposedColumns {
 public:
  ExposedColumns();
  /// Returns ExposedTimes() of classify/device_spans.h for `rank`, without UncountedParts() of
  /// observed.h. REQUIRES: `rank` is the context that holds this object, after MeasureContexts().
  const OptionalColumn<Ns>& Of(const RankContext& rank, classify::Exposable wanted) const;

 private:
  struct Columns;
  std::shared_ptr<Columns> columns_;
};

// The common inputs of all analyses of one rank: the profile, its classes, iterations, window and
// op tree. BuildRankContexts() computes them once; afterwards they are read-only. Only inputs of
// several analyses belong here, not numbers of a single one.
//
// An analysis is a free function `void AddX(std::span<const RankContext> ranks, Output& out)` that
// sets metrics and adds tables (analysis/catalog/output.h). It combines all ranks, at least one.
// Several analyses run in parallel on the same contexts.

/// One rank, ready for every analysis. Analyses read it in parallel and never change it. For a
/// summary, the profile is empty and there is no tree (ContextsOf() of ranks/read_ranks.cc). So
/// analyses that also take summaries document which members they read.
struct RankContext {
  const Profile* profile = nullptr;
  std::int64_t rank = 0;            ///< As recorded, else its position in the run.
  classify::KernelClasses classes;  ///< One per row of profile->device.
  Iterations iterations;            ///< All iterations, the selected range and the window.
  flops::OpTree tree;               ///< For the whole profile; freed after all tables are made.
  flops::OpWorks works;             ///< Work of its operators; freed with `tree`.
  std::vector<Span>
      unobserved;            ///< Unobserved parts of the window: analysis/iterations/observed.h.
  Ns captured = 0;           ///< The part of `unobserved` in graph captures.
  std::vector<GpuUse> gpus;  ///< GPUs with work, by id: analysis/iterations/utilization.h.
  classify::Knowledge knowledge;  ///< From the selection.
  std::vector<Gpu> devices;       ///< profile->gpus, with known properties added.
  ExposedColumns exposed;         ///< Freed after all tables are made.
  Kept waits;                     ///< Cache of breakdown::WaitsOf(); freed like `exposed`.

  Span window() const { return iterations.window; }
  /// Returns the exposed time of each device row, for one kind of work (classify::Exposable).
  const OptionalColumn<Ns>& ExposedOf(classify::Exposable wanted) const {
    return exposed.Of(*this, wanted);
  }
  bool has_device() const { return profile->device.size() > 0; }
  bool has_host() const { return profile->host.size() > 0; }
  /// True if the window ends with the last device work, although the host may continue. This is so
  /// in profiles without iterations (FindObservable() of markers.h).
  bool EndsWithWork() const {
    return iterations.is_whole && iterations.source.by == IterationsBy::kUndivided &&
           profile->has_timeline && profile->neuron == nullptr && has_device();
  }

  /// Whether tables include this row. They cover the whole trace if the selection is "all";
  /// otherwise rows that start (host) or were launched (device) in the selected iterations.
  bool InTables(DeviceId row) const { return iterations.SelectsDevice(row.value); }
  bool InTables(ApiId row) const {
    return iterations.SelectsHostTime(profile->api.start[row.value]);
  }
  bool InTables(HostId row) const {
    return iterations.SelectsHostTime(profile->host.start[row.value]);
  }
  /// Whether metrics include this row: it is in the selected iterations. Rows that only tables
  /// include have their time in the column `outside`.
  bool InIterations(DeviceId row) const { return iterations.CountsDevice(row.value); }
  bool InIterations(HostId row) const {
    return iterations.CountsHostTime(profile->host.start[row.value]);
  }
};

/// One context for each selected profile, in their order. Errors: kUsage if the selection matches
/// no iteration ("analysis/empty-selection", "analysis/no-such-iteration") or no rank
/// ("analysis/no-rank"), or if a marker is not a regular expression. The contexts keep pointers to
/// `profiles`, which must outlive them. O(n log n) in events.
Result<std::vector<RankContext>> BuildRankContexts(std::span<const Profile> profiles,
                                                   const Selection& selection,
                                                   const IterationsOfRun& run = {});

/// The first of two steps: all except tree, works, unobserved and gpus. It finds the iterations of
/// all profiles, including unselected ones, because ranks are matched by number.
Result<std::vector<RankContext>> FindRankContexts(std::span<const Profile> profiles,
                                                  const Selection& selection,
                                                  const IterationsOfRun& run = {});
/// The second step: sets tree, works, unobserved and gpus of all ranks, in parallel. `beside` runs
/// meanwhile on the same contexts, and must not read these four. REQUIRES: FindRankContexts() made
/// `ranks`.
void MeasureContexts(std::span<RankContext> ranks, const std::function<void()>& beside);

/// True if any host event has recorded input shapes. O(n).
bool HasShapes(const RankContext& rank);

}  // namespace profgauge::analysis::iterations
