// Baselines: JSON as runs that are kept, compared with each other.
//
// Checks: no crash; every refusal has a reason; a run is written and read again as the same; a run
// compared with itself has not changed; and the steps of every waterfall sum exactly to their
// whole.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gate/compare.h"
#include "report/build_report.h"
#include "report/build_sections.h"
#include "support/dice.h"
#include "support/fuzz.h"
#include "support/json_mutator.h"
#include "support/waterfall_check.h"

namespace {

namespace json = boost::json;
using namespace profgauge;

// The first part of each run gets the difference between the iteration times and the parts:
// otherwise nearly every changed number would be refused.
bool MendSum(json::value& run) {
  auto* object = run.if_object();
  auto* parts = object == nullptr ? nullptr : object->if_contains("parts");
  auto* times = object == nullptr ? nullptr : object->if_contains("iteration_times");
  if (parts == nullptr || times == nullptr || !parts->is_array() || !times->is_array())
    return false;
  std::uint64_t left = 0;
  for (const auto& time : times->get_array()) {
    if (time.is_int64()) left += static_cast<std::uint64_t>(time.get_int64());
  }
  constexpr std::size_t kTime = 7;
  json::value* first = nullptr;
  for (auto& part : parts->get_array()) {
    if (!part.is_array() || part.get_array().size() <= kTime) continue;
    json::value& time = part.get_array()[kTime];
    if (first == nullptr) {
      first = &time;
    } else if (time.is_int64()) {
      left -= static_cast<std::uint64_t>(time.get_int64());
    }
  }
  if (first != nullptr) *first = static_cast<std::int64_t>(left);
  return first != nullptr;
}

std::size_t Mended(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  json::error_code error;
  json::value root = json::parse({reinterpret_cast<const char*>(data), size}, error);
  auto* object = error ? nullptr : root.if_object();
  auto* runs = object == nullptr ? nullptr : object->if_contains("runs");
  if (runs == nullptr || !runs->is_array()) return size;
  for (auto& run : runs->get_array()) MendSum(run);
  const std::string text = json::serialize(root);
  if (text.size() > max_size) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

void CompareAll(const std::vector<profgauge::gate::Snapshot>& runs) {
  const std::span<const profgauge::gate::Snapshot> all(runs);
  const profgauge::gate::RunComparison same =
      profgauge::gate::CompareRuns(all.first(1), all.first(1), nullptr);
  fuzz::RequireExactSums(same.waterfall);
  fuzz::Require(same.waterfall.delta == 0, "a run has not changed against itself");
  for (const profgauge::gate::MetricComparison& metric : same.metrics) {
    fuzz::Require(metric.verdict != profgauge::gate::stats::Change::kFail,
                  "a run is no worse than itself");
  }
  const profgauge::gate::RunComparison changed =
      profgauge::gate::CompareRuns(all.first(1), all.subspan(runs.size() > 1 ? 1 : 0), nullptr);
  fuzz::RequireExactSums(changed.waterfall);
  report::BuildComparisonReport(changed, {}, "");
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const std::size_t made = fuzz::MutateJson(data, size, max_size, seed);
  return seed % 4 == 0 ? made : Mended(data, made, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parsed = profgauge::gate::ParseBaseline(fuzz::TextOf(data, size), "fuzz");
  const std::vector<profgauge::gate::Snapshot>* runs = fuzz::ValueOf(parsed);
  if (runs == nullptr) return 0;
  const std::string bytes = profgauge::gate::WriteBaseline(*runs);
  const auto again = profgauge::gate::ParseBaseline(bytes, "fuzz");
  fuzz::Require(again && profgauge::gate::WriteBaseline(*again) == bytes,
                "what was written is read as the same");
  CompareAll(*runs);
  return 0;
}
