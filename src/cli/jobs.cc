// `check` and `report` with profgauge.yaml: if no profile is named, judges one run after the other.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/hashes.h"
#include "base/text.h"
#include "cli/base_policy.h"
#include "cli/ci_system.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/find_runs.h"
#include "cli/outputs.h"
#include "cli/profile_search.h"
#include "render/shared/ending.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct JobResult {
  std::string name;
  int exit_code = kExitPass;
  std::string report;     ///< The page; empty if none is written.
  bool is_again = false;  ///< Only a new profile can give a verdict.
  std::vector<std::string> reasons, errors;
  render::VerdictFacts::Baseline baseline;
};

/// Ends a run that could not start: all outputs get the error.
Result<int> EndWith(Error error, const Options& options, Console& console) {
  return RunLeavingOutputs(options, console,
                           [&]() -> Result<int> { return Fail(std::move(error)); });
}

/// The exit code of one run of several. Shows the run's error here, because the next run follows.
int ExitOf(const Result<int>& done, const Options& options, Console& console) {
  if (done) return *done;
  if (!done.error().message.empty()) console.Report(done.error());
  return ExitWithout(done.error(), options);
}

// The word in verdict.json for a job or for all jobs. Mistakes in the command line or the
// configuration are `not_judged`. Failed outputs and defects of ProfGauge are no verdict.
std::string_view WordOf(int exit_code) {
  switch (exit_code) {
    case kExitPass:
      return "pass";
    case kExitFail:
      return "fail";
    case kExitUsage:
      return "not_judged";
    default:
      return "no_verdict";
  }
}

/// Copies a job's data from its own verdict.json, if there is one, to the file of all jobs.
void TakeVerdict(const std::string& text, JobResult& one) {
  json::error_code failed;
  const json::value verdict = json::parse(text, failed);
  const json::object* of = failed ? nullptr : verdict.if_object();
  if (of == nullptr) return;
  const auto texts = [of](std::string_view key) {
    std::vector<std::string> all;
    const json::value* found = of->if_contains(key);
    if (found == nullptr || !found->is_array()) return all;
    for (const json::value& each : found->get_array()) {
      if (each.is_string()) all.emplace_back(each.get_string());
    }
    return all;
  };
  one.reasons = texts("reasons");
  one.errors = texts("errors");
  const json::value* again = of->if_contains("again");
  one.is_again = again != nullptr && *again == json::value(true);
  const json::value* baseline = of->if_contains("baseline");
  const json::object* parts = baseline == nullptr ? nullptr : baseline->if_object();
  if (parts == nullptr) return;
  const json::value *state = parts->if_contains("state"), *runs = parts->if_contains("runs"),
                    *wanted = parts->if_contains("wanted");
  if (state != nullptr && state->is_string()) one.baseline.state = state->get_string();
  if (runs != nullptr && runs->is_int64()) one.baseline.runs = runs->get_int64();
  if (wanted != nullptr && wanted->is_int64()) one.baseline.wanted = wanted->get_int64();
}

/// The rank of a baseline's state, weakest first: the state of several jobs is the weakest.
std::size_t Strength(std::string_view state) {
  constexpr std::string_view kWeakestFirst[] = {
      "unknown_branch", "lost", "none_comparable", "first", "none", "learning", "used"};
  return static_cast<std::size_t>(
      std::find(std::begin(kWeakestFirst), std::end(kWeakestFirst), state) -
      std::begin(kWeakestFirst));
}

/// Rejects outputs of a single run, because each of several runs would overwrite the last one.
Status RefuseSingleOutputs(const Options& options) {
  for (const OutputSpec& output : AllOutputs()) {
    if (!options.outputs.Has(output.kind) || output.is_appended) continue;
    return Fail(UsageError("usage/one-run-only",
                           fmt::format("`{}` is for one run, found several jobs", output.name),
                           "`--out DIR` and `--ci` have a folder for each job; or name one: "
                           "--job NAME"));
  }
  return {};
}

/// The hash of a regular file. Empty if it cannot be read; its reader will report that.
std::string HashOf(const std::string& path) {
  auto file = OpenInput(path, Named::kFound);
  if (!file || !file->size()) return {};
  ContentHash hash;
  std::string block(std::size_t{1} << 18, '\0');
  for (;;) {
    const auto count = file->Read(block.data(), block.size());
    if (!count) return {};
    if (*count == 0) return hash.Hex();
    hash.Add({block.data(), *count});
  }
}

/// Keeps only the first of files with equal bytes: a copy is no second profile.
void DropCopies(std::vector<std::string>& files, Console& console) {
  std::map<std::string, std::string> first;
  std::erase_if(files, [&](const std::string& file) {
    const std::string hash = HashOf(file);
    if (hash.empty()) return false;
    const auto [at, is_new] = first.try_emplace(hash, file);
    if (!is_new) {
      console.Say(fmt::format("note: `{}` is a copy of `{}`: it counts once", file, at->second));
    }
    return !is_new;
  });
}

/// The files of each run of a job: of its latest run, of all runs, or of all together. If no runs
/// can be found in the inputs, or if the job itself states which are ranks, they are one run.
std::vector<std::vector<std::string>> RunsOf(const rules::ProjectJob& job, const Options& options,
                                             std::vector<std::string> inputs, Console& console) {
  if (job.take == rules::Take::kPooled) DropCopies(inputs, console);
  if (options.ranks != "recorded") return {inputs};
  FoundRuns all = FindRunsAmong(inputs);
  if (!all.is_whole) {
    console.Say(
        fmt::format("note: {}: more than {} names are below the inputs; the deepest were "
                    "not read",
                    Printable(job.name), kMostNames));
  }
  std::vector<FoundRun> found = std::move(all.runs);
  if (found.empty()) return {inputs};
  if (job.take == rules::Take::kLatest) found.erase(found.begin(), found.end() - 1);
  std::vector<std::vector<std::string>> runs;
  for (FoundRun& run : found) {
    if (runs.empty() || job.take != rules::Take::kPooled) runs.emplace_back();
    std::ranges::move(run.files, std::back_inserter(runs.back()));
  }
  return runs;
}

class Jobs {
 public:
  Jobs(const rules::Project& project, const Options& given, Console& console)
      : project_(project), given_(given), console_(console), base_(given.out_dir) {
    const std::string ci = given.ci == "auto" ? DetectCi(Variable) : given.ci;
    writes_ci_ = !ci.empty() && ci != "off";
    if (base_.empty() && writes_ci_) base_ = std::string(kCiFolder);
  }

  // Runs one job: its settings, inputs, and runs. Clears `github_output` for each, because GitHub
  // takes one set of variables per step: WriteList() writes those of all jobs.
  void Run(const rules::ProjectJob& job, const std::function<Result<int>(const Options&)>& judge) {
    Options options = given_;
    options.run_name = job.name;
    if (!base_.empty()) options.out_dir = (fs::path(base_) / job.name).string();
    options.out_top = base_;
    ApplySettings(project_, &job, options);
    const auto inputs = InputsOf(project_, job);
    if (!inputs) {
      ApplyCi(Variable, options);
      options.outputs[OutputKind::kGithubOutput].clear();
      Add(job.name, ExitOf(EndWith(inputs.error(), options, console_), options, console_), options);
      return;
    }
    const auto runs = RunsOf(job, options, *inputs, console_);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Options one = options;
      one.arguments = runs[i];
      if (runs.size() > 1) {
        one.run_name = fmt::format("{}-{}", job.name, i + 1);
        if (!base_.empty()) one.out_dir = (fs::path(base_) / one.run_name).string();
      }
      ApplyCi(Variable, one);
      one.outputs[OutputKind::kGithubOutput].clear();  // Written for all jobs together.
      console_.Say(fmt::format("job {}: {}", one.run_name,
                               Printable(fmt::format("{}", fmt::join(one.arguments, " ")))));
      Add(one.run_name, ExitOf(judge(one), one, console_), one);
    }
  }

  /// Prints a line per job, and writes the file that lists them.
  Result<int> Finish() {
    int exit_code = kExitPass;
    std::size_t width = 0;
    for (const JobResult& one : results_) {
      exit_code = StrongerExit(exit_code, one.exit_code);
      width = std::max(width, one.name.size());
    }
    if (results_.size() > 1) {
      std::string table = "\n";
      for (const JobResult& one : results_) {
        table += fmt::format("{}  exit {}  {}  {}\n", Padded(one.name, width), one.exit_code,
                             Padded(std::string(WordOf(one.exit_code)), 10), one.report);
      }
      console_.Print(table);
    }
    PROFGAUGE_CHECK(WriteList(exit_code));
    return exit_code;
  }

 private:
  void Add(const std::string& name, int exit_code, const Options& options) {
    JobResult& one = results_.emplace_back();
    one.name = name;
    one.exit_code = exit_code;
    if (options.out_dir.empty()) return;
    const fs::path folder = options.out_dir;
    one.report = (folder / "report.html").string();
    TakeVerdict(ReadSmallFile((folder / "verdict.json").string()).value_or(""), one);
  }

  // Writes verdict.json of all jobs, with paths relative to its folder, and the variables of the CI
  // system. Called once; the file's folder is above those of the jobs.
  Status WriteList(int exit_code) {
    if (!writes_ci_) return {};
    render::VerdictFacts facts;
    facts.status = WordOf(exit_code);
    facts.exit_code = exit_code;
    facts.name = project_.file;
    facts.again =
        exit_code == kExitNoVerdict && std::ranges::any_of(results_, &JobResult::is_again);
    // The page of the job that decided the exit code. Mostly there is only one job.
    const auto decides = std::ranges::find(results_, exit_code, &JobResult::exit_code);
    if (decides != results_.end() && !decides->report.empty()) {
      facts.report = fs::path(decides->report).lexically_proximate(base_).generic_string();
    }
    for (const JobResult& one : results_) {
      for (const std::string& reason : one.reasons) {
        facts.reasons.push_back(results_.size() > 1 ? one.name + ": " + reason : reason);
      }
      facts.errors.insert(facts.errors.end(), one.errors.begin(), one.errors.end());
      if (&one == results_.data() ||
          Strength(one.baseline.state) < Strength(facts.baseline.state)) {
        facts.baseline = one.baseline;
      }
    }
    for (const JobResult& one : results_) {
      facts.jobs.push_back({one.name, std::string(WordOf(one.exit_code)), one.exit_code,
                            fs::path(one.report).lexically_proximate(base_).generic_string()});
    }
    facts.link = LinkOfReport(
        Variable, facts.report.empty() ? "" : (fs::path(base_) / facts.report).string());
    KeptFiles kept;
    kept.inputs = {project_.file};
    Outputs outputs(std::move(kept));
    PROFGAUGE_CHECK(CheckDefault(given_, "--out", base_));
    PROFGAUGE_CHECK(outputs.MakeDirectory(base_));
    outputs.KeepWithin(base_);
    PROFGAUGE_TRY(const std::size_t list,
                  outputs.Open((fs::path(base_) / "verdict.json").string(), FileKind::kVerdict));
    PROFGAUGE_CHECK(outputs.Commit(list, render::RenderVerdict(facts)));
    // The path is relative to the working folder, like that of a single run.
    if (!facts.report.empty()) facts.report = (fs::path(base_) / facts.report).generic_string();
    const std::string variables = Variable("GITHUB_OUTPUT");
    const std::string ci = given_.ci == "auto" ? DetectCi(Variable) : given_.ci;
    if (ci == "github" && !variables.empty()) {
      PROFGAUGE_TRY(const std::size_t output, outputs.OpenToAppend(variables));
      PROFGAUGE_CHECK(outputs.Commit(output, render::RenderGithubOutput(facts)));
    }
    if (ci == "gitlab") {
      PROFGAUGE_TRY(const std::size_t output,
                    outputs.Open((fs::path(base_) / "profgauge.env").string(), FileKind::kDotenv));
      PROFGAUGE_CHECK(outputs.Commit(output, render::RenderDotenv(facts)));
    }
    return {};
  }

  const rules::Project& project_;
  const Options& given_;
  Console& console_;
  std::string base_;
  bool writes_ci_ = false;
  std::vector<JobResult> results_;
};

void NoteUnusedPolicy(const Options& options, Console& console) {
  const std::string unused = UnusedPolicy(options);
  if (unused.empty()) return;
  console.Say(
      fmt::format("note: {} is not used; say -p {} or put it into profgauge.yaml", unused, unused));
}

/// Prints a note for users on a laptop, where `auto` finds no CI system.
void NoteNoCi(const Options& given, Console& console) {
  if (given.ci != "auto" || DetectCi(Variable) != "off") return;
  console.Say(
      "note: no CI system was found, so `--ci auto` writes no files; `--ci generic` writes them");
}

/// The jobs to judge if no profile is named.
Result<std::vector<const rules::ProjectJob*>> JobsToRun(
    const std::optional<rules::Project>& project, const Options& given) {
  if (!project || project->jobs.empty()) {
    return Fail(UsageError(
        "usage/missing-argument", fmt::format("`{}` needs PROFILE…", given.command->name),
        project ? fmt::format("{} has no `jobs` to judge without one", project->file)
                : "`profgauge check PROFILE`, or a profgauge.yaml with `jobs`"));
  }
  PROFGAUGE_TRY(std::vector<const rules::ProjectJob*> jobs, JobsOf(*project, given));
  if (jobs.size() > 1) PROFGAUGE_CHECK(RefuseSingleOutputs(given));
  return jobs;
}

}  // namespace

Result<int> RunJobs(const Options& given, Console& console,
                    const std::function<Result<int>(const Options&)>& judge) {
  NoteNoCi(given, console);
  Options plain = given, asked = given, options;
  if (plain.runs.empty()) ApplyCi(Variable, plain);
  std::optional<rules::Project> project;
  std::vector<const rules::ProjectJob*> jobs;
  const bool is_named = !given.arguments.empty() || !given.runs.empty();
  // Errors before judging go to all outputs, too.
  const Result<int> prepared = RunLeavingOutputs(plain, console, [&]() -> Result<int> {
    auto loaded = LoadConfiguration(given);
    if (!loaded) {
      console.Report(loaded.error());
      return Fail(AlreadyReported());
    }
    project = *std::move(loaded);
    asked.base = FindBaseOfBranch(given, project);
    if (is_named) {
      PROFGAUGE_TRY(options, OptionsOfProfile(project, asked));
      if (!options.run_name.empty()) {
        console.Detail(fmt::format("note: the profile is of job {} of {}", options.run_name,
                                   options.config_file));
      }
      NoteUnusedPolicy(options, console);
    } else {
      PROFGAUGE_TRY(jobs, JobsToRun(project, given));
    }
    return kExitPass;
  });
  if (!prepared) return prepared;
  if (is_named) {
    if (options.runs.empty()) ApplyCi(Variable, options);
    return judge(options);
  }
  Jobs runs(*project, asked, console);
  for (const rules::ProjectJob* job : jobs) runs.Run(*job, judge);
  return runs.Finish();
}

}  // namespace profgauge::cli
