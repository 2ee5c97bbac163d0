// Every error code that the sources can give is pinned down by a test: the code stands in the
// expected text of a case or of a unit test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The areas that error codes begin with. A new area is added here.
bool IsErrorArea(const std::string& area) {
  static const std::set<std::string> kAreas = {
      "analysis", "baseline", "config", "dlprof", "expr",      "gzip",   "history",
      "input",    "internal", "json",   "kineto", "model",     "nsight", "nvprof",
      "output",   "policy",   "pyprof", "report", "rocprofv3", "rules",  "scrub",
      "sqlite",   "template", "usage",  "waiver", "xla",       "xlsx",   "yaml"};
  return kAreas.contains(area);
}

/// Codes that no test can bring about on every machine, with the reason.
const std::map<std::string, std::string>& Untestable() {
  static const std::map<std::string, std::string> kCodes = {
      {"baseline/unreadable", "a file larger than any baseline, or one whose reading fails"},
      {"config/too-large", "a configuration file of over 1 MiB"},
      {"config/unreadable", "tests may run as root, who may read everything"},
      {"dlprof/too-large", "a report of over 1 GiB"},
      {"history/no-runs", "needs a history database"},
      {"input/directory", "the program looks for folders before it opens a file"},
      {"input/folder", "tests may run as root, who may list everything"},
      {"input/open", "tests may run as root, who may read everything"},
      {"input/read", "a disk that fails"},
      {"internal/init-policy", "a defect of ours"},
      {"internal/unexpected-file", "a defect of ours"},
      {"model/invariant", "a defect of a reader"},
      {"policy/no-limit", "no metric of the catalogue is a text or a truth value"},
      {"sqlite/failed", "a failing disk or a defect of ours"},
      {"sqlite/locked", "another process that holds the database"},
      {"template/engine", "a template that our check passes and the engine does not"},
      {"template/missing", "a template that is not compiled in; a defect of ours"},
      {"usage/bad-command-line", "whatever the command line library finds beyond our own checks"},
      {"xla/too-large", "a file of over 2 GiB"},
      {"xlsx/library", "a failing temporary folder"},
      {"yaml/too-large", "a configuration file of over 1 MiB"}};
  return kCodes;
}

/// Code → the file that has it, of all string literals in src/ that look like "area/what-happened".
std::map<std::string, std::string> CodesInSources(const fs::path& root) {
  static const std::regex kCode(R"re("([a-z_]+)/([a-z0-9]+(?:-[a-z0-9]+)*)")re");
  std::map<std::string, std::string> codes;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file() || entry.path().extension() != ".cc") continue;
    const std::string text = ReadFile(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), kCode), end; it != end; ++it) {
      if (!IsErrorArea((*it)[1])) continue;
      codes.emplace((*it)[1].str() + "/" + (*it)[2].str(),
                    fs::relative(entry.path(), root).generic_string());
    }
  }
  return codes;
}

std::string AllTests(const fs::path& root) {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "slugs_test.cc") continue;
    if (name == "stderr" || name == "stdout" || name.ends_with(".txt") || name.ends_with(".cc"))
      text += ReadFile(entry.path());
  }
  return text;
}

TEST(Slugs, EveryErrorCodeIsCoveredByATest) {
  const fs::path root(PROFGAUGE_SOURCE_DIR);
  const std::string tests = AllTests(root);
  const auto codes = CodesInSources(root);
  EXPECT_GT(codes.size(), 10u);
  std::string missing;
  for (const auto& [code, file] : codes) {
    if (Untestable().contains(code)) continue;
    if (tests.find(code) == std::string::npos) missing += "\n  " + code + "  (" + file + ")";
  }
  EXPECT_EQ(missing, "") << "these error codes occur in no test";
  for (const auto& [code, reason] : Untestable()) {
    EXPECT_TRUE(codes.contains(code)) << code << " is no longer in the sources";
  }
}

}  // namespace
}  // namespace profgauge
