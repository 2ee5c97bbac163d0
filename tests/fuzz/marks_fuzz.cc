// Moments of a profile: any bytes as a file of marks, as `--marks` and as `--range`.
//
// Checks: no crash; every refusal is a usage error with a reason; times are within the longest
// profile, and a range ends after its begin.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/option_values.h"
#include "support/fuzz.h"
#include "support/json_mutator.h"

PROFGAUGE_FUZZ_JSON

namespace {

using namespace profgauge;

void Check(Result<cli::Marks> read) {
  const cli::Marks* marks = fuzz::ValueOf(read);
  if (marks == nullptr) {
    fuzz::Require(read.error().kind == ErrorKind::kUsage, "marks are wrong by usage");
    return;
  }
  for (const auto& [name, time] : *marks) fuzz::Require(time >= 0, "no mark before the start");
  cli::Options options;
  options.marks = *marks;
  options.range_text = marks->empty() ? ":" : marks->front().first + ":" + marks->back().first;
  if (cli::ResolveRange(options) && options.range) {
    fuzz::Require(options.range->first < options.range->second, "a range ends behind its begin");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::TextOf(data, size));
  Check(cli::MarksOfFile(text, "fuzz"));
  Check(cli::ParseMarks(text));
  cli::Options options;
  options.range_text = text;
  if (const auto status = cli::ResolveRange(options); !status) fuzz::RequireReason(status.error());
  return 0;
}
