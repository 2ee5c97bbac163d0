// DLProf: its database (dlprof_dldb.sqlite) and its reports as CSV or JSON.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// The database: ops, calls, kernels and copies as rows; values of an aggregation are used
/// where there are no kernels.
std::unique_ptr<Reader> MakeDlprofDatabaseReader();
/// One report file; the numbers are DLProf's.
std::unique_ptr<Reader> MakeDlprofReportReader();

}  // namespace profgauge::readers
