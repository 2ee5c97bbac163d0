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

/// Python writes NaN and Infinity, which JSON does not know: such numbers are none.
///
///   {"loss": NaN, "note": "NaN"}        {"loss": null, "note": "NaN"}
std::string WithoutNan(std::string_view text) {
  constexpr std::string_view kWords[] = {"NaN", "-Infinity", "Infinity"};
  std::string out;
  out.reserve(text.size());
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted && text[i] == '\\' && i + 1 < text.size()) out.push_back(text[i++]);
    const auto word = std::ranges::find_if(kWords, [&](std::string_view one) {
      return !is_quoted && text.substr(i).starts_with(one);
    });
    if (word == std::end(kWords)) {
      out.push_back(text[i]);
      continue;
    }
    out += "null";
    i += word->size() - 1;
  }
  return out;
}

std::optional<json::value> Parsed(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::error_code error;
  std::size_t parsed = 0;
  json::value value = ParseExactJson(text, options, error, parsed);
  if (error && ContainsAny(text, {"NaN", "Infinity"})) {
    value = ParseExactJson(WithoutNan(text), options, error, parsed);
  }
  return error ? std::nullopt : std::optional(std::move(value));
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

// Rows without the column are skipped, such as those of evaluations.
Result<StepLog> OfRows(const std::string& kind, const Rows& rows, const StepTimesInput& how) {
  std::set<std::string> names;
  for (const Row& row : rows) {
    for (const auto& [name, number] : row) names.insert(name);
  }
  PROFGAUGE_TRY(const std::string column, ChooseName(how.column, {names.begin(), names.end()}));
  PROFGAUGE_TRY(const double factor, ChooseFactor(how, column));
  std::vector<LoggedTime> values;
  std::int64_t skipped = 0;
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
    if (has_time) {
      values.push_back(value);
    } else {
      ++skipped;
    }
  }
  if (IsRunningTotal(values)) return Fail(RunningTotal(column));
  return WithSkipped(skipped, MakeStepLog(kind, values, factor, Logged::kSingle));
}

Result<StepLog> OfList(const json::array& list, const StepTimesInput& how) {
  Rows rows;
  for (const json::value& entry : list) {  // As trtexec's `--exportTimes`.
    if (const auto* object = entry.if_object()) Flatten(*object, "", rows.emplace_back());
  }
  if (!rows.empty()) return OfRows("JSON list", rows, how);
  PROFGAUGE_TRY(const double factor, ChooseFactor(how, "the list"));
  std::vector<LoggedTime> values;
  for (const json::value& entry : list) {
    if (entry.is_number()) values.push_back({-1, entry.to_number<double>()});
  }
  const auto skipped = static_cast<std::int64_t>(list.size() - values.size());
  return WithSkipped(skipped, MakeStepLog("JSON list", values, factor, Logged::kSingle));
}

// A run that was stopped leaves half a line; a file of more such lines than rows is something else.
std::optional<Result<StepLog>> OfLines(std::string_view text, const StepTimesInput& how) {
  Rows rows;
  std::int64_t broken = 0;
  for (const std::string_view line : Lines(text)) {
    if (Trim(line).empty()) continue;
    const auto value = Parsed(line);
    const bool is_row = value && value->is_object();
    if (is_row) {
      Flatten(value->get_object(), "", rows.emplace_back());
    } else if (static_cast<std::size_t>(++broken) > rows.size()) {
      return std::nullopt;
    }
  }
  auto log = OfRows("JSON lines", rows, how);
  if (log) log->document.rows_skipped += broken;
  return log;
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
