// The files that a run must not touch: its inputs, and files of others.
#pragma once

#include <string>
#include <vector>

#include "cli/file_kind.h"
#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::cli {

/// Files that are compared with the outputs of one run.
struct KeptFiles {
  std::vector<std::string> inputs;   ///< Files. Those that are missing, and "-", are no matter.
  std::vector<std::string> folders;  ///< Folders that profiles or rules are read from.
  std::string source_root;           ///< Folder of sources that the report shows; empty: none.
  bool force = false;                ///< Somebody else's files may go; inputs may not.
};

/// All inputs of the command line and the policy: profiles, baselines, history, policy with its
/// bases, rules, names, devices, marks, templates, sources.
KeptFiles KeptBy(const Options& options, const Policy* policy = nullptr);

/// Whether an output of `kind` may replace the current content of `path`: nothing, an empty file, a
/// device or pipe, or an earlier output. Links are followed, so every name of an input is known.
/// Errors: kUsage "usage/overwrites-input"; "usage/not-ours" unless `kept.force`.
Status CheckReplacing(const std::string& path, FileKind kind, const KeptFiles& kept);

/// The same for an output that is appended to, which loses nothing but is no input either.
Status CheckAppending(const std::string& path, const KeptFiles& kept);

}  // namespace profgauge::cli
