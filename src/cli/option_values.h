// How the values of options are parsed and put into Options: the functions that rows of options.cc
// name as `apply`, e.g. SetText<&Options::policy> or SetIndex<&Options::rank>. The parser calls the
// function once for each value of the option, in order; options are applied in the order of their
// tables. A failure ends the parsing. No function depends on another option, except if two exclude
// each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "cli/options.h"
#include "profgauge/error.h"

namespace profgauge::cli {

/// Makes the error kUsage "usage/bad-value", with the expected value.
Error BadValue(const OptionSpec& option, std::string_view expected, const std::string& found);
/// Parses an integer of at least 0: only decimal digits, no blank, no unit. Errors:
/// "usage/bad-value", also for a number above 2^63 - 1.
Result<std::int64_t> ParseIndex(const OptionSpec& self, const std::string& value);
/// Checks that `value` is one of the option's choices.
Status CheckChoice(const OptionSpec& self, const std::string& value);

/// Parses NAME=VALUE; a later value replaces an earlier one of that name.
Status AddLabel(Options& options, const OptionSpec& self, const std::string& value);
/// Parses NAME=PATH. Errors: "usage/run-twice" for a name that another run has.
Status AddRun(Options& options, const OptionSpec& self, const std::string& value);
/// Parses 1 to 1024 threads.
Status SetJobs(Options& options, const OptionSpec& self, const std::string& value);
/// Parses a size, e.g. "512MB", at least 1 MiB. A number without a unit is in bytes.
Status SetMaxMemory(Options& options, const OptionSpec& self, const std::string& value);
/// Parses a time, e.g. "60s", to nanoseconds.
Status SetTimeout(Options& options, const OptionSpec& self, const std::string& value);
/// Parses "KIND=FILE" of --write, or "step-summary". Errors: "usage/bad-value" for a kind that is
/// unknown or that the command cannot write, and for a missing file; "usage/repeated-option" for a
/// repeated kind. REQUIRES: `options.command` is set.
Status SetWrite(Options& options, const OptionSpec& self, const std::string& value);
/// Parses a level of redaction. Without a value, the level hides only places.
Status SetRedaction(Options& options, const OptionSpec& self, const std::string& value);
/// Reads the key from a file.
Status SetRedactKey(Options& options, const OptionSpec& self, const std::string& value);
Status SetColor(Options& options, const OptionSpec& self, const std::string& value);

/// Stores a text unchanged. An empty text is an error: `--html "$UNSET"` would silently write no
/// page.
template <auto member>
Status SetText(Options& options, const OptionSpec& self, const std::string& value) {
  if (value.empty()) return Fail(BadValue(self, self.value, value));
  options.*member = value;
  return {};
}

/// Sets the path of an output.
template <OutputKind kind>
Status SetOutput(Options& options, const OptionSpec& self, const std::string& value) {
  if (value.empty()) return Fail(BadValue(self, self.value, value));
  options.outputs[kind] = value;
  return {};
}

template <auto member>
Status SetTrue(Options& options, const OptionSpec&, const std::string&) {
  options.*member = true;
  return {};
}

template <auto member>
Status SetIndex(Options& options, const OptionSpec& self, const std::string& value) {
  PROFGAUGE_TRY(options.*member, ParseIndex(self, value));
  return {};
}

// Parses a position, or "#5" for the recorded number.
template <auto position, auto number>
Status SetIteration(Options& options, const OptionSpec& self, const std::string& value) {
  if (value.starts_with('#')) {
    PROFGAUGE_TRY(options.*number, ParseIndex(self, value.substr(1)));
  } else {
    PROFGAUGE_TRY(options.*position, ParseIndex(self, value));
  }
  return {};
}

/// Allows only one of the two options that define where iterations begin.
template <auto member, auto other>
Status SetMarker(Options& options, const OptionSpec& self, const std::string& value) {
  if (options.*other) {
    return Fail(UsageError("usage/conflict",
                           "`--key-op` and `--iteration-marker` exclude each other",
                           "pass only the one that marks the start of iterations"));
  }
  return SetText<member>(options, self, value);
}

template <auto member>
Status SetChoice(Options& options, const OptionSpec& self, const std::string& value) {
  PROFGAUGE_CHECK(CheckChoice(self, value));
  options.*member = value;
  return {};
}

template <int level>
Status SetVerbosity(Options& options, const OptionSpec&, const std::string&) {
  if (options.verbosity == -level) {
    return Fail(UsageError("usage/conflict", "`--quiet` and `--verbose` exclude each other"));
  }
  options.verbosity = level;
  return {};
}

template <auto member>
Status AddText(Options& options, const OptionSpec& self, const std::string& value) {
  if (value.empty()) return Fail(BadValue(self, self.value, value));
  (options.*member).push_back(value);
  return {};
}

// Times in the profile that the command line names: `--marks` and the ends of `--range`.

using Marks = std::vector<std::pair<std::string, std::int64_t>>;  ///< Name, ns from the start.

/// Parses "load=5us,store=12.5us": names with times; a time without a unit is in nanoseconds.
/// Errors: kUsage "usage/bad-value".
Result<Marks> ParseMarks(const std::string& text);

/// True if --marks names a file: an existing one, or a text without `=`.
bool IsMarksFile(const std::string& text);

/// Reads a file of marks, as the page's timeline saves it: {"marks": [{"name": "load", "time":
/// 5000}]}, with times in nanoseconds. Errors: kUsage "usage/bad-marks".
Result<Marks> ReadMarks(const std::string& path);
/// Like ReadMarks(), for the text of such a file.
Result<Marks> MarksOfFile(std::string_view text, const std::string& path);

/// Sets Options::range and sorts Options::marks, from their texts. A range is "A:B"; each end is a
/// time, the name of a mark, or empty for the start or end of the profile. Errors: kUsage.
Status ResolveRange(Options& options);

}  // namespace profgauge::cli
