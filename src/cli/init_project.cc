#include "cli/init_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/text.h"
#include "cli/configuration.h"
#include "cli/profile_search.h"
#include "cli/text/documents.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGithub =
    R"(# Judges the profile of a training run on every pull request. Written by `profgauge init --project`.
# Edit lines that are marked "yours". ci/github/ of ProfGauge adds comments and alerts.
# A slower run that is meant: `Profgauge-Accept: +N% REASON` in a commit message, as a separate line.
name: performance
on:
  pull_request:
  push:
    branches: [main]
jobs:
  gate:
    runs-on: [self-hosted, gpu]        # yours: a runner with the GPU, and with profgauge on its PATH
    timeout-minutes: 60
    concurrency:                       # One after the other, so that each run of main joins the history.
      group: performance-${{ github.ref }}
      queue: max                       # Remove it on an Enterprise Server that does not know it.
    permissions: {contents: read}
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with: {fetch-depth: 0}         # For the order of the history, and the policy of the merge base.
      - run: rm -f profgauge-history.db*   # The checkout has no say in it.
      - run: ./train.sh                # yours: writes a profile that `inputs` match
      - name: Restore the history of main
        uses: actions/cache/restore@cdf6c1fa76f9f475f3d7449005a359c84ca0f306 # v5.0.3
        with:
          path: profgauge-history.db
          key: profgauge-main-${{ github.run_id }}
          restore-keys: profgauge-main-
      - name: Judge, and record again where one profile cannot decide
        env:
          BEFORE: ${{ github.event.pull_request.base.sha || github.event.before }}
          AFTER: ${{ github.event.pull_request.head.sha || github.sha }}
        run: |
          accept=$(git log --format=%B "$BEFORE..$AFTER" 2> /dev/null | sed -n 's/^Profgauge-Accept: *//p') || :
          for i in 1 2 3; do
            status=0
            profgauge check --ci github --accept "$accept" || status=$?
            if [ "$i" = 3 ] || ! grep -qs '"again": true' profgauge-report/verdict.json; then break; fi
            ./train.sh                 # yours: as above, one more profile
          done
          exit "$status"
      - name: Add this run of main with its verdict
        if: ${{ !cancelled() && github.ref == 'refs/heads/main' }}
        run: profgauge history add profgauge-report --branch main --commit "$GITHUB_SHA"
      - name: Save the history of main
        if: ${{ !cancelled() && github.ref == 'refs/heads/main' }}
        uses: actions/cache/save@cdf6c1fa76f9f475f3d7449005a359c84ca0f306 # v5.0.3
        with:
          path: profgauge-history.db
          key: profgauge-main-${{ github.run_id }}
      - uses: actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0
        if: always()
        with: {name: profgauge-report, path: profgauge-report, if-no-files-found: ignore}
)";

constexpr std::string_view kGitlab =
    R"(# Judges the profile of a training run in every pipeline. Written by `profgauge init --project`.
# Edit lines that are marked "yours", and add to .gitlab-ci.yml:  include: [profgauge.gitlab-ci.yml]
# ci/gitlab/ of ProfGauge adds notes. A slower run that is meant: `Profgauge-Accept: +N% REASON` in a commit message.
performance:
  tags: [gpu]                          # yours: a runner with the GPU, and with profgauge on its PATH
  variables: {GIT_DEPTH: 0}            # For the order of the history, and the policy of the merge base.
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      allow_failure: true              # GitLab hands on the history of pipelines that succeed.
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  before_script: &history              # The history of `renew`, which no merge request can write.
    - rm -f profgauge-history.db*
    - 'got=$(curl -sS --header "JOB-TOKEN: $CI_JOB_TOKEN" --output profgauge-history.db --write-out "%{http_code}"
        "$CI_API_V4_URL/projects/$CI_PROJECT_ID/jobs/artifacts/$CI_DEFAULT_BRANCH/raw/profgauge-history.db?job=renew") || got=0'
    - if [ "$got" = 404 ] && ! grep -qs Project profgauge-history.db; then rm -f profgauge-history.db;
        elif [ "$got" != 200 ]; then echo "profgauge - no history from GitLab, answer $got" >&2; exit 2; fi
  script:
    - ./train.sh                       # yours: writes a profile that `inputs` match
    - accept=$(git log --format=%B "${CI_MERGE_REQUEST_DIFF_BASE_SHA:-$CI_COMMIT_BEFORE_SHA}..HEAD" 2> /dev/null |
        sed -n 's/^Profgauge-Accept:\s*//p') || true
    # Where one profile cannot decide, up to two more are recorded.
    - for i in 1 2 3; do
        status=0; profgauge check --ci gitlab --accept "$accept" || status=$?;
        if [ "$i" = 3 ] || ! grep -qs '"again":.true' profgauge-report/verdict.json; then break; fi;
        ./train.sh; done
    - exit "$status"
  allow_failure: {exit_codes: [3]}     # No verdict is a yellow job.
  artifacts:
    when: always
    paths: [profgauge-report/]
    reports:
      junit: profgauge-report/*/junit.xml
      dotenv: profgauge-report/profgauge.env
renew:                                 # Each run of main joins the history with its verdict.
  tags: [gpu]                          # yours: any runner with profgauge on its PATH
  needs: [performance]
  variables: {GIT_DEPTH: 0}
  rules: [{if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH, when: always}]
  resource_group: profgauge-history    # One after the other, so that none is lost.
  before_script: *history
  script:
    - profgauge history add profgauge-report --branch main --commit "$CI_COMMIT_SHA"
  artifacts: {paths: [profgauge-history.db], expire_in: never}
)";

constexpr std::string_view kJenkins =
    R"(// Judges the profile of a training run. Written by `profgauge init --project`.
// Edit lines that are marked "yours". ci/Jenkinsfile of ProfGauge adds acceptance, further profiles where one cannot
// decide, and the page. Needs the plug-in Copy Artifact: the history is an artifact of the main branch's job.
pipeline {
  agent { label 'gpu' }                // yours: a node with the GPU, and with profgauge on its PATH
  stages {
    stage('Record') {
      steps {
        // No profile of an earlier build is judged, and no history is the checkout's.
        sh 'git clean -ffdxq && rm -f profgauge-history.db*'
        sh './train.sh'                // yours: writes a profile that `inputs` match
      }
    }
    stage('Baseline') {
      steps {
        copyArtifacts projectName: 'training/main', filter: 'profgauge-history.db',  // yours: the job of main
                      optional: true, selector: lastCompleted()
      }
    }
    stage('Judge') {
      steps {
        script {
          def code = sh(returnStatus: true, script: 'profgauge check --ci jenkins')
          if (code == 3) { unstable('profgauge: no verdict') }
          else if (code != 0) { error("profgauge: exit code ${code}") }
        }
      }
    }
  }
  post {
    always {
      script {  // Each run of main joins the history with its verdict.
        if (env.BRANCH_NAME == 'main' && fileExists('profgauge-report/verdict.json')) {
          sh 'profgauge history add profgauge-report --branch main --commit "$GIT_COMMIT"'
        }
      }
      junit testResults: 'profgauge-report/**/junit.xml', allowEmptyResults: true
      archiveArtifacts artifacts: 'profgauge-history.db, profgauge-report/**', allowEmptyArchive: true
    }
  }
}
)";

/// "*.json.gz" of "run7.pt.trace.json.gz", in its folder: later profiles of the same writer match,
/// files with other ends do not.
std::string PatternOf(const fs::path& file) {
  std::string end = file.extension().string();
  if (end == ".gz") end = file.stem().extension().string() + end;
  return (file.parent_path() / ("*" + end)).generic_string();
}

// Small letters, digits and single `-` between them, at most 40; empty where nothing is left.
std::string AsJobName(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string name;
  for (const char letter : text) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    const char small = is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    const bool is_kept = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
    if (is_kept) {
      name.push_back(small);
    } else if (!name.empty() && name.back() != '-') {
      name.push_back('-');
    }
  }
  name.resize(std::min(name.size(), kLongest));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace

std::string FromRoot(const std::string& path) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(fs::absolute("./" + RootOfRepository()), error);
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  const fs::path below = whole.lexically_relative(root);
  const bool is_outside = below.empty() || *below.begin() == "..";
  return (is_outside ? whole : below).generic_string();
}

std::string JobName(const std::vector<std::string>& inputs, std::string_view run) {
  fs::path folder = inputs.empty() ? fs::path() : fs::path(inputs.front());
  if (IsGlob(folder.filename().string())) folder = folder.parent_path();
  while (ParseProfilePath(folder.filename().string()).step) folder = folder.parent_path();
  for (const std::string& text : {folder.filename().string(), std::string(run)}) {
    if (std::string name = AsJobName(text); !name.empty()) return name;
  }
  return "train";
}

std::vector<std::string> InputPatterns(const std::vector<std::string>& profiles) {
  std::vector<std::string> patterns;
  for (const std::string& profile : profiles) {
    std::error_code error;
    const std::string path = FromRoot(profile);
    std::string pattern = fs::is_directory(profile, error) ? path : PatternOf(path);
    if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) {
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

// Two weeks from today: by then main has run.
std::string LearningUntil() {
  constexpr std::chrono::days kLearning{14};
  const auto today = rules::Today("", std::getenv("SOURCE_DATE_EPOCH"));
  return rules::FormatDay((today ? *today : std::chrono::sys_days{}) + kLearning);
}

// Patterns are in single quotes, where YAML knows no escapes: a quote is doubled.
NewFile ProjectFile(std::string_view job, const std::vector<std::string>& inputs,
                    std::string_view policy, bool is_fresh) {
  std::vector<std::string> quoted;
  for (const std::string& pattern : inputs) {
    std::string text = "'";
    for (const char letter : pattern) text += letter == '\'' ? "''" : std::string(1, letter);
    quoted.push_back(text + "'");
  }
  return {"profgauge.yaml",
          fmt::format(
              "{}"
              "# What ProfGauge judges in this repository.\n"
              "# Judge the runs of each job: profgauge check\n"
              "schema: 1\n"
              "policy: {}\n"
              "# The last runs of the main branch (`profgauge history add`), which CI keeps:\n"
              "db: profgauge-history.db\n"
              "baseline: history:main~10\n"
              "# Until then main may have no runs; later that is exit 3, as the history is gone:\n"
              "learning_until: {}\n"
              "jobs:\n"
              "  - name: {}\n"
              "    inputs: [{}]\n"
              "{}",
              SchemaLine("config"), policy, LearningUntil(), job, fmt::join(quoted, ", "),
              is_fresh ? "    # Profiles of one commit are judged together: a second one answers "
                         "the first.\n"
                         "    take: pooled\n"
                       : "")};
}

// By the address of a remote, read as text: a repository may have several, and git need not be
// installed.
std::string DetectHost() {
  const std::string root = RootOfRepository();
  const std::string config = ReadSmallFile(root + ".git/config").value_or("");
  for (const std::string_view system : {"github", "gitlab"}) {
    if (config.find(fmt::format("{}.", system)) != config.npos) return std::string(system);
  }
  std::error_code error;
  return fs::exists(root + "Jenkinsfile", error) ? "jenkins" : "";
}

std::vector<std::string> NotIgnored(std::string_view ignores) {
  // As text: `/profgauge-report/` and `profgauge-report` are the same.
  const auto plain = [](std::string_view line) {
    line = Trim(line);
    while (line.starts_with('/')) line.remove_prefix(1);
    while (line.ends_with('/')) line.remove_suffix(1);
    return line;
  };
  std::vector<std::string> missing;
  for (const std::string_view output : {"profgauge-history.db", "profgauge-report/"}) {
    const std::vector<std::string_view> lines = Lines(ignores);
    const bool is_there = std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return plain(line) == plain(output);
    });
    if (!is_there) missing.emplace_back(output);
  }
  return missing;
}

std::string IgnoreLines(const std::string& file, const std::vector<std::string>& names) {
  const std::string before = ReadSmallFile(file).value_or("");
  std::string text = before.empty() || before.ends_with('\n') ? "" : "\n";
  for (const std::string& name : names) text += name + "\n";
  return text;
}

NewFile CiFile(std::string_view system) {
  if (system == "github") return {".github/workflows/profgauge.yml", std::string(kGithub)};
  if (system == "gitlab") return {"profgauge.gitlab-ci.yml", std::string(kGitlab)};
  return {"Jenkinsfile.profgauge", std::string(kJenkins)};
}

}  // namespace profgauge::cli
