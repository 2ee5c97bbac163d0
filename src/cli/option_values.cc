#include "cli/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/literal.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "rules/project.h"

namespace profgauge::cli {
namespace {

/// The choices of an option as text: "`a`, `b` or `c`". REQUIRES: the option has choices.
std::string Listed(const OptionSpec& self) {
  std::string text;
  const std::vector<std::string_view> all = ChoicesOf(self);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 == all.size() ? " or " : ", ";
    text += fmt::format("`{}`", all[i]);
  }
  return text;
}

bool IsAmong(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Options::IsGiven(std::string_view option) const { return IsAmong(given, option); }
bool Options::IsOnCommandLine(std::string_view option) const {
  return IsGiven(option) && !IsAmong(by_variable, option);
}

Error BadValue(const OptionSpec& option, std::string_view expected, const std::string& found) {
  return UsageError("usage/bad-value",
                    fmt::format("option `{}` needs {}, found `{}`", option.name, expected, found));
}

Result<std::int64_t> ParseIndex(const OptionSpec& self, const std::string& value) {
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) {
    return Fail(BadValue(self, "a whole number of at least 0", value));
  }
  return number;
}

// Parses "NAME=PATH"; the path may contain further `=`.
Status AddRun(Options& options, const OptionSpec& self, const std::string& value) {
  const std::size_t sign = value.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == value.size()) {
    Error error = BadValue(self, "NAME=PATH", value);
    error.notes = {"help: NAME is the name of the run in the report, e.g. --run before=a.json.gz"};
    return Fail(std::move(error));
  }
  std::string name = value.substr(0, sign);
  for (const auto& [known, path] : options.runs) {
    if (known != name) continue;
    return Fail(UsageError("usage/run-twice", fmt::format("two runs are named `{}`", name),
                           "the report identifies them by their names"));
  }
  options.runs.emplace_back(std::move(name), value.substr(sign + 1));
  return {};
}

// Parses "NAME=VALUE". A later value replaces an earlier one of the same name, so that a script can
// append its own to options that it was given.
Status AddLabel(Options& options, const OptionSpec& self, const std::string& value) {
  const std::size_t sign = value.find('=');
  if (sign == std::string::npos || sign + 1 == value.size() ||
      !rules::IsLabelName(value.substr(0, sign))) {
    Error error = BadValue(self, "NAME=VALUE", value);
    error.notes = {"help: NAME has letters, digits and `_`, e.g. --label team=vision"};
    return Fail(std::move(error));
  }
  std::erase_if(options.labels,
                [&](const auto& label) { return label.first == value.substr(0, sign); });
  options.labels.emplace_back(value.substr(0, sign), value.substr(sign + 1));
  return {};
}

Status SetJobs(Options& options, const OptionSpec& self, const std::string& value) {
  PROFGAUGE_TRY(const std::int64_t jobs, ParseIndex(self, value));
  if (jobs < 1 || jobs > 1024) return Fail(BadValue(self, "a number from 1 to 1024", value));
  options.jobs = static_cast<unsigned>(jobs);
  return {};
}

// Parses "512MB", "2GiB", "500000000".
Status SetMaxMemory(Options& options, const OptionSpec& self, const std::string& value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  const UnitSuffix* suffix = unit.empty() ? nullptr : FindUnitSuffix(unit);
  const double factor = suffix == nullptr ? 1 : suffix->factor;
  constexpr double kLeastBytes = 1 << 20, kMostBytes = 1e18;
  const bool is_bytes = unit.empty() || (suffix != nullptr && suffix->unit == Unit::kBytes);
  if (error != std::errc() || !is_bytes || !(number * factor >= kLeastBytes) ||
      !(number * factor <= kMostBytes)) {
    return Fail(BadValue(self, "a size of at least 1 MiB, e.g. 512MB or 2GiB", value));
  }
  options.max_memory = static_cast<std::int64_t>(number * factor);
  return {};
}

Status SetTimeout(Options& options, const OptionSpec& self, const std::string& value) {
  constexpr double kMostTime = 86'400e9;  // A day.
  const auto literal = ParseLiteral(value);
  const auto time = literal ? ConvertLiteral(*literal, Unit::kTime)
                            : tl::expected<double, std::string>(tl::unexpect, literal.error());
  if (!time || !(*time >= 1e6) || !(*time <= kMostTime)) {
    return Fail(BadValue(self, "a time from 1ms to 86400s, e.g. 60s", value));
  }
  options.timeout = static_cast<std::int64_t>(*time);
  return {};
}

Status CheckChoice(const OptionSpec& self, const std::string& value) {
  const std::vector<std::string_view> all = ChoicesOf(self);
  if (std::find(all.begin(), all.end(), value) != all.end()) return {};
  return Fail(BadValue(self, Listed(self), value));
}

Status SetColor(Options& options, const OptionSpec& self, const std::string& value) {
  PROFGAUGE_CHECK(CheckChoice(self, value));
  options.color = value == "always"  ? ColorChoice::kAlways
                  : value == "never" ? ColorChoice::kNever
                                     : ColorChoice::kAuto;
  return {};
}

// Parses the level. Without a value, like a switch, the level is "places".
Status SetRedaction(Options& options, const OptionSpec& self, const std::string& value) {
  using report::RedactLevel;
  if (!value.empty()) PROFGAUGE_CHECK(CheckChoice(self, value));
  options.redact.level = value == "all"    ? RedactLevel::kAll
                         : value == "code" ? RedactLevel::kCode
                                           : RedactLevel::kPlaces;
  return {};
}

Status SetWrite(Options& options, const OptionSpec& self, const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::string_view word = std::string_view(value).substr(0, equals);
  const bool is_judging = (options.command->bit & kOnJudging) != 0;
  const bool is_drawing = (options.command->bit & kOnDrawing) != 0;
  std::vector<std::string_view> words;
  for (const OutputSpec& output : AllOutputs()) {
    // `rules test` has no reports; its only output is JUnit XML.
    const bool has_it = is_drawing ? is_judging || output.scope != OutputScope::kProfile
                                   : output.kind == OutputKind::kJunit;
    if (output.word.empty() || !has_it) continue;
    words.push_back(output.word);
    if (output.word != word) continue;
    const bool takes_file = output.kind != OutputKind::kStepSummary;
    const bool has_file = equals != std::string::npos && equals + 1 < value.size();
    if (takes_file != has_file) {
      return Fail(
          BadValue(self, takes_file ? fmt::format("{}=FILE", word) : std::string(word), value));
    }
    std::string& path = options.outputs[output.kind];
    if (!path.empty()) {
      return Fail(UsageError("usage/repeated-option",
                             fmt::format("`{}` is given twice; it takes one file", output.name)));
    }
    path = takes_file ? value.substr(equals + 1) : "$GITHUB_STEP_SUMMARY";
    return {};
  }
  Error error = BadValue(self, self.value, value);
  const std::string_view near = DidYouMean(word, words);
  if (!near.empty()) error.notes.push_back(fmt::format("help: did you mean `{}`?", near));
  error.notes.push_back(fmt::format("help: kinds are {}", fmt::join(words, ", ")));
  return Fail(std::move(error));
}

// Reads the key from a file. The option does not take the key itself, because other users can see
// command lines in the process list.
Status SetRedactKey(Options& options, const OptionSpec& self, const std::string& value) {
  const auto key = ReadSmallFile(value);
  if (!key || Trim(*key).empty()) return Fail(BadValue(self, "a file with a key", value));
  options.redact.key = *key;
  return {};
}

namespace {

namespace json = boost::json;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() / 4;

// The integer nanoseconds of "5us" or "1.2 ms". A number without a unit is ambiguous, except 0.
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

// One end of --range in ns; `otherwise` if it is omitted. A name of a mark takes precedence over a
// time, so that a mark may be named "5us".
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
      return Fail(NoUnit("--marks", part.substr(equals + 1)));
    }
    if (!time || equals == 0) {
      return Fail(
          UsageError("usage/bad-value",
                     fmt::format("option `--marks` needs NAME=TIME or a file, found `{}`", part),
                     "e.g. `--marks load=5us,store=12.5us`; times count from the start"));
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

bool IsMarksFile(const std::string& text) {
  std::error_code error;
  return !text.empty() &&
         (text.find('=') == std::string::npos || std::filesystem::exists(text, error));
}

// Sorts marks by time. The range refers to names of marks, so marks come first.
Status ResolveRange(Options& options) {
  if (!options.marks_text.empty()) {
    PROFGAUGE_TRY(options.marks, IsMarksFile(options.marks_text) ? ReadMarks(options.marks_text)
                                                                 : ParseMarks(options.marks_text));
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
