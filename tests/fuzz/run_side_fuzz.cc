// Any bytes as `profgauge.run`, as `duet.json`, and as a log of devices.
//
// Checks: conditions are numbers and shares are shares; times of a duet are positive; a used
// document has iterations, all of possible lengths, in order and within the limits; an unused one
// has a code; private texts are not kept.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "readers/run_side/device_log.h"
#include "readers/run_side/document.h"
#include "support/fuzz.h"
#include "support/json_or_lines.h"

namespace {

using namespace profgauge;

void CheckDocument(const RunDocument& document) {
  std::size_t steps = 0;
  std::int64_t next = 0;
  for (const StepSegment& segment : document.segments) {
    fuzz::Require(segment.first >= next, "segments rise");
    fuzz::Require(!segment.lengths.empty(), "segments have iterations");
    next = segment.first + static_cast<std::int64_t>(segment.lengths.size());
    steps += segment.lengths.size();
    for (const Ns length : segment.lengths) {
      fuzz::Require(length > 0 && length <= kMostStepLength, "lengths are possible");
    }
  }
  for (const StepSum& sum : document.batches) {
    fuzz::Require(sum.length > 0 && sum.steps > 0, "sums are possible");
  }
  fuzz::Require(steps + document.batches.size() > 0, "there are iterations");
  for (const auto& [name, value] : document.environment) {
    fuzz::Require(readers::IsSharedVariable(name), "variables are of the list");
  }
  fuzz::Require(document.commit.empty() || readers::IsRevision(document.commit), "a revision");
}

void CheckDeviceLog(std::string_view text) {
  auto log = readers::ReadDeviceLog(text);
  const auto* devices = fuzz::ValueOf(log);
  if (devices == nullptr) return;
  fuzz::Require(!devices->empty(), "a log has devices");
  for (const RunDevice& device : *devices) {
    for (const auto& [name, one] : device.conditions) {
      fuzz::Require(std::isfinite(one.median), "medians are numbers");
      fuzz::Require(one.least <= one.median && one.median <= one.most, "medians are between");
    }
    for (const auto& [reason, share] : device.reasons) {
      fuzz::Require(share >= 0 && share <= 1, "shares are shares");
    }
  }
}

void CheckDuet(std::string_view text) {
  auto duet = readers::ReadDuet(text);
  const auto* found = fuzz::ValueOf(duet);
  if (found == nullptr) return;
  for (const DuetBlock& block : found->blocks) {
    for (const Ns length : block.lengths) fuzz::Require(length > 0, "iterations take time");
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return fuzz::MutateJsonOrLines(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const readers::RunReading reading = readers::ReadRunDocument(text);
  if (reading.document) CheckDocument(*reading.document);
  fuzz::Require(reading.document || !reading.problems.empty(), "a problem is said");
  for (const RunProblem& problem : reading.problems) {
    fuzz::Require(problem.code.starts_with("run/") && !problem.text.empty(), "with code and words");
  }
  static_cast<void>(readers::DecodeRunMark(text));
  CheckDeviceLog(text);
  CheckDuet(text);
  return 0;
}
