// Values of DLProf's reports, as metrics and tables of the catalogues.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/profile_builder.h"
#include "readers/dlprof/report_file.h"

namespace profgauge::readers::dlprof {

/// Takes the summary's system block as facts and GPUs, the rest as metrics.
/// REQUIRES: lines of SummaryOfCsv() or SummaryOfJson(). Numbers that are missing add nothing.
void StateSummary(const std::vector<SummaryLine>& lines, ProfileBuilder& builder);

/// Takes the rows of another report as tables. Rows that are not understood are counted. Errors:
/// kInput "dlprof/header" when a column that the report cannot do without is missing.
Status StateReport(ReportKind kind, const std::vector<Row>& rows, ProfileBuilder& builder);

/// Columns of the tables op_groups, op_types and dlprof_advice, in the order in which rows have
/// them.
std::vector<std::string> GroupColumns();
std::vector<std::string> OpTypeColumns();
std::vector<std::string> AdviceColumns();

/// The sums of one op type.
struct TypeUnits {
  std::int64_t kernels = 0;
  bool is_eligible = false, uses = false;  ///< Tensor Cores, of any of its operators.
};
using UnitsByType = std::map<std::string, TypeUnits>;

/// Adds the columns to the table op_types; `kernels` only where they were counted.
void AddUnits(const UnitsByType& units, bool has_kernels, ReportedTable& types);

/// Adds the operator data in the table ops of a run's reports to its tables of operator
/// types, kernels and Tensor Core operators, as far as these exist.
/// Operators are found by name. Where names repeat, kernels are counted for none.
void JoinOps(std::vector<ReportedTable>& tables);

/// Why numbers of the GPU are none: a share of nothing is printed as 0.
inline constexpr const char* kNoDeviceWork =
    "DLProf recorded no kernel, copy or memset, so its 0 has no meaning";

/// "as DLProf v1.8.0 reported it"
std::string Note(const std::string& version);

}  // namespace profgauge::readers::dlprof
