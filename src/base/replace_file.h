// Files that take the place of others whole: made beside them, then renamed. Those that are not in
// place yet are removed by a signal that ends the program.
#pragma once

#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge {

/// A new, empty file beside `target`, which RemoveTemporaries() removes until it is forgotten; its
/// descriptor, and its path in `temporary`. A file of that name stays: another name is taken. Below
/// 0 where none can be made: errno says why.
int OpenTemporary(const std::string& target, std::string& temporary);
/// RemoveTemporaries() removes a file, or a folder once it is empty, until it is forgotten.
void RememberTemporary(const std::string& path);
/// After it was renamed or removed.
void ForgetTemporary(const std::string& temporary);
/// For signal handlers.
void RemoveTemporaries();

/// Where the links of a path lead, whether something is there or not: a link stays a link, and its
/// target is replaced.
std::string TargetOfLinks(const std::string& path);

/// Writes all of `bytes`; false, with errno, where the system says no.
bool WriteWhole(int descriptor, std::string_view bytes);

/// Puts a file of `bytes` in the place of `target`, which is no link, and waits until the disk has
/// it: after a crash one of the two is there, whole. It stays its owner's where we may give it,
/// else its group's. REQUIRES: no other writer of `target`; what a killed one left is removed.
/// Errors: kOutput "output/cannot-write".
Status ReplaceFile(const std::string& target, std::string_view bytes);

}  // namespace profgauge
