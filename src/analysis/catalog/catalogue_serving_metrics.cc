// The metrics that load-test tools report: latencies of requests, and rates.
#include "analysis/catalog/catalogue.h"
#include "analysis/catalog/catalogue_parts.h"

namespace profgauge::analysis::catalog {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

constexpr std::string_view kLoadTest = "the load test";

// Reported by the tool; not computed from the program's work.
constexpr MetricSpec ServingRow(MetricId id, std::string_view title, Unit unit, ValueRange range,
                                Direction direction, std::string_view definition) {
  return {id,         title, unit,       range, direction, kOther,
          kOfNothing, 1,     definition, "",    kLoadTest, kServingFamily};
}

#define PROFGAUGE_LATENCY(What, title, definition)                                                 \
  ServingRow(metric::kServe##What##Mean, title ", mean", kTime, kFromZero, kLowerIsBetter,         \
             definition " Mean over the requests."),                                               \
      ServingRow(metric::kServe##What##Median, title ", median", kTime, kFromZero, kLowerIsBetter, \
                 definition " Median over the requests."),                                         \
      ServingRow(metric::kServe##What##P90, title ", p90", kTime, kFromZero, kLowerIsBetter,       \
                 definition " 90th percentile of the requests."),                                  \
      ServingRow(metric::kServe##What##P95, title ", p95", kTime, kFromZero, kLowerIsBetter,       \
                 definition " 95th percentile of the requests."),                                  \
      ServingRow(metric::kServe##What##P99, title ", p99", kTime, kFromZero, kLowerIsBetter,       \
                 definition " 99th percentile of the requests.")

constexpr MetricSpec kServingMetrics[] = {
    PROFGAUGE_LATENCY(Ttft, "Time to first token", "From a request to its first token."),
    PROFGAUGE_LATENCY(Tpot, "Time per output token",
                      "Time of a request after its first token, by its other tokens."),
    PROFGAUGE_LATENCY(Itl, "Time between tokens", "From one token of a request to the next."),
    PROFGAUGE_LATENCY(E2e, "Time of a request", "From a request to its last token."),
    ServingRow(metric::kServeRequestRate, "Requests per second", kNumber, kFromZero,
               kHigherIsBetter, "Answered requests per second of the test."),
    ServingRow(metric::kServeOutputRate, "Output tokens per second", kNumber, kFromZero,
               kHigherIsBetter, "Output tokens of answered requests per second of the test."),
    ServingRow(metric::kServeTotalRate, "Tokens per second", kNumber, kFromZero, kHigherIsBetter,
               "Input and output tokens of answered requests per second of the test."),
    ServingRow(metric::kServeGoodput, "Goodput", kNumber, kFromZero, kHigherIsBetter,
               "Requests per second that were answered within the test's own targets."),
    ServingRow(metric::kServeFailedShare, "Failed requests", kShare, kUpToOne, kLowerIsBetter,
               "Share of the requests that failed."),
};
#undef PROFGAUGE_LATENCY
static_assert(AreInOrder(kServingMetrics, metric::kServeTtftMean));

}  // namespace

std::span<const MetricSpec> ServingMetrics() { return kServingMetrics; }

}  // namespace profgauge::analysis::catalog
