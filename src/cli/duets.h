// Folders of `profgauge duet`, where other commands meet them.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"
#include "model/duet.h"
#include "profgauge/error.h"

namespace profgauge::cli {

class Console;

/// The document of the only argument, if it is a duet's folder or file; else empty.
std::string DuetIn(const Options& options);

/// Judges it like `check` judges a run. Errors: "duet/unreadable" and those of JudgeDuetRuns().
Result<int> CheckDuet(const std::string& file, const Options& options, Console& console);

/// The document at `path`. Errors: kInput "duet/unreadable" and those of ReadDuet(), with the file.
Result<Duet> LoadDuet(const std::string& path);

}  // namespace profgauge::cli
