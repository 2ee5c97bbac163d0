// Removes the origin from a report: folders, host names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/summary/summary.h"
#include "report/report.h"

namespace profgauge::report {

/// `text` without the folders of the files that it names: "/home/me/train.py(3): main" is
/// "train.py(3): main". A file is a word with `/` or `\` whose last part has a suffix.
std::string WithoutFolders(std::string_view text);

/// Every text of the report, of its tables and of its timeline: without folders, and with each host
/// name that the profile states replaced by "host-1", "host-2", …. The run and its files are
/// named "run" and "input 1", …: profilers put host names into them; so is the compared run,
/// "baseline". Numbers stay as they are.
void Redact(Report& report);

/// Removes folders from all texts, and facts that name a host or a person. Summaries have no
/// separate fields for names of files and hosts.
void RedactSummary(Summary& summary);

}  // namespace profgauge::report
