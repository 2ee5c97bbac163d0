#include "cli/ci_system.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/gone.h"
#include "cli/parse.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

struct System {
  std::string_view name;
  const char* sign;        ///< A variable that only this system sets.
  const char* repository;  ///< Name of the variable with the checkout folder.
};
constexpr System kSystems[] = {
    {"github", "GITHUB_ACTIONS", "GITHUB_WORKSPACE"},
    {"gitlab", "GITLAB_CI", "CI_PROJECT_DIR"},
    {"jenkins", "JENKINS_URL", "WORKSPACE"},
    {"buildkite", "BUILDKITE", "BUILDKITE_BUILD_CHECKOUT_PATH"},
    {"circleci", "CIRCLECI", "CIRCLE_WORKING_DIRECTORY"},
};

// Sets the folder that the system checked out. Paths in alerts start there, so that the system
// finds the line. Not for "generic", where alerts search for the nearest .git instead.
void SetRepository(const Environment& environment, Options& options) {
  for (const System& system : kSystems) {
    if (system.name != options.ci) continue;
    const std::string folder = environment(system.repository);
    std::error_code error;
    if (fs::is_directory(folder, error)) options.repository = folder;  // CircleCI's may be `~`.
  }
}

}  // namespace

std::string Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

std::string CommitOfCi(const Environment& environment) {
  for (const char* name : {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILDKITE_COMMIT"}) {
    if (std::string commit = environment(name); !commit.empty()) return commit;
  }
  return {};
}

namespace {

/// Escapes a path for a URL.
std::string Escaped(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string out;
  for (const char c : path) {
    out += kPlain.find(c) != kPlain.npos ? std::string(1, c)
                                         : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// The path of `page` below the folder whose files the system stores; empty if it is elsewhere.
std::string PathBelow(const std::string& folder, const std::string& page) {
  if (folder.empty() || page.empty()) return {};
  std::error_code error;
  const fs::path path = fs::absolute(page, error).lexically_normal();
  const std::string below = path.lexically_relative(fs::path(folder).lexically_normal()).string();
  return below.starts_with("..") ? std::string() : Escaped(below);
}

}  // namespace

std::string LinkOfReport(const Environment& environment, const std::string& page) {
  if (const std::string run = environment("GITHUB_RUN_ID"); !run.empty()) {
    return fmt::format("{}/{}/actions/runs/{}#artifacts", environment("GITHUB_SERVER_URL"),
                       environment("GITHUB_REPOSITORY"), run);
  }
  if (const std::string job = environment("CI_JOB_URL"); !job.empty()) {
    const std::string path = PathBelow(environment("CI_PROJECT_DIR"), page);
    return path.empty() ? job : fmt::format("{}/artifacts/file/{}", job, path);
  }
  if (std::string build = environment("BUILD_URL"); !build.empty()) {
    while (build.ends_with('/')) build.pop_back();
    const std::string path = PathBelow(environment("WORKSPACE"), page);
    return path.empty() ? build : fmt::format("{}/artifact/{}", build, path);
  }
  const std::string build = environment("BUILDKITE_BUILD_URL");
  return build.empty() ? environment("CIRCLE_BUILD_URL") : build;
}

// Returns the first system whose variable is set. `CI` is last, because most systems set it, too.
std::string DetectCi(const Environment& environment) {
  for (const System& system : kSystems) {
    if (!environment(system.sign).empty()) return std::string(system.name);
  }
  return environment("CI").empty() ? "off" : "generic";
}

// Fills only empty fields, so that names given by the user stay. For GitHub, the annotations go to
// standard output, unless report.json goes there.
void ApplyCi(const Environment& environment, Options& options) {
  if (options.ci == "auto") options.ci = DetectCi(environment);
  if (options.ci.empty() || options.ci == "off") return;
  if (options.out_dir.empty()) options.out_dir = kCiFolder;
  const fs::path folder = options.out_dir;
  const auto fill = [&](OutputKind kind, const std::string& path) {
    if (options.outputs.Has(kind)) return;
    options.outputs[kind] = path;
    options.ci_outputs.push_back(kind);
  };
  for (const OutputSpec& output : AllOutputs()) {
    if (!output.ci_name.empty()) fill(output.kind, (folder / output.ci_name).string());
  }
  SetRepository(environment, options);
  if (options.ci == "github") {
    if (!environment("GITHUB_STEP_SUMMARY").empty()) {
      fill(OutputKind::kStepSummary, "$GITHUB_STEP_SUMMARY");
    }
    if (options.outputs[OutputKind::kJson] != "-") fill(OutputKind::kGithub, "-");
    fill(OutputKind::kGithubOutput, environment("GITHUB_OUTPUT"));
  } else if (options.ci == "gitlab") {
    fill(OutputKind::kDotenv, (folder / "profgauge.env").string());
  } else if (options.ci == "jenkins") {
    fill(OutputKind::kHtmlFolder, (folder / "page").string());
  }
}

namespace {

bool IsBuiltin(const std::string& file) { return file.empty() || file.starts_with("builtin:"); }

/// The nearest folder above `file` with a .git (a folder, or a file in worktrees); empty if there
/// is none. `file` need not exist.
fs::path FindRepository(const fs::path& file) {
  std::error_code error;
  const fs::path start = fs::weakly_canonical(fs::absolute(file, error), error);
  for (fs::path folder = start.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return folder;
    if (folder == folder.root_path()) break;
  }
  return {};
}

/// The profiles that the command line names.
std::vector<std::string> NamedFiles(const Options& options) {
  std::vector<std::string> inputs = options.arguments;
  for (const auto& [name, path] : options.runs) inputs.push_back(path);
  inputs.insert(inputs.end(), options.baselines.begin(), options.baselines.end());
  return inputs;
}

// "run" for a name of a file, where it is a word; one as short as "." or "a" says nothing, and may
// be a word of ours.
std::string WithoutWord(std::string_view text, std::string_view name) {
  constexpr std::size_t kShortest = 3;
  if (name.size() < kShortest) return std::string(text);
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  std::string out;
  for (std::size_t at = 0, found = 0; at < text.size(); at = found + name.size()) {
    found = text.find(name, at);
    if (found == text.npos) return out += text.substr(at);
    const std::size_t end = found + name.size();
    const bool is_word = (found == 0 || !is_of_word(text[found - 1])) &&
                         (end == text.size() || !is_of_word(text[end]));
    out += text.substr(at, found - at);
    out += is_word ? std::string_view("run") : name;
  }
  return out;
}

class Paths {
 public:
  /// `near` is a file of the repository: the policy, if there is one.
  Paths(const Options& options, const std::string& near) : options_(options) {
    std::error_code error;
    root_ = options.repository.empty() ? FindRepository(near) : fs::path(options.repository);
    if (root_.empty()) root_ = fs::current_path(error);
    root_ = fs::weakly_canonical(fs::absolute(root_, error), error);
  }

  /// The path relative to the repository; a file outside of it keeps its path. Redaction leaves no
  /// folder, and no name of a profile.
  std::string Of(const std::string& file) const {
    if (options_.redact) return HiddenFile(options_, file);
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(file, error), error);
    const fs::path inside = whole.lexically_relative(root_);
    const bool is_outside = inside.empty() || *inside.begin() == "..";
    if (is_outside) return file;
    return inside.generic_string();
  }

 private:
  fs::path root_;
  const Options& options_;
};

// The file at which alerts are shown if no policy is in the repository; "profile" for standard
// input.
std::string Subject(const Options& options) {
  if (options.arguments.empty() || HasNoFolder(options.arguments[0])) return "profile";
  return options.arguments[0];
}

}  // namespace

std::string HiddenFile(const Options& options, const std::string& file) {
  const fs::path path = fs::path(file).lexically_normal();
  for (const std::string& input : NamedFiles(options)) {
    const fs::path inside = path.lexically_relative(fs::path(input).lexically_normal());
    if (!inside.empty() && *inside.begin() != "..") return "run";
  }
  return path.filename().string();
}

std::string HiddenText(const Options& options, std::string text) {
  text = report::WithoutFolders(text);
  for (const std::string& input : NamedFiles(options)) {
    std::vector<std::string> names = {input, fs::path(input).filename().string()};
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(input, error)) {
      names.push_back(file.path().filename().string());
    }
    for (const std::string& name : names) text = WithoutWord(text, name);
  }
  return text;
}

render::AlertPlaces PlacesOf(const Options& options, const std::string& policy,
                             const std::string& otherwise) {
  const std::string& at = IsBuiltin(policy) ? otherwise : policy;
  return {{Paths(options, at).Of(at), 1}, {}};
}

render::AlertPlaces PlacesOf(const Options& options, const rules::Policy& policy) {
  const std::string file = IsBuiltin(options.policy) ? Subject(options) : options.policy;
  const Paths paths(options, file);
  render::AlertPlaces places{{paths.Of(file), 1}, {}};
  const auto add = [&](const std::string& id, const Where& where) {
    if (IsBuiltin(where.file)) return;
    places.by_id.insert_or_assign(id, render::AlertPlace{paths.Of(where.file), where.line});
  };
  for (const rules::Threshold& threshold : policy.thresholds) {
    add("limit/" + threshold.metric, threshold.where);
  }
  if (policy.baseline) {
    for (const rules::BaselineLimit& limit : policy.baseline->limits) {
      add("limit/" + limit.metric, limit.where);
    }
    const auto part = [&](const char* kind, const std::optional<rules::PartLimit>& limit) {
      if (limit) add(std::string("limit/") + kind, limit->where);
    };
    part("kernels", policy.baseline->kernels);
    part("operators", policy.baseline->operators);
    part("collectives", policy.baseline->collectives);
    part("modules", policy.baseline->modules);
    part("benchmarks", policy.baseline->benchmarks);
  }
  for (const rules::RuleSetting& setting : policy.rules) add(setting.pattern, setting.where);
  return places;
}

render::AlertPlace PlaceOf(const Options& options, const Where& where) {
  const std::string otherwise = IsBuiltin(options.policy) ? Subject(options) : options.policy;
  const std::string& file = IsBuiltin(where.file) || where.file == "-" ? otherwise : where.file;
  return {Paths(options, file).Of(file), std::max(1U, where.line)};
}

// Sets options from environment variables.
//
// The option's own function takes the variable's value, so errors are the same, with the name of
// the variable added. A variable is ignored if the command does not have its option.

namespace {

/// A variable for an option, and the commands that use it.
struct VariableOption {
  std::string_view variable, option;
  std::uint64_t commands = kOnAll;
};
constexpr VariableOption kVariables[] = {
    {"PROFGAUGE_CONFIG", "--config"},
    // `compare` only explains, unless its own command line names a policy.
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

// Rejects removed variables. If one were ignored, a missing baseline could pass.
Status ApplyVariables(const CommandSpec& command, Options& options) {
  for (const Gone& gone : AllGone()) {
    const std::string name(gone.name);
    if (!name.starts_with("PROFGAUGE_") || Variable(name).empty()) continue;
    if (auto error = GoneCommand({&name, 1})) return Fail(*std::move(error));
  }
  for (const VariableOption& row : kVariables) {
    const std::string value = Variable(std::string(row.variable));
    if (value.empty() || options.IsGiven(row.option) || (row.commands & command.bit) == 0) continue;
    // Several runs of one report are compared with each other, not with a baseline.
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
