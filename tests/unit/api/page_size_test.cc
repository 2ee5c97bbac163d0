// The page keeps to its budget: it travels by mail and as an artifact of every run.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

// Of one operator; without a timeline, up to 32 ranks; with one; and the part of style and scripts.
constexpr std::size_t kSmallPageBudget = 190'000, kPageBudget = 300'000,
                      kPageOfRanksBudget = 310'000, kTimelineBudget = 1'000'000,
                      kAssetsBudget = 120'000;

const fs::path kSource = PROFGAUGE_SOURCE_DIR;

// A page names its files: by where they are from here, however long the way to here is.
std::string PageOf(const fs::path& run, EventsInPage events) {
  fs::current_path(kSource);
  const auto recording = Load({run.string()}, {});
  EXPECT_TRUE(recording) << recording.error().message;
  if (!recording) return {};
  EvaluateOptions options;
  options.events = events;
  const auto judged = Evaluate(*recording, options);
  EXPECT_TRUE(judged) << judged.error().front().message;
  if (!judged) return {};
  auto page = Render(*judged, Format::kHtml);
  EXPECT_TRUE(page) << page.error().message;
  return page ? std::move(*page) : std::string();
}

std::size_t PageSize(const fs::path& run) { return PageOf(run, EventsInPage::kNone).size(); }

// Bytes between every `begin` and the next `end`.
std::size_t BytesBetween(const std::string& page, std::string_view begin, std::string_view end) {
  std::size_t bytes = 0;
  for (std::size_t at = page.find(begin); at != page.npos; at = page.find(begin, at)) {
    at += begin.size();
    bytes += page.find(end, at) - at;
  }
  return bytes;
}

TEST(PageSize, OurExamplesFitTheBudget) {
  for (const char* run : {"slow.pt.trace.json.gz", "healthy.pt.trace.json.gz", "ddp"}) {
    const std::size_t size = PageSize(fs::path("examples") / run);
    EXPECT_GT(size, 0U) << run;
    EXPECT_LE(size, kPageBudget) << run;
  }
}

TEST(PageSize, RealProfilesFitTheBudget) {
  const fs::path data = kSource / ".." / "shared" / "data";
  if (!fs::exists(data)) GTEST_SKIP() << "no profiles in " << data;
  for (const char* run :
       {"kineto/v100_resnet50/resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz",
        "kineto/dlrm_8ranks", "kineto/hta/df_index_resolver/df_index_resolver.json.gz",
        "kineto/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "nsight-systems/dlprof_dummynet_wrelu_nsys.sqlite", "neuron/profile_128x128x512.json",
        "rocm/908_results.json.gz", "xla/mi300_jax_conv.xplane.pb"}) {
    if (!fs::exists(data / run)) continue;
    const bool has_ranks = fs::is_directory(data / run);
    EXPECT_LE(PageSize(fs::path("../shared/data") / run),
              has_ranks ? kPageOfRanksBudget : kPageBudget)
        << run;
    EXPECT_LE(PageOf(fs::path("../shared/data") / run, EventsInPage::kAuto).size(), kTimelineBudget)
        << run;
  }
  const fs::path small = "labelled/gemm_03_compute_misaligned.json.gz";
  if (!fs::exists(data / small)) return;
  EXPECT_LE(PageOf(fs::path("../shared/data") / small, EventsInPage::kAuto).size(),
            kSmallPageBudget);
}

TEST(PageSize, StyleAndScriptsFitTheBudget) {
  for (const EventsInPage events : {EventsInPage::kNone, EventsInPage::kAuto}) {
    const std::string page = PageOf(fs::path("examples") / "ddp", events);
    const std::size_t style = BytesBetween(page, "<style>", "</style>");
    const std::size_t scripts = BytesBetween(page, "id=c-scripts>", "</script>") +
                                BytesBetween(page, "<script>", "</script>");
    EXPECT_GT(style, 10'000U);
    EXPECT_GT(scripts, 10'000U);
    EXPECT_LE(style + scripts, kAssetsBudget);
  }
}

}  // namespace
}  // namespace profgauge
