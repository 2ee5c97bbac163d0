// DLProf: its database (dlprof_dldb.sqlite) and its reports as CSV or JSON.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// The database: ops, calls, kernels and copies as rows; what it states of an aggregation stands in
/// where there are no kernels.
std::unique_ptr<Reader> MakeDlprofDatabaseReader();
/// One report file; the numbers are DLProf's.
std::unique_ptr<Reader> MakeDlprofReportReader();

/// Whether the profile is of one of the two.
bool IsDlprofDatabase(const Profile& profile);
bool IsDlprofReport(const Profile& profile);

/// The reports of one run as one profile. Errors: kInput when two are of the same kind, or their
/// wall clocks differ: they are of different runs. REQUIRES: not empty, all IsDlprofReport.
Result<Profile> MergeDlprofReports(std::vector<Profile> reports);

}  // namespace profgauge::readers
