// A run that ends without a report leaves the reason in its outputs, whatever the reason is.
#include "cli/ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class EndingTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / ("ending_" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  std::string Content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  Options Parsed(std::vector<std::string> more) const {
    std::vector<std::string> args = {"check",   Path("run.json"),
                                     "--write", "junit=" + Path("junit.xml"),
                                     "--json",  Path("report.json")};
    args.insert(args.end(), more.begin(), more.end());
    auto options = ParseCommandLine(args);
    EXPECT_TRUE(options);
    return *options;
  }

  fs::path dir_;
  Console console_;
};

TEST_F(EndingTest, ADefectOfOurs) {
  const Result<int> code = RunLeavingOutputs(Parsed({}), console_, []() -> Result<int> {
    throw std::runtime_error("vector::at: 3 of 2");
  });
  ASSERT_FALSE(code);
  EXPECT_EQ(ExitWithout(code.error(), Parsed({})), 70);
  for (const char* name : {"junit.xml", "report.json"}) {
    EXPECT_THAT(Content(name), HasSubstr("internal/exception"));
    EXPECT_THAT(Content(name), HasSubstr("vector::at: 3 of 2"));
  }
  EXPECT_THAT(Content("report.json"), HasSubstr("\"exit_code\": 70"));
}

TEST_F(EndingTest, DefectIsInEveryOutput) {
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"--html", "page.html"},         {"html-dir=", "page"},
      {"--md", "report.md"},           {"summary=", "s.md"},
      {"sarif=", "alerts.sarif"},      {"github=", "github.txt"},
      {"code-quality=", "codes.json"}, {"metrics=", "metrics.prom"},
      {"verdict=", "verdict.json"}};
  std::vector<std::string> arguments;
  for (const auto& [option, name] : outputs) {
    const bool is_kind = option.ends_with('=');
    arguments.push_back(is_kind ? "--write" : option);
    arguments.push_back((is_kind ? option : "") + Path(name));
  }
  const Result<int> code = RunLeavingOutputs(Parsed(arguments), console_, []() -> Result<int> {
    throw std::runtime_error("vector::at: 3 of 2");
  });
  ASSERT_FALSE(code);
  for (const auto& [option, name] : outputs) {
    const std::string text = Content(option == "html-dir=" ? "page/index.html" : name);
    const bool is_metrics = option == "metrics=";  // It has only the code.
    EXPECT_THAT(
        text, HasSubstr(is_metrics ? "profgauge_exit_code{run=\"run\"} 70" : "internal/exception"))
        << option;
  }
}

TEST_F(EndingTest, WantOfMemory) {
  const Options options = Parsed({});
  const Result<int> code =
      RunLeavingOutputs(options, console_, []() -> Result<int> { throw std::bad_alloc(); });
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, "input/too-large");
  EXPECT_EQ(ExitWithout(code.error(), options), 3);
  EXPECT_EQ(ExitWithout(code.error(), Parsed({"--exit-zero"})), 0);
  EXPECT_THAT(Content("junit.xml"), HasSubstr("type=\"input/too-large\""));
}

TEST_F(EndingTest, AllThatWasReported) {
  const Result<int> code = RunLeavingOutputs(Parsed({}), console_, [&]() -> Result<int> {
    console_.Report(InputError("rank0.json", "input/missing", "no such file"));
    return Fail(UsageError("usage/conflict", "two of these"));
  });
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, "usage/conflict");
  EXPECT_THAT(Content("report.json"), HasSubstr("input/missing"));
  EXPECT_THAT(Content("report.json"), HasSubstr("usage/conflict"));
  EXPECT_THAT(Content("report.json"), HasSubstr("\"status\": \"not_judged\""));
}

TEST_F(EndingTest, AVerdictStays) {
  const Result<int> code =
      RunLeavingOutputs(Parsed({}), console_, []() -> Result<int> { return 1; });
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 1);
  EXPECT_FALSE(fs::exists(Path("junit.xml")));
}

TEST_F(EndingTest, ForeignFilesStay) {
  std::ofstream(Path("junit.xml")) << "<mine/>";
  const Result<int> code = RunLeavingOutputs(Parsed({"--force"}), console_, [&]() -> Result<int> {
    return Fail(InputError("x", "input/missing", "no such file"));
  });
  ASSERT_FALSE(code);
  EXPECT_EQ(Content("junit.xml"), "<mine/>");
  EXPECT_THAT(Content("report.json"), HasSubstr("input/missing"));
}

TEST_F(EndingTest, WithoutNamesWhereTheyAreRedacted) {
  (void)RunLeavingOutputs(Parsed({"--redact"}), console_, [&]() -> Result<int> {
    return Fail(InputError(Path("run.json"), "input/missing",
                           "no `" + Path("run.json") + "`, see `/home/me/other.json`"));
  });
  EXPECT_EQ(Content("report.json").find(dir_.string()), std::string::npos);
  EXPECT_EQ(Content("report.json").find("run.json"), std::string::npos);
  EXPECT_EQ(Content("report.json").find("/home/me"), std::string::npos);
  EXPECT_THAT(Content("report.json"), HasSubstr("other.json"));
}

}  // namespace
}  // namespace profgauge::cli
