// No command writes over a file that somebody else wrote or that the run reads, whatever the name.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::string_view kLetter = "Dear diary,\nthis is not a report.\n";

class OverwritingTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    folder_ = fs::path(testing::TempDir()) / ("overwriting_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    fs::current_path(folder_);
    const fs::path cases = PROFGAUGE_CASES_DIR;
    fs::copy_file(cases / "cli/init/input.json", "run.json");
    ASSERT_EQ(Run({"baseline", "save", "run.json", "-o", "base.json"}), "0");
    ASSERT_EQ(Run({"history", "add", "run.json", "--db", "runs.db"}), "0");
    ASSERT_EQ(Run({"report", "run.json", "--json", "report.json"}), "0");
    Write("policy.yaml", "schema: 1\nextends: [parent.yaml]\nrule_files: [own.yaml]\n");
    Write("parent.yaml", "schema: 1\n");
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  static void Write(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string Content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // The exit code, or the code of the error that ended the command.
  static std::string Run(const Words& words) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Console console;
    std::string ended;
    const auto options = ParseCommandLine(words);
    if (!options) {
      ended = options.error().code;
    } else {
      console.Configure(*options);
      const auto done = options->command->run(*options, console);
      ended = done ? std::to_string(*done) : done.error().code;
    }
    (void)console.Finish();
    testing::internal::GetCapturedStdout();
    testing::internal::GetCapturedStderr();
    return ended;
  }
  static std::string RunForced(Words words) {
    words.push_back("--force");
    return Run(words);
  }
  // A line per way to write a file; "OUT" represents the file.
  static std::vector<Words> AllWriters() {
    std::vector<Words> writers;
    for (const char* option : {"--html", "--md", "--xlsx", "--json"}) {
      writers.push_back({"report", "run.json", option, "OUT"});
    }
    for (const char* kind :
         {"summary", "junit", "sarif", "github", "code-quality", "metrics", "trace"}) {
      writers.push_back({"report", "run.json", "--write", std::string(kind) + "=OUT"});
    }
    writers.push_back({"check", "run.json", "--baseline", "base.json", "--md", "OUT"});
    writers.push_back({"compare", "run.json", "base.json", "--md", "OUT"});
    writers.push_back({"compare", "run.json", "base.json", "--html", "OUT"});
    writers.push_back({"render", "report.json", "--html", "OUT"});
    writers.push_back({"baseline", "save", "run.json", "-o", "OUT"});
    writers.push_back({"init", "run.json", "-o", "OUT"});
    writers.push_back({"history", "list", "--db", "runs.db", "--html", "OUT"});
    writers.push_back({"export", "kernels", "run.json", "-o", "OUT"});
    writers.push_back({"export", "kernels", "run.json", "--format", "table", "-o", "OUT"});
    for (const char* report : {"cuda_gpu_kern_sum", "cuda_api_sum", "nvtx_gpu_proj_sum"}) {
      writers.push_back({"export", "nsys", "run.json", "-r", report, "-o", "OUT"});
    }
    writers.push_back({"export", "nsys", "run.json", "-r", "cuda_gpu_mem_size_sum", "--format",
                       "table", "-o", "OUT"});
    writers.push_back({"rules", "test", "rule.test.yaml", "--write", "junit=OUT"});
    return writers;
  }
  static Words With(Words words, const std::string& path) {
    for (std::string& word : words) {
      if (word.ends_with("OUT")) word.replace(word.size() - 3, 3, path);
    }
    return words;
  }
  static std::string Line(const Words& words) {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    return line;
  }
  static void WriteRuleTest() {
    const fs::path rules = fs::path(PROFGAUGE_SOURCE_DIR) / "rules";
    constexpr auto kOver = fs::copy_options::overwrite_existing;
    fs::copy_file(rules / "io.yaml", "io.yaml", kOver);
    fs::copy_file(rules / "io.test.yaml", "rule.test.yaml", kOver);
  }

  fs::path before_, folder_;
};

TEST_F(OverwritingTest, SomebodyElsesFileStaysUnlessForced) {
  WriteRuleTest();
  for (const Words& words : AllWriters()) {
    Write("letter", kLetter);
    EXPECT_EQ(Run(With(words, "letter")), "usage/not-ours") << Line(words);
    EXPECT_EQ(Content("letter"), kLetter) << Line(words);
    const std::string forced = RunForced(With(words, "letter"));
    EXPECT_TRUE(forced == "0" || forced == "1" || forced == "3") << forced << " " << Line(words);
    EXPECT_NE(Content("letter"), kLetter) << Line(words);
  }
}

TEST_F(OverwritingTest, CutDatabaseHeadIsNoHistory) {
  const std::string cut("SQLite format 3\0 cut off", 24);
  Write("cut.db", cut);
  EXPECT_EQ(Run({"history", "add", "run.json", "--db", "cut.db"}), "usage/not-ours");
  EXPECT_EQ(Content("cut.db"), cut);
}

TEST_F(OverwritingTest, ReplacesEarlierOutputsAndEmptyFiles) {
  WriteRuleTest();
  for (const Words& words : AllWriters()) {
    fs::remove("out");
    Write("out", "");
    const std::string first = Run(With(words, "out"));
    EXPECT_TRUE(first == "0" || first == "1" || first == "3") << first << " " << Line(words);
    const std::string text = Content("out");
    EXPECT_FALSE(text.empty()) << Line(words);
    if (words.front() == "init") {
      EXPECT_EQ(Run(With(words, "out")), "usage/not-ours") << "people change policies";
      continue;
    }
    EXPECT_EQ(Run(With(words, "out")), first) << Line(words);
    EXPECT_TRUE(Content("out") == text) << Line(words);
  }
}

TEST_F(OverwritingTest, AnOutputOfAnotherKindStays) {
  WriteRuleTest();
  ASSERT_EQ(Run({"report", "run.json", "--md", "other.md"}), "0");
  ASSERT_EQ(Run({"baseline", "save", "run.json", "-o", "other.json"}), "0");
  for (const auto& [option, file] :
       {std::pair("--json", "other.json"), std::pair("--html", "other.md"),
        std::pair("code-quality=", "report.json"), std::pair("sarif=", "report.json"),
        std::pair("trace=", "report.json"), std::pair("--md", "policy.yaml")}) {
    const std::string text = Content(file);
    const bool is_kind = std::string_view(option).ends_with('=');
    const Words words = is_kind ? Words{"report", "run.json", "--write", std::string(option) + file}
                                : Words{"report", "run.json", option, file};
    EXPECT_EQ(Run(words), "usage/not-ours") << option << file;
    EXPECT_TRUE(Content(file) == text) << file;
  }
  const std::string report = Content("report.json");
  EXPECT_EQ(Run({"baseline", "save", "run.json", "-o", "report.json"}), "usage/not-ours");
  EXPECT_TRUE(Content("report.json") == report);
}

TEST_F(OverwritingTest, InputsStayEvenWhenForced) {
  WriteRuleTest();
  Write("own.yaml",
        "schema: 2\nnamespace: own\nrules:\n  - id: one\n    title: One\n    category: gpu\n"
        "    for_each: profile\n    needs: [gpu.idle.mean]\n"
        "    metric: {value: gpu.idle.mean, warn_above: 99%}\n    message: '{{ metric }} idle'\n");
  Write("marks.json", "{\"marks\": [{\"name\": \"a\", \"time\": 5}]}");
  fs::create_directory("mine");
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words judged = {"report",     "run.json",       "--policy", "policy.yaml",
                        "--baseline", "base.json",      "--marks",  "marks.json",
                        "--baseline", "history:main~1", "--db",     "runs.db"};
  for (const std::string input : {"run.json", "policy.yaml", "parent.yaml", "own.yaml", "base.json",
                                  "marks.json", "runs.db"}) {
    const std::string text = Content(input);
    fs::remove("hard");
    fs::remove("soft");
    fs::create_hard_link(input, "hard");
    fs::create_symlink(input, "soft");
    for (const std::string& name :
         {input, "./" + input, "mine/../" + input, (folder_ / input).string(), std::string("hard"),
          std::string("soft")}) {
      for (const char* option : {"--md", "--json", "--xlsx"}) {
        EXPECT_EQ(RunForced(with(judged, {option, name})), "usage/overwrites-input")
            << option << " " << name;
        EXPECT_TRUE(Content(input) == text) << option << " " << name;
      }
      EXPECT_EQ(RunForced(with(judged, {"--write", "trace=" + name})), "usage/overwrites-input")
          << name;
      EXPECT_TRUE(Content(input) == text) << name;
    }
  }
  const std::vector<Words> others = {
      {"compare", "run.json", "base.json", "--json", "base.json"},
      {"render", "report.json", "--json", "report.json"},
      {"baseline", "save", "run.json", "-o", "run.json"},
      {"baseline", "save", "base.json", "-o", "base.json"},
      {"init", "run.json", "-o", "run.json"},
      {"history", "list", "--db", "runs.db", "--html", "runs.db"},
      {"export", "kernels", "run.json", "-o", "run.json"},
      {"export", "nsys", "run.json", "-r", "cuda_api_sum", "-o", "run.json"},
      {"rules", "test", "rule.test.yaml", "--write", "junit=rule.test.yaml"},
      {"rules", "test", "rule.test.yaml", "--write", "junit=io.yaml"},
      {"scrub", "run.json", "run.json"}};
  for (const Words& words : others) {
    const std::string file = words[0] == "render" ? "report.json"
                             : words[0] == "scrub"
                                 ? "run.json"
                                 : words.back().substr(words.back().find('=') + 1);
    const std::string text = Content(file);
    EXPECT_EQ(RunForced(words), "usage/overwrites-input") << Line(words);
    EXPECT_TRUE(Content(file) == text) << Line(words);
  }
  EXPECT_EQ(Run({"history", "add", "run.json", "--db", "run.json"}), "usage/overwrites-input");
}

TEST_F(OverwritingTest, FilesOfAnInputFolderStay) {
  fs::create_directory("ranks");
  fs::copy_file("run.json", "ranks/rank0.json");
  Write("ranks/notes.txt", kLetter);
  EXPECT_EQ(RunForced({"report", "ranks", "--write", "trace=ranks/rank0.json"}),
            "usage/overwrites-input");
  EXPECT_EQ(RunForced({"report", "ranks", "--md", "ranks/notes.txt"}), "usage/overwrites-input");
  EXPECT_EQ(Content("ranks/notes.txt"), kLetter);
  // Our own earlier output is no input, however often.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Run({"report", "ranks", "--out", "ranks"}), "0");
}

TEST_F(OverwritingTest, ChecksAllFilesBeforeWriting) {
  fs::create_directory("csv");
  Write("csv/dlprof_kernel.csv", kLetter);
  EXPECT_EQ(Run({"export", "dlprof", "run.json", "-o", "csv"}), "usage/not-ours");
  EXPECT_FALSE(fs::exists("csv/dlprof_summary.csv"));
  fs::remove("csv/dlprof_kernel.csv");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Run({"export", "dlprof", "run.json", "-o", "csv"}), "0");
    EXPECT_EQ(Run({"report", "run.json", "--write", "html-dir=page"}), "0");
  }
  Write("page/report.js", kLetter);
  EXPECT_EQ(Run({"report", "run.json", "--write", "html-dir=page"}), "usage/not-ours");
}

TEST_F(OverwritingTest, AForeignHistoryIsNotEvenOpened) {
  Write("letter", kLetter);
  EXPECT_EQ(Run({"history", "add", "run.json", "--db", "letter"}), "usage/not-ours");
  EXPECT_EQ(Content("letter"), kLetter);
  Write("empty.db", "");
  EXPECT_EQ(Run({"history", "add", "run.json", "--db", "empty.db"}), "0");
  EXPECT_EQ(Run({"history", "add", "run.json", "--db", "runs.db"}), "0");
}

TEST_F(OverwritingTest, TheStepSummaryIsAppendedTo) {
  Write("summary.md", kLetter);
  setenv("GITHUB_STEP_SUMMARY", "summary.md", 1);
  EXPECT_EQ(Run({"report", "run.json", "--write", "step-summary"}), "0");
  EXPECT_EQ(Content("summary.md").substr(0, kLetter.size()), kLetter);
  EXPECT_GT(Content("summary.md").size(), kLetter.size());
  setenv("GITHUB_STEP_SUMMARY", "run.json", 1);
  EXPECT_EQ(Run({"report", "run.json", "--write", "step-summary"}), "usage/overwrites-input");
  unsetenv("GITHUB_STEP_SUMMARY");
}

TEST_F(OverwritingTest, OtherTemporaryFileStays) {
  Write("report.md.tmp", kLetter);
  EXPECT_EQ(Run({"report", "run.json", "--md", "report.md"}), "0");
  EXPECT_EQ(Content("report.md.tmp"), kLetter);
}

TEST_F(OverwritingTest, ALinkStaysALink) {
  fs::create_symlink("real.md", "link.md");
  EXPECT_EQ(Run({"report", "run.json", "--md", "link.md"}), "0");
  EXPECT_TRUE(fs::is_symlink("link.md"));
  EXPECT_TRUE(fs::is_regular_file("real.md"));
  fs::remove("real.md");
  EXPECT_EQ(Run({"report", "run.json", "--md", "link.md", "--html", "real.md"}),
            "usage/output-twice");
}

TEST_F(OverwritingTest, DevicesAreWritten) {
  EXPECT_EQ(Run({"report", "run.json", "--md", "/dev/null"}), "0");
}

}  // namespace
}  // namespace profgauge::cli
