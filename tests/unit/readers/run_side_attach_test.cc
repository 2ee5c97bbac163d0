// Which document belongs to which profile.
#include "readers/run_side/attach.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "model/run_side.h"
#include "readers/run_side/step_log.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

class RunSideAttach : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  Profile Of(const std::string& name, std::int64_t rank = -1, std::int64_t world_size = -1) const {
    Profile profile;
    profile.source.path = (folder_ / name).string();
    profile.distributed.rank = rank;
    profile.distributed.world_size = world_size;
    return profile;
  }

  fs::path folder_;
};

/// A document of that many iterations of 10 ms, of `rank`.
std::string Document(int steps, int rank = -1, Ns length = 10'000'000) {
  std::string lengths;
  for (int i = 0; i < steps; ++i) {
    lengths += (i == 0 ? "" : ",") + std::to_string(length);
  }
  return R"({"schema":1,"segments":[{"first":0,"ns":[)" + lengths + "]}]" +
         (rank < 0 ? "" : ",\"rank\":" + std::to_string(rank) + ",\"world_size\":2") + "}";
}

std::size_t StepsOf(const Profile& profile) {
  if (profile.run_side == nullptr || !profile.run_side->document) return 0;
  return profile.run_side->document->segments.front().lengths.size();
}

std::vector<Profile> List(Profile a) {
  std::vector<Profile> profiles;
  profiles.push_back(std::move(a));
  return profiles;
}

TEST_F(RunSideAttach, BesideByItsName) {
  for (const char* name :
       {"a.pt.trace.json.gz.run.json", "a.pt.trace.json.run.json", "a.run.json"}) {
    const std::string path = Write(name, Document(30));
    std::vector<Profile> profiles = List(Of("a.pt.trace.json.gz"));
    ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
    EXPECT_EQ(StepsOf(profiles[0]), 30u) << name;
    EXPECT_EQ(profiles[0].run_side->carrier, RunCarrier::kBeside);
    EXPECT_FALSE(profiles[0].run_side->is_of_process);
    fs::remove(path);
  }
  Write("b.run.json", Document(30));
  std::vector<Profile> profiles = List(Of("a.json"));
  ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
  EXPECT_EQ(profiles[0].run_side, nullptr);
}

TEST_F(RunSideAttach, InAFolderByItsRank) {
  const std::string one = Write("one.run.json", Document(21, 1));
  std::vector<Profile> profiles = List(Of("x0.json", 0, 2));
  profiles.push_back(Of("x1.json", 1, 2));
  ASSERT_TRUE(AttachRunSides(profiles, {one}, {}));
  EXPECT_EQ(StepsOf(profiles[0]), 0u);
  EXPECT_EQ(StepsOf(profiles[1]), 21u);
  // The only profile of its folder.
  const std::string run = Write("run.json", Document(22));
  profiles = List(Of("x0.json"));
  ASSERT_TRUE(AttachRunSides(profiles, {run}, {}));
  EXPECT_EQ(StepsOf(profiles[0]), 22u);
}

TEST_F(RunSideAttach, LongestCountsInnerShowsProcess) {
  Write("a.run.json", Document(40));
  std::vector<Profile> profiles = List(Of("a.json"));
  profiles[0].run_document = Document(25);
  ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
  EXPECT_EQ(StepsOf(profiles[0]), 40u);
  EXPECT_EQ(profiles[0].run_side->carrier, RunCarrier::kBeside);
  EXPECT_TRUE(profiles[0].run_side->is_of_process);
  EXPECT_TRUE(profiles[0].run_side->note.empty());
  EXPECT_TRUE(profiles[0].run_document.empty());

  profiles[0].run_document = Document(25, -1, 11'000'000);
  ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
  EXPECT_FALSE(profiles[0].run_side->is_of_process);
  EXPECT_FALSE(profiles[0].run_side->note.empty());
}

TEST_F(RunSideAttach, MarksHoldOne) {
  std::vector<Profile> profiles = List(Of("a.json"));
  // {"schema":1,"segments":[{"first":0,"ns":[7]}]}
  profiles[0].strings.Intern(
      "profgauge.run:eyJzY2hlbWEiOjEsInNlZ21lbnRzIjpbeyJmaXJzdCI6MCwibnMiOls3XX1dfQ");
  ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
  EXPECT_EQ(StepsOf(profiles[0]), 1u);
}

TEST_F(RunSideAttach, AnotherRanksIsLeftOut) {
  Write("a.run.json", Document(40, 1));
  std::vector<Profile> profiles = List(Of("a.json", 0, 2));
  ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
  ASSERT_NE(profiles[0].run_side, nullptr);
  EXPECT_FALSE(profiles[0].run_side->document.has_value());
  EXPECT_EQ(profiles[0].run_side->problems.at(0).code, "run/other-rank");
}

TEST_F(RunSideAttach, TimesLeftOutAreCounted) {
  std::vector<Profile> profiles = List(Of("a.json"));
  const std::string log = Write("log.csv", "iter,step_time_ms\n0,10\n5,10\n6,-10\n");
  ASSERT_TRUE(AttachRunSides(profiles, {}, {log, "", ""}));
  const RunProblem& problem = profiles[0].run_side->problems.at(0);
  EXPECT_EQ(problem.code, "run/steps-dropped");
  EXPECT_NE(problem.text.find(": skipped 1 time: "), std::string::npos);
  const std::string gaps = Write("gaps.csv", "iter,step_time_ms\n0,10\n1,\n2,nan\n3,10\n");
  ASSERT_TRUE(AttachRunSides(profiles, {}, {gaps, "", ""}));
  EXPECT_EQ(profiles[0].run_side->problems.at(0).code, "run/rows-skipped");
  const std::string again = Write("again.csv", "iter,step_time_ms\n0,10\n1,11\n2,12\n1,33\n");
  ASSERT_TRUE(AttachRunSides(profiles, {}, {again, "", ""}));
  EXPECT_EQ(profiles[0].run_side->problems.at(0).code, "run/steps-repeated");
  const std::string missing = Write("missing.csv", "iter,step_time_ms\n0,10\n1,11\n2,12\n9,9\n");
  ASSERT_TRUE(AttachRunSides(profiles, {}, {missing, "", ""}));
  EXPECT_EQ(profiles[0].run_side->problems.at(0).code, "run/steps-missing");
}

TEST_F(RunSideAttach, ANamedFileMustBeUsable) {
  std::vector<Profile> profiles = List(Of("a.json", 0, 2));
  const auto code = [&](const std::string& text) {
    const auto attached = AttachRunSides(profiles, {}, {Write("named", text), "", ""});
    return attached ? std::string() : attached.error().code;
  };
  EXPECT_EQ(code(Document(20)), "");
  EXPECT_EQ(StepsOf(profiles[0]), 20u);
  EXPECT_EQ(profiles[0].run_side->carrier, RunCarrier::kNamed);
  EXPECT_EQ(code(R"({"schema":2,"segments":[]})"), "run/newer");
  EXPECT_EQ(code(R"({"schema":1,"segments":[{"first":0,"ns":[2.5]}]})"), "run/unreadable");
  EXPECT_EQ(code(Document(20, 1)), "run/other-rank");
  EXPECT_EQ(code("hello"), "run/no-times");
  EXPECT_EQ(code("step_time\n1\n"), "usage/step-unit");
  const auto missing = AttachRunSides(profiles, {}, {(folder_ / "none").string(), "", ""});
  EXPECT_EQ(missing.error().code, "run/unreadable");
}

TEST_F(RunSideAttach, KeysGivenTwiceAreCounted) {
  std::vector<Profile> profiles = List(Of("a.json"));
  Write("a.run.json",
        R"({"schema":1,"schema":1,"segments":[],"segments":[{"first":7,"first":0,"ns":[5,6]}]})");
  ASSERT_TRUE(AttachRunSides(profiles, {}, {}));
  ASSERT_EQ(StepsOf(profiles[0]), 2U);
  EXPECT_EQ(profiles[0].run_side->document->segments.at(0).first, 0);
  EXPECT_EQ(profiles[0].log[Counter::duplicate_keys], 3U);
}

TEST_F(RunSideAttach, AColumnMayFollowTheName) {
  std::vector<Profile> profiles = List(Of("a.json"));
  const std::string table = Write("t.csv", "a,b_ms\n1,2\n3,4\n");
  ASSERT_TRUE(AttachRunSides(profiles, {}, ParseStepTimes(table + ":b_ms")));
  EXPECT_EQ(profiles[0].run_side->document->segments.at(0).lengths,
            (std::vector<Ns>{2'000'000, 4'000'000}));
}

}  // namespace
}  // namespace profgauge::readers
