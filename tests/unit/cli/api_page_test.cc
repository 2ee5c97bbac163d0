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

TEST(Library, DrawsWhatCheckDraws) {
  const std::string run = std::string(PROFGAUGE_SOURCE_DIR) + "/examples/slow.pt.trace.json.gz";
  const fs::path folder = fs::path(::testing::TempDir()) / "api_page";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string page = (folder / "page.html").string(), json = (folder / "r.json").string();
  const std::vector<std::string> arguments = {"check", run, "-q", "--html", page, "--json", json};
  const auto options = ParseCommandLine(arguments);
  ASSERT_TRUE(options) << options.error().message;
  Console console;
  console.Configure(*options);
  ASSERT_TRUE(RunCheck(*options, console));

  const auto recording = Load({run}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  const auto judged = Evaluate(*recording, {});
  ASSERT_TRUE(judged) << judged.error().front().message;
  EXPECT_TRUE(*Render(*judged, Format::kHtml) == ReadAll(page));
  EXPECT_TRUE(*Render(*judged, Format::kJson) == ReadAll(json));
}

}  // namespace
}  // namespace profgauge::cli
