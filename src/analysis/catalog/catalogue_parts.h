// The metric catalog in parts, and their shared constants. Internal to the catalog: other code uses
// MetricCatalogue() and SpecOf().
//
// base/metric_id.h lists the ids in catalog order. Each part has one row per id of its range, in
// the same order; for constant parts, AreInOrder() makes the compiler check this:
//
//   metric::kAll    kProfileWallTime … | kTensorCoreEfficiency … | kNeuronTotalTime …
//   rows            TimeMetrics()      | WorkMetrics() …         | NeuronMetrics()
//
// So a MetricId is a position in the catalog, and its lookup is an array access.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge::analysis::catalog {

/// Metrics of iterations, idle time and communication. The five parts are in catalog order;
/// NeuronMetrics() comes last.
std::span<const MetricSpec> TimeMetrics();
std::span<const MetricSpec> WorkMetrics();     ///< Computed, launched and copied work.
std::span<const MetricSpec> PathMetrics();     ///< Metrics of the critical path.
std::span<const MetricSpec> ServingMetrics();  ///< Values that load tests report.
std::span<const MetricSpec> RunMetrics();      ///< Metrics of ranks, memory, peaks and coverage.

/// A column that needs more data than its table: if that is missing, only the column is absent, and
/// the table stays (Output::SetLacking()).
struct ColumnBasis {
  std::string_view table, column;
  Basis basis;
};
/// Columns whose basis differs from that of their table.
std::span<const ColumnBasis> ColumnsWithBasis();

// Constants for entries of the catalog, and shared formulas.
namespace catalogue {

// Combines bases: kOfTimes | kOfNames.
constexpr Basis operator|(Basis a, Basis b) {
  return {a.times || b.times, a.execution || b.execution, a.all_work || b.all_work,
          a.names || b.names, a.gpu_units || b.gpu_units, a.events || b.events};
}
inline constexpr Basis kOfNothing = {};
inline constexpr Basis kOfTimes = {.times = true};
inline constexpr Basis kOfExecution = {.execution = true};
inline constexpr Basis kOfAllWork = {.all_work = true};
inline constexpr Basis kOfNames = {.names = true};
inline constexpr Basis kOfGpuUnits = {.gpu_units = true};
inline constexpr Basis kOfEvents = {.events = true};

// Ranges of values. A share of a whole is at most 1. Spreads may exceed 1, and so may work relative
// to a reported, measured or assumed peak. A change for the worse is negative.
inline constexpr ValueRange kUpToOne = {0, 1};
inline constexpr ValueRange kFromZero = {};
inline constexpr ValueRange kOfAnySign = {-std::numeric_limits<double>::infinity()};

/// Whether the rows of a part are consecutive constants from `first` on. Used in a static_assert
/// after each part: one misplaced row would give all later ids a wrong definition.
constexpr bool AreInOrder(std::span<const MetricSpec> rows, MetricId first) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].id != metric::kAll[first.place() + i].text()) return false;
  }
  return true;
}

inline constexpr std::string_view kDlprof = "DLProf";
inline constexpr std::string_view kPlugin = "TensorBoard plug-in";
inline constexpr std::string_view kBoth = "DLProf, TensorBoard plug-in";
inline constexpr std::string_view kHta = "HTA";
inline constexpr std::string_view kNsys = "Nsight Systems";
inline constexpr std::string_view kTraceLens = "TraceLens";
inline constexpr std::string_view kNccl = "nccl-tests, TraceLens";
inline constexpr std::string_view kOurs = "ours";

inline constexpr std::string_view kPartition =
    "free time ∩ category, in the order: kernels on {{ device.matrix_units }}, other kernels, "
    "communication, copies, memsets, runtime calls, data loader, other host work, unattributed; "
    "summed over "
    "iterations and ranks / "
    "their length";
inline constexpr std::string_view kPartitionShare =
    "free time ∩ category, in the order of breakdown; summed over iterations and ranks / their "
    "length";
inline constexpr std::string_view kPartitionTime =
    "free time ∩ category, in the order of breakdown; summed over iterations and ranks";

inline constexpr std::string_view kPathParts =
    "binding dependencies from the end of the last selected iteration back to the beginning of the "
    "first; the nine parts add up to it; summed over ranks";

}  // namespace catalogue
}  // namespace profgauge::analysis::catalog
