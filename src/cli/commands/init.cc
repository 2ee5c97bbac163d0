// `profgauge init PROFILE`: a policy with limits that fit a profile, explained line by line.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "api/candidates.h"
#include "api/session.h"
#include "api/snapshots.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/init_files.h"
#include "cli/outputs.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "gate/comparable.h"
#include "gate/snapshot.h"
#include "report/build_report.h"

namespace profgauge::cli {
namespace {

std::string NameOf(const Candidate& run) {
  return run.name.empty() ? report::RunNameOf(run.ranks.front().source.path) : run.name;
}

/// Makes the commands in an error's help those of `init`, which also takes several runs.
Error ForInit(Error error, const Options& options) {
  constexpr std::string_view kCheck = "profgauge check ";
  const std::string init = options.project ? "profgauge init --project " : "profgauge init ";
  for (std::string& note : error.notes) {
    const std::size_t at = note.find(kCheck);
    if (at != note.npos && note.starts_with("help: ")) note.replace(at, kCheck.size(), init);
  }
  if (error.code == "input/several-runs") {
    error.notes.push_back(
        fmt::format("help: runs of one program go together: `{}FILE FILE FILE`", init));
  }
  return error;
}

/// Warns about runs of another program, device or size than earlier ones, because limits that fit
/// all of these runs detect little.
Status NoteOthers(const std::vector<Candidate>& runs,
                  const std::vector<analysis::Analysis>& analyses,
                  const analysis::Selection& selection, Console& console) {
  if (runs.size() < 2) return {};
  std::vector<gate::Snapshot> before;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    PROFGAUGE_TRY(gate::Snapshot run,
                  SnapshotOf(NameOf(runs[i]), runs[i].ranks, analyses[i], selection));
    const gate::Misfit misfit = gate::FindMisfit(run, before);
    if (!misfit.differences.empty() || misfit.has_other_shapes) {
      console.Warn(fmt::format(
          "note: run {} is not like those before it: {}; limits that fit all of them find little",
          Printable(run.name),
          misfit.differences.empty() ? "its operators, input shapes or launches differ"
                                     : gate::HardDifferences(misfit.differences)));
    }
    before.push_back(std::move(run));
  }
  return {};
}

// Makes the policy; its first line names the profiles that it was made from.
Result<std::string> PolicyOf(const std::vector<Candidate>& runs,
                             const std::vector<analysis::Analysis>& analyses, bool fixes_times) {
  std::vector<InitRun> measured;
  std::string name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    measured.push_back({runs[i].ranks, analyses[i]});
    name += (i == 0 ? "" : ", ") + NameOf(runs[i]);
  }
  return InitPolicy(name, measured, fixes_times);
}

/// Writes the files of --project that are missing, and keeps existing ones. So the same command can
/// be run again.
Status WriteProject(const std::string& policy, const std::string& text, const std::string& run,
                    std::size_t runs, const Options& options, Console& console) {
  const std::string policy_from_root = options.out_dir.empty() ? policy : FromRoot(policy);
  const std::vector<std::string> inputs = InputPatterns(options.arguments);
  const bool is_detected = options.ci.empty() || options.ci == "auto";
  const std::string system = is_detected ? DetectHost() : options.ci;
  const bool has_ci = !system.empty() && system != "off";
  std::vector<NewFile> files = {ProjectFile(JobName(inputs, run), inputs, policy_from_root, has_ci),
                                {policy_from_root, text}};
  if (has_ci) files.push_back(CiFile(system));
  std::error_code error;
  const std::filesystem::path root = RootOfRepository();
  for (NewFile& file : files) file.path = (root / file.path).string();
  Outputs outputs(KeptBy(options));
  std::vector<std::pair<std::size_t, const NewFile*>> opened;
  for (const NewFile& file : files) {
    if (std::filesystem::exists(file.path, error)) {
      console.Say("kept " + file.path);
      continue;
    }
    const std::string folder = std::filesystem::path(file.path).parent_path().string();
    if (!folder.empty()) PROFGAUGE_CHECK(outputs.MakeDirectory(folder));
    PROFGAUGE_TRY(const std::size_t output, outputs.Open(file.path, FileKind::kForPeople));
    opened.emplace_back(output, &file);
  }
  for (const auto& [output, file] : opened) {
    PROFGAUGE_CHECK(outputs.Commit(output, file->text));
    console.Say("wrote " + file->path);
  }
  if (std::filesystem::exists(root / ".git", error)) {
    const std::string ignores = (root / ".gitignore").string();
    const std::vector<std::string> missing = NotIgnored(ReadSmallFile(ignores).value_or(""));
    if (!missing.empty()) {
      PROFGAUGE_TRY(const std::size_t output, outputs.OpenToAppend(ignores));
      PROFGAUGE_CHECK(outputs.Commit(output, IgnoreLines(ignores, missing)));
      console.Say(fmt::format("added to {}: {}", ignores, fmt::join(missing, ", ")));
    }
  }
  if (system.empty()) {
    console.Say(
        "note: no CI system was found; the same command with --ci github, gitlab or jenkins adds "
        "its file");
  }
  if (runs < 2) {
    console.Say(
        "note: one run does not show the noise: pass three runs of the same program, or let main "
        "record them");
  }
  console.Say("next: run `profgauge check`, edit the lines marked \"yours\", commit these files");
  return {};
}

}  // namespace

// Reads and analyzes each run first, because limits are derived from all of them. With --project,
// the policy is written together with the other files; otherwise it is the only output, by default
// to standard output.
Result<int> RunInit(const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  const std::string target = !options.out_dir.empty() ? options.out_dir
                             : options.project        ? "perf/policy.yaml"
                                                      : "-";
  std::size_t output = 0;
  if (!options.project) {
    PROFGAUGE_TRY(output, outputs.Open(target, FileKind::kForPeople));
  }
  const auto is_example = [](const std::string& path) { return path.starts_with("builtin:"); };
  if (options.project && std::ranges::any_of(options.arguments, is_example)) {
    return Fail(UsageError("usage/conflict",
                           "`--project` needs a profile that can be recorded again",
                           "name one that your training wrote, or the folder of its ranks"));
  }
  Result<std::vector<Profile>> read = ReadRanks(options, {}, console);
  if (!read) return Fail(ForInit(std::move(read).error(), options));
  std::vector<Profile> profiles = *std::move(read);
  PROFGAUGE_TRY(const std::vector<Candidate> runs,
                SplitRuns(std::move(profiles), options.arguments, RanksOf(options)));
  std::vector<analysis::Analysis> analyses;
  for (const Candidate& run : runs) {
    PROFGAUGE_TRY(analysis::Analysis analysis,
                  analysis::Analyze(run.ranks, SelectionOf({}, Choices(options))));
    analyses.push_back(std::move(analysis));
  }
  PROFGAUGE_CHECK(NoteOthers(runs, analyses, SelectionOf({}, Choices(options)), console));
  PROFGAUGE_TRY(const std::string text, PolicyOf(runs, analyses, !options.project));
  if (options.project) {
    PROFGAUGE_CHECK(
        WriteProject(target, text, NameOf(runs.front()), runs.size(), options, console));
    return kExitPass;
  }
  PROFGAUGE_CHECK(outputs.Commit(output, text));
  if (target != "-") console.Say("wrote " + target);
  return kExitPass;
}

}  // namespace profgauge::cli
