// The page of the library is the page of `check`, byte for byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "profgauge/profgauge.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Command>
void RunCommand(const Command& command, const std::vector<std::string>& arguments) {
  const auto options = ParseCommandLine(arguments);
  ASSERT_TRUE(options) << options.error().message;
  Console console;
  console.Configure(*options);
  ASSERT_TRUE(command(*options, console));
}

// Runs `check` with these arguments, and holds its page and report.json against the library's.
void ExpectSamePages(const std::string& run, const std::vector<std::string>& baselines) {
  const fs::path folder = fs::path(::testing::TempDir()) /
                          ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string page = (folder / "page.html").string(), json = (folder / "r.json").string();
  std::vector<std::string> arguments = {"check", run, "-q", "--html", page, "--json", json};
  for (const std::string& baseline : baselines) {
    arguments.insert(arguments.end(), {"--baseline", baseline});
  }
  RunCommand(RunCheck, arguments);

  const auto recording = Load({run}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  EvaluateOptions choices;
  choices.baselines = baselines;
  const auto judged = Evaluate(*recording, choices);
  ASSERT_TRUE(judged) << judged.error().front().message;
  EXPECT_TRUE(*Render(*judged, Format::kHtml) == ReadAll(page));
  EXPECT_TRUE(*Render(*judged, Format::kJson) == ReadAll(json));
}

const std::string kSources = PROFGAUGE_SOURCE_DIR;

const std::string kSlow = kSources + "/examples/slow.pt.trace.json.gz";

TEST(Library, EqualsCheck) { ExpectSamePages(kSlow, {}); }

TEST(Library, EqualsCheckOfRanks) {
  ExpectSamePages(PROFGAUGE_CASES_DIR "/kineto/two_ranks/ranks", {});
}

TEST(Library, EqualsCheckBesideABaseline) {
  const std::string baseline = ::testing::TempDir() + "api_page.pgbase";
  RunCommand(RunBaselineSave, {"baseline", "save", kSources + "/examples/healthy.pt.trace.json.gz",
                               "-q", "-o", baseline});
  ExpectSamePages(kSlow, {baseline});
}

}  // namespace
}  // namespace profgauge::cli
