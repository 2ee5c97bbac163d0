// Runs the user's own commands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli {

/// Runs `command` by `/bin/sh -c` with further environment variables, which replace those of the
/// same name. Waits for it, without a limit, and returns its exit code: 128 and the signal where
/// one ended it. Its output and errors go into the file `log`, which is emptied first. Standard
/// input is ours. Errors: kOutput "shell/failed" where nothing could be started; a command that is
/// not found is no such error but the shell's exit code 127.
Result<int> RunInShell(const std::string& command,
                       const std::vector<std::pair<std::string, std::string>>& variables,
                       const std::string& log);

}  // namespace profgauge::cli
