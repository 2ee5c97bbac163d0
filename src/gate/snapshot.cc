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

constexpr double kMostDefinitions = 1e6;

}  // namespace

Result<std::vector<Snapshot>> BaselineParser::Parse(std::string_view text) const {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 16;
  std::size_t parsed = 0;
  const json::value document = ParseExactJson(text, options, error, parsed);
  if (error) {
    return Fail(Bad("not-json", "the baseline is not valid JSON: " + error.message(), ""));
  }
  const auto* object = document.if_object();
  const auto* kind = object == nullptr ? nullptr : object->if_contains("kind");
  if (kind == nullptr || !kind->is_string() || kind->get_string() != kBaselineKind) {
    Error e =
        Bad("foreign",
            "this is not a baseline: expected a JSON object of kind `profgauge-baseline`", "kind");
    e.notes = {"help: write one with `profgauge baseline save PROFILE -o FILE`"};
    return Fail(std::move(e));
  }
  PROFGAUGE_TRY(const std::int64_t schema, Integer(*object, "schema", ""));
  if (schema > kBaselineSchema) {
    Error e = Bad("newer",
                  "the baseline has schema " + std::to_string(schema) + ", expected schema " +
                      std::to_string(kBaselineSchema),
                  "schema");
    e.notes = {"help: update profgauge, or save the baseline again with this version"};
    return Fail(std::move(e));
  }
  if (schema < kBaselineSchema) {
    Error e = Bad("old",
                  "the baseline has schema " + std::to_string(schema) + ", expected schema " +
                      std::to_string(kBaselineSchema),
                  "schema");
    e.notes = {"help: save it again with `profgauge baseline save PROFILE -o FILE`"};
    return Fail(std::move(e));
  }
  const auto* runs = object->if_contains("runs");
  if (runs == nullptr || !runs->is_array() || runs->get_array().empty()) {
    return Fail(Bad("field", "expected a list of at least one run", "runs"));
  }
  std::vector<Snapshot> snapshots;
  for (std::size_t i = 0; i < runs->get_array().size(); ++i) {
    const std::string path = "runs[" + std::to_string(i) + "]";
    const auto* run = runs->get_array()[i].if_object();
    if (run == nullptr) return Fail(Bad("field", "expected an object", path));
    PROFGAUGE_TRY(Snapshot snapshot, Run(*run, path + "."));
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

// Makes an error about a field, with its path. Every field is checked: ProfGauge writes baselines,
// but people and merge tools edit them.
Error BaselineParser::Bad(std::string slug, std::string message, std::string path) const {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = "baseline/" + std::move(slug);
  error.message = std::move(message);
  error.where.file = name_;
  error.where.path = std::move(path);
  return error;
}

Result<std::int64_t> BaselineParser::Integer(const json::object& object, const char* key,
                                             const std::string& prefix) const {
  const auto* value = object.if_contains(key);
  if (value != nullptr && value->is_int64()) return value->get_int64();
  return Fail(Bad("field", "expected a whole number", prefix + key));
}

Result<std::string> BaselineParser::Text(const json::object& object, const char* key,
                                         const std::string& prefix) const {
  const auto* value = object.if_contains(key);
  if (value != nullptr && value->is_string()) return std::string(value->get_string());
  return Fail(Bad("field", "expected text", prefix + key));
}

Result<double> BaselineParser::Number(const json::value& value, const std::string& path) const {
  boost::system::error_code error;
  const double number = value.to_number<double>(error);
  if (error || !std::isfinite(number)) return Fail(Bad("field", "expected a number", path));
  return number;
}

Result<std::vector<Ns>> BaselineParser::Times(const json::array& list,
                                              const std::string& path) const {
  std::vector<Ns> times;
  for (const json::value& value : list) {
    if (!IsAmount(value)) {
      return Fail(Bad("field", "expected whole nanoseconds", path));
    }
    times.push_back(value.get_int64());
  }
  return times;
}

Status BaselineParser::AddEnvironment(const json::object& object, const std::string& prefix,
                                      Snapshot& run) const {
  PROFGAUGE_TRY(const auto* environment, Part<json::object>(object, "environment", prefix));
  for (const auto& [key, value] : *environment) {
    if (!value.is_string()) {
      return Fail(Bad("field", "expected text", prefix + "environment." + std::string(key)));
    }
    run.environment.emplace_back(key, value.get_string());
  }
  return {};
}

Status BaselineParser::AddIterations(const json::object& object, const std::string& prefix,
                                     Snapshot& run) const {
  PROFGAUGE_TRY(const auto* times, Part<json::array>(object, "iteration_times", prefix));
  PROFGAUGE_TRY(run.iteration_times, Times(*times, prefix + "iteration_times"));
  if (run.iteration_times.empty()) {
    return Fail(Bad("field", "expected at least one iteration", prefix + "iteration_times"));
  }
  if (object.contains("iteration_unobserved")) {
    const std::string path = prefix + "iteration_unobserved";
    PROFGAUGE_TRY(const auto* hidden, Part<json::array>(object, "iteration_unobserved", prefix));
    PROFGAUGE_TRY(run.iteration_unobserved, Times(*hidden, path));
    if (run.iteration_unobserved.size() != run.iteration_times.size()) {
      return Fail(Bad("field", "expected one time for each iteration", path));
    }
    for (std::size_t i = 0; i < run.iteration_times.size(); ++i) {
      if (run.iteration_unobserved[i] <= run.iteration_times[i]) continue;
      return Fail(Bad("field", "expected no more than the iteration's length", path));
    }
  }
  if (object.contains("iteration_periods")) {
    PROFGAUGE_TRY(const auto* periods, Part<json::array>(object, "iteration_periods", prefix));
    PROFGAUGE_TRY(run.iteration_periods, Times(*periods, prefix + "iteration_periods"));
  }
  return AddShapes(object, prefix, run);
}

Status BaselineParser::AddShapes(const json::object& object, const std::string& prefix,
                                 Snapshot& run) const {
  if (!object.contains("iteration_shapes")) return {};
  PROFGAUGE_TRY(const auto* shapes, Part<json::array>(object, "iteration_shapes", prefix));
  for (const json::value& one : *shapes) {
    const std::string_view text = one.is_string() ? one.get_string() : std::string_view();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) {
      return Fail(Bad("field", "expected 16 hex digits", prefix + "iteration_shapes"));
    }
    run.iteration_shapes.push_back(number);
  }
  if (run.iteration_shapes.size() == run.iteration_times.size()) return {};
  return Fail(Bad("field", "expected one for each iteration", prefix + "iteration_shapes"));
}

Status BaselineParser::AddRanks(const json::object& object, const std::string& prefix,
                                Snapshot& run) const {
  if (!object.contains("ranks")) return {};
  PROFGAUGE_TRY(const auto* ranks, Part<json::array>(object, "ranks", prefix));
  for (const json::value& one : *ranks) {
    const bool is_row = one.is_array() && one.get_array().size() == 3 &&
                        std::ranges::all_of(one.get_array(), IsAmount);
    if (!is_row) {
      return Fail(Bad("field", "expected rank, own and computing nanoseconds", prefix + "ranks"));
    }
    const json::array& row = one.get_array();
    run.ranks.push_back({row[0].get_int64(), row[1].get_int64(), row[2].get_int64()});
  }
  return {};
}

Status BaselineParser::AddSteps(const json::object& object, const std::string& prefix,
                                Snapshot& run) const {
  if (!object.contains("steps")) return {};
  PROFGAUGE_TRY(const auto* steps, Part<json::object>(object, "steps", prefix));
  const std::string path = prefix + "steps.";
  PROFGAUGE_TRY(const auto* times, Part<json::array>(*steps, "times", path));
  PROFGAUGE_TRY(run.step_times, Times(*times, path + "times"));
  const bool are_times =
      std::all_of(run.step_times.begin(), run.step_times.end(), [](Ns time) { return time > 0; });
  if (!are_times) return Fail(Bad("field", "expected times above 0", path + "times"));
  if (const auto* mean_of = steps->if_contains("a_value")) {
    const auto* number = mean_of->if_int64();
    if (number == nullptr || *number < 1) {
      return Fail(Bad("field", "expected a whole number above 0", path + "a_value"));
    }
    run.steps_a_value = *number;
  }
  if (const auto* after = steps->if_contains("after")) {
    PROFGAUGE_TRY(run.steps_after, Number(*after, path + "after"));
    if (run.steps_after <= 0) {
      return Fail(Bad("field", "expected a number above 0", path + "after"));
    }
  }
  if (!steps->contains("unusual")) return {};
  PROFGAUGE_TRY(const auto* unusual, Part<json::array>(*steps, "unusual", path));
  for (const json::value& entry : *unusual) {
    const auto* place = entry.if_int64();
    const bool is_next =
        place != nullptr && *place >= 0 &&
        *place < static_cast<std::int64_t>(run.step_times.size()) &&
        (run.steps_unusual.empty() || *place > std::int64_t{run.steps_unusual.back()});
    if (!is_next) return Fail(Bad("field", "expected rising places in `times`", path + "unusual"));
    run.steps_unusual.push_back(static_cast<std::uint32_t>(*place));
  }
  return {};
}

Status BaselineParser::AddShares(const json::object& object, const std::string& prefix,
                                 Snapshot& run) const {
  PROFGAUGE_TRY(const auto* shares, Part<json::object>(object, "iteration_shares", prefix));
  for (const auto& [id, list] : *shares) {
    const std::string path = prefix + "iteration_shares." + std::string(id);
    if (!list.is_array() || list.get_array().size() != run.iteration_times.size()) {
      return Fail(Bad("field", "expected one number for each iteration", path));
    }
    auto& values = run.iteration_shares[std::string(id)];
    for (const json::value& value : list.get_array()) {
      PROFGAUGE_TRY(const double share, Number(value, path));
      values.push_back(share);
    }
  }
  return {};
}

Status BaselineParser::AddValues(const json::object& object, const std::string& prefix,
                                 Snapshot& run) const {
  for (const auto& [key, target] :
       {std::pair{"answered", &run.answered}, std::pair{"answered_tokens", &run.answered_tokens}}) {
    if (!object.contains(key)) continue;
    PROFGAUGE_TRY(*target, Number(object.at(key), prefix + key));
    if (!(*target > 0)) return Fail(Bad("field", "expected a number above 0", prefix + key));
  }
  if (object.contains("samples")) {
    PROFGAUGE_TRY(run.samples, Number(object.at("samples"), prefix + "samples"));
    if (run.samples <= 0) {
      return Fail(Bad("field", "expected a number above 0", prefix + "samples"));
    }
  }
  if (!object.contains("iteration_values")) return {};
  PROFGAUGE_TRY(const auto* values, Part<json::object>(object, "iteration_values", prefix));
  for (const auto& [id, list] : *values) {
    const std::string path = prefix + "iteration_values." + std::string(id);
    if (!list.is_array() || list.get_array().size() != run.iteration_times.size()) {
      return Fail(Bad("field", "expected one number for each iteration", path));
    }
    PROFGAUGE_TRY(run.iteration_values[std::string(id)], Times(list.get_array(), path));
  }
  return {};
}

Status BaselineParser::AddMetrics(const json::object& object, const std::string& prefix,
                                  Snapshot& run) const {
  PROFGAUGE_TRY(const auto* metrics, Part<json::object>(object, "metrics", prefix));
  for (const auto& [id, value] : *metrics) {
    PROFGAUGE_TRY(run.metrics[std::string(id)],
                  Number(value, prefix + "metrics." + std::string(id)));
  }
  if (object.contains("definitions")) {
    PROFGAUGE_TRY(const auto* definitions, Part<json::object>(object, "definitions", prefix));
    for (const auto& [id, value] : *definitions) {
      const std::string path = prefix + "definitions." + std::string(id);
      PROFGAUGE_TRY(const double number, Number(value, path));
      if (number < 1 || number > kMostDefinitions || number != std::floor(number)) {
        return Fail(Bad("field", "expected a whole number from 1 on", path));
      }
      run.definitions[std::string(id)] = static_cast<std::int32_t>(number);
    }
  }
  if (object.contains("uncertain")) {
    PROFGAUGE_TRY(const auto* uncertain, Part<json::array>(object, "uncertain", prefix));
    for (const json::value& id : *uncertain) {
      if (!id.is_string() || !run.metrics.contains(std::string_view(id.get_string()))) {
        return Fail(Bad("field", "expected ids of `metrics`", prefix + "uncertain"));
      }
      run.uncertain.emplace(id.get_string());
    }
  }
  return {};
}

Result<Snapshot> BaselineParser::Run(const json::object& object, const std::string& prefix) const {
  Snapshot run;
  PROFGAUGE_TRY(run.name, Text(object, "name", prefix));
  PROFGAUGE_TRY(run.source, Text(object, "source", prefix));
  PROFGAUGE_TRY(run.format, Text(object, "format", prefix));
  PROFGAUGE_CHECK(AddEnvironment(object, prefix, run));
  PROFGAUGE_CHECK(AddIterations(object, prefix, run));
  PROFGAUGE_CHECK(AddSteps(object, prefix, run));
  PROFGAUGE_CHECK(AddRanks(object, prefix, run));
  PROFGAUGE_CHECK(AddShares(object, prefix, run));
  PROFGAUGE_CHECK(AddValues(object, prefix, run));
  PROFGAUGE_CHECK(AddMetrics(object, prefix, run));
  PROFGAUGE_CHECK(AddParts(object, prefix, run));
  return CheckSum(std::move(run), prefix);
}

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
