// report.json, as `profgauge render` takes it: read back and drawn again.
//
// Checks: no crash; every refusal has a reason; a report is written and read again as the same;
// every renderer renders it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "render/ci/ci.h"
#include "render/shared/renderer.h"
#include "render/trace/chrome_trace.h"
#include "report/read_report.h"
#include "report/redact.h"
#include "support/fuzz.h"
#include "support/json_mutator.h"

PROFGAUGE_FUZZ_JSON

namespace {

using namespace profgauge;

void Draw(const report::Report& report) {
  render::RenderHtml(report);
  render::RenderSummary(report);
  render::RenderMarkdown(report);
  for (const int verbosity : {-1, 0, 1}) {
    render::RenderTerminal(report, {.verbosity = verbosity});
    render::RenderComparison(report, verbosity);
  }
  render::RenderJunit(report);
  render::RenderSarif(report, {});
  render::RenderGithub(report, {});
  render::RenderGitlab(report, {});
  render::RenderOpenMetrics(report);
  render::RenderChromeTrace(report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto read = report::ReadReport(fuzz::TextOf(data, size), "fuzz");
  report::Report* report = fuzz::ValueOf(read);
  if (report == nullptr) return 0;
  const std::string bytes = render::RenderJson(*report);
  const auto again = report::ReadReport(bytes, "fuzz");
  fuzz::Require(again && render::RenderJson(*again) == bytes,
                "what was written is read as the same");
  Draw(*report);
  if (size % 16 == 0) {  // The library writes files.
    fuzz::Require(render::RenderXlsx(*report).has_value(), "the workbook is drawn");
  }
  report::Redact(*report);
  return 0;
}
