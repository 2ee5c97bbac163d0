#include "cli/mcp/caller.h"

#include <filesystem>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/file_kind.h"
#include "cli/mcp/tools.h"
#include "cli/parse.h"
#include "rules/policy.h"

namespace profgauge::cli::mcp {

Result<Catcher::Ran> Caller::Run(std::vector<std::string> words,
                                 const std::vector<std::string>& arguments) const {
  words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  PROFGAUGE_TRY(Options options, ParseCommandLine(words));
  options.max_memory = place_.options.max_memory;
  options.jobs = place_.options.jobs;
  const bool is_configured = (options.command->bit & kOnConfigured) != 0;
  const std::string file = FindConfiguration();
  // The search goes up to the root of the repository, which may be above the folders of --root.
  if (is_configured && !file.empty() && !place_.roots.Holds(file)) options.no_config = true;
  if (is_configured && (options.command->bit & kOnJudging) == 0 && !options.no_config) {
    auto project = LoadConfiguration(options);
    if (!project) return Fail(project.error().front());
    if (*project) ApplySettings(**project, nullptr, options);
  }
  PROFGAUGE_CHECK(CheckReads(options));
  if (options.command->bit != kOnQuery) return place_.catcher.Run(options, place_.console);
  return place_.catcher.Run(options, place_.console,
                            [&] { return RunQuery(options, place_.console, place_.cache); });
}

Status Caller::CheckPaths(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) PROFGAUGE_CHECK(place_.roots.Check(path));
  return {};
}

Status Caller::CheckReads(const Options& options) const {
  if (options.policy.empty() || options.policy.starts_with("builtin:")) return {};
  PROFGAUGE_CHECK(place_.roots.Check(options.policy));
  const auto policy = LoadPolicy(options.policy);
  if (!policy) return Fail(policy.error().front());
  Options alone;
  alone.policy = options.policy;
  const KeptFiles kept = KeptBy(alone, &*policy);
  for (const auto* paths : {&kept.inputs, &kept.folders}) {
    for (const std::string& path : *paths) {
      std::error_code error;
      if (std::filesystem::exists(path, error)) PROFGAUGE_CHECK(place_.roots.Check(path));
    }
  }
  return {};
}

}  // namespace profgauge::cli::mcp
