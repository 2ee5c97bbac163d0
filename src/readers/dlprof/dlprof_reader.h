// DLProf: its database (dlprof_dldb.sqlite) and its reports as CSV or JSON.
#pragma once

#include <memory>
#include <string>

#include "readers/reader.h"

namespace profgauge::readers {

/// Reads the database: ops, calls, kernels and copies as rows. If it has no kernels, it uses the
/// values of an aggregation.
std::unique_ptr<Reader> MakeDlprofDatabaseReader();
/// Reads one report file, whose numbers DLProf computed, as a profile without a timeline. Settle()
/// joins the reports of one run.
std::unique_ptr<Reader> MakeDlprofReportReader();

}  // namespace profgauge::readers

namespace profgauge::readers::dlprof {

// The files that DLProf writes for one run: reports, one file for each kind, and a database.

/// DLProf writes its reports and its database beside the export that it read: one run in three
/// forms, of which the most complete is used. Reports of one run become one profile. If `folder` is
/// empty, only reports that the user named are joined, if all are of one run. Errors: kInput
/// "input/several-runs" if a folder has files of several runs.
Status SettleRun(const std::string& folder, Run& run);

}  // namespace profgauge::readers::dlprof
