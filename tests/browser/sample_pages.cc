// Writes the pages that browser_test.py looks at into a folder: page.html (one file), three files
// under files/, and with a second argument big.html, a timeline of that many events.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "render/shared/renderer.h"
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

// A saw of allocations on a GPU, under a constant reserve.
Table AllocatorTable() {
  std::vector<std::vector<Value>> rows;
  for (const char* device : {"CPU", "GPU 0"}) {
    for (std::int64_t i = 0; i < 400; ++i) {
      rows.push_back({device, std::int64_t{0}, i * 100'000, 1'000'000'000 + i % 7 * 10'000'000,
                      std::int64_t{1'200'000'000}});
    }
  }
  return render::testing::MakeTable("memory_curve", "", "Memory curve",
                                    {{"device", "Device", Unit::kText, ""},
                                     {"rank", "Rank", Unit::kCount, ""},
                                     {"time", "Time", Unit::kTime, ""},
                                     {"allocated", "Allocated", Unit::kBytes, ""},
                                     {"reserved", "Reserved", Unit::kBytes, ""}},
                                    rows);
}

// Net with three layers of a linear each; the last one is the slowest.
Table ModuleTable() {
  const auto row = [](std::int64_t node, Value parent, std::int64_t depth, const std::string& name,
                      std::int64_t time) {
    return std::vector<Value>{node, parent, depth, name, std::int64_t{5}, time, time / 2};
  };
  std::vector<std::vector<Value>> rows = {row(0, Value(), 0, "Net_0", 6'000'000)};
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto node = static_cast<std::int64_t>(rows.size());
    rows.push_back(
        row(node, std::int64_t{0}, 1, "Layer_" + std::to_string(i), (i + 1) * 1'000'000));
    rows.push_back(row(node + 1, node, 2, "Linear_" + std::to_string(i), (i + 1) * 900'000));
  }
  return render::testing::MakeTable("modules", "module", "Modules",
                                    {{"node", "Node", Unit::kCount, ""},
                                     {"parent", "Parent", Unit::kCount, ""},
                                     {"depth", "Depth", Unit::kCount, ""},
                                     {"name", "Module", Unit::kText, ""},
                                     {"calls", "Occurrences", Unit::kCount, ""},
                                     {"host_total", "Host total", Unit::kTime, ""},
                                     {"device_total", "Device total", Unit::kTime, ""}},
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
  report.tables.push_back(AllocatorTable());
  report.tables.push_back(ModuleTable());
  report.timeline = render::testing::TimelineMaker::Make(40, 300);
  const std::string page = render::RenderHtml(report);
  const auto files = render::RenderHtmlFiles(render::testing::SampleReport(300));
  if (!Write(folder / "page.html", page)) return 1;
  for (const auto& file : files) {
    if (!Write(folder / "files" / file.name, file.bytes)) return 1;
  }
  if (argc > 2) {
    report.timeline = render::testing::TimelineMaker::Make(100, std::atoi(argv[2]) / 410);
    const std::string big = render::RenderHtml(report);
    if (!Write(folder / "big.html", big)) return 1;
  }
}
