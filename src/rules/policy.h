// A policy: a project's requirements. Decoded strictly from YAML; all errors of a file are
// reported together, with file, line, column and a suggestion.
//
// `extends` merges left to right and the file itself comes last; later wins. A limit on a metric
// replaces all earlier limits on that metric; `off` takes them away. Rule settings apply in order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/classify/knowledge.h"
#include "base/errors.h"
#include "base/literal.h"
#include "base/value.h"
#include "profgauge/error.h"
#include "rules/errors.h"

namespace profgauge::rules {

enum class Level : std::uint8_t { kInfo, kWarn, kError };
enum class FailOn : std::uint8_t { kError, kWarn, kNever };
enum class OnMissing : std::uint8_t { kNoVerdict, kSkip, kFail };
enum class OnMissingRanks : std::uint8_t { kNoVerdict, kWarn, kFail };
enum class OnInconclusive : std::uint8_t { kWarn, kPass, kNoVerdict };

/// How the times of unrecorded iterations are used.
enum class Unrecorded : std::uint8_t {
  kUse,      ///< They replace the profile's values where possible.
  kIgnore,   ///< They are shown and judge nothing.
  kRequire,  ///< A run without them gets no verdict.
};

std::string_view LevelName(Level level);  ///< "info", "warn", "error"

/// A limit on one metric. Values are in the metric's base unit.
struct Threshold {
  std::string metric;
  std::optional<double> min;
  std::optional<double> max;
  Level level = Level::kError;
  std::optional<OnMissing> on_missing;  ///< Absent: the policy's own.
  SourceText when;  ///< Condition over metrics; empty: always. If false, the limit does not apply.
  Where where;      ///< Location of the limit, for messages.
};

/// How iterations are found and selected, as the policy says; the command line overrides it.
struct PolicyIterations {
  std::optional<std::string> marker, key_op;
  std::optional<std::int64_t> start, stop, warmup, min;
  /// `start: "#5"`: the number that was recorded, instead of a position.
  std::optional<std::int64_t> start_number, stop_number;
};

/// The required number of ranks. Without `ranks:` in a policy its limits across ranks
/// need all ranks that the profiles report.
struct PolicyRanks {
  std::optional<std::int64_t> expect;  ///< Absent: the world's size as recorded.
  std::int64_t allow_missing = 0;
  std::optional<OnMissingRanks> on_missing;  ///< Default: kNoVerdict.
};

/// One entry of `rules:`: a setting for the rules whose id matches `pattern`.
struct RuleSetting {
  enum class Choice : std::uint8_t { kDefault, kOff, kInfo, kWarn, kError };
  struct Param {
    Literal value;
    Where where;  ///< Location of the value.
  };
  std::string pattern;           ///< A rule id, or a glob over ids.
  std::optional<Choice> choice;  ///< Absent: only parameters are set.
  std::map<std::string, Param, std::less<>> params;
  Where where;  ///< Location of the pattern.
};

/// A finding, or a missed limit, that is known and accepted until a day.
struct Waiver {
  std::string rule;       ///< A rule id, present or former; else one of these two:
  std::string limit;      ///< the metric of a limit of `baseline`,
  std::string threshold;  ///< or that of one of `thresholds`.
  /// One of: the change (a share), or the value (in the metric's unit), up to which it is valid.
  std::optional<double> up_to;
  SourceText where;  ///< Which findings; a condition in the rule's group context. Empty: all.
  std::string reason, owner;
  std::string expires;   ///< "2027-03-31", checked to be a day; the last one on which it applies.
  bool is_long = false;  ///< It may end more than kLongestWaiver ahead.
  Where place;
};

/// A change against a baseline that is still accepted.
struct BaselineLimit {
  std::string metric;
  /// Relative limits ("3%") are shares of the baseline's value; absolute ones have the metric's
  /// unit.
  struct Amount {
    double value = 0;
    bool relative = false;
  };
  std::optional<Amount> max_increase, max_decrease;
  std::optional<double> min_abs;  ///< Changes smaller than this, in the metric's unit, never count.
  /// For typical times: the maximum increase of the total of all iterations, a share. Absent: as
  /// much as the typical time.
  std::optional<double> total;
  bool judges_total = true;  ///< `total: off` is false.
  bool is_optional = false;  ///< `on_missing: skip`: not applicable where no run has the metric.
  bool per_sample = false;   ///< `per: sample`: of times, divided by the samples of an iteration.
  Level level = Level::kError;
  Where where;
};

/// Facts about a run beside its numbers, and may have to agree: keys of Snapshot::environment.
inline constexpr std::array<std::string_view, 18> kRunProperties = {
    "format",         "gpu",        "gpus",         "ranks",       "world_size",      "iterations",
    "driver",         "runtime",    "nccl",         "framework",   "record_shapes",   "with_stack",
    "profile_memory", "with_flops", "with_modules", "cuda_graphs", "shape_signature", "selection"};

/// The verdict if a baseline was asked for and is missing.
enum class OnBaselineMissing : std::uint8_t { kPass, kWarn, kNoVerdict, kFail };

/// The runs that creep is measured from: the first of a branch, or of its accepted level.
struct PolicyAnchor {
  bool judges = true;                  ///< `anchor: off` is false.
  std::optional<double> max_increase;  ///< A share; absent: as the limits say.
};

/// The maximum slowdown of each single part of one kind.
struct PartLimit {
  double max_increase = 0.05;  ///< A share.
  double min_share = 0.001;    ///< Share of the iteration; smaller parts are not judged.
  Level level = Level::kWarn;
  bool is_optional = false;  ///< `on_missing: skip`: not applicable where no run has such parts.
};

struct PolicyBaseline {
  std::vector<BaselineLimit> limits;
  /// Absent: not judged, but for `kernels` where the block has no limit at all (gate/compare.h).
  std::optional<PartLimit> kernels, operators, collectives, modules, benchmarks;
  std::optional<OnBaselineMissing> missing;  ///< Absent: no verdict of a history, fail of a file.
  std::int64_t min_runs = 1;                 ///< Fewer are missing.
  PolicyAnchor anchor;
  std::optional<std::vector<std::string>> match;  ///< The kRunProperties that must agree.
  bool match_any = false;                         ///< `match: any`: none must.
  std::optional<double> noise_floor;              ///< A share.
  bool certain = false;                           ///< `strictness: certain`
};

/// The selected work takes `factor` times as long.
struct WhatIfScale {
  SourceText where;
  double factor = 1;
  SourceText by = {};  ///< An expression of the row, 0 to 1, in place of `factor`; else empty.
  /// Instead, of a rule: the selected transfers run beside the rank's own computation.
  bool hides = false;
};
/// Valid factors, in words for messages.
inline constexpr std::string_view kFactors = "a factor of 0 to 1000";
inline bool IsFactor(const Literal& literal) {
  return literal.value >= 0 && literal.value <= 1000 &&
         (literal.unit == Unit::kNumber || literal.unit == Unit::kShare);
}

/// A scenario: changes made together, whose effect the replay predicts (rules/what_if.h).
struct WhatIf {
  std::string name;  ///< Lower case, digits and `_`: what_if.NAME.gain_share.
  std::vector<WhatIfScale> scales;
  bool without_waiting = false;
  std::vector<SourceText> findings = {};  ///< Rules whose scenarios it makes too.
  Where place = {};
};

/// `require: [baseline]`: without a baseline there is no verdict.
inline constexpr std::string_view kRequiredBaseline = "baseline";

struct RequiredRule {
  std::string rule;
  Where where;
};

/// A file that a policy names; its path is made relative to the policy's folder. Empty: none.
struct PolicyFile {
  std::string path;
  Where where;  ///< Where it is named.
};

/// The merged policy. Defaults are those of an empty file. Paths are as the program opens them. It
/// owns all its texts; rule books and verdicts point into it, so it must outlive them.
struct Policy {
  std::string name;  ///< File name or "builtin:recommended".
  FailOn fail_on = FailOn::kError;
  bool sets_fail_on = false;  ///< Whether a file that formed it has `fail_on`.
  OnMissing on_missing = OnMissing::kNoVerdict;
  OnInconclusive on_inconclusive = OnInconclusive::kWarn;
  Unrecorded unrecorded = Unrecorded::kUse;
  PolicyIterations iterations;
  PolicyRanks ranks;
  std::vector<Threshold> thresholds;
  std::vector<RuleSetting> rules;
  std::vector<std::string>
      rule_files;  ///< Paths, relative ones made relative to the policy's folder.
  std::optional<PolicyBaseline> baseline;
  std::vector<RequiredRule> require;
  std::vector<Waiver> waivers;
  std::vector<WhatIf> what_if;
  analysis::classify::Knowledge
      knowledge;                     ///< `tensor_core: {unknown: …}`, and the contents of files:
  PolicyFile tensor_core_names;      ///< `tensor_core: {names: FILE}`
  PolicyFile devices;                ///< `devices: FILE`
  std::vector<std::string> sources;  ///< Files that formed it, with all it extends; no presets.
  std::string hash;                  ///< XXH3-128 over all sources that formed it.
};

/// Whether there is no verdict without a baseline: `require: [baseline]`.
bool RequiresBaseline(const Policy& policy);

/// Loads a policy file, or a preset "builtin:recommended|strict|report-only", with all it extends.
tl::expected<Policy, Errors> LoadPolicy(const std::string& path_or_preset);
/// The same from text; `name` is used in messages, and its folder for files that the policy names.
tl::expected<Policy, Errors> ParsePolicy(std::string_view text, const std::string& name);

}  // namespace profgauge::rules
