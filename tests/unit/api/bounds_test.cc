// Degenerate profiles end in reports of ordinary size: excess rows fold, and are counted. Times are
// measured by ci/bounds.sh, not here.
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "profgauge/profgauge.h"
#include "tools/shapes.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using shapes::Shape;

// More than any output shows of anything.
constexpr std::int64_t kCount = 10'500;

struct Reports {
  std::string page, workbook, markdown;
  json::value json;
  std::size_t json_bytes = 0;
};

Reports ReportsOf(Shape shape, std::int64_t count) {
  const fs::path file = fs::temp_directory_path() /
                        fmt::format("bounds_{}_{}.json", getpid(), static_cast<int>(shape));
  {
    std::ofstream out(file, std::ios::binary);
    shapes::Write(shape, count, [&out](std::string_view text) { out << text; });
  }
  Reports reports;
  const auto recording = Load({file.string()}, {});
  fs::remove(file);
  EXPECT_TRUE(recording) << recording.error().message;
  if (!recording) return reports;
  const auto judged = Evaluate(*recording, {});
  EXPECT_TRUE(judged) << judged.error().front().message;
  if (!judged) return reports;
  reports.page = Render(*judged, Format::kHtml).value_or("");
  reports.workbook = Render(*judged, Format::kXlsx).value_or("");
  reports.markdown = Render(*judged, Format::kMarkdown).value_or("");
  const std::string text = Render(*judged, Format::kJson).value_or("{}");
  reports.json_bytes = text.size();
  reports.json = json::parse(text);
  return reports;
}

std::size_t RowsOf(const json::value& report, std::string_view table) {
  const auto* found = report.at("tables").as_object().if_contains(table);
  return found == nullptr ? 0 : found->at("rows").as_array().size();
}

std::int64_t LeftOut(const json::value& report, std::string_view table) {
  for (const json::value& entry : report.at("left_out").as_array()) {
    if (entry.at("id").as_string() == table) return entry.at("rows").to_number<std::int64_t>();
  }
  return 0;
}

void ExpectWithinBudgets(const Reports& reports) {
  EXPECT_GT(reports.page.size(), 0U);
  EXPECT_LE(reports.page.size(), 1'000'000U);
  EXPECT_LE(reports.markdown.size(), 200'000U);
  EXPECT_LE(reports.workbook.size(), 4'000'000U);
  EXPECT_LE(reports.json_bytes, 16'000'000U);
  for (const auto& [id, table] : reports.json.at("tables").as_object()) {
    EXPECT_LE(table.at("rows").as_array().size(), 10'000U) << std::string_view(id);
  }
}

TEST(Bounds, Threads) { ExpectWithinBudgets(ReportsOf(Shape::kThreads, kCount)); }

TEST(Bounds, Devices) {
  const Reports reports = ReportsOf(Shape::kDevices, kCount);
  ExpectWithinBudgets(reports);
  EXPECT_EQ(reports.json.at("profile").at("devices").as_array().size(), 4'096U);
  EXPECT_EQ(reports.json.at("profile").at("more_devices").to_number<std::int64_t>(),
            kCount - 4'096);
  EXPECT_EQ(RowsOf(reports.json, "gpus") + static_cast<std::size_t>(LeftOut(reports.json, "gpus")),
            static_cast<std::size_t>(kCount));
  EXPECT_NE(reports.page.find(" more"), std::string::npos);
}

TEST(Bounds, StreamsAndKernelNames) {
  const Reports reports = ReportsOf(Shape::kStreams, kCount);
  ExpectWithinBudgets(reports);
  EXPECT_EQ(RowsOf(reports.json, "streams"), 10'000U);
  EXPECT_EQ(LeftOut(reports.json, "streams"), kCount - 10'000);
  EXPECT_EQ(RowsOf(reports.json, "kernels"), 10'000U);
}

TEST(Bounds, Iterations) {
  const Reports reports = ReportsOf(Shape::kIterations, kCount);
  ExpectWithinBudgets(reports);
  EXPECT_EQ(reports.json.at("profile").at("iterations_total").to_number<std::int64_t>(), kCount);
}

TEST(Bounds, Depth) { ExpectWithinBudgets(ReportsOf(Shape::kDepth, kCount)); }

TEST(Bounds, DevicesOfAllocations) { ExpectWithinBudgets(ReportsOf(Shape::kMemory, kCount)); }

}  // namespace
}  // namespace profgauge
