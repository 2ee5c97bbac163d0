// Files that are no profile and are often given for one: rules/knowledge/foreign.yaml says how each
// is recognized, what it is and what to do instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge {

/// Whether readers are still to be asked. Some files of others have the signs of a format that is
/// read; they are distinguished first, by signs that no file of that format has.
enum class Asked : bool { kBeforeReaders, kAfterReaders };

/// What the file is, by its first bytes (kSniffBytes of them, unpacked) or by its name. Nothing
/// where no row fits.
std::optional<Error> ForeignFile(const std::string& path, std::string_view head, Asked asked);

}  // namespace profgauge
