// The files that DLProf writes for one run: reports, one file for each kind, and a database.
#pragma once

#include <string>

#include "readers/reader.h"

namespace profgauge::readers::dlprof {

/// DLProf writes its reports and its database beside the export that they were made from: one run
/// in three forms, of which the fullest counts. Reports of one run become one profile. With
/// `folder` empty only reports that the user named are put together, if all are of one run.
/// Errors: kInput "input/several-runs" where a folder holds those of several.
Status SettleRun(const std::string& folder, Run& run);

}  // namespace profgauge::readers::dlprof
