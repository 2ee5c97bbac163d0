// Files that only the caller calls ranks of one run: no file passes in company if it fails by
// itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::Eq;

// Empty where the files cannot be judged together.
std::string StatusOf(const std::vector<std::string>& paths) {
  LoadOptions options;
  options.ranks_as_listed = true;
  const auto recording = Load(paths, options);
  if (!recording) return "";
  const auto judged = Evaluate(*recording, {});
  return judged ? std::string(judged->status()) : "";
}

TEST(ListedRanks, AFailingFileNeverPassesInCompany) {
  const std::string examples = std::string(PROFGAUGE_SOURCE_DIR) + "/examples/";
  const std::string healthy = examples + "healthy.pt.trace.json.gz";
  const std::string slow = examples + "slow.pt.trace.json.gz";
  ASSERT_EQ(StatusOf({healthy}), "pass");
  ASSERT_EQ(StatusOf({slow}), "fail");
  EXPECT_EQ(StatusOf({healthy, slow}), "fail");
  EXPECT_EQ(StatusOf({slow, healthy}), "fail");
}

TEST(ListedRanks, NorDoesAnyRealOne) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/";
  if (!fs::exists(folder)) GTEST_SKIP() << "no profiles in " << folder;
  std::vector<std::string> files;
  for (const char* some : {"strangers", "kineto/h100", "kineto/mi300", "labelled"}) {
    for (const auto& entry : fs::directory_iterator(folder + some)) {
      const std::string path = entry.path().string();
      if (path.ends_with(".json.gz") && entry.file_size() < 300'000) files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 10U);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& next = files[(i + 1) % files.size()];
    const bool any_fails = StatusOf({files[i]}) == "fail" || StatusOf({next}) == "fail";
    if (!any_fails) continue;
    EXPECT_THAT(StatusOf({files[i], next}), AnyOf(Eq("fail"), Eq(""))) << files[i] << ' ' << next;
  }
}

}  // namespace
}  // namespace profgauge
