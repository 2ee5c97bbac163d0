// DLProf's reports: any bytes give rows, lines or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "readers/dlprof/report_file.h"

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
  return 0;
}
