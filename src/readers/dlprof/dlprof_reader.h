// DLProf: its database (dlprof_dldb.sqlite) and its reports as CSV or JSON.
#pragma once

#include <memory>
#include <string>

#include "readers/reader.h"

namespace profgauge::readers {

/// The database: ops, calls, kernels and copies as rows; values of an aggregation are used
/// where there are no kernels.
std::unique_ptr<Reader> MakeDlprofDatabaseReader();
/// One report file; the numbers are DLProf's.
/// A report is a profile without a timeline. Reports of one run are joined by Settle().
std::unique_ptr<Reader> MakeDlprofReportReader();

}  // namespace profgauge::readers

namespace profgauge::readers::dlprof {

// The files that DLProf writes for one run: reports, one file for each kind, and a database.

/// DLProf writes its reports and its database beside the export that they were made from: one run
/// in three forms, of which the fullest counts. Reports of one run become one profile. With
/// `folder` empty only reports that the user named are put together, if all are of one run.
/// Errors: kInput "input/several-runs" where a folder holds those of several.
Status SettleRun(const std::string& folder, Run& run);

}  // namespace profgauge::readers::dlprof
