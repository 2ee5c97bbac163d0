// A policy: the requirements of a project, decoded strictly from YAML. All errors of a file are
// reported together, with file, line, column and a suggestion.
//
// `extends` merges policies from left to right, then the file itself; later ones win. A limit on a
// metric replaces all earlier ones on it; `off` removes them. Rule settings apply in order.
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
  kIgnore,   ///< They are shown but judge nothing.
  kRequire,  ///< A run without them gets no verdict.
};

std::string_view LevelName(Level level);  ///< "info", "warn", "error"

/// A limit on one metric. Values are in the metric's base unit.
struct Threshold {
  std::string metric;
  std::optional<double> min;
  std::optional<double> max;
  Level level = Level::kError;
  std::optional<OnMissing> on_missing;  ///< Absent: as the policy says.
  SourceText when;  ///< Condition over metrics; empty: always. If false, the limit does not apply.
  Where where;      ///< Location of the limit, for messages.
};

/// How the policy finds and selects iterations. Options of the command line have priority.
struct PolicyIterations {
  std::optional<std::string> marker, key_op;
  std::optional<std::int64_t> start, stop, warmup, min;
  /// Set for `start: "#5"`: a recorded number instead of a position.
  std::optional<std::int64_t> start_number, stop_number;
};

/// The required number of ranks. If a policy has no `ranks:`, its limits across ranks need all
/// ranks that the profiles mention.
struct PolicyRanks {
  std::optional<std::int64_t> expect;  ///< Absent: the recorded world size.
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

/// Accepts a finding or a missed limit until a day.
struct Waiver {
  std::string rule;       ///< A present or former rule id. Otherwise one of the next two is set.
  std::string limit;      ///< The metric of a limit in `baseline`.
  std::string threshold;  ///< The metric of a limit in `thresholds`.
  /// The largest change (a share) or value (in the metric's unit) that the waiver accepts.
  std::optional<double> up_to;
  SourceText where;  ///< Condition in the rule's group context; empty: every finding.
  std::string reason, owner;
  std::string expires;   ///< Valid date of the last day on which it applies: "2027-03-31".
  bool is_long = false;  ///< It may end more than kLongestWaiver ahead.
  Where place;
};

/// The largest accepted change against a baseline.
struct BaselineLimit {
  std::string metric;
  /// A relative amount ("3%") is a share of the baseline's value; an absolute one is in the
  /// metric's unit.
  struct Amount {
    double value = 0;
    bool relative = false;
  };
  std::optional<Amount> max_increase, max_decrease;
  std::optional<double> min_abs;  ///< Smaller changes never count, in the metric's unit.
  /// The largest increase of the total of all iterations, as a share; only for typical times. If
  /// absent, the limit of the typical time is used.
  std::optional<double> total;
  bool judges_total = true;  ///< `total: off` is false.
  bool is_optional = false;  ///< `on_missing: skip`: not applicable if no run has the metric.
  bool per_sample = false;   ///< `per: sample`: times are divided by samples per iteration.
  Level level = Level::kError;
  Where where;
};

/// The properties of a run that may have to agree: keys of Snapshot::environment.
inline constexpr std::array<std::string_view, 18> kRunProperties = {
    "format",         "gpu",        "gpus",         "ranks",       "world_size",      "iterations",
    "driver",         "runtime",    "nccl",         "framework",   "record_shapes",   "with_stack",
    "profile_memory", "with_flops", "with_modules", "cuda_graphs", "shape_signature", "selection"};

/// The verdict if a requested baseline is missing.
enum class OnBaselineMissing : std::uint8_t { kPass, kWarn, kNoVerdict, kFail };

/// How creep is measured: from the first runs of a branch, or of its accepted level.
struct PolicyAnchor {
  bool judges = true;                  ///< `anchor: off` is false.
  std::optional<double> max_increase;  ///< A share; absent: as the limits say.
};

/// The largest slowdown of any single part of one kind.
struct PartLimit {
  Where where = {};            ///< Location of the limit, for messages.
  double max_increase = 0.05;  ///< A share.
  double min_share = 0.001;    ///< Share of the iteration; smaller parts are not judged.
  Level level = Level::kWarn;
  bool is_optional = false;  ///< `on_missing: skip`: not applicable if no run has such parts.
};

struct PolicyBaseline {
  std::vector<BaselineLimit> limits;
  /// Absent kinds are not judged, except `kernels` if there is no limit (gate/compare.h).
  std::optional<PartLimit> kernels, operators, collectives, modules, benchmarks;
  std::optional<OnBaselineMissing> missing;  ///< Absent: no verdict for a history, fail for a file.
  std::int64_t min_runs = 1;                 ///< Fewer runs count as missing.
  PolicyAnchor anchor;
  std::optional<std::vector<std::string>> match;  ///< kRunProperties that must agree.
  bool match_any = false;                         ///< `match: any`: none must agree.
  std::optional<double> noise_floor;              ///< A share.
  bool certain = false;                           ///< `strictness: certain`
};

/// A change of a scenario: the selected work takes `factor` times as long.
struct WhatIfScale {
  SourceText where;
  double factor = 1;
  SourceText by = {};  ///< Expression per row, 0 to 1, instead of `factor`; else empty.
  /// Selected transfers overlap with the rank's own computation; only in rules, without factor.
  bool hides = false;
};
/// Valid factors, as text for messages.
inline constexpr std::string_view kFactors = "a factor of 0 to 1000";
inline bool IsFactor(const Literal& literal) {
  return literal.value >= 0 && literal.value <= 1000 &&
         (literal.unit == Unit::kNumber || literal.unit == Unit::kShare);
}

/// A scenario: changes made together, whose effect is simulated (rules/what_if.h).
struct WhatIf {
  std::string name;  ///< Lower case, digits, `_`: what_if.NAME.gain_share.
  std::vector<WhatIfScale> scales;
  bool without_waiting = false;
  std::vector<SourceText> findings = {};  ///< Rules whose scenarios it includes.
  Where place = {};
};

/// The word of `require: [baseline]`, which gives no verdict without a baseline.
inline constexpr std::string_view kRequiredBaseline = "baseline";

struct RequiredRule {
  std::string rule;
  Where where;
};

/// A file that a policy names, with its path resolved from the policy's folder. Empty: none.
struct PolicyFile {
  std::string path;
  Where where;  ///< Where the policy names it.
};

/// The merged policy. Default values are those of an empty file. Paths can be opened as they are.
/// It owns all its texts, and rule books and verdicts point into it, so it must outlive them.
struct Policy {
  std::string name;  ///< File name or "builtin:recommended".
  FailOn fail_on = FailOn::kError;
  bool sets_fail_on = false;  ///< True if one of its files has `fail_on`.
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
  analysis::classify::Knowledge knowledge;  ///< `tensor_core: {unknown: …}`, and file contents.
  PolicyFile tensor_core_names;             ///< `tensor_core: {names: FILE}`
  PolicyFile devices;                       ///< `devices: FILE`
  std::vector<std::string> sources;         ///< Its files, with those it extends; no presets.
  std::string hash;                         ///< XXH3-128 over all these files and presets.
};

/// True if `require: [baseline]` is set: no verdict without a baseline.
bool RequiresBaseline(const Policy& policy);

/// Loads a policy file, or a preset "builtin:recommended|strict|report-only", with all it extends.
tl::expected<Policy, Errors> LoadPolicy(const std::string& path_or_preset);
/// Loads a policy from text. Messages use `name`; its folder is that of files in the text.
tl::expected<Policy, Errors> ParsePolicy(std::string_view text, const std::string& name);

}  // namespace profgauge::rules
