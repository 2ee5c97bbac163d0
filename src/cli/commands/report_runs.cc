// `profgauge report --run NAME=PATH --run NAME=PATH …`: several runs in one report, with the
// comparison of every two.
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/candidates.h"
#include "api/comparison.h"
#include "api/default_policy.h"
#include "api/session.h"
#include "api/snapshots.h"
#include "base/errors.h"
#include "cli/commands.h"
#include "cli/conclude.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/exit_code.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "cli/stats.h"
#include "readers/one_run.h"
#include "report/redact.h"
#include "report/runs.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kFewest = 2, kMost = 8;

/// The options of outputs that show one run.
std::vector<std::string_view> OutputsOfOneRun(const Options& options) {
  const std::pair<std::string_view, bool> outputs[] = {
      {"--out", !options.out_dir.empty()},
      {"--md", !options.markdown.empty()},
      {"--md-summary", !options.summary.empty()},
      {"--step-summary", options.step_summary},
      {"--xlsx", !options.xlsx.empty()},
      {"--junit", !options.junit.empty()},
      {"--sarif", !options.sarif.empty()},
      {"--github", !options.github.empty()},
      {"--gitlab", !options.gitlab.empty()},
      {"--openmetrics", !options.openmetrics.empty()},
      {"--emit-trace", !options.emit_trace.empty()}};
  std::vector<std::string_view> given;
  for (const auto& [name, is_given] : outputs) {
    if (is_given) given.push_back(name);
  }
  return given;
}

Status CheckUse(const Options& options) {
  if (!options.arguments.empty()) {
    return Fail(UsageError(
        "usage/conflict",
        fmt::format("`--run` and the profile `{}` exclude each other", options.arguments.front()),
        "give it a name, too: --run NAME=PATH"));
  }
  if (!options.baselines.empty()) {
    return Fail(UsageError("usage/conflict", "`--run` and `--baseline` exclude each other",
                           "the baseline may be one of the runs, too: --run NAME=PATH"));
  }
  if (options.runs.size() < kFewest || options.runs.size() > kMost) {
    return Fail(UsageError(
        "usage/run-count",
        fmt::format("`--run` needs {} to {} runs, found {}", kFewest, kMost, options.runs.size()),
        options.runs.size() < kFewest
            ? "for one run, `profgauge report PATH`"
            : "`profgauge history trend` shows many runs, by their numbers"));
  }
  const std::vector<std::string_view> given = OutputsOfOneRun(options);
  if (!given.empty()) {
    return Fail(
        UsageError("usage/one-run-only",
                   fmt::format("`{}` shows one run, found {}", given.front(), options.runs.size()),
                   "`--html`, `--html-dir` and `--json` take several; "
                   "`profgauge compare BASE CURRENT` writes the others for two"));
  }
  return {};
}

/// A policy with its rules; most runs share one.
struct Judging {
  Policy policy;
  Rulebook book;
};

/// Nothing after its errors were reported.
std::optional<Judging> ReadJudging(const Options& options, const SelectOptions& select,
                                   Console& console) {
  auto policy = ReadPolicy(options, console);
  if (!policy) return std::nullopt;
  auto book = LoadRulebook(*policy, select);
  if (book) return Judging{*std::move(policy), *std::move(book)};
  console.Warn(RenderErrors(book.error(), console.color_err()));
  return std::nullopt;
}

/// A run of the page, and what it is compared by.
struct Run {
  Snapshot snapshot;
  const report::Report* report = nullptr;
};

/// What to enforce: one policy for all, but for runs that used no GPU where nobody chose one.
class Policies {
 public:
  Policies(const Options& options, const SelectOptions& select, Console& console)
      : options_(options), select_(select), console_(console) {}

  /// nullptr after its errors were reported.
  const Judging* For(bool is_cpu_only) {
    const bool by_name = is_cpu_only && options_.policy.empty();
    const auto known = judgings_.find(by_name);
    if (known != judgings_.end()) return &known->second;
    Options options = options_;
    if (by_name) options.policy = kCpuPolicy;
    auto judging = ReadJudging(options, select_, console_);
    if (!judging) return nullptr;
    return &judgings_.emplace(by_name, *std::move(judging)).first->second;
  }

 private:
  const Options& options_;
  const SelectOptions& select_;
  Console& console_;
  std::map<bool, Judging> judgings_;
};

}  // namespace

Result<int> RunReportOfRuns(const Options& options, Console& console) {
  PROFGAUGE_CHECK(CheckUse(options));
  Stats stats(console);
  SelectOptions select;
  PROFGAUGE_TRY(select.today, Today(options.now, std::getenv("SOURCE_DATE_EPOCH")));
  select.allow_long_waivers = options.allow_long_waivers;
  Policies policies(options, select, console);
  const Judging* usual = policies.For(false);
  if (usual == nullptr) return kExitUsage;
  Options kept = options;
  for (const auto& [name, path] : options.runs) kept.arguments.push_back(path);
  Drawing drawing(KeptBy(kept, &usual->policy));
  PROFGAUGE_CHECK(drawing.Open(kept));
  stats.EndPhase("policy");
  report::Runs runs;
  runs.runs.reserve(options.runs.size());  // Pointers to them are kept.
  std::vector<Run> compared;
  for (const auto& [given, path] : options.runs) {
    Options one = options;
    one.arguments = {path};
    PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadRanks(one, usual->policy, console));
    PROFGAUGE_CHECK(CheckOneRun(ranks, ""));
    stats.EndPhase("read");
    const std::string name = options.redact ? fmt::format("run {}", runs.runs.size() + 1) : given;
    const bool is_cpu_only = IsCpuOnly(ranks);
    const Judging* judging = policies.For(is_cpu_only);
    if (judging == nullptr) return kExitUsage;
    JudgeRunsOptions how;
    how.choices = Choices(options);
    how.choices.events = EventsOf(options);
    how.today = select.today;
    how.redact = options.redact;
    if (judging != usual) how.remark = {"cpu-policy", std::string(kWhyCpuPolicy)};
    how.phase_ended = [&stats](std::string_view phase) { stats.EndPhase(phase); };
    const RunToJudge run{name, ranks};
    PROFGAUGE_TRY(Judgement::Data judged,
                  JudgeRuns(std::span(&run, 1), judging->policy, judging->book, {}, how));
    judged.report.profile.name = name;
    PROFGAUGE_TRY(Snapshot snapshot, SnapshotOf(name, ranks, judged.analysis,
                                                SelectionOf(judging->policy, how.choices)));
    runs.runs.push_back(std::move(judged.report));
    compared.push_back({std::move(snapshot), &runs.runs.back()});
    stats.EndPhase("attribute");
  }
  for (std::size_t base = 0; base < compared.size(); ++base) {
    for (std::size_t current = base + 1; current < compared.size(); ++current) {
      report::Report pair = ExplainTwoRuns(compared[base].snapshot, *compared[base].report,
                                           compared[current].snapshot, *compared[current].report);
      if (options.redact) report::Redact(pair);
      runs.pairs.push_back({base, current, std::move(pair)});
    }
  }
  stats.EndPhase("compare");
  const Status drawn = drawing.Draw(runs, stats);
  if (options.stats) console.Warn(stats.Table());
  Conclude(runs, drawing, console);
  if (!drawn) return Fail(drawn.error());
  return kExitPass;
}

}  // namespace profgauge::cli
