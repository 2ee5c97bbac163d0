// Writes the pages that browser_test.py looks at into a folder: page.html (one file), three files
// under files/, and with a second argument big.html, a timeline of that many events.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "render/renderer.h"
#include "unit/render/fixture.h"
#include "unit/render/timeline_fixture.h"

namespace {

using namespace profgauge;  // NOLINT: a program of one page

// Where the page's own formatter must agree with base/format: values at the edges of rounding.
Table FormatTable() {
  std::vector<std::vector<Value>> rows;
  const double edges[] = {0,       1,      999,     999.5,   1000,     1125000, 9995,   99950,
                          999500,  12345,  1.5e9,   -2.25e6, 0.5,      0.125,   0.375,  1e12,
                          1234567, 8.5e-3, 0.00996, 0.0005,  0.314159, 2.346,   1234.5, 1.234e-6};
  for (int i = 0; i < 300; ++i) {
    const double x = edges[i % 24] * (1 + i / 24);
    const auto whole = static_cast<std::int64_t>(x);
    rows.push_back({"row " + std::to_string(i), std::int64_t{i}, whole, whole, whole, x, x, x});
  }
  return render::testing::MakeTable("formats", "", "Formats",
                                    {{"name", "Row", Unit::kText, ""},
                                     {"number", "Number", Unit::kCount, ""},
                                     {"time", "Time", Unit::kTime, ""},
                                     {"bytes", "Bytes", Unit::kBytes, ""},
                                     {"count", "Count", Unit::kCount, ""},
                                     {"share", "Share", Unit::kShare, ""},
                                     {"real", "Real", Unit::kNumber, ""},
                                     {"rate", "Rate", Unit::kFlopRate, ""}},
                                    rows);
}

bool Write(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  return static_cast<bool>(std::ofstream(path, std::ios::binary) << bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: sample_pages FOLDER [EVENTS]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  report::Report report = render::testing::SampleReport(99'000);
  report.tables.push_back(FormatTable());
  report.timeline = render::testing::TimelineMaker::Make(40, 300);
  const auto page = render::RenderHtml(report, {});
  const auto files = render::RenderHtmlFiles(render::testing::SampleReport(300), {});
  if (!page || !files || !Write(folder / "page.html", *page)) return 1;
  for (const auto& file : *files) {
    if (!Write(folder / "files" / file.name, file.bytes)) return 1;
  }
  if (argc > 2) {
    report.timeline = render::testing::TimelineMaker::Make(100, std::atoi(argv[2]) / 410);
    const auto big = render::RenderHtml(report, {});
    if (!big || !Write(folder / "big.html", *big)) return 1;
  }
}
