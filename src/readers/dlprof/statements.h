// Reports the values of DLProf's reports as metrics, and as tables of our catalogs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/profile_builder.h"
#include "readers/dlprof/report_file.h"

namespace profgauge::readers::dlprof {

/// Adds the summary's system block as facts and GPUs, the rest as metrics. Missing numbers add
/// nothing. REQUIRES: lines of SummaryOfCsv() or SummaryOfJson().
void StateSummary(const std::vector<SummaryLine>& lines, ProfileBuilder& builder);

/// Adds the rows of another report as tables. Rows that cannot be interpreted are counted. Errors:
/// kInput "dlprof/header" if a column that the report needs is missing.
Status StateReport(ReportKind kind, const std::vector<Row>& rows, ProfileBuilder& builder);

/// Columns of the tables op_groups, op_types, dlprof_advice and dlprof_aggregations, in the order
/// of their rows.
std::vector<std::string> GroupColumns();
std::vector<std::string> OpTypeColumns();
std::vector<std::string> AdviceColumns();
std::vector<std::string> AggregationColumns();

/// Sums over one op type.
struct TypeUnits {
  std::int64_t kernels = 0;
  bool is_eligible = false, uses = false;  ///< True if any of its operators can use, or uses,
                                           ///< Tensor Cores.
};
using UnitsByType = std::map<std::string, TypeUnits>;

/// Adds the columns to the table op_types; `kernels` only if they were counted.
void AddUnits(const UnitsByType& units, bool has_kernels, ReportedTable& types);

/// Adds the operator data of the table `ops` to the run's tables of operator types, kernels and
/// Tensor Core operators, if these exist. Operators are found by name. Kernels of operators whose
/// name repeats are not counted.
void JoinOps(std::vector<ReportedTable>& tables);

/// The reason why GPU metrics are absent without device work: DLProf prints their shares as 0.
inline constexpr const char* kNoDeviceWork =
    "DLProf recorded no kernel, copy or memset, so its 0 has no meaning";

/// "as DLProf v1.8.0 reported it"
std::string Note(const std::string& version);

}  // namespace profgauge::readers::dlprof
