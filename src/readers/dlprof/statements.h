// What DLProf states, as metrics and tables of the catalogues.
#pragma once

#include <string>
#include <vector>

#include "model/profile_builder.h"
#include "readers/dlprof/report_file.h"

namespace profgauge::readers::dlprof {

/// Takes the summary's system block as facts and GPUs, the rest as metrics.
void StateSummary(const std::vector<SummaryLine>& lines, ProfileBuilder& builder);

/// Takes the rows of another report as tables. Rows that are not understood are counted. Errors:
/// kInput "dlprof/header" when a column that the report cannot do without is missing.
Status StateReport(ReportKind kind, const std::vector<Row>& rows, ProfileBuilder& builder);

/// Columns of the tables op_groups and dlprof_advice, in the order in which rows have them.
std::vector<std::string> GroupColumns();
std::vector<std::string> AdviceColumns();

/// Why numbers of the GPU are none: a share of nothing is printed as 0.
inline constexpr const char* kNoDeviceWork =
    "DLProf recorded no kernel, copy or memory set, so its 0 measures nothing";

/// "as DLProf v1.8.0 reported it"
std::string Note(const std::string& version);

}  // namespace profgauge::readers::dlprof
