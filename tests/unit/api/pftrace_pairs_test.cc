// PyTorch's binary traces give the results of the same run's JSON: verdict, findings and metrics;
// checked on profiles that were written in both forms, where those are available.
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

const fs::path kPairs = fs::path(PROFGAUGE_SHARED_DIR) / "data" / "perfetto" / "pairs.json";

/// JSON and .pftrace of one content.
std::vector<std::pair<std::string, std::string>> Pairs() {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::ifstream stream(kPairs);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const fs::path root = kPairs.parent_path().parent_path();
  const boost::json::value listed = boost::json::parse(text);
  for (const boost::json::value& pair : listed.as_array()) {
    pairs.emplace_back((root / std::string(pair.at(0).as_string())).string(),
                       (root / std::string(pair.at(1).as_string())).string());
  }
  for (const char* bundles : {"packets", "zstdpackets"}) {
    const fs::path variants = root / "perfetto" / "variants";
    pairs.emplace_back((variants / "h100_nested.twin.json.gz").string(),
                       (variants / (std::string("h100_nested.") + bundles + ".pftrace")).string());
  }
  return pairs;
}

std::optional<Judgement> Judged(const std::string& path) {
  const auto recording = Load({path}, {});
  EXPECT_TRUE(recording) << path << ": " << recording.error().message;
  if (!recording) return std::nullopt;
  auto judged = Evaluate(*recording, {});
  EXPECT_TRUE(judged) << path;
  return judged ? std::optional(*judged) : std::nullopt;
}

/// The twin, with the architecture that all samples state: there JSON has all of a device.
class TwinOfKnownDevice {
 public:
  explicit TwinOfKnownDevice(const std::string& twin) {
    const auto source = OpenByteSource(twin);
    std::string text, window(std::size_t{1} << 20, '\0');
    while (const std::size_t got =
               (*source)->Read(std::as_writable_bytes(std::span(window))).value_or(0)) {
      text.append(window, 0, got);
    }
    text.insert(1, R"("deviceProperties": [{"id": 0, "computeMajor": 7, "computeMinor": 0}], )");
    path_ = fs::temp_directory_path() / ("pftrace_twin_" + std::to_string(getpid()) + ".json");
    std::ofstream(path_, std::ios::binary) << text;
  }
  TwinOfKnownDevice(const TwinOfKnownDevice&) = delete;
  TwinOfKnownDevice& operator=(const TwinOfKnownDevice&) = delete;
  ~TwinOfKnownDevice() { fs::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::map<std::string, std::string> FindingsOf(const Judgement& judged) {
  std::map<std::string, std::string> findings;
  for (const api::Finding& finding : judged.findings()) {
    findings[finding.rule] += finding.level + " " + finding.status + " " + finding.message + "\n";
  }
  return findings;
}

TEST(PftracePairs, SayTheSameAsTheirTwins) {
  if (!fs::exists(kPairs)) GTEST_SKIP() << "no collected traces beside the checkout";
  std::size_t held = 0;
  for (const auto& [twin, trace] : Pairs()) {
    const bool is_foreign = trace.find("/dialects/") != trace.npos;
    if (is_foreign) continue;
    SCOPED_TRACE(trace);
    const TwinOfKnownDevice full(twin);
    const auto theirs = Judged(full.path()), ours = Judged(trace);
    ASSERT_TRUE(theirs && ours);
    // Slices that begin or end at one time cannot be distinguished: they are only read.
    if (trace.find("shuffled") != trace.npos) continue;
    ++held;
    EXPECT_EQ(ours->status(), theirs->status());
    EXPECT_EQ(FindingsOf(*ours), FindingsOf(*theirs));
    std::map<std::string, api::Metric> expected;
    for (const api::Metric& metric : theirs->metrics()) expected[metric.id] = metric;
    std::size_t known = 0;
    for (const api::Metric& metric : ours->metrics()) {
      EXPECT_EQ(metric.value, expected[metric.id].value) << metric.id;
      known += metric.value.has_value();
      EXPECT_EQ(metric.absent_because.empty(), metric.value.has_value()) << metric.id;
    }
    EXPECT_GT(known, 60u);
  }
  EXPECT_GE(held, 9u);
}

TEST(PftracePairs, AFormThatHoldsLessSaysSo) {
  const fs::path trace = kPairs.parent_path() / "h100_vit.pftrace.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << "no collected traces beside the checkout";
  const auto judged = Judged(trace.string());
  ASSERT_TRUE(judged);
  for (const api::Metric& metric : judged->metrics()) {
    if (metric.id != "memory.peak_allocated") continue;
    EXPECT_EQ(metric.absent_because,
              "needs memory events; a .pftrace does not contain them; export "
              "`prof.export_chrome_trace(\"trace.json.gz\")` of the same run");
  }
}

}  // namespace
}  // namespace profgauge
