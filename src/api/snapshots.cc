#include "api/snapshots.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "analysis/breakdown/attribution.h"
#include "analysis/ranks/analyze_run.h"
#include "base/files.h"
#include "gate/make_snapshot.h"
#include "report/build_report.h"

namespace profgauge {
namespace {

constexpr std::size_t kLooked = 256;

}  // namespace

// Reads only the first kLooked bytes: `kind` precedes everything that a user names, and the file
// may be a profile of gigabytes.
bool IsBaselineFile(const std::string& path) {
  const std::string head = ReadHead(path, kLooked);
  return head.find(gate::kBaselineKind) != std::string::npos;
}

Result<std::vector<gate::Snapshot>> LoadBaselineFile(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  if (!text) {
    Error error;
    error.kind = ErrorKind::kConfig;
    error.code = "baseline/unreadable";
    error.message = "the baseline cannot be read";
    error.where.file = path;
    return Fail(std::move(error));
  }
  return gate::ParseBaseline(*text, path);
}

Result<gate::Snapshot> SnapshotOf(const std::string& name, std::span<const Profile> ranks,
                                  const analysis::Analysis& analysis,
                                  const analysis::Selection& selection) {
  PROFGAUGE_TRY(analysis::breakdown::Attribution attribution,
                analysis::breakdown::AttributeTime(ranks, selection));
  gate::Snapshot snapshot =
      gate::MakeSnapshot(name.empty() ? report::RunNameOf(ranks.front().source.path) : name, ranks,
                         analysis, std::move(attribution));
  const std::string chosen = analysis::ranks::ComparedSelection(selection);
  if (chosen != analysis::ranks::kAllIterations)
    snapshot.environment.emplace_back(gate::kSelectionProperty, chosen);
  return snapshot;
}

void AddPartsByRank(std::span<const Profile> ranks, const analysis::Selection& selection,
                    gate::Snapshot& snapshot) {
  if (snapshot.ranks.size() < gate::kRanksToStandOut) return;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t recorded = ranks[i].distributed.rank;
    const auto of =
        std::ranges::find(snapshot.ranks, recorded >= 0 ? recorded : static_cast<std::int64_t>(i),
                          &gate::RankWork::rank);
    if (of == snapshot.ranks.end()) continue;
    auto attribution = analysis::breakdown::AttributeTime(ranks.subspan(i, 1), selection);
    if (!attribution) continue;
    of->iteration_times = std::move(attribution->iteration_times);
    of->parts = std::move(attribution->parts);
  }
}

// Numbers several runs from 1, in order, so that readers can still distinguish them.
void HideNames(std::string_view word, std::vector<gate::Snapshot>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].name = runs.size() == 1 ? std::string(word) : fmt::format("{} {}", word, i + 1);
  }
}

// Adds the runs from files first, because their time is unknown.
Result<ChosenBaseline> BaselineSource::For(std::span<const gate::Snapshot> candidates) const {
  ChosenBaseline chosen;
  if (choose) {
    PROFGAUGE_TRY(chosen, choose(candidates));
  } else if (!runs.empty()) {
    chosen.info.state = gate::BaselineState::kUsed;
  }
  std::vector<gate::BaselineRun> of_files;
  for (const gate::Snapshot& run : runs) of_files.push_back({0, "", run.name});
  chosen.info.runs.insert(chosen.info.runs.begin(), of_files.begin(), of_files.end());
  chosen.runs.insert(chosen.runs.begin(), runs.begin(), runs.end());
  if (!runs.empty()) chosen.info.state = gate::BaselineState::kUsed;
  return chosen;
}

Error MissingBaseline(const gate::BaselineInfo& info) {
  Error error;
  error.kind = ErrorKind::kConfig;
  const bool is_unknown = info.state == gate::BaselineState::kUnknownBranch;
  error.code = is_unknown ? "baseline/unknown-branch" : "baseline/missing";
  error.message = info.source + ": " + info.why_missing;
  error.notes = {is_unknown
                     ? "help: `profgauge history list` shows the runs and their branches"
                     : "help: `profgauge history list` shows the runs; `baseline: {missing: warn}` "
                       "in the policy judges without one"};
  return error;
}

}  // namespace profgauge
