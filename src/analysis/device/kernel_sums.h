// Sums of kernel calls: by name, by launch and operator, and by iteration. Input of the tables in
// analysis/device/device_tables.h.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/iterations/context.h"
#include "base/mix.h"
#include "base/numbers.h"
#include "base/string_pool.h"

namespace profgauge::analysis::device {

/// A mean weighted by the calls' time. Calls of length 0 count only if all calls have length 0.
/// Empty if no value was added.
struct WeightedMean {
  double weighted = 0, weight = 0, plain = 0;
  std::int64_t count = 0;
  void Add(double value, Ns time) {
    weighted += value * static_cast<double>(time);
    weight += static_cast<double>(time);
    plain += value;
    ++count;
  }
  void Add(const WeightedMean& other) {
    weighted += other.weighted;
    weight += other.weight;
    plain += other.plain;
    count += other.count;
  }
  std::optional<double> mean() const {
    if (count == 0) return std::nullopt;
    return weight > 0 ? weighted / weight : plain / static_cast<double>(count);
  }
};

/// Sums over a group of calls: the columns that all kernel tables share. Times are ns. -1 means
/// that the value is unknown for all calls of the group; otherwise it is the sum over the calls in
/// which it is known. A single call is also a group, so Join() is the only way to add.
struct KernelSums {
  std::int64_t calls = 0;
  Ns time = 0, min = std::numeric_limits<Ns>::max(), max = 0, exposed = 0;
  Ns outside = 0;                  ///< The part of the time outside the selected iterations.
  std::int64_t outside_calls = 0;  ///< The same for calls.
  double work_flops = -1,
         work_bytes = -1;  ///< From shapes: analysis/iterations/kernel_work.h; -1 unknown.
  std::int64_t bytes = -1;
  WeightedMean blocks_per_sm, occupancy;
  classify::Tri tensor_core = classify::Tri::kNo;
  std::uint16_t rule = 0;
  bool collective = false;
};

/// Adds `others` to `sums`. The order of calls only affects the rounding of doubles, and `rule`,
/// which is that of the first call with one.
void Join(KernelSums& sums, const KernelSums& others);

/// Kernels of one name. Texts are views into the profile and the project's additions, or into the
/// summaries.
struct KernelNameSum {
  std::string_view name;
  std::string_view rule;  ///< Name of sums.rule.
  KernelSums sums;
};

/// The sums of one rank.
struct KernelFacts {
  std::vector<KernelNameSum> names;  ///< All names in the tables, each once.
  /// In the selected iterations.
  Ns kernel_time = 0, short_time = 0;
  std::int64_t kernels_in_iterations = 0, iterations = 0;
  bool is_launched = false;  ///< Whether launches are linked to kernels.
  bool has_device = false;   ///< Whether device work was recorded, of any kind.
};

/// Identifies a row of kernels_by_op. Ids are those of the output's pool.
struct KernelKey {
  StringId name, op;
  std::uint32_t config = 0;
  std::uint32_t rank = 0;
  std::int32_t gpu = -1;
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
  friend std::size_t hash_value(const KernelKey& key) {
    std::size_t seed = 0;  // Names and ops often increase in parallel, so each is mixed separately.
    for (const std::uint32_t part : {key.name.value, key.op.value, key.config, key.rank,
                                     static_cast<std::uint32_t>(key.gpu)}) {
      seed = Mixed(seed, part);
    }
    return seed;
  }
};

/// One row of the table kernels_by_op: the calls of one kernel under one operator.
struct KernelOpRow {
  KernelKey key;
  KernelSums sums;
  StringId dtype;
  classify::Tri eligible = classify::Tri::kUnknown;
};

/// Small, because there is one for each name in each iteration.
struct KernelIterationRow {
  std::uint32_t rank = 0, iteration = 0;
  StringId name;
  classify::Tri tensor_core = classify::Tri::kNo;
  std::int64_t calls = 0;
  Ns time = 0;
};

/// Launch properties that distinguish rows; excludes values derived from them and the chip.
struct LaunchProperties {
  std::int32_t grid[3], block[3], registers;
  std::int64_t shared_memory;
  friend bool operator==(const LaunchProperties&, const LaunchProperties&) = default;
};

/// Collects the sums of ranks, added in order. Sums by name cover all rows in tables; other sums
/// cover the selected iterations. The lists have the rows of all ranks, with the rank's position.
/// Memory grows with distinct rows, and by four bytes per device row.
class KernelCollector {
 public:
  /// Adds names to `pool`, which must outlive this. `by_iteration`: whether to build those rows.
  KernelCollector(StringPool& pool, bool by_iteration);

  /// `position`: the rank's position in the run; stored in the rows as `rank`.
  void AddRank(const iterations::RankContext& rank, std::uint32_t position);

  std::vector<KernelFacts> facts;  ///< By rank, as added.
  std::vector<KernelOpRow> by_op;
  std::vector<KernelIterationRow> by_iteration;
  /// By rank (as added) and device row: the index in `by_op`; kNoRow if it has no row there.
  std::vector<std::vector<std::uint32_t>> op_row_of;
  static constexpr std::uint32_t kNoRow = kNoIndex;
  bool any_op = false, any_shape_types = false;

  const LaunchProperties& properties(std::uint32_t config) const { return configs_[config]; }

 private:
  void AddToName(const iterations::RankContext& rank, std::size_t row, const KernelSums& call,
                 StringId name);
  void AddToOp(const iterations::RankContext& rank, std::size_t row, const KernelSums& call,
               StringId name);
  void AddDtype(StringId dtype, KernelOpRow& row);
  void AddToIteration(const iterations::RankContext& rank, std::size_t row, const KernelSums& call,
                      StringId name);
  std::vector<std::uint32_t> MapConfigs(const Profile& profile);
  StringId DtypeOf(const Profile& profile, HostId op);

  StringPool& pool_;
  bool adds_by_iteration_ = true;
  std::vector<LaunchProperties> configs_;
  boost::unordered_flat_map<KernelKey, std::uint32_t> op_rows_;
  // State for the rank being added.
  std::vector<KernelNameSum> names_;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> name_rows_;
  std::uint32_t position_ = 0;
  std::vector<std::uint32_t> config_of_;
  std::vector<classify::Tri> eligible_;
  std::vector<StringId> dtype_of_;
  catalog::Texts* texts_ = nullptr;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> iteration_rows_;
};

}  // namespace profgauge::analysis::device
