#include "cli/row_facts.h"

#include <chrono>
#include <cstdlib>
#include <span>
#include <string>

#include "base/git.h"
#include "cli/ci_system.h"
#include "cli/snapshots.h"

namespace profgauge::cli {
namespace {

// For a pull request, the name of its branch takes precedence over that of the merged branch.
constexpr const char* kBranchVariables[] = {
    "GITHUB_HEAD_REF",  "GITHUB_REF_NAME", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH", "CHANGE_BRANCH",   "BRANCH_NAME",
    "BUILDKITE_BRANCH"};

std::string FirstOfVariables(std::span<const char* const> names) {
  for (const char* name : names) {
    if (std::string value = Variable(name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

std::int64_t Now() {
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) return std::atoll(epoch);
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

report::RowFacts RowFactsOf(const Options& options, int exit_code) {
  report::RowFacts facts;
  facts.time = Now();
  facts.exit_code = exit_code;
  facts.is_redacted = static_cast<bool>(options.redact);
  facts.job = options.model;
  facts.labels = options.labels;
  facts.commit = options.commit.empty() ? CommitOfCi(Variable) : options.commit;
  facts.branch = options.branch.empty() ? FirstOfVariables(kBranchVariables) : options.branch;
  if (!facts.commit.empty() && !facts.branch.empty()) return facts;
  const auto head = git::HeadOf(JudgedFolderOf(options));
  if (!head) return facts;
  if (facts.commit.empty() && head->is_clean) facts.commit = head->commit;
  if (facts.branch.empty()) facts.branch = head->branch;
  return facts;
}

}  // namespace profgauge::cli
