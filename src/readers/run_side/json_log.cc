// Lists of times in JSON: vLLM's latencies, benchmarks, a bare list; and JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <utility>

#include "base/exact_json.h"
#include "base/text.h"
#include "readers/run_side/step_log.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostDepth = 32;

std::optional<json::value> Parsed(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::error_code error;
  std::size_t parsed = 0;
  json::value value = ParseExactJson(text, options, error, parsed);
  return error ? std::nullopt : std::optional(std::move(value));
}

std::vector<LoggedTime> NumbersIn(const json::array& list) {
  std::vector<LoggedTime> values;
  for (const json::value& entry : list) {
    if (entry.is_number()) values.push_back({-1, entry.to_number<double>()});
    if (const auto* inner = entry.if_array()) {  // vLLM's `itls`: a list for each request.
      for (const LoggedTime& value : NumbersIn(*inner)) values.push_back(value);
    }
  }
  return values;
}

const json::value* At(const json::value& value, std::string_view key) {
  const auto* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
}

const json::array* ListAt(const json::value& value, std::string_view key) {
  const auto* found = At(value, key);
  return found == nullptr ? nullptr : found->if_array();
}

std::string TextAt(const json::value& value, std::string_view key) {
  const auto* found = At(value, key);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? "" : std::string(text->data(), text->size());
}

/// Google Benchmark: repetitions of one benchmark, each a mean of its iterations.
Result<StepLog> OfGoogleBenchmark(const json::array& benchmarks) {
  std::vector<LoggedTime> values;
  std::string name, unit;
  for (const json::value& run : benchmarks) {
    const auto* time = At(run, "real_time");
    if (TextAt(run, "run_type") == "aggregate" || time == nullptr || !time->is_number()) continue;
    if (name.empty()) {
      name = TextAt(run, "name");
      unit = TextAt(run, "time_unit");
    }
    if (TextAt(run, "name") == name) values.push_back({-1, time->to_number<double>()});
  }
  return MakeStepLog("benchmark", values, FactorOf(unit).value_or(1), Logged::kSingle);
}

using Row = std::vector<std::pair<std::string, double>>;
using Rows = std::vector<Row>;

/// Numbers of an object by dotted keys.
void Flatten(const json::object& object, const std::string& before, Row& out) {
  for (const auto& [key, value] : object) {
    const std::string name = before + std::string(key.data(), key.size());
    if (value.is_number()) out.emplace_back(name, value.to_number<double>());
    if (const auto* inner = value.if_object()) Flatten(*inner, name + ".", out);
  }
}

// Rows without the column are left out, such as those of evaluations.
Result<StepLog> OfRows(const std::string& kind, const Rows& rows, const StepTimesInput& how) {
  std::set<std::string> names;
  for (const Row& row : rows) {
    for (const auto& [name, number] : row) names.insert(name);
  }
  PROFGAUGE_TRY(const std::string column, ChooseName(how.column, {names.begin(), names.end()}));
  PROFGAUGE_TRY(const double factor, ChooseFactor(how, column));
  std::vector<LoggedTime> values;
  for (const Row& row : rows) {
    LoggedTime value;
    bool has_time = false;
    for (const auto& [name, number] : row) {
      if (name == column) {
        value.value = number;
        has_time = true;
      }
      const bool is_number = IsStepNumberName(name) && number >= 0 && number < 1e15;
      if (is_number) value.step = static_cast<std::int64_t>(number);
    }
    if (has_time) values.push_back(value);
  }
  return MakeStepLog(kind, values, factor, Logged::kSingle);
}

Result<StepLog> OfList(const json::array& list, const StepTimesInput& how) {
  Rows rows;
  for (const json::value& entry : list) {  // As trtexec's `--exportTimes`.
    if (const auto* object = entry.if_object()) Flatten(*object, "", rows.emplace_back());
  }
  if (!rows.empty()) return OfRows("JSON list", rows, how);
  PROFGAUGE_TRY(const double factor, ChooseFactor(how, "the list"));
  return MakeStepLog("JSON list", NumbersIn(list), factor, Logged::kSingle);
}

/// The first of several benchmarks.
/// By keys that only one tool writes; a list may be of numbers or of objects.
std::optional<Result<StepLog>> OfDocument(const json::value& value, const StepTimesInput& how) {
  constexpr double kSeconds = 1e9;
  if (const auto* list = value.if_array()) return OfList(*list, how);
  for (const std::string_view key : {"latencies", "itls"}) {
    const auto* list = ListAt(value, key);
    if (list != nullptr)
      return MakeStepLog("vLLM benchmark", NumbersIn(*list), kSeconds, Logged::kSingle);
  }
  if (const auto* results = ListAt(value, "results"); results != nullptr && !results->empty()) {
    const auto* times = ListAt(results->front(), "times");
    if (times != nullptr)
      return MakeStepLog("hyperfine", NumbersIn(*times), kSeconds, Logged::kSingle);
  }
  const auto* benchmarks = ListAt(value, "benchmarks");
  if (benchmarks == nullptr || benchmarks->empty()) return std::nullopt;
  if (const auto* stats = At(benchmarks->front(), "stats")) {
    const auto* data = ListAt(*stats, "data");
    if (data != nullptr)
      return MakeStepLog("pytest-benchmark", NumbersIn(*data), kSeconds, Logged::kSingle);
  }
  if (At(benchmarks->front(), "real_time") != nullptr) return OfGoogleBenchmark(*benchmarks);
  return std::nullopt;
}

std::optional<Result<StepLog>> OfLines(std::string_view text, const StepTimesInput& how) {
  Rows rows;
  for (const std::string_view line : Lines(text)) {
    if (Trim(line).empty()) continue;
    const auto value = Parsed(line);
    if (!value || !value->is_object()) return std::nullopt;
    Flatten(value->get_object(), "", rows.emplace_back());
  }
  return OfRows("JSON lines", rows, how);
}

}  // namespace

std::optional<Result<StepLog>> ReadJsonLog(std::string_view text, const StepTimesInput& how) {
  const std::string_view trimmed = Trim(WithoutByteOrderMark(text));
  if (!trimmed.starts_with('{') && !trimmed.starts_with('[')) return std::nullopt;
  if (const auto value = Parsed(trimmed)) {
    if (auto log = OfDocument(*value, how)) return log;
    if (Lines(trimmed).size() > 1) return std::nullopt;
  }
  return OfLines(trimmed, how);
}

}  // namespace profgauge::readers
