// Loading a policy whose files are not simply read: some may not be, or they are those of a commit.
//
//   policy.yaml   extends: [base.yaml, ../team.yaml]     asked: policy.yaml, base.yaml,
//   ../team.yaml
//                 devices: gpus.yaml                     asked: gpus.yaml
//                 rules: [our-rules/]                    asked, and read only by LoadRulebook()
//
// A policy that others write names files, and a mistake in one of them is shown with its text. So
// each path is asked about before the file is opened.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profgauge/error.h"
#include "rules/errors.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// The error of a file that may not be read.
using MayRead = std::function<Status(const std::string& path)>;

/// The same as LoadPolicy(), for files that `may_read` allows; presets are always allowed. A
/// refused file is not opened, and its error has the place that names it. Mistakes in rule files
/// are not looked for: LoadRulebook() finds them. REQUIRES: `may_read` is not empty.
tl::expected<Policy, Errors> LoadPolicyWithin(const std::string& path_or_preset,
                                              const MayRead& may_read);

/// The text of a file as it is somewhere else, such as in a commit; nothing: it is not there.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

/// The same as LoadPolicy() of files that `read` gives; presets are those of this program. Mistakes
/// in rule files are not looked for.
tl::expected<Policy, Errors> LoadPolicyOf(const std::string& path_or_preset, const ReadText& read);

}  // namespace profgauge::rules
