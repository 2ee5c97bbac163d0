// DLProf: its database (dlprof_dldb.sqlite) and its reports as CSV or JSON.
#pragma once

#include <memory>
#include <string>

#include "readers/reader.h"

namespace profgauge::readers {

/// Reads the database: operators, calls, kernels and copies become rows. Without kernels, the
/// values of an aggregation are used.
std::unique_ptr<Reader> MakeDlprofDatabaseReader();
/// Reads one report file, whose numbers DLProf computed, as a profile without a timeline. Settle()
/// joins the reports of one run.
std::unique_ptr<Reader> MakeDlprofReportReader();

}  // namespace profgauge::readers

namespace profgauge::readers::dlprof {

// The files that DLProf writes for one run: reports, one file for each kind, and a database.

/// Settles one run's files: DLProf writes reports and database beside the export that it read. The
/// most complete of the three is used, and reports of one run become one profile. If `folder` is
/// empty, only reports that the user named are merged, if all are of one run. Error: kInput
/// "input/several-runs" if a folder has files of several runs.
Status SettleRun(const std::string& folder, Run& run);

}  // namespace profgauge::readers::dlprof
