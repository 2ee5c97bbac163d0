// Removes from a report the place where it was made, and at higher levels the names of the code
// that ran.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/summary/summary.h"
#include "report/redaction.h"
#include "report/report.h"

namespace profgauge::report {

/// `text` without the folders of the files that it names: "/home/me/train.py(3): main" is
/// "train.py(3): main". A file is a word with `/` or `\` whose last part has a suffix.
std::string WithoutFolders(std::string_view text);

/// Every text of the report, of its tables and of its timeline: without folders, and with each host
/// name that the profile states replaced by "host-1", "host-2", …. The run and its files are named
/// "run" and "input 1", …, because profilers put host names into them. The compared run is named
/// "baseline". Numbers stay as they are, except the sizes of messages at RedactLevel::kAll.
void Redact(Report& report, const Redaction& redaction = Redaction(RedactLevel::kPlaces));

/// A digest in place of a content hash, from which the names could be guessed; a digest stays.
std::string DigestOf(const std::string& hash);

/// The key of names for inputs with these content hashes: `redaction.key` where there is one.
std::string KeyOf(const Redaction& redaction, std::span<const std::string> hashes);

/// The same for a summary: facts that name a host or a person are left out. Summaries have no
/// separate fields for names of files and hosts. `key`: as KeyOf() of all ranks of the run, so that
/// their names stay equal.
void RedactSummary(Summary& summary, const Redaction& redaction = Redaction(RedactLevel::kPlaces));

}  // namespace profgauge::report
