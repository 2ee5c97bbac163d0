// The hierarchy of nn.Modules, from the Python frames of their calls.
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

/// A module at its place in the hierarchy, its calls summed.
struct ModuleSum {
  std::uint32_t parent =
      catalog::kNoNode;  ///< Position of the module around it, which is before it.
  std::string name;
  std::int64_t id = -1;  ///< Distinguishes instances of one name; -1 where unknown.
  std::int64_t calls = 0, operators = 0;
  Ns host_total = 0, host_self = 0, device_total = 0, device_self = 0, backward_device = 0;
};

/// For one rank.
struct ModuleFacts {
  std::vector<ModuleSum> modules;
  bool has_device = false;
  bool has_all = true;  ///< There are not too many of them to be kept.
};
/// The modules of one rank. Empty without recorded calls of modules.
/// Without Python frames Lightning's ranges of modules count. O(n log n) in the events of the
/// threads on which modules run.
ModuleFacts ModuleFactsOf(const iterations::RankContext& rank);

/// By path ("Net_0/Linear_1"): device time of a module and its backward pass without the modules
/// inside, by iteration.
std::vector<breakdown::NameWork> ModuleWorkOf(const iterations::RankContext& rank);

/// Adds `modules`: a row for each module at its place in the hierarchy, calls summed.
///
/// Definition: TensorBoard plug-in (its module_op.py) with these differences: a module is in
/// the one that contains it in time on its thread; device work that no operator launched counts for
/// the innermost module around the launch; device work of the backward pass counts separately, for
/// the module of the forward operator that it is linked to. Several ranks add up. REQUIRES: all
/// have all.
void AddModules(std::span<const ModuleFacts> ranks, catalog::Output& out);

// Ranges that the program marked itself, at their place in the hierarchy.

/// Ranges of one name and domain at one place.
struct RangeSum {
  std::uint32_t parent =
      catalog::kNoNode;  ///< Position of the range around it, which is before it.
  std::string name, domain;
  std::int64_t calls = 0, kernels = 0;  ///< Kernels: without those of the ranges in it.
  Ns host_total = 0, shortest = 0, longest = 0;
  Ns host_self = 0;  ///< May be negative where ranges overlap.
  Ns device_self = 0;
};

/// For one rank.
struct RangeFacts {
  std::vector<RangeSum> ranges;
  bool has_device = false;
  bool has_all = true;  ///< There are not too many of them to be kept.
};
/// The ranges of one rank by their path.
/// A parent comes before its children, as positions say. O(host rows + device rows).
RangeFacts RangeFactsOf(const iterations::RankContext& rank);

/// Table `ranges`: record_function, NVTX, and trainers' marks (Lightning, Keras hooks), summed
/// by path; ranges that differ only in a number at their end, e.g. "step 3", are one. REQUIRES: all
/// have all.
void AddRanges(std::span<const RangeFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::ops
