#include "cli/ci_system.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

struct System {
  std::string_view name;
  const char* sign;        ///< A variable that only it sets.
  const char* repository;  ///< The variable with the folder that it checked out.
};
constexpr System kSystems[] = {
    {"github", "GITHUB_ACTIONS", "GITHUB_WORKSPACE"},
    {"gitlab", "GITLAB_CI", "CI_PROJECT_DIR"},
    {"jenkins", "JENKINS_URL", "WORKSPACE"},
    {"buildkite", "BUILDKITE", "BUILDKITE_BUILD_CHECKOUT_PATH"},
    {"circleci", "CIRCLECI", "CIRCLE_WORKING_DIRECTORY"},
};

void SetRepository(const Environment& environment, Options& options) {
  if (!options.repository.empty()) return;
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

std::string DetectCi(const Environment& environment) {
  for (const System& system : kSystems) {
    if (!environment(system.sign).empty()) return std::string(system.name);
  }
  return environment("CI").empty() ? "off" : "generic";
}

void ApplyCi(const Environment& environment, Options& options) {
  if (options.ci == "auto") options.ci = DetectCi(environment);
  if (options.ci.empty() || options.ci == "off") return;
  if (options.out_dir.empty()) options.out_dir = kCiFolder;
  const fs::path folder = options.out_dir;
  const std::pair<std::string Options::*, std::string_view> files[] = {
      {&Options::summary, "summary.md"},       {&Options::junit, "junit.xml"},
      {&Options::sarif, "profgauge.sarif"},    {&Options::gitlab, "codequality.json"},
      {&Options::openmetrics, "metrics.prom"}, {&Options::verdict_file, "verdict.json"},
      {&Options::pgsum, "run.pgsum"}};
  for (const auto& [member, name] : files) {
    if ((options.*member).empty()) options.*member = (folder / name).string();
  }
  SetRepository(environment, options);
  if (options.ci == "github") {
    if (!environment("GITHUB_STEP_SUMMARY").empty()) options.step_summary = true;
    if (options.github.empty() && options.json != "-") options.github = "-";
    options.github_output = environment("GITHUB_OUTPUT");
  } else if (options.ci == "gitlab") {
    options.dotenv = (folder / "profgauge.env").string();
  } else if (options.ci == "jenkins") {
    if (options.html_dir.empty()) options.html_dir = (folder / "page").string();
  }
}

}  // namespace profgauge::cli
