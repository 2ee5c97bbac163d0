#include "analysis/ranks/read_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/iterations/utilization.h"
#include "analysis/ranks/analyze_run.h"

namespace profgauge::analysis::ranks {
namespace {

Error Refused(ErrorKind kind, std::string code, std::string message, std::string help) {
  Error error;
  error.kind = kind;
  error.code = std::move(code);
  error.message = std::move(message);
  error.notes.push_back(std::move(help));
  return error;
}

// A summary only has the numbers of one selection; others need the events.
Status CheckSelection(const RankSummary& rank, const std::string& wanted) {
  if (rank.selection == wanted) return {};
  Error error = Refused(ErrorKind::kUsage, "summary/other-selection",
                        fmt::format("the summary has another selection: found `{}`, expected `{}`",
                                    rank.selection, wanted),
                        "help: pass the policy and options with which `profgauge summarize` ran, "
                        "or write the summaries again");
  error.where.file = rank.profile.source.path;
  return Fail(std::move(error));
}

/// Positions are only comparable between ranks if all have the same iterations.
Status CheckIterations(const std::vector<RankSummary>& ranks) {
  const auto numbers = [](const RankSummary& rank) {
    std::vector<std::int64_t> of_rank;
    for (const communication::RankFacts::Step& step : rank.communication.steps)
      of_rank.push_back(step.number);
    return of_rank;
  };
  for (const RankSummary& rank : ranks) {
    const bool both_numbered = rank.iterations.has_numbers && ranks.front().iterations.has_numbers;
    if (!both_numbered || numbers(rank) == numbers(ranks.front())) continue;
    Error error = Refused(
        ErrorKind::kInput, "summary/other-iterations",
        fmt::format("the summaries have different iterations: {} of rank {}, {} of rank {}",
                    ranks.front().communication.steps.size(), ranks.front().communication.rank,
                    rank.communication.steps.size(), rank.communication.rank),
        "help: summarize the ranks in one call, or name the iterations by number "
        "(`--iter-start '#5'`)");
    error.where.file = rank.profile.source.path;
    return Fail(std::move(error));
  }
  return {};
}

}  // namespace

Error UnreadableSummary(const std::string& path) {
  Error error = Refused(ErrorKind::kInput, "summary/damaged",
                        "the summary is missing data that this version needs",
                        "help: write it again with `profgauge summarize`");
  error.where.file = path;
  return error;
}

Result<Summary> SummaryFor(const Profile& profile, const Selection& selection) {
  if (auto summary = SummaryOf(profile)) return *std::move(summary);
  PROFGAUGE_TRY(std::vector<Summary> one, SummarizeRanks(std::span(&profile, 1), selection));
  return std::move(one.front());
}

Result<RankSummary> ReadRank(const Summary& summary, const std::string& path, std::size_t position,
                             const Selection& selection, std::shared_ptr<StringPool> strings) {
  auto rank = ReadRankSummary(summary, path, std::move(strings));
  if (!rank) return Fail(UnreadableSummary(path));
  PROFGAUGE_CHECK(CheckSelection(*rank, SelectionText(selection)));
  // Without a recorded number, the rank is numbered by its position.
  const std::int64_t known = rank->profile.distributed.rank;
  rank->communication.rank = known >= 0 ? known : static_cast<std::int64_t>(position);
  return *std::move(rank);
}

bool IsChosen(const RankSummary& rank, std::int64_t wanted) {
  return wanted < 0 || rank.communication.rank == wanted;
}

Result<std::vector<RankSummary>> Chosen(std::vector<RankSummary> ranks, std::int64_t wanted) {
  std::erase_if(ranks, [wanted](const RankSummary& rank) { return !IsChosen(rank, wanted); });
  if (ranks.empty()) {
    return Fail(Refused(ErrorKind::kUsage, "analysis/no-rank",
                        fmt::format("the run has no rank {}", wanted),
                        "help: `profgauge inspect` lists the ranks of a run"));
  }
  PROFGAUGE_CHECK(CheckIterations(ranks));
  return ranks;
}

// Contexts without events: `classes`, `tree` and `works` are empty, and analyses that read these
// must not be called.
std::vector<iterations::RankContext> ContextsOf(const std::vector<RankSummary>& ranks,
                                                const classify::Knowledge& knowledge) {
  std::vector<iterations::RankContext> contexts;
  for (const RankSummary& rank : ranks) {
    iterations::RankContext& context = contexts.emplace_back();
    context.profile = &rank.profile;
    context.rank = rank.communication.rank;
    context.iterations = rank.iterations;
    context.unobserved = rank.unobserved;
    context.captured = rank.captured;
    context.gpus = rank.gpus;
    context.knowledge = knowledge;
    context.devices = CompleteGpus(rank.profile, knowledge.devices);
    std::stable_sort(context.devices.begin(), context.devices.end(),
                     [](const Gpu& a, const Gpu& b) { return a.id < b.id; });
  }
  return contexts;
}

}  // namespace profgauge::analysis::ranks
