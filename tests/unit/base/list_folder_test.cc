#include "base/files.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

TEST(ListFolder, SortsEntriesWithoutHiddenOnes) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("list_folder_test_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  EXPECT_TRUE(ListFolder(folder).empty());
  fs::create_directories(folder / "c");
  for (const char* name : {"b", "a", ".hidden"}) std::ofstream(folder / name) << name;
  EXPECT_EQ(ListFolder(folder), (std::vector<fs::path>{folder / "a", folder / "b", folder / "c"}));
  EXPECT_TRUE(ListFolder(folder / "a").empty());  // A file.
  fs::remove_all(folder);
}

}  // namespace
}  // namespace profgauge
