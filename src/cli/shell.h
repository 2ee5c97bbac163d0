// Runs the user's own commands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli {

/// Runs `command` by `/bin/sh -c` with further environment variables, waits for it, and returns its
/// exit code: 128 and the signal where one ended it. Its output goes into the file `log`.
/// Errors: kOutput "shell/failed" where nothing could be started.
Result<int> RunInShell(const std::string& command,
                       const std::vector<std::pair<std::string, std::string>>& variables,
                       const std::string& log);

}  // namespace profgauge::cli
