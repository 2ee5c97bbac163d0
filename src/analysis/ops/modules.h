// The hierarchy of nn.Modules, from Python frames of their calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown/work_sums.h"
#include "analysis/catalog/output.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::ops {

/// A module at its position in the hierarchy, with its calls summed.
struct ModuleSum {
  std::uint32_t parent = catalog::kNoNode;  ///< Position of the parent module, which comes first.
  std::string name;
  std::int64_t id = -1;  ///< Distinguishes instances of one name; -1 unknown.
  std::int64_t calls = 0, operators = 0;
  Ns host_total = 0, host_self = 0, device_total = 0, device_self = 0, backward_device = 0;
};

/// The modules of one rank.
struct ModuleFacts {
  std::vector<ModuleSum> modules;
  bool has_device = false;
  bool has_all = true;  ///< Whether all were kept: not if there are too many.
};
/// Returns the modules of one rank; none if no calls of modules were recorded. Without Python
/// frames, uses Lightning's module ranges. O(n log n) in the events of the threads with modules.
ModuleFacts ModuleFactsOf(const iterations::RankContext& rank);

/// Returns, by module path ("Net_0/Linear_1") and iteration, the device time of forward and
/// backward, without inner modules.
std::vector<breakdown::NameWork> ModuleWorkOf(const iterations::RankContext& rank);

/// Adds `modules`: a row for each module at its position in the hierarchy, with its calls summed.
///
/// Definition: the TensorBoard plug-in (module_op.py), with these differences. A module's parent
/// is the one that contains it in time on its thread. Device work without an operator counts for
/// the innermost module around the launch. Device work of backward counts separately, for the
/// module of the linked forward operator. Ranks are added up. REQUIRES: has_all on all ranks.
void AddModules(std::span<const ModuleFacts> ranks, catalog::Output& out);

// Ranges that the program marked itself, with their position in the hierarchy.

/// Ranges with the same name, domain and position.
struct RangeSum {
  std::uint32_t parent = catalog::kNoNode;  ///< Position of the parent range, which comes first.
  std::string name, domain;
  std::int64_t calls = 0, kernels = 0;  ///< `kernels`: without those of inner ranges.
  Ns host_total = 0, shortest = 0, longest = 0;
  Ns host_self = 0;  ///< May be negative if ranges overlap.
  Ns device_self = 0;
};

/// The ranges of one rank.
struct RangeFacts {
  std::vector<RangeSum> ranges;
  bool has_device = false;
  bool has_all = true;  ///< Whether all were kept: not if there are too many.
};
/// The ranges of one rank by path. Parents come before their children. O(host rows + device rows).
RangeFacts RangeFactsOf(const iterations::RankContext& rank);

/// Adds `ranges`: record_function, NVTX, and trainers' marks (Lightning, Keras hooks), summed by
/// path. Ranges that differ only in a trailing number, e.g. "step 3", are merged. REQUIRES: has_all
/// on all ranks.
void AddRanges(std::span<const RangeFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::ops
