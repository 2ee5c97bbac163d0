// Relations of recordings to each other and within one: the same run in two formats, parts that
// make up a whole, and files of other tools, cut and joined. relations_test.cc has those of one
// edit.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/drawn_recording.h"
#include "support/judged.h"
#include "support/recording_edit.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using edit::Answer;

fs::path DataFolder() { return fs::path(PROFGAUGE_SHARED_DIR) / "data"; }

bool IsForNight() { return std::getenv("PROFGAUGE_RELATIONS") != nullptr; }

// --- Q: one recording in two formats.

struct Pair {
  fs::path first, second;
  double near = 0;              // A share, by which times may differ.
  bool has_all = false;         // The second form has all metrics of the first.
  std::string first_fact = {};  // What only the second states, put into the first.
};

std::vector<Pair> Listed(const fs::path& list) {
  std::vector<Pair> pairs;
  std::ifstream stream(list);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.empty()) return pairs;
  const json::value listed = json::parse(text);
  for (const json::value& pair : listed.as_array()) {
    pairs.push_back({.first = DataFolder() / std::string(pair.at(0).as_string()),
                     .second = DataFolder() / std::string(pair.at(1).as_string())});
  }
  return pairs;
}

std::vector<Pair> AllPairs() {
  const fs::path data = DataFolder();
  std::vector<Pair> pairs;
  for (Pair pair : Listed(data / "perfetto" / "pairs.json")) {
    const std::string trace = pair.second.string();
    if (trace.find("/dialects/") != trace.npos) continue;  // Another profiler's: refused.
    // Slices that begin or end at one time cannot be distinguished: they are only read.
    if (trace.find("shuffled") != trace.npos) continue;
    pair.has_all = true;
    pair.first_fact = R"("deviceProperties": [{"id": 0, "computeMajor": 7, "computeMinor": 0}], )";
    pairs.push_back(std::move(pair));
  }
  for (const char* bundles : {"packets", "zstdpackets"}) {
    const fs::path variants = data / "perfetto" / "variants";
    Pair pair = {.first = variants / "h100_nested.twin.json.gz",
                 .second = variants / (std::string("h100_nested.") + bundles + ".pftrace")};
    pair.has_all = true;
    pair.first_fact = R"("deviceProperties": [{"id": 0, "computeMajor": 7, "computeMinor": 0}], )";
    pairs.push_back(std::move(pair));
  }
  const std::vector<Pair> tables = Listed(data / "parquet" / "pairs.json");
  pairs.insert(pairs.end(), tables.begin(), tables.end());
  const fs::path rocm = data / "rocm";
  for (const char* database :
       {"synthetic_v3_results.db", "synthetic_v303_results.db", "synthetic_v410_results.db"}) {
    pairs.push_back({.first = rocm / "synthetic_results.json", .second = rocm / database});
  }
  for (const char* database : {"908_first4000_v3_results.db", "908_first4000_v410_results.db"}) {
    pairs.push_back({.first = rocm / "908_first4000_results.json.gz", .second = rocm / database});
  }
  return pairs;
}

Answer Answered(const fs::path& path, const std::string& fact = "") {
  if (fs::is_directory(path)) {
    const auto recording = Load({path.string()}, {});
    Answer answer;
    if (!recording) {
      answer.refused = recording.error().code;
      return answer;
    }
    const auto judged = Evaluate(*recording, {});
    answer.exit = judged->exit_code();
    answer.report = json::parse(Render(*judged, Format::kJson).value_or("{}"));
    return answer;
  }
  std::string bytes = edit::Inflated(path);
  if (!fact.empty()) bytes.insert(1, fact);
  return edit::Judge({{"recording" + path.extension().string(), bytes}});
}

TEST(Relations, QOneRecordingInTwoFormats) {
  std::size_t held = 0;
  for (const Pair& pair : AllPairs()) {
    if (!fs::exists(pair.first) || !fs::exists(pair.second)) continue;
    SCOPED_TRACE("Q: " + pair.first.string() + " and " + pair.second.string());
    const Answer a = Answered(pair.first, pair.first_fact), b = Answered(pair.second);
    ++held;
    EXPECT_EQ(a.exit, b.exit);
    ASSERT_EQ(a.refused, b.refused);
    if (a.report.is_null()) continue;
    EXPECT_EQ(edit::Difference(a, b, {"/verdict/status"}), "");
    std::size_t known = 0;
    for (const auto& [id, metric] : a.Find("/metrics")->as_object()) {
      const auto x = a.Metric(id), y = b.Metric(id);
      if (pair.has_all) {
        EXPECT_EQ(x, y) << std::string_view(id);
      } else if (x && y) {
        EXPECT_NEAR(*x, *y, pair.near * std::abs(*x) + 1e-12) << std::string_view(id);
      }
      known += x && y ? 1 : 0;
    }
    EXPECT_GT(known, 20U);
    if (pair.has_all) {
      EXPECT_GT(known, 60U);
      EXPECT_EQ(edit::DifferenceOfFindings(a, b), "");
    }
  }
  if (held == 0) GTEST_SKIP() << "no recordings in two formats beside the checkout";
}

// What a form lacks, it says.
TEST(Relations, QAFormThatHoldsLessSaysSo) {
  const fs::path trace = DataFolder() / "perfetto" / "h100_vit.pftrace.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << "no collected traces beside the checkout";
  const Answer answer = Answered(trace);
  const json::value* why = answer.Find("/metrics/memory.peak_allocated/absent");
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->as_string(),
            "needs memory events; `.pftrace` has none, "
            "`prof.export_chrome_trace(\"trace.json.gz\")` of the run has them");
}

// --- T: what other tools wrote, cut and joined.

std::vector<std::string> ForeignFiles() {
  std::vector<std::string> files;
  for (const char* folder : {"foreign", "strangers-2"}) {
    if (!fs::exists(DataFolder() / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(DataFolder() / folder)) {
      const std::string path = entry.path().string();
      // Profiles that are packed or cut off, and a load test.
      const bool is_ours = path.find("/archive/") != path.npos || path.find(".pt.") != path.npos ||
                           path.ends_with("/vllm_serve.json");
      const bool is_chrome = path.find("/chrome-") != path.npos;
      if (!entry.is_regular_file() || is_ours || entry.file_size() > 500'000) continue;
      if (std::string_view(folder) == "strangers-2" && !is_chrome) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      files.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  }
  std::sort(files.begin(), files.end());
  for (std::uint64_t seed = 1; seed <= 40; ++seed) files.push_back(edit::DrawnForeignTrace(seed));
  return files;
}

TEST(Relations, TFilesOfOthersAreNeverJudged) {
  constexpr std::uint64_t kSeed = 73;
  const std::vector<std::string> files = ForeignFiles();
  const auto expect_refused = [](const std::string& bytes, const std::string& what) {
    const Answer answer = edit::Judge({{"foreign.json", bytes}});
    if (answer.exit == 3 || answer.exit == 2) return;  // 2: which column holds times?
    const std::string kept = "relation_T_foreign.json";
    std::ofstream(kept, std::ios::binary) << bytes;
    ADD_FAILURE() << "T: " << what << " ends in exit " << answer.exit << ": "
                  << fs::absolute(kept).string();
  };
  for (const std::string& file : files) expect_refused(file, "a file of another tool");
  std::mt19937_64 random(kSeed);
  const std::size_t tries = IsForNight() ? 10'000 : 200;
  for (std::size_t i = 0; i < tries; ++i) {
    const std::string& first = files[random() % files.size()];
    std::string bytes = first.substr(0, random() % (first.size() + 1));
    const bool is_spliced = random() % 2 == 0;
    if (is_spliced) {
      const std::string& second = files[random() % files.size()];
      bytes += second.substr(random() % (second.size() + 1));
    }
    expect_refused(bytes, "try " + std::to_string(i) + " of seed " + std::to_string(kSeed));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace profgauge
