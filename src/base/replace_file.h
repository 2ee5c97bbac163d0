// Replaces files as a whole: writes a temporary file beside the target, then renames it. A signal
// that ends the program removes temporary files.
#pragma once

#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge {

/// Creates a new, empty file beside `target`; returns its descriptor, and its path in `temporary`.
/// RemoveTemporaries() removes it until ForgetTemporary(). If a name is taken, tries another. Below
/// 0 on failure: errno has the reason.
int OpenTemporary(const std::string& target, std::string& temporary);
/// From here on RemoveTemporaries() removes the file (or a folder, if it is empty).
void RememberTemporary(const std::string& path);
/// Call it after the file was renamed or removed.
void ForgetTemporary(const std::string& temporary);
/// Can be called by signal handlers.
void RemoveTemporaries();

/// Returns the target of a path after following links, whether it exists or not: replacing the
/// target keeps the link.
std::string TargetOfLinks(const std::string& path);

/// Writes all of `bytes`; false, with errno, on failure.
bool WriteWhole(int descriptor, std::string_view bytes);

/// Replaces `target`, which is no link, by a file of `bytes`, and waits until it is on disk: after
/// a crash one of the two files is there, complete. Keeps the owner if permitted, else the group.
/// Removes a file that a killed writer left. REQUIRES: no other writer of `target`. Errors: kOutput
/// "output/cannot-write".
Status ReplaceFile(const std::string& target, std::string_view bytes);

}  // namespace profgauge
