// Any bytes as a file of times: logs, tables, benchmarks, load tests, `profgauge.run`.
//
// Checks: what is read has times that are possible, five steps at least, names and numbers; a
// refusal has a code and is no defect; the same bytes give the same profile.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/byte_source.h"
#include "model/run_side.h"
#include "readers/run_side/times_reader.h"
#include "support/fuzz.h"
#include "support/json_or_lines.h"

namespace {

using namespace profgauge;

void CheckSteps(const RunDocument& document) {
  std::size_t single = 0;
  for (const StepSegment& segment : document.segments) {
    for (const Ns length : segment.lengths) {
      fuzz::Require(length > 0 && length <= kMostStepLength, "lengths are possible");
    }
    single += segment.lengths.size();
  }
  for (const StepSum& sum : document.batches) {
    fuzz::Require(sum.length > 0 && sum.steps > 0, "sums are possible");
  }
  fuzz::Require(std::max(single, document.batches.size()) >= readers::kLeastTimes,
                "there are as many as are needed");
}

void CheckSide(const RunSide& side) {
  fuzz::Require(side.document || !side.benchmarks.empty() || side.load_test, "something is read");
  if (side.document) CheckSteps(*side.document);
  fuzz::Require(side.benchmarks.size() <= readers::kMostBenchmarks, "no more than are looked at");
  for (const NamedTimes& benchmark : side.benchmarks) {
    fuzz::Require(!benchmark.lengths.empty(), "a benchmark has times");
    for (const double length : benchmark.lengths) {
      fuzz::Require(length > 0 && length <= static_cast<double>(kMostStepLength), "possible times");
    }
  }
  if (!side.load_test) return;
  for (const auto& [metric, value] : side.load_test->metrics) {
    fuzz::Require(std::isfinite(value) && value >= 0, "metrics are numbers");
  }
}

}  // namespace

PROFGAUGE_FUZZ_JSON_OR_LINES

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  static const auto reader = readers::MakeTimesReader();
  static_cast<void>(reader->Sniff(bytes));
  for (const readers::StepTimesInput& how :
       {readers::StepTimesInput{}, readers::StepTimesInput{"a", "time", "ms"}}) {
    readers::ReadOptions options;
    options.step_times = how;
    const auto source = MakeMemorySource("a", bytes);
    auto profile = reader->Read(*source, options);
    if (const auto* read = fuzz::ValueOf(profile)) CheckSide(*read->run_side);
  }
  return 0;
}
