#include "gate/baseline_parser.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/exact_json.h"
#include "gate/snapshot.h"
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

Result<analysis::breakdown::TimePart> BaselineParser::OnePart(const json::value& value,
                                                              const json::array& strings,
                                                              const std::string& path) const {
  constexpr std::size_t kNames = 5;
  constexpr std::size_t kNumbers = 8;
  const auto* list = value.if_array();
  if (list == nullptr || list->size() < kNumbers || list->size() > kNumbers + 1) {
    return Fail(Bad("field", "expected a list of 8 numbers and maybe a series", path));
  }
  std::array<std::int64_t, kNumbers> numbers{};
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (!IsAmount((*list)[i])) {
      return Fail(Bad("field", "expected a number of 0 or more", path));
    }
    numbers[i] = (*list)[i].get_int64();
  }
  analysis::breakdown::TimePart part;
  std::string* const names[kNames] = {&part.category, &part.op_type, &part.op, &part.shapes,
                                      &part.kernel};
  for (std::size_t i = 0; i < kNames; ++i) {
    const auto index = static_cast<std::size_t>(numbers[i]);
    if (index >= strings.size() || !strings[index].is_string()) {
      return Fail(Bad("field", "expected an index into strings", path));
    }
    *names[i] = strings[index].get_string();
  }
  part.position = numbers[5];
  part.count = numbers[6];
  part.time = numbers[7];
  if (list->size() == kNumbers) return part;
  const auto* series = (*list)[kNumbers].if_array();
  if (series == nullptr) return Fail(Bad("field", "expected a list", path));
  PROFGAUGE_TRY(part.series, Times(*series, path));
  return part;
}

Result<std::vector<analysis::breakdown::WorkSum>> BaselineParser::Sums(
    const json::array& list, const json::array& strings, const std::string& path) const {
  constexpr std::size_t kNumbers = 4;
  std::vector<analysis::breakdown::WorkSum> sums;
  for (const json::value& value : list) {
    const auto* row = value.if_array();
    if (row == nullptr || row->size() < kNumbers || row->size() > kNumbers + 1) {
      return Fail(Bad("field", "expected lists of 4 numbers and maybe a series", path));
    }
    std::array<std::int64_t, kNumbers> numbers{};
    for (std::size_t i = 0; i < kNumbers; ++i) {
      if (!IsAmount((*row)[i])) {
        return Fail(Bad("field", "expected a number of 0 or more", path));
      }
      numbers[i] = (*row)[i].get_int64();
    }
    const auto index = static_cast<std::size_t>(numbers[0]);
    if (index >= strings.size() || !strings[index].is_string()) {
      return Fail(Bad("field", "expected an index into strings", path));
    }
    analysis::breakdown::WorkSum& sum = sums.emplace_back();
    sum.name = strings[index].get_string();
    sum.count = numbers[1];
    sum.gpu_time = numbers[2];
    sum.host_time = numbers[3];
    if (row->size() == kNumbers) continue;
    const auto* series = (*row)[kNumbers].if_array();
    if (series == nullptr) return Fail(Bad("field", "expected a list", path));
    PROFGAUGE_TRY(sum.series, Times(*series, path));
  }
  return sums;
}

Result<analysis::breakdown::WorkSums> BaselineParser::Work(const json::object& object,
                                                           const json::array& strings,
                                                           const std::string& prefix) const {
  analysis::breakdown::WorkSums work;
  PROFGAUGE_TRY(work.iterations, Integer(object, "iterations", prefix));
  if (work.iterations < 1) {
    return Fail(Bad("field", "expected at least one iteration", prefix + "iterations"));
  }
  const auto* has_gpu = object.if_contains("has_gpu");
  if (has_gpu == nullptr || !has_gpu->is_bool()) {
    return Fail(Bad("field", "expected true or false", prefix + "has_gpu"));
  }
  work.has_gpu = has_gpu->get_bool();
  PROFGAUGE_TRY(const auto* kernels, Part<json::array>(object, "kernels", prefix));
  PROFGAUGE_TRY(work.kernels, Sums(*kernels, strings, prefix + "kernels"));
  PROFGAUGE_TRY(const auto* ops, Part<json::array>(object, "ops", prefix));
  PROFGAUGE_TRY(work.ops, Sums(*ops, strings, prefix + "ops"));
  for (const auto& [name, list] :
       {std::pair{"collectives", &work.collectives}, std::pair{"modules", &work.modules},
        std::pair{"benchmarks", &work.benchmarks}}) {
    if (!object.contains(name)) continue;
    PROFGAUGE_TRY(const auto* sums, Part<json::array>(object, name, prefix));
    PROFGAUGE_TRY(*list, Sums(*sums, strings, prefix + name));
  }
  return work;
}

Status BaselineParser::AddParts(const json::object& object, const std::string& prefix,
                                Snapshot& run) const {
  PROFGAUGE_TRY(const auto* strings, Part<json::array>(object, "strings", prefix));
  PROFGAUGE_TRY(const auto* parts, Part<json::array>(object, "parts", prefix));
  for (std::size_t i = 0; i < parts->size(); ++i) {
    PROFGAUGE_TRY(analysis::breakdown::TimePart part,
                  OnePart((*parts)[i], *strings, prefix + "parts[" + std::to_string(i) + "]"));
    run.parts.push_back(std::move(part));
  }
  if (object.contains("work")) {
    PROFGAUGE_TRY(const auto* work, Part<json::object>(object, "work", prefix));
    PROFGAUGE_TRY(run.work, Work(*work, *strings, prefix + "work."));
  }
  return {};
}

// Checks that all parts add up to the iterations' time, with or without unobserved time. Rejects a
// file that a merge tool or a person changed, because its waterfall would not add up.
Result<Snapshot> BaselineParser::CheckSum(Snapshot run, const std::string& prefix) const {
  Ns times = 0;
  for (const Ns time : run.iteration_times) {
    if (time > kLongest - times) {
      return Fail(
          Bad("field", "expected iterations of less than 73 years", prefix + "iteration_times"));
    }
    times += time;
  }
  // In older files the parts include unobserved time.
  Ns hidden = 0;
  for (const Ns time : run.iteration_unobserved) hidden += time;
  Ns left = times;  // Counted down, so that no file can overflow a sum.
  bool is_more = false;
  for (const analysis::breakdown::TimePart& part : run.parts) {
    is_more = is_more || part.time > left;
    left -= is_more ? 0 : part.time;
  }
  if (!run.parts.empty() && (is_more || (left != hidden && left != 0))) {
    return Fail(Bad("sum", "the parts do not sum to the iteration times", prefix + "parts"));
  }
  return run;
}

}  // namespace profgauge::gate
