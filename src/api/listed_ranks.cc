#include "api/listed_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/replay.h"
#include "readers/ranks.h"
#include "rules/facts.h"

namespace profgauge {
namespace {

// How the verdict names one of them, without folders.
std::string NameOfRank(const Profile& profile) {
  const std::string file = std::filesystem::path(profile.source.path).filename().string();
  const std::string rank = fmt::format("rank {}", profile.distributed.rank);
  return file.empty() ? rank : fmt::format("{} ({})", rank, file);
}

}  // namespace

bool AreListed(std::span<const Profile> ranks) {
  if (ranks.size() < 2) return false;
  return std::any_of(ranks.begin(), ranks.end(), [](const Profile& rank) {
    return std::ranges::any_of(rank.facts, [](const auto& fact) {
      return fact.first == kRanksGivenBy && fact.second == kByOrder;
    });
  });
}

Status FailWithEach(std::span<const Profile> ranks, const Selection& selection,
                    const Policy& policy, const Rulebook& rules, bool allow_incomplete,
                    Verdict& verdict) {
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::span<const Profile> one = ranks.subspan(i, 1);
    PROFGAUGE_TRY(Replayable alone, AnalyzeForReplay(one, selection));
    rules.Predict(alone.replayer.get(), alone.analysis);
    const Evaluation evaluation = rules.Evaluate(alone.analysis, CollectFacts(one, alone.analysis),
                                                 false, alone.replayer.get(), [] {});
    const Verdict own =
        Judge(policy, alone.analysis, ranks[i].log,
              JudgeOptions{.allow_incomplete = allow_incomplete, .evaluation = &evaluation});
    if (own.status != VerdictStatus::kFail || own.reasons.empty()) continue;
    failures.push_back(NameOfRank(ranks[i]) + " fails by itself: " + own.reasons.front());
  }
  if (failures.empty()) return {};
  verdict.errors += static_cast<std::int64_t>(failures.size());
  verdict.status = VerdictStatus::kFail;
  verdict.reasons.insert(verdict.reasons.begin(), std::make_move_iterator(failures.begin()),
                         std::make_move_iterator(failures.end()));
  return {};
}

}  // namespace profgauge
