// The files that a run must leave alone: what it reads, and what somebody else wrote.
#pragma once

#include <string>
#include <vector>

#include "cli/file_kind.h"
#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::cli {

/// What the outputs of one run are compared with.
struct KeptFiles {
  std::vector<std::string> inputs;   ///< Files. Those that are missing, and "-", are no matter.
  std::vector<std::string> folders;  ///< Folders that profiles or rules are read from.
  std::string source_root;           ///< Folder of sources that the report shows; empty: none.
  bool force = false;                ///< Somebody else's files may go; inputs may not.
};

/// All that the command line and the policy read: profiles, baselines, history, policy with what it
/// extends, rules, names, devices, marks, templates, sources.
KeptFiles KeptBy(const Options& options, const Policy* policy = nullptr);

/// Whether an output of `kind` may take the place of what `path` is now: nothing, an empty file, a
/// device or pipe, or an earlier output. Links are followed, so every name of an input is known.
/// Errors: kUsage "usage/overwrites-input"; "usage/not-ours" unless `kept.force`.
Status CheckReplacing(const std::string& path, FileKind kind, const KeptFiles& kept);

/// The same for an output that is appended to, which loses nothing but is no input either.
Status CheckAppending(const std::string& path, const KeptFiles& kept);

}  // namespace profgauge::cli
