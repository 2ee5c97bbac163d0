// Runs of known truth (tests/tools/ranks/made_ranks.h), read as the profiler's own files would be.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "../../tools/ranks/made_ranks.h"
#include "analysis/analysis.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/rank_facts.h"
#include "readers/load.h"

namespace profgauge::made {

class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("profgauge_ranks_" + std::to_string(getpid()) + "_" + std::to_string(++count));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    std::filesystem::remove(path_.string() + ".truth.json", ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Judged {
  std::vector<Profile> profiles;
  std::vector<RankFacts> ranks;
  Matching matching;
  Blame blame;
};

inline Judged Judge(const Plan& plan, const Made& made) {
  Folder folder;
  WriteRun(plan, made, folder.path());
  Judged judged;
  auto run = LoadRun({folder.path()}, {});
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  if (!run) return judged;
  judged.profiles = std::move(run->profiles);
  const auto contexts = BuildRankContexts(judged.profiles, {});
  EXPECT_TRUE(contexts) << (contexts ? "" : contexts.error().message);
  judged.ranks = TimeFacts(*contexts).communication;
  judged.matching = MatchFacts(judged.ranks);
  judged.blame = FindBlame(judged.ranks, judged.matching);
  return judged;
}

inline std::string Told(const Plan& plan) {
  return "mesh " + std::to_string(static_cast<int>(plan.mesh)) + ", cause " +
         std::string(CauseInWords(plan.cause)) + ", late " + std::to_string(plan.late) +
         ", ranks " + std::to_string(plan.ranks) + ", metadata " +
         std::to_string(static_cast<int>(plan.metadata));
}

inline constexpr Mesh kMeshes[] = {Mesh::kDp, Mesh::kTpDp, Mesh::kPpDp, Mesh::kEpDp};

}  // namespace profgauge::made
