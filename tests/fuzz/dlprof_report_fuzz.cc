// DLProf's reports: any bytes give rows, lines, a profile of the report's numbers, or an error.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/byte_source.h"
#include "readers/dlprof/dlprof_reader.h"
#include "readers/dlprof/report_file.h"
#include "support/fuzz.h"
#include "support/json_or_lines.h"

PROFGAUGE_FUZZ_JSON_OR_LINES

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace dlprof = profgauge::readers::dlprof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto csv = dlprof::ParseCsv(text);
  (void)dlprof::SummaryOfCsv(csv.rows);
  if (csv.rows.size() > 1) {
    const dlprof::Columns columns(csv.rows[1]);
    for (const auto& row : csv.rows) (void)columns.Integer(row, "Total GPU Time");
  }
  (void)dlprof::SummaryOfJson(text, "fuzz");
  const auto source = profgauge::MakeMemorySource("fuzz", std::as_bytes(std::span(data, size)));
  auto profile = profgauge::readers::MakeDlprofReportReader()->Read(*source, {});
  profgauge::fuzz::ValueOf(profile);
  return 0;
}
