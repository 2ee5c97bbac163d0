// `profgauge summarize`: writes each rank's data that judging needs, in files that can be merged.
#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "api/session.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "model/summary/summary_file.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

std::string NameOf(const Profile& rank, std::size_t position) {
  const std::int64_t number = rank.distributed.rank;
  return number >= 0 ? fmt::format("rank{}.pgsum", number)
                     : fmt::format("{}_{}.pgsum", position, rank.source.hash.substr(0, 8));
}

// Opens all files before the first is written, so that nothing is half done if a name is taken.
Status WriteFolder(std::span<const Profile> ranks, const std::string& folder, Outputs& outputs) {
  PROFGAUGE_CHECK(outputs.MakeDirectory(folder));
  std::vector<std::size_t> opened;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string path = (fs::path(folder) / NameOf(ranks[i], i)).string();
    PROFGAUGE_TRY(const std::size_t output, outputs.Open(path, FileKind::kSummary));
    opened.push_back(output);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    PROFGAUGE_CHECK(outputs.Commit(opened[i], WriteSummaries(ranks.subspan(i, 1))));
  }
  return {};
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || fs::is_directory(path, error);
}

}  // namespace

Result<int> RunSummarize(const Options& options, Console& console) {
  if (options.out_dir.empty()) {
    return Fail(UsageError("usage/no-output", "`summarize` needs a folder or file to write to",
                           "`profgauge summarize PROFILE… -o summaries/`"));
  }
  const auto policy = ReadPolicy(options, console);
  if (!policy) return kExitUsage;
  const analysis::Selection selection = SelectionOf(*policy, Choices(options));
  Outputs outputs(KeptBy(options));
  std::size_t file = 0;
  const bool is_folder = IsFolder(options.out_dir);
  if (!is_folder) {
    PROFGAUGE_TRY(file, outputs.Open(options.out_dir, FileKind::kSummary));
  }
  PROFGAUGE_TRY(RanksRead made, ReadRankByRank(options, selection, console));
  std::vector<Profile>& ranks = made.ranks.stand_ins;
  if (ranks.empty() && made.failed == 0 && !options.part.empty()) {
    console.Say(fmt::format("note: no file is in part {}", options.part));
    return kExitPass;
  }
  if (ranks.empty()) return kExitNoVerdict;
  if (options.redact) RedactSummaries(ranks, options.redact);
  if (is_folder) {
    PROFGAUGE_CHECK(WriteFolder(ranks, options.out_dir, outputs));
  } else {
    PROFGAUGE_CHECK(outputs.Commit(file, WriteSummaries(std::span<const Profile>(ranks))));
  }
  if (options.out_dir != "-") {
    console.Say(fmt::format("wrote {} of {} to {}", ranks.size() == 1 ? "the summary" : "summaries",
                            ranks.size() == 1 ? "1 rank" : fmt::format("{} ranks", ranks.size()),
                            Printable(options.out_dir)));
  }
  return made.failed > 0 ? kExitNoVerdict : kExitPass;
}

}  // namespace profgauge::cli
