// Compares the policy and profgauge.yaml with those of the merge base: a branch may tighten its
// policy, but may loosen it only if somebody accepts that.
//
//     main    o---o---o           policy.yaml of the second commit
//                 |
//     branch       o---o         policy.yaml as it is: the stricter limits of both count
//
// The target branch is that of the CI's pull request, else the branch of `history:`, else the
// remote's default branch, main or master. On the target, and without git, nothing is compared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "gate/accept.h"
#include "rules/policy.h"
#include "rules/policy_diff.h"
#include "rules/project.h"

namespace profgauge::cli {

/// The commit from which the judged branch started.
struct BaseOfBranch {
  std::string root;    ///< Absolute path of the repository.
  std::string commit;  ///< The merge base; empty: nothing to compare with.
  std::string note;    ///< Why a pull request cannot be compared with its target; else empty.
  std::optional<rules::Project> project;
  std::vector<rules::Loosened> loosened;  ///< Loosened settings of profgauge.yaml.
};

/// Finds the merge base, and keeps the stricter settings in `project` unless loosening them is
/// accepted. A configuration that the branch removed is restored.
std::shared_ptr<const BaseOfBranch> FindBaseOfBranch(const Options& options,
                                                     std::optional<rules::Project>& project);

/// The limits that the branch loosens.
struct PolicyChange {
  std::vector<rules::Loosened> loosened;
  std::string note;  ///< Why the policies could not be compared; else empty.
};

/// Makes the limits of `policy` at least as strict as at the merge base (`options.base`), unless
/// `acceptance` is about the policy. Options of the command line stay as they are.
PolicyChange HoldPolicy(const Options& options, const gate::Acceptance& acceptance,
                        rules::Policy& policy);

}  // namespace profgauge::cli
