// Outputs appear whole or not at all.
#include "cli/outputs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

class OutputsTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / ("outputs_" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  std::size_t FilesInDir() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }
  static std::string Content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path dir_;
};

TEST_F(OutputsTest, CommitReplacesTheFile) {
  const std::string old = "{\"schema\":1,\"tool\":\"profgauge 0.0.1\"}";
  std::ofstream(Path("a")) << old;
  Outputs outputs({});
  const auto output = outputs.Open(Path("a"), FileKind::kJson);
  ASSERT_TRUE(output);
  EXPECT_EQ(Content(Path("a")), old) << "opening must not touch the target";
  ASSERT_TRUE(outputs.Commit(*output, "new"));
  EXPECT_EQ(Content(Path("a")), "new");
  EXPECT_EQ(FilesInDir(), 1u);
}

TEST_F(OutputsTest, AppendingKeepsContents) {
  std::ofstream(Path("a")) << "old\n";
  for (const char* text : {"one\n", "two\n"}) {
    Outputs outputs({});
    const auto output = outputs.OpenToAppend(Path("a"));
    ASSERT_TRUE(output);
    ASSERT_TRUE(outputs.Commit(*output, text));
  }
  EXPECT_EQ(Content(Path("a")), "old\none\ntwo\n");
}

// A quota, or a server that is gone, may be known only when the file is closed.
TEST_F(OutputsTest, ClosingMayFail) {
  const int next = dup(STDERR_FILENO);
  close(next);
  for (const bool appends : {true, false}) {
    Outputs outputs({});
    const auto output =
        appends ? outputs.OpenToAppend(Path("a")) : outputs.Open(Path("b"), FileKind::kText);
    ASSERT_TRUE(output);
    ASSERT_EQ(close(next), 0) << "the file has the lowest free number";
    const Status committed = outputs.Commit(*output, "");
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, "output/cannot-write");
  }
  EXPECT_FALSE(fs::exists(Path("b")));
}

TEST_F(OutputsTest, UncommittedFilesAndFoldersVanish) {
  {
    Outputs outputs({});
    ASSERT_TRUE(outputs.MakeDirectory(Path("x/y")));
    ASSERT_TRUE(outputs.Open(Path("x/y/a"), FileKind::kJson));
    ASSERT_TRUE(outputs.Open(Path("b"), FileKind::kJson));
    EXPECT_TRUE(fs::exists(Path("x/y")));
  }
  EXPECT_EQ(FilesInDir(), 0u);
}

TEST_F(OutputsTest, FoldersWithAReportStay) {
  {
    Outputs outputs({});
    ASSERT_TRUE(outputs.MakeDirectory(Path("x/y")));
    const auto output = outputs.Open(Path("x/y/a"), FileKind::kJson);
    ASSERT_TRUE(output);
    ASSERT_TRUE(outputs.Commit(*output, "1"));
  }
  EXPECT_EQ(Content(Path("x/y/a")), "1");
}

TEST_F(OutputsTest, BadPathsFailImmediately) {
  Outputs outputs({});
  const auto missing = outputs.Open(Path("no/a"), FileKind::kJson);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kOutput);
  EXPECT_EQ(missing.error().message,
            "cannot create `" + Path("no/a") + "`: No such file or directory");
  const auto folder = outputs.Open(dir_.string(), FileKind::kJson);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "cannot write `" + dir_.string() + "`: Is a directory");
  std::ofstream(Path("file")) << "x";
  const auto through_file = outputs.MakeDirectory(Path("file/dir"));
  ASSERT_FALSE(through_file);
  EXPECT_EQ(through_file.error().message,
            "cannot create folder `" + Path("file/dir") + "`: Not a directory");
}

TEST_F(OutputsTest, APathIsOpenedOnce) {
  Outputs outputs({});
  ASSERT_TRUE(outputs.Open(Path("a"), FileKind::kJson));
  const auto again = outputs.Open(Path("a"), FileKind::kJson);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kUsage);
  ASSERT_TRUE(outputs.Open("-", FileKind::kJson));
  const auto stdout_again = outputs.Open("-", FileKind::kJson);
  ASSERT_FALSE(stdout_again);
  EXPECT_EQ(stdout_again.error().message, "two outputs go to standard output");
}

TEST_F(OutputsTest, SignalsRemoveHalfWrittenFiles) {
  for (const auto& [signal, exit_code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const pid_t child = fork();
    if (child == 0) {
      InstallSignalHandlers();
      Outputs outputs({});
      if (!outputs.Open(Path("a"), FileKind::kJson) || !fs::exists(Path("a.tmp"))) _exit(1);
      raise(signal);
      _exit(2);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), exit_code);
    EXPECT_EQ(FilesInDir(), 0u);
  }
}

TEST_F(OutputsTest, DevicesAreWrittenDirectly) {
  Outputs outputs({});
  const auto output = outputs.Open("/dev/null", FileKind::kJson);
  ASSERT_TRUE(output);
  EXPECT_TRUE(outputs.Commit(*output, "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace profgauge::cli
