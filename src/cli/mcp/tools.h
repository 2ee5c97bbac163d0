// The tools of `profgauge mcp`: commands of the program, with answers that fit an agent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp/caught.h"
#include "cli/mcp/protocol.h"
#include "cli/mcp/roots.h"
#include "cli/options.h"
#include "cli/query_cache.h"

namespace profgauge::cli {
class Console;
}

namespace profgauge::cli::mcp {

/// The environment of the tools. All must outlive them.
struct Workplace {
  const Options& options;  ///< Options of the server: --policy, --db, --timeout.
  const Roots& roots;
  Catcher& catcher;
  Console& console;
  QueryCache& cache;                ///< Of `query`.
  std::size_t most_bytes = 20'000;  ///< The size of an answer.
};

std::vector<Tool> MakeTools(const Workplace& workplace);

/// For the agent, once.
std::string_view Instructions();

}  // namespace profgauge::cli::mcp
