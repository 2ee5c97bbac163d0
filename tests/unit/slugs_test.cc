// Every error code that the sources can give is pinned down by a test: the code is in the
// expected text of a case or of a unit test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Literals of the same form that are no error codes. All others are, so that none is forgotten.
bool IsOtherWord(const std::string& word) {
  static const std::set<std::string> kWords = {"bytes/s",    "flop/s",     "profgauge/v1",
                                               "tools/list", "tools/call", "server/discover"};
  // Places in JSON documents that readers and scrub name.
  for (const std::string_view object : {"agents/", "args/", "metadata/"}) {
    if (word.starts_with(object)) return true;
  }
  return kWords.contains(word);
}

/// Codes that no test can bring about on every machine, with the reason.
const std::map<std::string, std::string>& Untestable() {
  static const std::map<std::string, std::string> kCodes = {
      {"baseline/unreadable", "a file larger than any baseline, or one whose reading fails"},
      {"config/too-large", "a configuration file of over 1 MiB"},
      {"config/unreadable", "tests may run as root, who may read everything"},
      {"dlprof/too-large", "a report of over 1 GiB"},
      {"history/no-lock", "a file system without locks"},
      {"history/too-large", "a history of over 1 GiB"},
      {"input/directory", "the program looks for folders before it opens a file"},
      {"input/folder", "tests may run as root, who may list everything"},
      {"input/open", "tests may run as root, who may read everything"},
      {"input/read", "a disk that fails"},
      {"internal/init-policy", "a defect of ours"},
      {"internal/unexpected-file", "a defect of ours"},
      {"mcp/failed", "a defect of ours"},
      {"model/invariant", "a defect of a reader"},
      {"policy/no-limit", "no metric of the catalogue is a text or a truth value"},
      {"scrub/damaged", "the reader, which comes first, finds the damage"},
      {"query/failed", "a defect of ours"},
      {"sqlite/failed", "a failing disk or a defect of ours"},
      {"sqlite/locked", "another process that holds the database"},
      {"xla/too-large", "a file of over 2 GiB"},
      {"usage/no-owner", "in continuous integration somebody started the run"},
      {"xlsx/library", "a failing temporary folder"},
      {"yaml/too-large", "a configuration file of over 1 MiB"}};
  return kCodes;
}

bool IsInComment(const std::string& text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;
  return text.find("// ", line) < at;
}

/// Adds the literals that are whole codes: "area/what-happened".
void AddWholeCodes(const std::string& text, const std::string& file,
                   std::map<std::string, std::string>& codes) {
  static const std::regex kCode(R"re("([a-z_0-9]+/[a-z0-9]+(?:-[a-z0-9]+)*)")re");
  for (std::sregex_iterator it(text.begin(), text.end(), kCode), end; it != end; ++it) {
    const std::string code = (*it)[1];
    if (IsOtherWord(code) || IsInComment(text, static_cast<std::size_t>(it->position()))) continue;
    codes.emplace(code, file);
  }
}

/// Adds the codes of a file that has a function for its errors, which puts the area before its
/// callers' text: `error.code = "area/" + …`.
void AddJoinedCodes(const std::string& text, const std::string& file,
                    std::map<std::string, std::string>& codes) {
  static const std::regex kArea(R"re(\.code = "([a-z_0-9]+/)" \+)re");
  static const std::regex kCall(
      R"re((?:Refuse|Bad|MakeError)\((?:[a-z_]+, )?\s*"([a-z]+(?:-[a-z]+)*)")re");
  std::smatch area;
  if (!std::regex_search(text, area, kArea)) return;
  std::size_t found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), kCall), end; it != end; ++it, ++found) {
    codes.emplace(area[1].str() + (*it)[1].str(), file);
  }
  EXPECT_GT(found, 0u) << file << ": whoever calls its function for errors is not found";
}

/// Code → the file that has it.
std::map<std::string, std::string> CodesInSources(const fs::path& root) {
  std::map<std::string, std::string> codes;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file() || entry.path().extension() != ".cc") continue;
    const std::string text = ReadFile(entry.path());
    const std::string file = fs::relative(entry.path(), root).generic_string();
    AddWholeCodes(text, file, codes);
    AddJoinedCodes(text, file, codes);
  }
  return codes;
}

std::string AllTests(const fs::path& root) {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "slugs_test.cc") continue;
    if (name == "stderr" || name == "stdout" || name.ends_with(".txt") || name.ends_with(".cc") ||
        name.ends_with("_test.py") || entry.path().parent_path() == root / "tests/cases")
      text += ReadFile(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(root / "rules")) {  // Ids of rules in sources.
    if (entry.path().filename().string().ends_with(".test.yaml")) text += ReadFile(entry.path());
  }
  return text;
}

TEST(Slugs, EveryErrorCodeHasATest) {
  const fs::path root(PROFGAUGE_SOURCE_DIR);
  const std::string tests = AllTests(root);
  const auto codes = CodesInSources(root);
  EXPECT_GT(codes.size(), 150u);
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
