// Takes out of a report what says where it was made: folders, host names.
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
/// named "run" and "input 1", …: profilers put host names into them; so does what it is compared
/// with, "baseline". Numbers stay as they are.
void Redact(Report& report);

/// Takes folders out of all texts, and facts that name a host or a person. Summaries keep no names
/// of files and hosts in places of their own.
void RedactSummary(Summary& summary);

}  // namespace profgauge::report
