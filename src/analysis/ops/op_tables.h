// Tables of operators: by name, by name and input shapes, by name and call stack, and by type.
//
// A row sums up its calls. Operators are those of the op tree: collapsed calls count once, and
// framework ranges (Optimizer.step, DataLoader, DistributedDataParallel.forward) are skipped, as in
// the TensorBoard plug-in (op_tree.py and op_agg.py). Ranks are added up.
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

/// The smallest and largest value of a row's calls.
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
  double flops = -1, bytes = -1;  ///< -1: unknown for all calls.
  Ns known_time = 0;              ///< Kernel time of the calls with known FLOPs.
  Ns outside = 0;                 ///< Part of device_self, by calls outside the selection.
  Ns outside_host = 0;            ///< The same for host_total.
  Ns outside_host_self = 0;       ///< The same for host_self.
  std::int64_t outside_calls = 0;
  /// The part of `calls` inside a call of the same name, which includes their time.
  std::int64_t calls_inside = 0;
  /// Calls in the selected iterations that backward repeats, not inside other such calls.
  std::int64_t recomputed_calls = 0;
  Ns recomputed_time = 0;  ///< Kernel time of these calls.

  void Add(const OpSums& other);
};

/// Operators of one name, or of one name and input shapes.
struct OpNameSum {
  std::string name;
  std::optional<std::string> shapes;
  OpSums sums;
  /// The value common to all calls; empty if they differ (see the flags) or have none.
  std::string dtypes, call_stack;
  bool dtypes_differ = false, call_stacks_differ = false;
  std::uint8_t directions = 0;  ///< Bit per OpDirection.
};

/// Operators of one rank.
struct OpFacts {
  std::vector<OpNameSum> names;
  std::vector<OpNameSum> by_shape;  ///< Empty if no shapes were recorded, or too many.
  bool has_all_shapes = true;       ///< False: there were too many.
  bool has_device = false, has_timeline = false;
  bool knows_recomputed = false;  ///< Whether it has backward nodes, which show repeated operators.
};
/// Returns the sums of one rank by name, and by name and input shapes. Types follow from names;
/// rows by call stack are not stored. O(calls).
OpFacts OpFactsOf(const iterations::RankContext& rank);

/// Adds ops, ops_by_shape, ops_by_stack and op_types. O(n) over the host rows.
void AddOpTables(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// Adds up the operators of many ranks one after another, so that each rank's sums can be freed.
class OpPool {
 public:
  OpPool();
  OpPool(OpPool&&) noexcept;
  ~OpPool();
  /// Texts go to `strings`, which must be the output's.
  void Add(const OpFacts& rank, StringPool& strings);
  /// Adds ops, op_types and, if all ranks have all shapes, ops_by_shape. Call it once, at the end.
  void AddTables(catalog::Output& out) &&;

 private:
  struct Sums;
  std::unique_ptr<Sums> sums_;
};

}  // namespace profgauge::analysis::ops
