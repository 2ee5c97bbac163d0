// Results of load tests: which keys state latencies and rates, what must be equal to compare them.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

#include "base/errors.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "readers/run_side/times_forms.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;

/// A latency under its names in the tools, for WHAT in the path of a form.
struct Latency {
  std::string_view name, other, of_aiperf;
  MetricId stats[5];
};
constexpr std::string_view kStats[] = {"mean", "median", "p90", "p95", "p99"};
constexpr std::string_view kStatsOfAiperf[] = {"avg", "p50", "p90", "p95", "p99"};

#define PROFGAUGE_STATS(What)                                                            \
  {                                                                                      \
    metric::kServe##What##Mean, metric::kServe##What##Median, metric::kServe##What##P90, \
        metric::kServe##What##P95, metric::kServe##What##P99                             \
  }
constexpr Latency kLatencies[] = {
    {"ttft", "ttft", "time_to_first_token", PROFGAUGE_STATS(Ttft)},
    {"tpot", "tpot", "time_per_output_token", PROFGAUGE_STATS(Tpot)},
    {"itl", "itl", "inter_token_latency", PROFGAUGE_STATS(Itl)},
    {"e2el", "e2e_latency", "request_latency", PROFGAUGE_STATS(E2e)},
};
#undef PROFGAUGE_STATS

struct Rate {
  std::string_view key, of_aiperf;
  MetricId metric;
};
constexpr Rate kRates[] = {
    {"request_throughput", "request_throughput", metric::kServeRequestRate},
    {"output_throughput", "output_token_throughput", metric::kServeOutputRate},
    {"total_token_throughput", "total_token_throughput", metric::kServeTotalRate},
    {"request_goodput", "goodput", metric::kServeGoodput},
};

/// Latencies depend on these.
constexpr std::string_view kLoad[] = {
    "model_id",           "backend",          "dataset_name",
    "num_prompts",        "request_rate",     "max_concurrency",
    "total_input_tokens", "random_input_len", "random_output_len"};
constexpr std::size_t kLongestValue = 200;

std::optional<double> NumberAt(const json::value& value, std::string_view path) {
  const json::value* at = AtPath(value, path);
  if (at == nullptr || !at->is_number()) return std::nullopt;
  const auto number = at->to_number<double>();
  return std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<double> NanosecondsOf(const json::value& value, std::string_view unit_path) {
  const json::value* at = AtPath(value, unit_path);
  const auto* unit = at == nullptr ? nullptr : at->if_string();
  const std::string_view text =
      unit == nullptr ? "ms" : std::string_view(unit->data(), unit->size());
  if (text == "ms") return 1e6;
  if (text == "s" || text == "sec") return 1e9;
  if (text == "us") return 1e3;
  return text == "ns" ? std::optional(1.0) : std::nullopt;
}

void AddLatencies(const json::value& value, bool is_aiperf, LoadTest& test) {
  for (const Latency& latency : kLatencies) {
    for (std::size_t i = 0; i < std::size(kStats); ++i) {
      std::optional<double> number;
      double factor = 1e6;
      if (is_aiperf) {
        number = NumberAt(value, fmt::format("{}.{}", latency.of_aiperf, kStatsOfAiperf[i]));
        const auto unit = NanosecondsOf(value, fmt::format("{}.unit", latency.of_aiperf));
        if (!unit) continue;
        factor = *unit;
      } else {
        number = NumberAt(value, fmt::format("{}_{}_ms", kStats[i], latency.name));
        if (!number) number = NumberAt(value, fmt::format("{}_{}_ms", kStats[i], latency.other));
      }
      constexpr double kLongest = static_cast<double>(kMostStepLength);
      if (number && *number > 0 && *number * factor <= kLongest) {
        test.metrics.emplace_back(latency.stats[i], *number * factor);
      }
    }
  }
}

std::string TextOf(const json::value& value) {
  if (const auto* text = value.if_string()) {
    return PrintableShort({text->data(), text->size()}, kLongestValue);
  }
  if (value.is_null()) return "none";
  if (value.is_number()) return fmt::format("{}", value.to_number<double>());
  return PrintableShort(json::serialize(value), kLongestValue);
}

}  // namespace

Result<TimesFile> ReadLoadTest(const json::value& value, const TimesForm& form) {
  TimesFile file;
  file.form = form.title;
  LoadTest& test = file.load_test.emplace();
  const bool is_aiperf = form.at == "WHAT.STAT";
  AddLatencies(value, is_aiperf, test);
  for (const Rate& rate : kRates) {
    const auto number = is_aiperf ? NumberAt(value, fmt::format("{}.avg", rate.of_aiperf))
                                  : NumberAt(value, rate.key);
    if (number) test.metrics.emplace_back(rate.metric, *number);
  }
  const auto count = [&](std::string_view key, std::string_view of_aiperf) {
    return NumberAt(value, is_aiperf ? fmt::format("{}.avg", of_aiperf) : std::string(key));
  };
  const auto completed = count("completed", "request_count");
  const auto failed = count("failed", "error_request_count");
  if (completed && *completed == 0) {
    return Fail(InputError("", "run/failed", "no request of the load test was answered",
                           "see why the server refused them, and test it again"));
  }
  test.completed = completed.value_or(0);
  test.output_tokens = count("total_output_tokens", "total_osl").value_or(0);
  if (failed && *failed + test.completed > 0) {
    test.metrics.emplace_back(metric::kServeFailedShare, *failed / (*failed + test.completed));
  }
  for (const std::string_view key : kLoad) {
    const json::value* at = AtPath(value, key);
    if (at != nullptr) test.load.emplace_back(key, TextOf(*at));
  }
  return file;
}

}  // namespace profgauge::readers
