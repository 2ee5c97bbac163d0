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

namespace profgauge::analysis::made {

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
  std::vector<communication::RankFacts> ranks;
  communication::Matching matching;
  communication::Blame blame;
};

inline Judged Judge(const profgauge::made::Plan& plan, const profgauge::made::Made& made) {
  Folder folder;
  profgauge::made::WriteRun(plan, made, folder.path());
  Judged judged;
  auto run = readers::LoadRun({folder.path()}, {});
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  if (!run) return judged;
  judged.profiles = std::move(run->profiles);
  const auto contexts = iterations::BuildRankContexts(judged.profiles, {});
  EXPECT_TRUE(contexts) << (contexts ? "" : contexts.error().message);
  judged.ranks = communication::TimeFacts(*contexts).communication;
  judged.matching = communication::MatchFacts(judged.ranks);
  judged.blame = communication::FindBlame(judged.ranks, judged.matching);
  return judged;
}

inline std::string Told(const profgauge::made::Plan& plan) {
  return "mesh " + std::to_string(static_cast<int>(plan.mesh)) + ", cause " +
         std::string(profgauge::made::CauseInWords(plan.cause)) + ", late " +
         std::to_string(plan.late) + ", ranks " + std::to_string(plan.ranks) + ", metadata " +
         std::to_string(static_cast<int>(plan.metadata));
}

inline constexpr profgauge::made::Mesh kMeshes[] = {
    profgauge::made::Mesh::kDp, profgauge::made::Mesh::kTpDp, profgauge::made::Mesh::kPpDp,
    profgauge::made::Mesh::kEpDp};

}  // namespace profgauge::analysis::made
