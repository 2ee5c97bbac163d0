// A policy: what one project enforces. Decoded strictly from YAML; every error of a file is
// reported at once, with file, line, column and a suggestion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "profgauge/error.h"

namespace profgauge {

enum class Level : std::uint8_t { kInfo, kWarn, kError };
enum class FailOn : std::uint8_t { kError, kWarn, kNever };
enum class OnMissing : std::uint8_t { kNoVerdict, kSkip, kFail };

std::string_view LevelName(Level level);  ///< "info", "warn", "error"

/// A limit on one metric. Values are in the metric's base unit.
struct Threshold {
  std::string metric;
  std::optional<double> min;
  std::optional<double> max;
  Level level = Level::kError;
  OnMissing on_missing = OnMissing::kNoVerdict;
  std::string when;  ///< Condition over metrics; empty: always. Not met: the limit does not apply.
  Where where;       ///< Where the limit stands, for messages.
};

/// How iterations are found and selected, as the policy says; the command line overrides it.
struct PolicyIterations {
  std::optional<std::string> marker, key_op;
  std::optional<std::int64_t> start, stop, warmup, min;
};

struct Policy {
  std::string name;  ///< File name or "builtin:recommended".
  FailOn fail_on = FailOn::kError;
  OnMissing on_missing = OnMissing::kNoVerdict;
  PolicyIterations iterations;
  std::vector<Threshold> thresholds;
  std::string hash;  ///< XXH3-128 over all sources that formed it.
};

/// Errors of a configuration, all of them, in file order.
using Errors = std::vector<Error>;

/// Loads a policy file, or a preset "builtin:recommended|strict|report-only", with all it extends.
tl::expected<Policy, Errors> LoadPolicy(const std::string& path_or_preset);
/// The same from text; `name` is used in messages.
tl::expected<Policy, Errors> ParsePolicy(std::string_view text, const std::string& name);

}  // namespace profgauge
