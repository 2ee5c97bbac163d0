// The summaries of `nsys stats`, against a genuine output of 2024.4.1.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/text.h"
#include "exports/nsys/reports.h"
#include "readers/load.h"

namespace profgauge::exports::nsys {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// "6340,9505.0" of nsys' text form, which groups digits by locale, is 63409505.0.
std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells;
  static const RE2 separator(R"(^\s*(.*?)(?:\s{2,}|$))");
  re2::StringPiece rest(line.data(), line.size());
  std::string cell;
  while (!rest.empty() && RE2::Consume(&rest, separator, &cell)) {
    if (RE2::FullMatch(cell, R"([\d,.]+)")) RE2::GlobalReplace(&cell, ",", "");
    if (!cell.empty()) cells.push_back(cell);
  }
  return cells;
}

// Report name to the rows of its table.
std::map<std::string, Rows> ReadOracle(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::map<std::string, Rows> reports;
  std::string report;
  bool in_rows = false;
  for (const std::string_view line : Lines(text)) {
    std::string name;
    if (RE2::PartialMatch(re2::StringPiece(line.data(), line.size()),
                          R"(Executing '(\w+)' stats report)", &name)) {
      report = name;
      in_rows = false;
    } else if (Trim(line).starts_with("-----")) {
      in_rows = true;
    } else if (Trim(line).empty()) {
      in_rows = false;
    } else if (in_rows) {
      reports[report].push_back(Cells(line));
    }
  }
  return reports;
}

TEST(NsysReports, AreTheNumbersOfNsysStats) {
  const std::string shared = PROFGAUGE_SHARED_DIR;
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "no shared profiles";
  const auto oracle =
      ReadOracle(shared + "/oracle/nsight-systems/hsiaogary_nsys_stats_2024.4.1.txt");
  ASSERT_EQ(oracle.size(), 4u);
  auto profile = readers::ReadProfile(
      shared + "/data/nsight-systems/hsiaogary_cuda_course_report1.sqlite", {});
  ASSERT_TRUE(profile) << profile.error().message;
  for (const auto& [name, rows] : oracle) {
    SCOPED_TRACE(name);
    const ReportSpec* report = FindReport(name);
    ASSERT_NE(report, nullptr);
    const SelectedRank whole(*profile);
    EXPECT_EQ(report->make({&whole, 1}).rows, rows);
  }
}

TEST(NsysReports, AreKnownByTheirOldNames) {
  EXPECT_EQ(FindReport("gpukernsum"), FindReport("cuda_gpu_kern_sum"));
  EXPECT_EQ(FindReport("nvtxsum"), FindReport("nvtx_sum"));
  EXPECT_EQ(FindReport("cuda_gpu_kern"), nullptr);
}

}  // namespace
}  // namespace profgauge::exports::nsys
