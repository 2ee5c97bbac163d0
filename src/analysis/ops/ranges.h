// Ranges that the program marked itself, at their place in the hierarchy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "analysis/tables/tree_rows.h"

namespace profgauge {

/// Ranges of one name and domain at one place.
struct RangeSum {
  std::uint32_t parent = kNoNode;  ///< Position of the range around it, which is before it.
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
RangeFacts RangeFactsOf(const RankContext& rank);

/// Table `ranges`: record_function, NVTX, and trainers' marks (Lightning, Keras hooks), summed
/// by path; ranges that differ only in a number at their end, e.g. "step 3", are one. REQUIRES: all
/// have all.
void AddRanges(std::span<const RangeFacts> ranks, Output& out);

}  // namespace profgauge
