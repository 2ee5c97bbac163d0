// `profgauge summarize`: of each rank what the run needs to know, in files that merge.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "api/session.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "model/summary/summary_file.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

std::string NameOf(const Summary& rank, std::size_t position) {
  const std::int64_t number = rank.Number("rank", -1);
  return number >= 0 ? fmt::format("rank{}.pgsum", number)
                     : fmt::format("{}_{}.pgsum", position, rank.Text("hash").substr(0, 8));
}

Status WriteFolder(const RanksRead& made, const std::string& folder, Outputs& outputs) {
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
  PROFGAUGE_TRY(RanksRead made, ReadRankByRank(options, selection, console));
  if (made.ranks.empty()) return kExitNoVerdict;
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
