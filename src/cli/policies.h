// The policy of commands that read several runs: one for all, but another for runs without a GPU.
#pragma once

#include <map>
#include <optional>

#include "analysis/analysis.h"
#include "api/session.h"
#include "cli/options.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::cli {

class Console;

/// A policy with its rules. Most runs share one.
struct Judging {
  rules::Policy policy;
  rules::Rulebook book;
};

/// Chooses the policy: one for all runs or, if the user chose none, another for runs without a GPU.
class Policies {
 public:
  /// REQUIRES: all arguments outlive the object.
  Policies(const Options& options, const rules::SelectOptions& select, Console& console)
      : options_(options), select_(select), console_(console) {}

  /// The policy and its rules, compiled once for each kind of run; nullptr after their errors were
  /// reported. `is_cpu_only` matters only if no policy is named. The pointer is valid as long as
  /// this object.
  const Judging* For(bool is_cpu_only);
  /// The report's sentence about the policy that For() chose; may be empty.
  analysis::Remark RemarkOn(const RunToJudge& run) const;

 private:
  const Options& options_;
  const rules::SelectOptions& select_;
  Console& console_;
  std::map<bool, Judging> judgings_;
};

}  // namespace profgauge::cli
