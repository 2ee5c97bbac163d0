// The glue between a caller's choices and the layers below.
#include "api/session.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace profgauge {
namespace {

TEST(RunName, IsTheFoldersOrLeftToTheFile) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "resnet50.ddp";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(RunName({"x/run7.pt.trace.json.gz"}), "");
  EXPECT_EQ(RunName({"-"}), "stdin");
  EXPECT_EQ(RunName({folder.string()}), "resnet50.ddp");
  EXPECT_EQ(RunName({folder.string() + "/"}), "resnet50.ddp");
  EXPECT_EQ(RunName({"exp1/worker0.json.gz", "exp1/worker1.json.gz"}), "exp1");
  EXPECT_EQ(RunName({"a/worker0.json.gz", "b/worker0.json.gz"}), "");
  EXPECT_EQ(RunName({}), "");
}

TEST(SelectionOf, TheCallerWinsOverThePolicy) {
  PolicyIterations policy;
  policy.warmup = 3;
  policy.start = 5;
  policy.key_op = "aten::mm";
  EvaluateOptions options;
  options.warmup = 0;
  options.rank = 2;
  const Selection selection = SelectionOf(policy, options);
  EXPECT_EQ(selection.warmup, 0);
  EXPECT_EQ(selection.start, 5);
  EXPECT_EQ(selection.stop, -1);
  EXPECT_EQ(selection.rank, 2);
  EXPECT_EQ(selection.key_op, "aten::mm");
  EXPECT_EQ(selection.iteration_marker, "");
}

TEST(ProvenanceOptions, HoldsWhatChangesNumbers) {
  EvaluateOptions options;
  EXPECT_TRUE(ProvenanceOptions(options).empty());
  options.warmup = 2;
  options.allow_incomplete = true;
  const std::vector<std::pair<std::string, std::string>> expected = {{"warmup", "2"},
                                                                     {"allow-incomplete", "yes"}};
  EXPECT_EQ(ProvenanceOptions(options), expected);
}

}  // namespace
}  // namespace profgauge
