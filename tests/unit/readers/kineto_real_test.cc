// Reads every collected trace beside the checkout, where there are any; nothing may fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Traces() {
  std::vector<std::string> paths;
  const fs::path root = fs::path(PROFGAUGE_SHARED_DIR) / "data" / "kineto";
  if (!fs::exists(root)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto path = entry.path().string();
    if (path.find("/malformed/") != std::string::npos || path.ends_with(".expected.json")) continue;
    if (path.ends_with(".json") || path.ends_with(".json.gz")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(KinetoReal, EveryTraceIsReadWithoutRepair) {
  const auto paths = Traces();
  if (paths.empty()) GTEST_SKIP() << "no collected traces beside the checkout";
  for (const auto& path : paths) {
    const auto profile = ReadProfile(path, {});
    ASSERT_TRUE(profile) << path << ": " << profile.error().message;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
      const auto counter = static_cast<Counter>(i);
      if (InfoOf(counter).severity == Severity::kInfo) continue;
      if (counter == Counter::kernels_serialized) continue;  // Said of the run, not repaired.
      EXPECT_EQ(profile->log[counter], 0u) << path << ": " << InfoOf(counter).name;
    }
  }
}

}  // namespace
}  // namespace profgauge::readers
