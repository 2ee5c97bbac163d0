#include "cli/range.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/errors.h"
#include "base/literal.h"
#include "base/read_file.h"

namespace profgauge::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() / 4;

// Whole nanoseconds of "5us" or "1.2 ms". A bare number could be anything but 0.
std::optional<std::int64_t> ParseTime(std::string_view text) {
  if (text == "0") return 0;
  const auto literal = ParseLiteral(text);
  if (!literal || literal->unit != Unit::kTime || literal->value < 0 ||
      literal->value > static_cast<double>(kEnd)) {
    return std::nullopt;
  }
  return std::llround(literal->value);
}

bool IsBareNumber(std::string_view text) {
  const auto literal = ParseLiteral(text);
  return literal && literal->unit == Unit::kNumber;
}

Error NoUnit(std::string_view option, std::string_view text) {
  return UsageError("usage/no-unit",
                    fmt::format("option `{}`: the time `{}` has no unit", option, text),
                    fmt::format("write `{0}ns`, `{0}us`, `{0}ms` or `{0}s`", text));
}

Error BadMarks(const std::string& path, const std::string& reason) {
  Error error = UsageError("usage/bad-marks", "the file of marks cannot be used: " + reason,
                           "expected {\"marks\": [{\"name\": \"load\", \"time\": 5000}]} with "
                           "times in nanoseconds, as the page's timeline saves it");
  error.where.file = path;
  return error;
}

Result<std::int64_t> EndOf(std::string_view text, const Marks& marks, std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  for (const auto& [name, time] : marks) {
    if (name == text) return time;
  }
  if (const auto time = ParseTime(text)) return *time;
  if (IsBareNumber(text)) return Fail(NoUnit("--range", text));
  return Fail(UsageError("usage/bad-value",
                         fmt::format("option `--range` needs A:B, found `{}` for an end", text),
                         "an end is a time such as `5us`, or the name of a mark"));
}

}  // namespace

Result<Marks> ParseMarks(const std::string& text) {
  Marks marks;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const auto equals = part.rfind('=');
    const auto time = equals == part.npos ? std::nullopt : ParseTime(part.substr(equals + 1));
    if (!time && equals != part.npos && IsBareNumber(part.substr(equals + 1))) {
      return Fail(NoUnit("--mark", part.substr(equals + 1)));
    }
    if (!time || equals == 0) {
      return Fail(UsageError("usage/bad-value",
                             fmt::format("option `--mark` needs NAME=TIME, found `{}`", part),
                             "e.g. `--mark load=5us,store=12.5us`; times count from the start"));
    }
    marks.emplace_back(std::string(part.substr(0, equals)), *time);
  }
  return marks;
}

Result<Marks> ReadMarks(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  if (!text) return Fail(BadMarks(path, "it cannot be read"));
  return MarksOfFile(*text, path);
}

Result<Marks> MarksOfFile(std::string_view text, const std::string& path) {
  json::error_code code;
  const json::value document = json::parse({text.data(), text.size()}, code);
  if (code) return Fail(BadMarks(path, "it is not JSON: " + code.message()));
  const json::object* object = document.if_object();
  const json::value* list = object == nullptr ? nullptr : object->if_contains("marks");
  if (list == nullptr || !list->is_array()) return Fail(BadMarks(path, "it has no list `marks`"));
  Marks marks;
  for (const json::value& entry : list->get_array()) {
    const json::object* mark = entry.if_object();
    const json::value* name = mark == nullptr ? nullptr : mark->if_contains("name");
    const json::value* time = mark == nullptr ? nullptr : mark->if_contains("time");
    const bool good = name != nullptr && name->is_string() && time != nullptr &&
                      time->is_number() && time->to_number<double>() >= 0 &&
                      time->to_number<double>() < static_cast<double>(kEnd);
    if (!good) {
      return Fail(BadMarks(path, fmt::format("mark {} has no `name` or no `time`", marks.size())));
    }
    marks.emplace_back(std::string(name->get_string()), std::llround(time->to_number<double>()));
  }
  return marks;
}

Status ResolveRange(Options& options) {
  if (!options.mark_text.empty()) {
    PROFGAUGE_TRY(options.marks, ParseMarks(options.mark_text));
  }
  if (!options.marks_file.empty()) {
    PROFGAUGE_TRY(const Marks more, ReadMarks(options.marks_file));
    options.marks.insert(options.marks.end(), more.begin(), more.end());
  }
  std::stable_sort(options.marks.begin(), options.marks.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  if (options.range_text.empty()) return {};
  const std::string_view text = options.range_text;
  const auto colon = text.find(':');
  if (colon == text.npos || colon != text.rfind(':')) {
    return Fail(UsageError("usage/bad-value",
                           fmt::format("option `--range` needs A:B, found `{}`", text),
                           "e.g. `--range 5us:12.5us`, or `--range load:store` with marks"));
  }
  PROFGAUGE_TRY(const std::int64_t first, EndOf(text.substr(0, colon), options.marks, 0));
  PROFGAUGE_TRY(const std::int64_t last, EndOf(text.substr(colon + 1), options.marks, kEnd));
  if (last <= first) {
    return Fail(UsageError("usage/bad-value",
                           fmt::format("option `--range` ends before it begins: `{}`", text),
                           "the first end comes first"));
  }
  options.range = std::pair(first, last);
  return {};
}

}  // namespace profgauge::cli
