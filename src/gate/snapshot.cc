#include "gate/snapshot.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/exact_json.h"
#include "gate/baseline_parser.h"
#include "gate/statistics.h"
#include "profgauge/version.h"

namespace profgauge::gate {
namespace {

namespace json = boost::json;

}  // namespace

std::int32_t Snapshot::DefinitionOf(std::string_view metric) const {
  const auto it = definitions.find(metric);
  return it == definitions.end() ? 1 : it->second;
}

std::string_view Snapshot::Environment(std::string_view key) const {
  for (const auto& [property, value] : environment) {
    if (property == key) return value;
  }
  return {};
}

std::vector<double> ObservedTimes(const Snapshot& run) {
  std::vector<double> times(run.iteration_times.begin(), run.iteration_times.end());
  for (std::size_t i = 0; i < run.iteration_unobserved.size(); ++i) {
    times[i] -= static_cast<double>(run.iteration_unobserved[i]);
  }
  return times;
}

bool IsTimed(const Snapshot& run) { return stats::Median(ObservedTimes(run)) > 0; }

bool IsOfTimes(const Snapshot& run) { return run.format == "times"; }

std::optional<double> MedianIteration(const Snapshot& run) {
  if (!IsTimed(run)) {
    const auto step = run.metrics.find(metric::kStepTimeMedian.text());
    return step == run.metrics.end() ? std::nullopt : std::optional(step->second);
  }
  const std::vector<double> times = ObservedTimes(run);
  return stats::Median(times);
}

// The sums of benchmarks are in picoseconds.
std::optional<double> MeanOfBenchmark(const analysis::breakdown::WorkSum& benchmark) {
  constexpr double kPicoseconds = 1000;
  if (benchmark.count <= 0 || benchmark.gpu_time <= 0) return std::nullopt;
  return static_cast<double>(benchmark.gpu_time) / static_cast<double>(benchmark.count) /
         kPicoseconds;
}

std::optional<TypicalTime> TypicalTimeOf(const Snapshot& run) {
  if (const auto median = MedianIteration(run)) return TypicalTime{*median, ""};
  const auto ttft = run.metrics.find(metric::kServeTtftMedian.text());
  if (ttft != run.metrics.end()) return TypicalTime{ttft->second, "TTFT"};
  double logs = 0, count = 0;
  for (const analysis::breakdown::WorkSum& benchmark : run.work.benchmarks) {
    const auto mean = MeanOfBenchmark(benchmark);
    if (!mean) continue;
    logs += std::log(*mean);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return TypicalTime{std::exp(logs / count), "benchmarks"};
}

Result<std::vector<Snapshot>> ParseBaseline(std::string_view text, const std::string& name) {
  return BaselineParser(name).Parse(text);
}

// Writes baseline files.

namespace {

// A list of strings in the order of their first use, each written once. "" has the number 0, so a
// part without an operator costs only one digit per name.
class StringList {
 public:
  StringList() { Index(""); }
  std::int64_t Index(const std::string& text) {
    const auto [it, is_new] = indices_.try_emplace(text, static_cast<std::int64_t>(list_.size()));
    if (is_new) list_.emplace_back(text);
    return it->second;
  }
  json::array Take() { return std::move(list_); }

 private:
  std::map<std::string, std::int64_t> indices_;
  json::array list_;
};

json::array WritePart(const analysis::breakdown::TimePart& part, StringList& strings) {
  json::array out;
  for (const std::string* name :
       {&part.category, &part.op_type, &part.op, &part.shapes, &part.kernel}) {
    out.push_back(strings.Index(*name));
  }
  for (const std::int64_t number : {part.position, part.count, part.time}) out.push_back(number);
  if (!part.series.empty()) out.push_back(json::value_from(part.series));
  return out;
}

json::array WriteSums(const std::vector<analysis::breakdown::WorkSum>& sums, StringList& strings) {
  json::array out;
  for (const analysis::breakdown::WorkSum& sum : sums) {
    json::array row{strings.Index(sum.name), sum.count, sum.gpu_time, sum.host_time};
    if (!sum.series.empty()) row.push_back(json::value_from(sum.series));
    out.push_back(std::move(row));
  }
  return out;
}

json::object WriteSnapshot(const Snapshot& run) {
  json::object environment;
  for (const auto& [key, value] : run.environment) environment[key] = value;
  json::object shares;
  for (const auto& [id, values] : run.iteration_shares) shares[id] = json::value_from(values);
  json::object metrics;
  for (const auto& [id, value] : run.metrics) metrics[id] = value;
  json::object definitions;
  for (const auto& [id, number] : run.definitions) {
    if (number != 1) definitions[id] = number;
  }
  json::array parts;
  StringList strings;
  for (const analysis::breakdown::TimePart& part : run.parts)
    parts.push_back(WritePart(part, strings));
  json::object out{{"name", run.name},
                   {"source", run.source},
                   {"format", run.format},
                   {"environment", std::move(environment)},
                   {"iteration_times", json::value_from(run.iteration_times)},
                   {"iteration_shares", std::move(shares)},
                   {"metrics", std::move(metrics)},
                   {"definitions", std::move(definitions)},
                   {"parts", std::move(parts)}};
  if (!run.uncertain.empty()) out["uncertain"] = json::value_from(run.uncertain);
  if (!run.iteration_unobserved.empty()) {
    out["iteration_unobserved"] = json::value_from(run.iteration_unobserved);
  }
  if (!run.iteration_periods.empty()) {
    out["iteration_periods"] = json::value_from(run.iteration_periods);
  }
  if (!run.step_times.empty()) {
    json::object steps{{"times", json::value_from(run.step_times)}};
    if (!run.steps_unusual.empty()) steps["unusual"] = json::value_from(run.steps_unusual);
    if (run.steps_a_value != 1) steps["a_value"] = run.steps_a_value;
    if (run.steps_after > 0) steps["after"] = run.steps_after;
    out["steps"] = std::move(steps);
  }
  if (run.samples > 0) out["samples"] = run.samples;
  if (run.answered > 0) out["answered"] = run.answered;
  if (run.answered_tokens > 0) out["answered_tokens"] = run.answered_tokens;
  if (!run.iteration_values.empty()) {
    json::object values;
    for (const auto& [id, times] : run.iteration_values) values[id] = json::value_from(times);
    out["iteration_values"] = std::move(values);
  }
  if (!run.iteration_shapes.empty()) {
    json::array shapes;
    for (const std::uint64_t one : run.iteration_shapes) {
      shapes.push_back(json::string(fmt::format("{:016x}", one)));
    }
    out["iteration_shapes"] = std::move(shapes);
  }
  if (run.work.iterations > 0) {
    json::array kernels = WriteSums(run.work.kernels, strings);
    json::array ops = WriteSums(run.work.ops, strings);
    json::object work{{"iterations", run.work.iterations},
                      {"has_gpu", run.work.has_gpu},
                      {"kernels", std::move(kernels)},
                      {"ops", std::move(ops)}};
    if (!run.work.collectives.empty()) {
      work["collectives"] = WriteSums(run.work.collectives, strings);
    }
    if (!run.work.modules.empty()) work["modules"] = WriteSums(run.work.modules, strings);
    if (!run.work.benchmarks.empty()) {
      work["benchmarks"] = WriteSums(run.work.benchmarks, strings);
    }
    out["work"] = std::move(work);
  }
  if (!run.ranks.empty()) {
    json::array ranks;
    for (const RankWork& one : run.ranks) {
      ranks.push_back(json::array{one.rank, one.own, one.computing});
    }
    out["ranks"] = std::move(ranks);
  }
  out["strings"] = strings.Take();
  return out;
}

}  // namespace

std::string WriteBaseline(const std::vector<Snapshot>& runs) {
  json::array list;
  for (const Snapshot& run : runs) list.push_back(WriteSnapshot(run));
  const json::object document{{"schema", kBaselineSchema},
                              {"kind", kBaselineKind},
                              {"tool", std::string("profgauge ") + kVersion},
                              {"runs", std::move(list)}};
  return json::serialize(document) + "\n";
}

}  // namespace profgauge::gate
