#include "cli/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "api/default_policy.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/find_runs.h"
#include "model/summary/summary.h"
#include "readers/load.h"
#include "readers/one_run.h"
#include "readers/run_side/device_log.h"
#include "readers/run_side/step_log.h"

namespace profgauge::cli {

// Copies the options that embedders have, too. An option that is missing here has no effect in any
// command.
EvaluateOptions Choices(const Options& options) {
  EvaluateOptions choices;
  choices.iter_start = options.iter_start;
  choices.iter_stop = options.iter_stop;
  choices.iter_start_number = options.iter_start_number;
  choices.iter_stop_number = options.iter_stop_number;
  choices.rank = options.rank;
  choices.key_op = options.key_op;
  choices.iteration_marker = options.iteration_marker;
  choices.range = options.range;
  choices.marks = options.marks;
  choices.source_root = options.source_root;
  choices.allow_incomplete = options.allow_incomplete;
  return choices;
}

// Without a page or a trace, no events are kept, because collecting them takes memory and time.
EventsInPage EventsOf(const Options& options) {
  const bool is_wanted = options.outputs.Has(OutputKind::kHtml) ||
                         options.outputs.Has(OutputKind::kHtmlFolder) ||
                         options.outputs.Has(OutputKind::kTrace) || !options.out_dir.empty();
  if (!is_wanted || options.timeline == "off") return EventsInPage::kNone;
  return options.timeline == "full" ? EventsInPage::kAll : EventsInPage::kAuto;
}

std::optional<rules::Policy> ReadPolicy(const Options& options, Console& console) {
  auto policy =
      rules::LoadPolicy(options.policy.empty() ? std::string(kDefaultPolicy) : options.policy);
  if (!policy) {
    console.Report(policy.error());
    return std::nullopt;
  }
  if (options.fail_on == "error") policy->fail_on = rules::FailOn::kError;
  if (options.fail_on == "warn") policy->fail_on = rules::FailOn::kWarn;
  if (options.fail_on == "never") policy->fail_on = rules::FailOn::kNever;
  return *std::move(policy);
}

namespace {

// Rejects summaries if the command needs events to draw, compare or simulate.
Status CheckEventsNeeded(const std::vector<Profile>& profiles, const Options& options) {
  const auto summary = std::find_if(profiles.begin(), profiles.end(), IsSummary);
  if (summary == profiles.end() || options.command == nullptr) return {};
  std::string what;
  if ((options.command->bit & kOnSummaries) == 0) what = std::string(options.command->name);
  if (options.outputs.Has(OutputKind::kTrace)) what = "--write trace";
  if (options.timeline == "full") what = "--timeline full";
  if (what.empty()) return {};
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "summary/no-events";
  error.message = "`" + what + "` needs the events of the ranks, which summaries do not keep";
  error.where.file = summary->source.path;
  error.notes.emplace_back("help: give the profiles that the summaries were made of");
  return Fail(std::move(error));
}

// Rejects --ranks separate without a baseline, because several runs then have no single verdict.
Status CheckRanksOption(const Options& options) {
  const bool compares = IsJudging(options) && !options.baselines.empty();
  const bool takes_runs = options.command != nullptr && options.command->bit == kOnInit;
  if (options.ranks != "separate" || compares || takes_runs) return {};
  return Fail(UsageError("usage/conflict", "`--ranks separate` needs `--baseline`",
                         "give a baseline to compare the runs with, or check each run by itself"));
}

/// Finds the only run below a folder without profiles directly in it.
Result<FoundRun> OnlyRunBelow(const std::string& folder) {
  PROFGAUGE_TRY(FoundRuns found, FindRuns(folder));
  if (found.runs.size() != 1 || !found.is_whole) return Fail(NotOneRun(found, folder));
  return std::move(found.runs.front());
}

// Reads the profiles. A folder without profiles directly in it may have one run below; if there are
// several, the error has a command for each. Device logs are attached after reading, because a log
// names devices, not files.
Result<std::vector<Profile>> Read(const readers::ReadOptions& read, const Options& options,
                                  Console& console) {
  PROFGAUGE_CHECK(CheckRanksOption(options));
  auto run = readers::LoadFiles(options.arguments, read, RanksOf(options));
  console.ClearProgress();
  const bool is_empty = !run && run.error().code == "input/no-profiles";
  if (is_empty && options.arguments.size() == 1) {
    PROFGAUGE_TRY(const FoundRun only, OnlyRunBelow(options.arguments.front()));
    console.Say("note: the only run below the folder is " + Printable(only.name));
    run = readers::LoadFiles(only.files, read, RanksOf(options));
    console.ClearProgress();
  }
  if (!run) return Fail(std::move(run).error());
  for (const std::string& skipped : run->skipped) {
    console.Say("note: left out " + Printable(skipped));
  }
  PROFGAUGE_CHECK(
      readers::AttachDeviceLogs(run->profiles, options.device_logs, !options.is_one_of_many));
  PROFGAUGE_CHECK(CheckEventsNeeded(run->profiles, options));
  return std::move(run->profiles);
}

readers::ReadOptions HowToRead(const Options& options) {
  readers::ReadOptions read;
  read.allow_incomplete = options.allow_incomplete;
  read.keep_readable = IsJudging(options);
  read.threads = options.jobs;
  if (options.is_found) read.named = Named::kFound;
  read.aggregation = options.aggregation.value_or(-1);
  read.step_times = readers::ParseStepTimes(options.step_times);
  return read;
}

}  // namespace

readers::RanksFrom RanksOf(const Options& options) {
  return options.ranks == "as-listed"  ? readers::RanksFrom::kListed
         : options.ranks == "separate" ? readers::RanksFrom::kNothing
                                       : readers::RanksFrom::kRecorded;
}

bool IsJudging(const Options& options) {
  return options.command != nullptr && (options.command->bit & kOnJudging) != 0;
}

Result<std::vector<Profile>> ReadFiles(const Options& options, Console& console) {
  readers::ReadOptions read = HowToRead(options);
  read.progress = [&console](const readers::ReadProgress& of) {
    console.Progress("reading", of.name, of.done, of.total);
  };
  return Read(read, options, console);
}

Result<std::vector<Profile>> ReadProfiles(const Options& options, Console& console) {
  PROFGAUGE_TRY(std::vector<Profile> profiles, ReadFiles(options, console));
  PROFGAUGE_CHECK(readers::CheckOneRun(profiles, ""));
  return profiles;
}

Result<std::vector<Profile>> ReadBesideOthers(const Options& options, Console& console) {
  PROFGAUGE_TRY(std::vector<Profile> profiles, Read(HowToRead(options), options, console));
  PROFGAUGE_CHECK(readers::CheckOneRun(profiles, ""));
  return profiles;
}

}  // namespace profgauge::cli
