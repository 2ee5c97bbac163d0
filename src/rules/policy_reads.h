// Loads a policy whose files are restricted, or come from another source, e.g. from a commit.
//
//   policy.yaml   extends: [base.yaml, ../team.yaml]     asked: policy.yaml, base.yaml,
//   ../team.yaml
//                 devices: gpus.yaml                     asked: gpus.yaml
//                 rules: [our-rules/]                    asked; only LoadRulebook() reads it
//
// A policy from others names files, and an error in a file quotes its text. So permission is
// checked for each path before the file is opened.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profgauge/error.h"
#include "rules/errors.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// Returns an error if the file may not be read.
using MayRead = std::function<Status(const std::string& path)>;

/// Like LoadPolicy(), for files that `may_read` allows; presets are always allowed. A rejected file
/// is not opened, and the error points at the place that names it. Only LoadRulebook() checks the
/// rule files. REQUIRES: `may_read` is not empty.
tl::expected<Policy, Errors> LoadPolicyWithin(const std::string& path_or_preset,
                                              const MayRead& may_read);

/// Returns the text of a file from another source, e.g. a commit; nothing if it has no such file.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

/// Like LoadPolicy(), but reads files with `read`; presets are those of this program. Does not
/// check rule files.
tl::expected<Policy, Errors> LoadPolicyOf(const std::string& path_or_preset, const ReadText& read);

}  // namespace profgauge::rules
