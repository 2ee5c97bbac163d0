#include "base/git.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

// A repository of three commits on main and one on a branch from the first.
class Git : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/profgauge-git-XXXXXX";
    folder_ = mkdtemp(name);
    const std::string script =
        "cd " + folder_ +
        " && git init -q -b main . && c() { git -c user.name=a -c user.email=a@b commit -q "
        "--allow-empty -m \"$1\"; } && printf one > f && git add f && c a && git tag old && "
        "git branch side && c b && printf two > f && git add f && c c && git checkout -q side && "
        "c d";
    has_git_ = std::system((script + " > " + folder_ + "/log 2>&1").c_str()) == 0;
    if (!has_git_) GTEST_SKIP() << "git is not installed";
  }
  void TearDown() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  std::string folder_;
  bool has_git_ = false;
};

TEST_F(Git, ListsAncestorsNearestFirst) {
  const auto main = git::AncestorsOf(folder_, "main"), side = git::AncestorsOf(folder_, "side");
  ASSERT_EQ(main.size(), 3U);
  ASSERT_EQ(side.size(), 2U);
  EXPECT_EQ(main.back(), side.back());
  EXPECT_NE(main.front(), side.front());
  EXPECT_EQ(git::AncestorsOf(folder_, "main", 1).size(), 1U);
  EXPECT_TRUE(git::AncestorsOf(folder_, "nothing").empty());
}

TEST_F(Git, KnowsHeadParentsAndBase) {
  const auto head = git::HeadOf(folder_);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->branch, "side");
  EXPECT_TRUE(head->is_clean);
  const auto commit = git::FindCommit(folder_, "main");
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->parents.size(), 1U);
  EXPECT_GT(commit->time, 1'000'000'000);
  const std::string old = git::FindCommit(folder_, "old")->hash;
  for (const std::vector<std::string>& branches :
       {std::vector<std::string>{"main"}, {"--all", "nosuch", "main"}, {commit->hash}}) {
    const auto fork = git::FindFork(folder_, branches);
    ASSERT_TRUE(fork) << branches.front();
    EXPECT_EQ(fork->head, head->commit);
    EXPECT_EQ(fork->base, old);
  }
  EXPECT_EQ(git::FindFork(folder_, {"side"})->base, head->commit);
  EXPECT_EQ(git::FindFork(folder_, {std::string(40, 'a')})->base, "");
  EXPECT_FALSE(git::FindFork(folder_, {"nosuch"}));
  EXPECT_FALSE(git::FindFork("/", {"main"}));
  EXPECT_EQ(git::FileAt(folder_, "old", "f"), "one");
  EXPECT_EQ(git::FileAt(folder_, "main", "f"), "two");
  EXPECT_TRUE(git::HasFile(folder_, "old", "f"));
  EXPECT_FALSE(git::HasFile(folder_, "old", "g"));
  EXPECT_FALSE(git::FileAt(folder_, "main", "g"));
}

// Names from a command line or a history never become options of git.
TEST_F(Git, RefusesWhatIsNoName) {
  for (const char* name :
       {"", "-x", "--output=f", "a b", "a..b", "a@{1}", "a;b", "$(id)", "a\nb"}) {
    EXPECT_FALSE(git::IsName(name)) << name;
    EXPECT_TRUE(git::AncestorsOf(folder_, name).empty()) << name;
    EXPECT_FALSE(git::FindCommit(folder_, name)) << name;
  }
  EXPECT_TRUE(git::IsName("feature/x-1.2_y"));
}

TEST_F(Git, IsUnknownOutsideOfARepository) {
  EXPECT_FALSE(git::HeadOf("/"));
  EXPECT_FALSE(git::HeadOf(folder_ + "/none"));
  EXPECT_TRUE(git::AncestorsOf("/", "main").empty());
}

// A foreign repository runs nothing of its own.
TEST_F(Git, RunsNoCodeOfTheRepository) {
  const std::string mark = folder_ + "/ran";
  const std::string script = "cd " + folder_ + " && git config core.fsmonitor 'touch " + mark +
                             "; false' && git config core.pager 'touch " + mark +
                             "' && printf x >> f";
  ASSERT_EQ(std::system(script.c_str()), 0);
  const auto head = git::HeadOf(folder_);
  ASSERT_TRUE(head);
  EXPECT_FALSE(head->is_clean);
  EXPECT_FALSE(fs::exists(mark));
}

}  // namespace
}  // namespace profgauge
