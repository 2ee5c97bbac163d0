// Removes from a report the place where it was made, and at higher levels the names of the code
// that ran.
//
// An output that is to be shared is redacted as an object, once, before any renderer: a text that a
// renderer composes later has only redacted parts.
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

/// The key of names for inputs with these content hashes: `redaction.key` where there is one, else
/// the hashes, in their order. Only with the inputs can the names be made again.
std::string KeyOf(const Redaction& redaction, std::span<const std::string> hashes);

/// Redact() of a summary: facts that name a host or a person are left out. Summaries have no
/// separate fields for names of files and hosts. REQUIRES: where code is
/// hidden, `redaction.key` is KeyOf() of all ranks of the run, so that their names stay equal.
void RedactSummary(Summary& summary, const Redaction& redaction = Redaction(RedactLevel::kPlaces));

}  // namespace profgauge::report
