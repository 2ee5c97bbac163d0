#include "cli/option_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/literal.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/units.h"
#include "rules/project.h"

namespace profgauge::cli {
namespace {

/// "`a`, `b` or `c`"
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

// "NAME=PATH"; the path may have further signs.
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

Status AddLabel(Options& options, const OptionSpec& self, const std::string& value) {
  const std::size_t sign = value.find('=');
  if (sign == std::string::npos || sign + 1 == value.size() ||
      !IsLabelName(value.substr(0, sign))) {
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

// "512MB", "2GiB", "500000000".
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

Status SetRedaction(Options& options, const OptionSpec& self, const std::string& value) {
  using report::RedactLevel;
  if (!value.empty()) PROFGAUGE_CHECK(CheckChoice(self, value));
  options.redact.level = value == "all"    ? RedactLevel::kAll
                         : value == "code" ? RedactLevel::kCode
                                           : RedactLevel::kPlaces;
  return {};
}

Status SetHiddenCode(Options& options, const OptionSpec&, const std::string&) {
  options.redact.level = report::RedactLevel::kCode;
  return {};
}

Status SetRedactKey(Options& options, const OptionSpec& self, const std::string& value) {
  const auto key = ReadSmallFile(value);
  if (!key || Trim(*key).empty()) return Fail(BadValue(self, "a file with a key", value));
  options.redact.key = *key;
  return {};
}

}  // namespace profgauge::cli
