#include "cli/mcp/caller.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/file_kind.h"
#include "cli/mcp/tools.h"
#include "cli/parse.h"
#include "query/relation.h"
#include "readers/run_side/document.h"
#include "rules/policy_reads.h"

namespace profgauge::cli::mcp {

Result<Catcher::Ran> Caller::Run(std::vector<std::string> words,
                                 const std::vector<std::string>& arguments,
                                 std::optional<std::int64_t> most_rows) const {
  words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  PROFGAUGE_TRY(Options options, ParseCommandLine(words));
  options.max_memory = place_.options.max_memory;
  options.jobs = place_.options.jobs;
  options.max_rows = most_rows;
  PROFGAUGE_CHECK(Configure(options));
  PROFGAUGE_CHECK(CheckReads(options));
  if (options.command->bit != kOnQuery) return place_.catcher.Run(options, place_.console);
  return place_.catcher.Run(options, place_.console,
                            [&] { return RunQuery(options, place_.console, place_.cache); });
}

Status Caller::CheckPaths(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) {
    PROFGAUGE_CHECK(place_.roots.Check(path));
    const std::string duet = readers::DuetFileOf(path);
    if (duet.empty()) continue;
    const std::string folder = std::filesystem::path(duet).parent_path().string();
    PROFGAUGE_CHECK(place_.roots.Check(folder.empty() ? "." : folder));
  }
  return {};
}

Status Caller::CheckTable(const std::string& table) const {
  if (table.empty()) return {};
  if (!query::FindRelation(table)) {
    return Fail(UsageError("query/no-such-table",
                           fmt::format("there is no table `{}`", PrintableShort(table)),
                           "without `table` and `sql` the tool lists the tables"));
  }
  std::error_code error;
  return std::filesystem::exists(table, error) ? CheckPaths({table}) : Status();
}

Status Caller::Configure(Options& options) const {
  if ((options.command->bit & kOnConfigured) == 0) return {};
  const std::string found = FindConfiguration();
  if (!options.config.empty()) {
    PROFGAUGE_CHECK(place_.roots.Check(options.config));  // Of PROFGAUGE_CONFIG.
  } else if (!found.empty() && !place_.roots.Holds(found)) {
    // The search goes up to the root of the repository, which may be above the folders of --root.
    options.config = kNoConfiguration;
  }
  auto project = LoadConfiguration(options);
  if (!project) return Fail(project.error().front());
  if ((options.command->bit & kOnJudging) == 0) {
    if (*project) ApplySettings(**project, nullptr, options);
    return {};
  }
  // Without one the jobs of the configuration would be judged, whose inputs no one checks.
  if (options.arguments.empty()) {
    return Fail(UsageError("usage/missing-argument", "`check` needs a profile in `paths`",
                           "the tool `find` lists the runs below a folder"));
  }
  PROFGAUGE_TRY(options, OptionsOfProfile(*project, options));
  options.config = kNoConfiguration;
  options.job.clear();
  return {};
}

Status Caller::CheckReads(const Options& options) const {
  // Arguments are paths of the tools, which are checked, and statements. A file may have the name
  // of a reference to the history, which then counts as one.
  Options besides = options;
  std::erase_if(besides.arguments,
                [](const std::string& text) { return !text.starts_with("history:"); });
  const KeptFiles kept = KeptBy(besides);
  for (const auto* paths : {&kept.inputs, &kept.folders}) {
    for (const std::string& path : *paths) PROFGAUGE_CHECK(place_.roots.CheckToRead(path));
  }
  if (options.IsGiven("--db")) PROFGAUGE_CHECK(place_.roots.CheckToRead(options.db));
  if (options.policy.empty()) return {};
  const auto policy = rules::LoadPolicyWithin(
      options.policy, [this](const std::string& path) { return place_.roots.CheckToRead(path); });
  return policy ? Status() : Fail(policy.error().front());
}

}  // namespace profgauge::cli::mcp
