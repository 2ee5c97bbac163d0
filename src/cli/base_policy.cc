#include "cli/base_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/default_policy.h"
#include "base/git.h"
#include "cli/ci_system.h"
#include "cli/configuration.h"
#include "rules/policy_reads.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

/// The target branches or commits of the CI's pull request; empty if there is no pull request.
std::vector<std::string> TargetOfCi() {
  std::vector<std::string> targets;
  for (const char* name :
       {"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_MERGE_REQUEST_DIFF_BASE_SHA",
        "CHANGE_TARGET", "BUILDKITE_PULL_REQUEST_BASE_BRANCH"}) {
    if (std::string value = Variable(name); !value.empty()) targets.push_back(std::move(value));
  }
  return targets;
}

std::vector<std::string> Targets(const Options& options,
                                 const std::optional<rules::Project>& project) {
  std::vector<std::string> targets = TargetOfCi();
  if (!targets.empty()) return targets;
  std::vector<std::string> baselines = options.baselines;
  for (const rules::ProjectText& one :
       project ? project->top.baselines : std::vector<rules::ProjectText>()) {
    baselines.push_back(one.text);
  }
  constexpr std::string_view kHistory = "history:";
  for (const std::string& baseline : baselines) {
    if (!baseline.starts_with(kHistory)) continue;
    targets.push_back(baseline.substr(kHistory.size(), baseline.rfind('~') - kHistory.size()));
  }
  for (const char* usual : {"HEAD", "main", "master"}) targets.emplace_back(usual);
  return targets;
}

/// The path relative to the repository's root; empty if it is outside of the repository.
std::string FromRootOf(const BaseOfBranch& base, const std::string& path) {
  std::error_code error;
  const fs::path inside =
      fs::absolute(path, error).lexically_normal().lexically_relative(base.root);
  return inside.empty() || *inside.begin() == ".." ? std::string() : inside.generic_string();
}

/// The file's text in the merge base; nullopt if it has no such file, or if the file is outside of
/// the repository.
std::optional<std::string> TextAt(const BaseOfBranch& base, const std::string& path) {
  return git::FileAt(base.root, base.commit, FromRootOf(base, path));
}

/// Explains why a file is missing in the merge base although it is not new; empty if it is new.
std::string WhyUnread(const BaseOfBranch& base, const std::string& path) {
  if (!git::HasFile(base.root, base.commit, FromRootOf(base, path))) return {};
  return fmt::format(
      "{} of commit {:.10} is not in this partial clone, so that this one was not compared with "
      "it: fetch it before the check, as with `git diff BASE HEAD` [policy/base-unknown]",
      path, base.commit);
}

bool IsAccepted(const Options& options) {
  const auto lines = gate::ParseAcceptance(options.accept);
  return lines && std::ranges::any_of(*lines, [](const gate::AcceptanceLine& line) {
           return line.what == gate::kAcceptPolicy;
         });
}

/// The policy that the merge base's configuration names for the job; empty if it names none.
std::string PolicyAtBase(const BaseOfBranch& base, const Options& options) {
  if (options.IsGiven("--policy") || !base.project) return options.policy;
  Options of_base = options;
  of_base.policy.clear();
  of_base.baselines.clear();
  ApplySettings(*base.project, base.project->Find(options.model), of_base);
  return of_base.policy;
}

}  // namespace

std::shared_ptr<const BaseOfBranch> FindBaseOfBranch(const Options& options,
                                                     std::optional<rules::Project>& project) {
  std::error_code error;
  auto base = std::make_shared<BaseOfBranch>();
  const fs::path root = fs::current_path(error) / RootOfRepository();
  base->root = root.lexically_normal().string();
  while (base->root.size() > 1 && base->root.ends_with('/')) base->root.pop_back();
  const bool is_plain = !project && options.policy.empty();
  if (error || !fs::exists(root / ".git", error)) return base;
  if (is_plain && TargetOfCi().empty()) return base;
  const auto fork = git::FindFork(base->root, Targets(options, project));
  if (fork && fork->base == fork->head) return base;
  if (!fork || fork->base.empty()) {
    const std::vector<std::string> target = TargetOfCi();
    if (target.empty()) return base;
    base->note = fmt::format(
        "the policy was not compared with that of {}, since git does not know where this branch "
        "began (shallow clone?): fetch its history [policy/base-unknown]",
        target.front());
    return base;
  }
  base->commit = fork->base;
  if (options.config == kNoConfiguration) return base;
  const std::string path = project ? project->file : RootOfRepository() + "profgauge.yaml";
  const auto text = TextAt(*base, path);
  auto before = rules::ParseProject(text.value_or(""), path);
  if (!text) base->note = WhyUnread(*base, path);
  if (!text || !before) return base;
  base->project = *std::move(before);
  const bool is_accepted = IsAccepted(options);
  if (!project) {
    base->loosened = {{"profgauge.yaml", "there", "removed"}};
    if (!is_accepted) project = base->project;
    return base;
  }
  rules::Project held = *project;
  base->loosened = rules::HoldStricter(*base->project, held);
  if (!is_accepted) project = std::move(held);
  return base;
}

PolicyChange HoldPolicy(const Options& options, const gate::Acceptance& acceptance,
                        rules::Policy& policy) {
  PolicyChange change;
  if (options.base == nullptr) return change;
  const BaseOfBranch& base = *options.base;
  change.note = base.note;
  change.loosened = base.loosened;
  const std::string path = base.commit.empty() ? std::string() : PolicyAtBase(base, options);
  if (path.empty() || (path == options.policy && path.starts_with("builtin:"))) return change;
  const auto read = [&base](const std::string& file) { return TextAt(base, file); };
  if (!path.starts_with("builtin:") && !read(path)) {
    if (std::string why = WhyUnread(base, path); !why.empty()) change.note = std::move(why);
    return change;
  }
  auto before = rules::LoadPolicyOf(path, read);
  if (!before) {
    change.note = fmt::format(
        "{} of commit {:.10} cannot be read as a policy, so this one was not compared with it "
        "[policy/base-unknown]",
        path, base.commit);
    return change;
  }
  if (!options.fail_on.empty()) before->fail_on = policy.fail_on;
  rules::Policy held = policy;
  std::vector<rules::Loosened> loosened = rules::HoldStricter(*before, held);
  if (loosened.empty()) return change;
  std::move(loosened.begin(), loosened.end(), std::back_inserter(change.loosened));
  if (acceptance.About(gate::kAcceptPolicy) == nullptr) policy = std::move(held);
  return change;
}

}  // namespace profgauge::cli
