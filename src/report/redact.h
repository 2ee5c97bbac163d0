// Removes from a report the places where it was made and, at higher levels, names of code.
//
// The report object is redacted once, before rendering, so that texts which a renderer composes
// have only redacted parts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/summary/summary.h"
#include "report/redaction.h"
#include "report/report.h"

namespace profgauge::report {

/// Returns `text` without folders in names of files: "/home/me/train.py(3): main" becomes
/// "train.py(3): main". A file is a word with `/` or `\` whose last part has a suffix.
std::string WithoutFolders(std::string_view text);

/// Redacts all texts of the report, its tables and its timeline: removes folders, and replaces host
/// names of the profile by "host-1", "host-2", …. Run and files become "run" and "input 1", …,
/// because profilers put host names into them; the compared run becomes "baseline". Numbers stay,
/// except sizes of messages at RedactLevel::kAll.
void Redact(Report& report, const Redaction& redaction = Redaction(RedactLevel::kPlaces));

/// A digest of a content hash, from which hidden names could be guessed. A digest stays unchanged.
std::string DigestOf(const std::string& hash);

/// Returns the key for replaced names: `redaction.key` if set, else the inputs' content hashes in
/// order. With the hashes, only someone who has the inputs can repeat the replacements.
std::string KeyOf(const Redaction& redaction, std::span<const std::string> hashes);

/// Redacts a summary, and removes facts with a host or person. Summaries have no separate fields
/// for names of files and hosts. REQUIRES: if code is hidden, `redaction.key` is KeyOf() of all
/// ranks of the run, so that their names stay equal.
void RedactSummary(Summary& summary, const Redaction& redaction = Redaction(RedactLevel::kPlaces));

}  // namespace profgauge::report
