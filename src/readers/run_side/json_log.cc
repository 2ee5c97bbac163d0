// JSON: documents of known forms, lists with a column, and JSON lines.
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
#include "readers/run_side/times_forms.h"

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
  }
  return values;
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
  if (IsRunningTotal(values)) return Fail(RunningTotal(column));
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

/// Tools that write a line for each run: the last one counts.
std::optional<Result<TimesFile>> OfLastLine(std::string_view text) {
  const std::vector<std::string_view> lines = Lines(text);
  const auto last = Parsed(lines.back());
  if (lines.size() < 2 || !last || !last->is_object()) return std::nullopt;
  auto file = ReadTimesForm(*last);
  if (file && *file && (*file)->load_test) {
    (*file)->notes.push_back(
        fmt::format("{} results are in the file: the last one counts", lines.size()));
    return file;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Result<TimesFile>> ReadJsonTimes(std::string_view text, const StepTimesInput& how) {
  const std::string_view trimmed = Trim(WithoutByteOrderMark(text));
  if (!trimmed.starts_with('{') && !trimmed.starts_with('[')) return std::nullopt;
  if (trimmed.size() > kMostJsonBytes) return std::nullopt;
  if (const auto value = Parsed(trimmed)) {
    if (how.column.empty()) {
      if (auto file = ReadTimesForm(*value)) return file;
    }
    if (const auto* list = value->if_array()) return AsTimes(OfList(*list, how));
    if (Lines(trimmed).size() > 1) return std::nullopt;
  }
  if (how.column.empty()) {
    if (auto file = OfLastLine(trimmed)) return file;
  }
  auto log = OfLines(trimmed, how);
  if (!log) return std::nullopt;
  return AsTimes(*std::move(log));
}

}  // namespace profgauge::readers
