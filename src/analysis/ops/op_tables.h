// Tables of operators: by name, by name and input shapes, by name and call stack, and by type.
//
// A row adds up its calls. Operators are those of the op tree: collapsed calls count once, with
// framework ranges (Optimizer.step, DataLoader, DistributedDataParallel.forward) skipped, like in
// the TensorBoard plug-in (its op_tree.py and op_agg.py). Several ranks add up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::ops {

/// The least and the most of the calls of one row.
struct OpRange {
  Ns least = 0, most = 0;
  void Add(const OpRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

/// Sums over the calls of one row.
struct OpSums {
  std::int64_t calls = 0, kernels = 0;
  Ns host_self = 0, host_total = 0, device_self = 0, device_total = 0;
  Ns kernel_self = 0, kernel_total = 0, tensor_core_self = 0, tensor_core_total = 0;
  bool eligible = false, undecided = false;
  Ns gpu_busy = 0, gpu_idle = 0;
  OpRange host_range, host_self_range, device_range, gpu_idle_range;
  double flops = -1, bytes = -1;  ///< -1: of no call known.
  Ns known_time = 0;              ///< Kernel time of the calls whose FLOPs are known.
  Ns outside = 0;                 ///< Part of device_self, by calls outside the selection.
  Ns outside_host = 0;            ///< Also of host_total.
  std::int64_t outside_calls = 0;
  /// Part of `calls`, inside of one of the same name that has their time.
  std::int64_t calls_inside = 0;
  /// For calls in the selected iterations that run again in backward, outside other such calls.
  std::int64_t recomputed_calls = 0;
  Ns recomputed_time = 0;  ///< Their kernels.

  void Add(const OpSums& other);
};

/// Operators of one name, or of one name and input shapes.
struct OpNameSum {
  std::string name;
  std::optional<std::string> shapes;
  OpSums sums;
  /// Common value of all calls; empty where they differ or have none, and then whether they differ.
  std::string dtypes, call_stack;
  bool dtypes_differ = false, call_stacks_differ = false;
  std::uint8_t directions = 0;  ///< Bit per OpDirection.
};

/// For one rank.
struct OpFacts {
  std::vector<OpNameSum> names;
  std::vector<OpNameSum> by_shape;  ///< Empty where no shapes were recorded, or too many.
  bool has_all_shapes = true;       ///< There are not too many of them.
  bool has_device = false, has_timeline = false;
  bool knows_recomputed = false;  ///< It has backward nodes, inside of which operators run again.
};
/// The sums of one rank by name, and by name and input shapes. Types follow from names; rows by
/// call stack are not kept. O(calls).
OpFacts OpFactsOf(const iterations::RankContext& rank);

/// Adds ops, ops_by_shape, ops_by_stack and op_types. O(n) over the host rows.
void AddOpTables(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// The operators of many ranks, added up one rank after the other: of each its sums go.
class OpPool {
 public:
  OpPool();
  OpPool(OpPool&&) noexcept;
  ~OpPool();
  /// Texts go to `strings`, which is that of the output.
  void Add(const OpFacts& rank, StringPool& strings);
  /// Adds ops, op_types and, where all ranks have all shapes, ops_by_shape. Once, at the end.
  void AddTables(catalog::Output& out) &&;

 private:
  struct Sums;
  std::unique_ptr<Sums> sums_;
};

}  // namespace profgauge::analysis::ops
