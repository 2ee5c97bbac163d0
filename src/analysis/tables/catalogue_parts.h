// The metric catalogue in parts, and what their entries share. Internal to the catalogue.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge {

std::span<const MetricSpec> TimeMetrics();
std::span<const MetricSpec> WorkMetrics();  ///< Of what is computed, launched, copied.
std::span<const MetricSpec> PathMetrics();  ///< Of the critical path.
std::span<const MetricSpec> RunMetrics();   ///< Of ranks, memory, peaks and coverage.

/// What a metric of the catalogue follows from; none where no row of the list speaks of it.
std::optional<Basis> BasisOfMetric(const MetricSpec& spec);
Basis BasisOfTable(std::string_view id);  ///< None of these where the list does not speak of it.

/// What values the metric can have: a share is at most 1, unless it is none of a whole.
ValueRange RangeOfMetric(const MetricSpec& spec);

/// A column that follows from more than its table does.
struct ColumnBasis {
  std::string_view table, column;
  Basis basis;
};
std::span<const ColumnBasis> ColumnsWithBasis();

// Where a metric comes from, and formulas that several have.
namespace catalogue {

inline constexpr std::string_view kDlprof = "DLProf";
inline constexpr std::string_view kPlugin = "TensorBoard plug-in";
inline constexpr std::string_view kBoth = "DLProf, TensorBoard plug-in";
inline constexpr std::string_view kHta = "HTA";
inline constexpr std::string_view kNsys = "Nsight Systems";
inline constexpr std::string_view kTraceLens = "TraceLens";
inline constexpr std::string_view kNccl = "nccl-tests, TraceLens";
inline constexpr std::string_view kOurs = "ours";

inline constexpr std::string_view kPartition =
    "free time ∩ category, in the order kernels on {{ device.matrix_units }}, other kernels, "
    "copies, "
    "sets, communication, runtime calls, data loader, other host work, unattributed; summed over "
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
}  // namespace profgauge
