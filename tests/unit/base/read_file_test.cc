#include "base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace profgauge {
namespace {

TEST(ReadSmallFile, GivesAllBytesOrNone) {
  const std::string path = ::testing::TempDir() + "read_file_" + std::to_string(::getpid());
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 100'000U}) {
    std::string bytes(size, 'x');
    if (size > 0) bytes.back() = '\n';
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(ReadSmallFile(path), bytes);
    EXPECT_EQ(ReadSmallFile(path, size), bytes);
    if (size > 0) {
      EXPECT_EQ(ReadSmallFile(path, size - 1), std::nullopt);
    }
  }
  std::filesystem::remove(path);
  EXPECT_EQ(ReadSmallFile(path), std::nullopt);
}

// A stream opens a folder, and fails when it is read.
TEST(ReadSmallFile, RefusesFoldersAndEndlessDevices) {
  EXPECT_EQ(ReadSmallFile(::testing::TempDir()), std::nullopt);
  EXPECT_EQ(ReadSmallFile("/dev/zero", 10'000), std::nullopt);
}

}  // namespace
}  // namespace profgauge
