// `profgauge summarize`: of each rank what the run needs to know, in files that merge.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "analysis/summary/analyze_run.h"
#include "analysis/summary/rank_summary.h"
#include "api/session.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "model/summary/summary_file.h"
#include "readers/load.h"
#include "readers/one_run.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

struct Made {
  std::vector<Summary> ranks;
  std::vector<Profile> stand_ins;  ///< As `ranks`, without events.
  std::size_t failed = 0;          ///< Inputs that could not be read.
};

/// The files to read, each alone, so that no more than one recording is in memory. Folders that
/// are one recording in many files stay whole.
std::vector<std::string> Inputs(const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  for (const std::string& argument : arguments) {
    std::error_code error;
    std::vector<std::string> files;
    bool is_flat = fs::is_directory(argument, error);
    for (fs::directory_iterator at(argument, error), end; !error && at != end;
         at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (name.starts_with('.')) continue;
      const bool is_rank =
          at->is_regular_file(error) && (name.ends_with(".json") || name.ends_with(".json.gz") ||
                                         name.ends_with(".pgsum") || name.ends_with(".sqlite"));
      is_flat = is_flat && is_rank;
      if (is_rank) files.push_back(at->path().string());
    }
    if (is_flat && !files.empty()) {
      std::sort(files.begin(), files.end());
      std::move(files.begin(), files.end(), std::back_inserter(inputs));
    } else {
      inputs.push_back(argument);
    }
  }
  return inputs;
}

/// What a recording gives; of summaries, those that are of this selection.
Result<std::vector<Summary>> SummariesOf(const std::vector<Profile>& profiles,
                                         const Selection& selection) {
  if (std::none_of(profiles.begin(), profiles.end(), IsSummary)) {
    return SummarizeRanks(profiles, selection);
  }
  std::vector<Summary> summaries;
  for (const Profile& profile : profiles) {
    auto summary = SummaryOf(profile);
    if (!summary) {
      PROFGAUGE_TRY(std::vector<Summary> one, SummarizeRanks(std::span(&profile, 1), selection));
      summary = std::move(one.front());
    }
    // Checked as a run of one, for its columns and its selection.
    const Profile stand_in = ProfileOfSummary(*summary, profile.source.path);
    PROFGAUGE_TRY([[maybe_unused]] const Analysis checked,
                  AnalyzeRun(std::span(&stand_in, 1), selection));
    summaries.push_back(*std::move(summary));
  }
  return summaries;
}

Result<std::vector<Summary>> Read(const std::string& input, const Options& options,
                                  const Selection& selection, Console& console) {
  Options one = options;
  one.arguments = {input};
  PROFGAUGE_TRY(const std::vector<Profile> profiles, ReadProfiles(one, console));
  return SummariesOf(profiles, selection);
}

void Add(std::vector<Summary> summaries, const std::string& path, Made& made) {
  for (Summary& summary : summaries) {
    made.stand_ins.push_back(ProfileOfSummary(summary, path));
    made.ranks.push_back(std::move(summary));
  }
}

/// One input after the other; those that fail are told and counted. Errors that are the user's
/// choice (another selection) end it.
Result<Made> ReadAll(const Options& options, const Selection& selection, Console& console) {
  Made made;
  for (const std::string& input : Inputs(options.arguments)) {
    auto summaries = Read(input, options, selection, console);
    if (summaries) {
      Add(*std::move(summaries), input, made);
    } else if (summaries.error().kind == ErrorKind::kInput) {
      console.Report(summaries.error());
      ++made.failed;
    } else {
      return Fail(std::move(summaries).error());
    }
  }
  return made;
}

bool HaveOneIterationsList(const std::vector<Summary>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [&](const Summary& rank) {
    return rank.Numbers("step.number") == ranks.front().Numbers("step.number");
  });
}

/// Ranks that recorded other iterations than the others are read once more, all together.
Status Align(const Options& options, const Selection& selection, Console& console, Made& made) {
  if (made.failed > 0 || HaveOneIterationsList(made.ranks)) return {};
  PROFGAUGE_TRY(const std::vector<Profile> profiles, ReadProfiles(options, console));
  if (std::any_of(profiles.begin(), profiles.end(), IsSummary)) return {};
  PROFGAUGE_TRY(std::vector<Summary> summaries, SummarizeRanks(profiles, selection));
  made.ranks = std::move(summaries);
  return {};
}

std::string NameOf(const Summary& rank, std::size_t position) {
  const std::int64_t number = rank.Number("rank", -1);
  return number >= 0 ? fmt::format("rank{}.pgsum", number)
                     : fmt::format("{}_{}.pgsum", position, rank.Text("hash").substr(0, 8));
}

Status WriteFolder(const Made& made, const std::string& folder, Outputs& outputs) {
  PROFGAUGE_CHECK(outputs.MakeDirectory(folder));
  std::vector<std::pair<std::size_t, const Summary*>> opened;
  for (std::size_t i = 0; i < made.ranks.size(); ++i) {
    const std::string path = (fs::path(folder) / NameOf(made.ranks[i], i)).string();
    PROFGAUGE_TRY(const std::size_t output, outputs.Open(path, FileKind::kSummary));
    opened.emplace_back(output, &made.ranks[i]);
  }
  for (const auto& [output, rank] : opened) {
    PROFGAUGE_CHECK(outputs.Commit(output, WriteSummaries({*rank})));
  }
  return {};
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || fs::is_directory(path, error);
}

}  // namespace

Result<int> RunSummarize(const Options& options, Console& console) {
  if (options.output.empty()) {
    return Fail(Error{ErrorKind::kUsage,
                      "usage/no-output",
                      "`summarize` needs a folder or file to write to",
                      {},
                      {"help: `profgauge summarize PROFILE… -o summaries/`"}});
  }
  const auto policy = ReadPolicy(options, console);
  if (!policy) return kExitUsage;
  const Selection selection = SelectionOf(*policy, Choices(options));
  Outputs outputs(KeptBy(options));
  std::size_t file = 0;
  const bool is_folder = IsFolder(options.output);
  if (!is_folder) {
    PROFGAUGE_TRY(file, outputs.Open(options.output, FileKind::kSummary));
  }
  PROFGAUGE_TRY(Made made, ReadAll(options, selection, console));
  if (made.ranks.empty()) return kExitNoVerdict;
  PROFGAUGE_CHECK(CheckOneRun(made.stand_ins, ""));
  PROFGAUGE_CHECK(Align(options, selection, console, made));
  if (options.redact) {
    for (Summary& rank : made.ranks) report::RedactSummary(rank);
  }
  if (is_folder) {
    PROFGAUGE_CHECK(WriteFolder(made, options.output, outputs));
  } else {
    PROFGAUGE_CHECK(outputs.Commit(file, WriteSummaries(made.ranks)));
  }
  if (options.output != "-") {
    console.Say(
        fmt::format("wrote {} of {} to {}", made.ranks.size() == 1 ? "the summary" : "summaries",
                    made.ranks.size() == 1 ? "1 rank" : fmt::format("{} ranks", made.ranks.size()),
                    Printable(options.output)));
  }
  return made.failed > 0 ? kExitNoVerdict : kExitPass;
}

}  // namespace profgauge::cli
