#include "cli/init_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/configuration.h"
#include "cli/profile_search.h"
#include "cli/text/documents.h"
#include "gate/verdict.h"
#include "knowledge/init.h"
#include "model/run_side.h"
#include "rules/facts.h"
#include "rules/policy.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

// How far limits that `init` writes are from what it measured. The user reads and edits them.
constexpr double kNoiseRoom = 2;     // Times the range of the runs.
constexpr double kShareRoom = 0.05;  // Points of a share.
constexpr double kTimeRoom = 1.1;    // Times a time.
constexpr double kSlower = 0.05;     // More time than the baseline.

std::string Percent(double share) { return fmt::format("{:.4g}%", std::ceil(share * 1000) / 10); }

std::string FloorPercent(double share) {
  return fmt::format("{:.4g}%", std::floor(std::max(0.0, share) * 1000) / 10);
}

// A time in milliseconds, rounded up to three significant digits so that people can read it.
std::string Milliseconds(double ns) {
  const double ms = ns / 1e6;
  if (ms <= 0) return "1 ns";
  const double scale = std::pow(10, 2 - std::floor(std::log10(ms)));
  return fmt::format("{:.12g} ms", std::ceil(ms * scale) / scale);
}

// Makes one line of a comment, whatever names of the profile the text contains.
std::string Comment(std::string_view text) {
  std::string line = Printable(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// The runs' values of a metric.
struct Measured {
  double least = 0, most = 0;
  std::string text;       // "11.4 ms", "11.4 ms to 11.9 ms in 3 runs".
  std::string absent;     // Why a run has no value; empty: all have one.
  bool is_known = false;  // The metric exists.
};

// The range of a metric over the runs. `is_known` is false if any run does not have the metric;
// `absent` is the reason of the first run without a value.
Measured MeasuredBy(std::span<const InitRun> runs, std::string_view id) {
  Measured out;
  const analysis::Metric *least = nullptr, *most = nullptr;
  for (const InitRun& run : runs) {
    const analysis::Metric* metric = run.analysis.Find(id);
    if (metric == nullptr) return {};
    out.is_known = true;
    if (IsAbsent(metric->value)) {
      out.absent = Comment(metric->absent_because);
      return out;
    }
    const double value = AsNumber(metric->value, 0);
    if (least == nullptr || value < out.least) out.least = value, least = metric;
    if (most == nullptr || value > out.most) out.most = value, most = metric;
  }
  out.text = FormatValue(least->value, least->spec->unit);
  const std::string most_text = FormatValue(most->value, most->spec->unit);
  if (most_text != out.text) out.text += " to " + most_text;
  if (runs.size() > 1) out.text += fmt::format(" in {} runs", runs.size());
  return out;
}

// The difference between runs of one program, relative to the smallest value; 0 for a single run.
double SpreadOf(const Measured& measured) {
  return measured.least > 0 ? (measured.most - measured.least) / measured.least : 0;
}

// The allowance for the noise of a share, in points.
double Noise(const Measured& measured) { return kNoiseRoom * (measured.most - measured.least); }

std::string ShareAbove(const Measured& share) {
  const double room = std::max(kShareRoom, Noise(share));
  return Percent(std::min(1.0, share.most + room));
}

// A limit on a share; empty if no run could miss it, because it would be 100 %.
std::string MaxOfWhole(const Measured& share, std::string_view more = "") {
  const std::string limit = ShareAbove(share);
  return limit == "100%" ? "" : fmt::format("{{max: {}{}}}", limit, more);
}

std::string MinOfWhole(const Measured& share, std::string_view more = "") {
  const double room = std::max(kShareRoom, Noise(share));
  const std::string limit = FloorPercent(share.least - room);
  return limit == "0%" ? "" : fmt::format("{{min: {}{}}}", limit, more);
}

// A time plus an allowance: the default one, or the noise of these runs if that is larger.
double TimeWithRoom(const Measured& measured) {
  const double noise = kNoiseRoom * SpreadOf(measured);
  return measured.most * std::max(kTimeRoom, 1 + noise);
}

std::string TimeReason(std::size_t runs, std::string_view more) {
  return fmt::format(
      "{}{}",
      runs == 1 ? "A tenth above the time of this run"
                : "Above the slowest of these runs by a tenth, or by twice their difference",
      more);
}

// Explains limits on times, which do not follow accepted levels.
constexpr std::string_view kFixed = "  # fixed: raise it by hand when a slowdown is accepted\n";

// A limit that `init` fits to the runs.
struct Fit {
  std::string_view metric, why;
  std::string (*limit)(const Measured& measured);  // Returns empty text if no run could miss it.
};

constexpr Fit kFits[] = {
    {metric::kIterationTimeMedian, "",
     [](const Measured& v) { return fmt::format("{{max: {}}}", Milliseconds(TimeWithRoom(v))); }},
    {metric::kIterationTimeRobustCv, "Iterations that differ more hide regressions.",
     [](const Measured& v) {
       const double warn = std::max(knowledge::kInitLeastVariation.value(), 2 * v.most);
       return fmt::format(
           "[{{max: {}, level: warn, on_missing: skip}}, {{max: {}, on_missing: skip}}]",
           Percent(warn), Percent(knowledge::kInitErrorVariation * warn));
     }},
    {metric::kGpuIdleMean, "The GPU is idle.", [](const Measured& v) { return MaxOfWhole(v); }},
    {metric::kTensorCoreEfficiency, "Share of eligible kernel time.",
     [](const Measured& v) { return MinOfWhole(v, ", on_missing: skip"); }},
    {metric::kDataloaderExposedShare, "Waiting for input data.",
     [](const Measured& v) { return MaxOfWhole(v, ", level: warn"); }},
    {metric::kCommunicationExposedShare, "Exposed collectives.",
     [](const Measured& v) { return MaxOfWhole(v, ", level: warn, on_missing: skip"); }},
    {metric::kMemoryPeakShare, "Share of the GPU's memory.",
     [](const Measured& v) {
       return fmt::format("{{max: {}, level: warn, on_missing: skip}}", ShareAbove(v));
     }},
};

// True if all runs have the time. A profile of memory only has iterations of length zero.
bool HaveTime(std::span<const InitRun> runs, std::string_view id) {
  const Measured measured = MeasuredBy(runs, id);
  return measured.is_known && measured.absent.empty() && measured.least > 0;
}

// Measures of speed if no iteration shows it. Sums are only those over equal work.
constexpr std::string_view kOtherTimes[] = {metric::kIterationTimeMean, metric::kProfileWallTime,
                                            metric::kNeuronTotalTime, metric::kProfileKernelTime};

std::string LimitOnOtherTime(std::span<const InitRun> runs) {
  if (HaveTime(runs, metric::kIterationTimeMedian)) return {};
  for (const std::string_view id : kOtherTimes) {
    if (!HaveTime(runs, id)) continue;
    const Measured measured = MeasuredBy(runs, id);
    const bool is_sum = runs.front().analysis.Find(id)->spec->pooling == analysis::Pooling::kSum;
    return fmt::format("\n  # {}. Measured: {}.\n{}  {}: {{max: {}}}\n",
                       TimeReason(runs.size(), is_sum ? ": for profiles of as much work" : ""),
                       measured.text, kFixed, id, Milliseconds(TimeWithRoom(measured)));
  }
  return {};
}

// For each known metric, a comment and the limit or `off`, so that the policy's owner sees each
// possible limit, and why it is off.
std::string FittedLimits(std::span<const InitRun> runs, bool fixes_times) {
  std::string text = fixes_times ? LimitOnOtherTime(runs) : std::string();
  for (const Fit& fit : kFits) {
    if (!fixes_times && fit.why.empty()) continue;
    const Measured measured = MeasuredBy(runs, fit.metric);
    if (!measured.is_known) continue;
    if (!measured.absent.empty()) {
      text += fmt::format("\n  # Not in {}: {}.\n  {}: off\n",
                          runs.size() == 1 ? "this profile" : "each profile", measured.absent,
                          fit.metric);
    } else {
      const std::string limit = fit.limit(measured);
      const std::string why = fit.why.empty() ? TimeReason(runs.size(), ".") : std::string(fit.why);
      text += fmt::format("\n  # {} Measured: {}{}.\n{}  {}: {}\n", why, measured.text,
                          limit.empty() ? ": no run could miss a limit with room for noise" : "",
                          fit.why.empty() ? kFixed : "", fit.metric, limit.empty() ? "off" : limit);
    }
  }
  return text;
}

// The allowed increase over a baseline: `least`, or the noise of the runs if it is larger.
std::string Allowed(double least, const Measured& measured) {
  const double noise = kNoiseRoom * SpreadOf(measured);
  return fmt::format("{:.0f}%", std::ceil(100 * std::max(least, noise)));
}

// Limits against a baseline. Counts are equal in all runs of a program, so they have no allowance.
std::string BaselineLimits(std::span<const InitRun> runs) {
  const auto limit = [&](std::string_view id) {
    return fmt::format("  {}: {{max_increase: {}}}\n", id, Allowed(kSlower, MeasuredBy(runs, id)));
  };
  // The period includes time between iterations, so both times are limited.
  std::string text;
  for (const MetricId id : {metric::kIterationTimeMedian, metric::kIterationPeriodMedian}) {
    if (HaveTime(runs, id)) text += limit(id);
  }
  for (const std::string_view id : kOtherTimes) {
    // A mean cannot be compared without its iterations.
    if (text.empty() && id != metric::kIterationTimeMean && HaveTime(runs, id)) text = limit(id);
  }
  for (const MetricId id :
       {metric::kKernelCountPerIteration, metric::kLaunchCountPerIteration,
        metric::kMemcpyH2dBytesPerIteration, metric::kMemcpyD2hBytesPerIteration,
        metric::kTensorCoreKernelsPerIteration}) {
    const Measured measured = MeasuredBy(runs, id);
    if (!measured.is_known || !measured.absent.empty()) continue;
    const analysis::Direction direction = runs.front().analysis.Find(id)->spec->direction;
    const bool is_decrease = direction == analysis::Direction::kHigherIsBetter;
    // If runs differ by half, no decrease of the count would be too large, so there is no limit.
    if (is_decrease && kNoiseRoom * SpreadOf(measured) >= 1) continue;
    text += fmt::format("  {}: {{{}: {}, level: warn}}\n", id,
                        is_decrease ? "max_decrease" : "max_increase", Allowed(0, measured));
  }
  const Measured memory = MeasuredBy(runs, metric::kMemoryPeakAllocated);
  if (!text.empty() && memory.is_known && memory.absent.empty() && memory.least > 0) {
    text += fmt::format("  {}: {{max_increase: {}, level: warn}}\n", metric::kMemoryPeakAllocated,
                        Allowed(kSlower, memory));
  }
  return text;
}

std::string BaselineBlock(std::span<const InitRun> runs) {
  const std::string limits = BaselineLimits(runs);
  if (limits.empty()) {
    return "# Nothing here can be compared with a baseline: no time was recorded.\n";
  }
  return "# Against a baseline (`profgauge baseline save --policy`), with --baseline FILE:\n"
         "baseline:\n" +
         limits;
}

// Metrics of files of times that builtin:times limits. A metric that the files do not have is not
// mentioned.
constexpr MetricId kStated[] = {metric::kStepTimeMedian,  metric::kServeTtftMedian,
                                metric::kServeTpotMedian, metric::kServeTtftP99,
                                metric::kServeTpotP99,    metric::kServeE2eP99};

bool AreOfTimes(std::span<const InitRun> runs) {
  return std::ranges::all_of(
      runs, [](const InitRun& run) { return std::ranges::all_of(run.ranks, IsOfTimes); });
}

std::string LimitsOfTimes(std::span<const InitRun> runs) {
  std::string text;
  for (const MetricId id : kStated) {
    if (!HaveTime(runs, id)) continue;
    const Measured measured = MeasuredBy(runs, id);
    text +=
        fmt::format("\n  # {} Measured: {}.\n{}  {}: {{max: {}}}\n", TimeReason(runs.size(), "."),
                    measured.text, kFixed, id.text(), Milliseconds(TimeWithRoom(measured)));
  }
  return text;
}

std::string PolicyOfTimes(const std::string& name, std::span<const InitRun> runs,
                          bool fixes_times) {
  std::string limits = fixes_times ? LimitsOfTimes(runs) : std::string();
  if (!limits.empty()) {
    limits =
        "\n# Limits, each a little above its measured value. `profgauge metrics list` has all "
        "metrics.\n"
        "thresholds:" +
        limits;
  }
  // All other metrics keep the limits of builtin:times.
  std::string changes;
  for (const MetricId id :
       {metric::kStepTimeMedian, metric::kServeTtftMedian, metric::kServeTpotMedian}) {
    if (!HaveTime(runs, id)) continue;
    changes += fmt::format("  {}: {{max_increase: {}}}\n", id.text(),
                           Allowed(kSlower, MeasuredBy(runs, id)));
  }
  if (!changes.empty()) {
    changes =
        "\n# Against a baseline (`profgauge baseline save --policy`), with --baseline FILE:\n"
        "baseline:\n" +
        changes;
  }
  return fmt::format(
      "{}"
      "# What this project enforces. Made by `profgauge init` from {}; edit it freely.\n"
      "# Check a file with: profgauge check FILE --policy POLICY\n"
      "schema: 1\n\n"
      "# The limits that ProfGauge ships for times without a profile. Those below replace them.\n"
      "extends: [builtin:times]\n"
      "{}{}",
      SchemaLine("policy"), Comment(name), limits, changes);
}

std::string PolicyText(const std::string& profile, std::span<const InitRun> runs, bool fixes_times,
                       const std::string& more_limits, const std::string& rules) {
  return fmt::format(
      "{}"
      "# What this project enforces. Made by `profgauge init` from {}; edit it freely.\n"
      "# Check a profile with: profgauge check PROFILE --policy FILE\n"
      "schema: 1\n\n"
      "# The rules that ProfGauge ships. The limits below replace its own on the same metrics.\n"
      "extends: [builtin:recommended]\n\n"
      "# error: errors fail the check; warn: warnings too; never: nothing does.\n"
      "fail_on: error\n\n"
      "# Limits, each a little above what was measured. `profgauge metrics list` shows what else\n"
      "# can be limited.\n"
      "thresholds:{}{}\n"
      "{}"
      "{}",
      SchemaLine("policy"), Comment(profile), FittedLimits(runs, fixes_times), more_limits, rules,
      BaselineBlock(runs));
}

Error NotAPolicy(const rules::Errors& errors) {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.code = "internal/init-policy";
  error.message = "the policy that was made cannot be read";
  if (!errors.empty()) error.message += ": " + errors.front().message;
  return error;
}

// Reasons why the run would not pass the policy `text`.
struct Obstacles {
  std::string limits, rules;  // YAML that removes these obstacles.
};

/// Adds the reasons why `run` does not pass, each metric and rule once.
void AddObstacles(const rules::Policy& policy, const rules::Rulebook& book, const InitRun& run,
                  std::set<std::string>& seen, Obstacles& obstacles) {
  const rules::Evaluation evaluation =
      book.Evaluate(run.analysis, rules::CollectFacts(run.ranks, run.analysis));
  gate::JudgeOptions options;
  options.evaluation = &evaluation;
  const gate::Verdict verdict = gate::Judge(policy, run.analysis, {}, options);
  for (const gate::GateResult& result : verdict.gate) {
    const bool passes =
        result.status != gate::GateStatus::kError && result.status != gate::GateStatus::kMissing;
    if (passes || !seen.insert(result.threshold.metric).second) continue;
    obstacles.limits += fmt::format("\n  # Now: {} {}.\n  {}: off\n", result.threshold.metric,
                                    Comment(result.reason), result.threshold.metric);
  }
  for (const rules::Finding& finding : evaluation.findings) {
    const bool stops = finding.status == rules::FindingStatus::kError || finding.is_uncertain;
    if (!stops || !seen.insert(finding.rule->id).second) continue;
    obstacles.rules +=
        fmt::format("  # Now: {}\n  {}: warn\n", Comment(finding.message), finding.rule->id);
  }
}

// Judges the runs by the new policy. Limits and rules that fail are switched off or set to warn, so
// that the first check with the new policy passes.
Result<Obstacles> FindObstacles(const std::string& text, std::span<const InitRun> runs) {
  const auto policy = rules::ParsePolicy(text, "policy.yaml");
  if (!policy) return Fail(NotAPolicy(policy.error()));
  const auto book = rules::LoadRulebook(*policy, {});
  if (!book) return Fail(NotAPolicy(book.error()));
  Obstacles obstacles;
  std::set<std::string> seen;
  for (const InitRun& run : runs) AddObstacles(*policy, *book, run, seen, obstacles);
  return obstacles;
}

}  // namespace

Result<std::string> InitPolicy(const std::string& profile, std::span<const InitRun> runs,
                               bool fixes_times) {
  if (AreOfTimes(runs)) {
    const std::string text = PolicyOfTimes(profile, runs, fixes_times);
    PROFGAUGE_CHECK(FindObstacles(text, runs));
    return text;
  }
  const std::string plain = PolicyText(profile, runs, fixes_times, "", "");
  PROFGAUGE_TRY(const Obstacles obstacles, FindObstacles(plain, runs));
  std::string rules = obstacles.rules;
  if (!rules.empty()) {
    rules =
        "# Rules that fire on this profile as errors. They stay in the report as warnings. Remove "
        "a\n"
        "# line after fixing its cause, so that the rule can fail the check again.\n"
        "rules:\n" +
        rules + "\n";
  }
  return PolicyText(profile, runs, fixes_times, obstacles.limits, rules);
}

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
          # Where BEFORE is not in the clone (a forced push, a new branch), the last commit counts.
          accept=$({ git log --format=%B "$BEFORE..$AFTER" 2> /dev/null || git log -1 --format=%B "$AFTER"; } |
            sed -En 's/^([*-] )?[Pp]rofgauge-[Aa]ccept: *//p') || :
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
    # Where the commit before is not in the clone (a forced push, a new branch), the last one counts.
    - accept=$({ git log --format=%B "${CI_MERGE_REQUEST_DIFF_BASE_SHA:-$CI_COMMIT_BEFORE_SHA}..HEAD" 2> /dev/null ||
        git log -1 --format=%B; } | sed -En 's/^([*-] )?[Pp]rofgauge-[Aa]ccept:\s*//p') || true
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

/// "*.json.gz" for "run7.pt.trace.json.gz", in its folder: matches later profiles of the same
/// writer, but not files with other endings.
std::string PatternOf(const fs::path& file) {
  std::string end = file.extension().string();
  if (end == ".gz") end = file.stem().extension().string() + end;
  return (file.parent_path() / ("*" + end)).generic_string();
}

/// "runs/r*" for "runs/r0", so that the folders of later runs match; others as they are.
std::string PatternOfFolder(const std::string& folder) {
  const std::size_t end = folder.find_last_not_of("0123456789");
  const bool has_number = end != folder.npos && end + 1 < folder.size();
  return has_number ? folder.substr(0, end + 1) + "*" : folder;
}

// The text in lower-case letters, digits and single `-` between them, at most 40; may be empty.
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
    std::string pattern =
        fs::is_directory(profile, error) ? PatternOfFolder(path) : PatternOf(path);
    if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) {
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

// The day in two weeks: until then, main should have run.
std::string LearningUntil() {
  constexpr std::chrono::days kLearning{14};
  const auto today = rules::Today("", std::getenv("SOURCE_DATE_EPOCH"));
  return rules::FormatDay((today ? *today : std::chrono::sys_days{}) + kLearning);
}

// Writes profgauge.yaml. Patterns are in single quotes: only a quote needs an escape there.
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

// Detects the host by the address of a remote in the text of .git/config, because a repository may
// have several remotes, and git may not be installed.
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
  // Compares as text: `/profgauge-report/` and `profgauge-report` are equal.
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
