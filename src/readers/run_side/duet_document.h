// `duet.json`: written by `profgauge duet` and the training side's Duet.
#pragma once

#include <string>
#include <string_view>

#include "model/duet.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// The name of the document in its folder.
inline constexpr std::string_view kDuetName = "duet.json";

/// Limits are those of `profgauge.run`. Errors: kInput "duet/unreadable" with the place,
/// "duet/newer", "duet/too-large".
Result<Duet> ReadDuet(std::string_view text);

/// The same document: the input of ReadDuet().
std::string WriteDuet(const Duet& duet);

/// The document of a folder, or the file itself; empty where `path` is neither.
std::string DuetFileOf(const std::string& path);

}  // namespace profgauge::readers
