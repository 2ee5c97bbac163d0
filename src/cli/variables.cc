// Options that variables of the environment set.
//
// A variable is a value of its option: it is applied by the same function and refused with the same
// message, which names the variable, too. Those that a command has no option for are ignored.
#include <fmt/core.h>

#include <system_error>

#include "base/errors.h"
#include "base/text.h"
#include "cli/ci_system.h"
#include "cli/commands.h"
#include "cli/gone.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

/// Variables that represent an option, on the commands that have it.
struct VariableOption {
  std::string_view variable, option;
  std::uint64_t commands = kOnAll;
};
constexpr VariableOption kVariables[] = {
    {"PROFGAUGE_CONFIG", "--config"},
    // `compare` explains, and judges only by a policy that its command line names.
    {"PROFGAUGE_POLICY", "--policy", kOnAll & ~std::uint64_t{kOnCompare}},
    {"PROFGAUGE_DB", "--db"},
    {"PROFGAUGE_BASELINE", "--baseline"},
    {"PROFGAUGE_OUT", "--out", kOnJudging},
    {"PROFGAUGE_JOB", "--job"},
    {"PROFGAUGE_CI", "--ci"},
    {"PROFGAUGE_COLOR", "--color"},
    {"PROFGAUGE_MAX_MEMORY", "--max-memory"},
};

}  // namespace

// A variable that is gone is refused: without it a missing baseline could pass.
Status ApplyVariables(const CommandSpec& command, Options& options) {
  for (const Gone& gone : AllGone()) {
    const std::string name(gone.name);
    if (!name.starts_with("PROFGAUGE_") || Variable(name).empty()) continue;
    if (auto error = GoneCommand({&name, 1})) return Fail(*std::move(error));
  }
  for (const VariableOption& row : kVariables) {
    const std::string value = Variable(std::string(row.variable));
    if (value.empty() || options.IsGiven(row.option) || (row.commands & command.bit) == 0) continue;
    // Several runs in one report are compared with each other.
    if (row.option == "--baseline" && !options.runs.empty()) continue;
    for (const OptionSpec& option : AllOptions()) {
      if (option.name != row.option || !HasOption(command, option)) continue;
      if (Status applied = option.apply(options, option, value); !applied) {
        Error error = std::move(applied).error();
        error.notes.push_back(fmt::format("note: the value is that of {}", row.variable));
        return Fail(std::move(error));
      }
      options.given.push_back(option.name);
      options.by_variable.push_back(option.name);
      if (option.name == "--policy") options.policy_from = row.variable;
    }
  }
  return {};
}

std::vector<std::string> SuspectVariables(const char* const* environment) {
  std::vector<std::string_view> known = {"PROFGAUGE_PROGRAM", "PROFGAUGE_OWNER"};
  for (const VariableOption& row : kVariables) known.push_back(row.variable);
  std::vector<std::string> lines;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("PROFGAUGE_") || entry.size() <= name.size() + 1) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view near = DidYouMean(name, known);
    if (near.empty()) continue;
    lines.push_back(
        fmt::format("warning: unknown variable {}; did you mean {}?", Printable(name), near));
  }
  return lines;
}

}  // namespace profgauge::cli
