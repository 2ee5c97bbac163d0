#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

// Nobody writes into it, so that opening it as usual would wait for ever.
TEST(OpenInput, RefusesPipesWithoutWriterAndSockets) {
  const std::string path = ::testing::TempDir() + "pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto pipe = OpenInput(path, Named::kFound);
  ASSERT_FALSE(pipe);
  EXPECT_EQ(pipe.error().why, NotOpened::Why::kPipe);
  EXPECT_EQ(ReadSmallFile(path), std::nullopt);
  const int writer = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::write(writer, "abc", 3), 3);
  auto written = OpenInput(path, Named::kFound);
  ASSERT_TRUE(written);
  char bytes[3];
  EXPECT_EQ(written->Read(bytes, 3), 1U);
  EXPECT_EQ(written->Read(bytes + 1, 2), 2U);
  EXPECT_EQ(std::string(bytes, 3), "abc");
  ::close(writer);
  std::filesystem::remove(path);
  EXPECT_EQ(OpenInput("/dev/zero", Named::kFound).error().why, NotOpened::Why::kNoFile);
  EXPECT_TRUE(OpenInput("/dev/zero", Named::kByUser));
}

TEST(ListEntries, KnowsLinksAndPipes) {
  const std::filesystem::path folder =
      ::testing::TempDir() + "entries_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder / "b");
  std::ofstream(folder / "a") << "x";
  std::filesystem::create_symlink("a", folder / "c");
  std::filesystem::create_symlink("b", folder / "d");
  std::filesystem::create_symlink("nothing", folder / "e");
  ASSERT_EQ(::mkfifo((folder / "f").c_str(), 0600), 0);
  std::vector<EntryKind> kinds;
  for (const FolderEntry& entry : ListEntries(folder)) kinds.push_back(entry.kind);
  EXPECT_EQ(kinds, (std::vector{EntryKind::kFile, EntryKind::kFolder, EntryKind::kLinkToFile,
                                EntryKind::kLinkToFolder, EntryKind::kOther, EntryKind::kOther}));
  std::filesystem::remove_all(folder);
}

TEST(ReadEnds, OfRegularFilesOnly) {
  const std::string path = ::testing::TempDir() + "ends_" + std::to_string(::getpid());
  std::ofstream(path) << "0123456789";
  EXPECT_EQ(ReadHead(path, 4), "0123");
  EXPECT_EQ(ReadHead(path, 40), "0123456789");
  EXPECT_EQ(ReadTail(path, 4)->bytes, "6789");
  EXPECT_EQ(ReadTail(path, 40)->bytes, "0123456789");
  EXPECT_EQ(ReadTail(path, 4)->size, 10U);
  std::filesystem::remove(path);
  EXPECT_EQ(ReadHead(path, 4), "");
  EXPECT_EQ(ReadTail("/dev/zero", 4), std::nullopt);
}

//   root/.git   root/a/b.yaml   root/link -> ../outside   outside/c.yaml
TEST(IsWithin, FollowsLinks) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::canonical(::testing::TempDir()) / ("within_" + std::to_string(::getpid()));
  fs::create_directories(folder / "root/.git");
  fs::create_directories(folder / "root/a");
  fs::create_directories(folder / "outside");
  fs::create_symlink("../outside", folder / "root/link");
  const fs::path root = folder / "root";
  EXPECT_TRUE(IsWithin(root / "a/b.yaml", root));
  EXPECT_TRUE(IsWithin(root / "a/../none/b.yaml", root));
  EXPECT_TRUE(IsWithin(root, root));
  EXPECT_FALSE(IsWithin(root / "../outside/c.yaml", root));
  EXPECT_FALSE(IsWithin(root / "link/c.yaml", root));
  EXPECT_FALSE(IsWithin(folder / "root2", root));
  EXPECT_EQ(RepositoryOf(root / "a/b.yaml"), root);
  EXPECT_EQ(RepositoryOf(root / "link/c.yaml"), folder / "outside");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace profgauge
