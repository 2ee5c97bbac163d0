// The policy and profgauge.yaml of the merge base: a branch may tighten what judges it, and not
// loosen it unless somebody accepts that.
//
//     main    o---o---o           policy.yaml of the second commit
//                 |
//     branch       o---o         policy.yaml as it is: the stricter of both judges
//
// The target is that of the CI's pull request, else the branch of `history:`, else the remote's
// usual branch, main or master. On the target itself, and without git, nothing is compared.
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

/// Where the branch that is judged began.
struct BaseOfBranch {
  std::string root;    ///< Of the repository, an absolute path.
  std::string commit;  ///< The merge base; empty: there is nothing to compare with.
  std::string note;    ///< Why a pull request cannot be compared with its target; else empty.
  std::optional<rules::Project> project;
  std::vector<rules::Loosened> loosened;  ///< In profgauge.yaml.
};

/// Looks for it, and holds `project` to the stricter settings unless that is accepted. A
/// configuration that the branch removed is there again.
std::shared_ptr<const BaseOfBranch> FindBaseOfBranch(const Options& options,
                                                     std::optional<rules::Project>& project);

/// What the branch loosens.
struct PolicyChange {
  std::vector<rules::Loosened> loosened;
  std::string note;  ///< Why it could not be compared; else empty.
};

/// Holds `policy` to the stricter limits of `options.base`, unless `acceptance` is about the
/// policy. Options of the command line stay.
PolicyChange HoldPolicy(const Options& options, const gate::Acceptance& acceptance,
                        rules::Policy& policy);

}  // namespace profgauge::cli
