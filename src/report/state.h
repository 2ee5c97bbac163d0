// States of limits, rules, changes and runs. They are values in the program, and words only in
// report.json.
//
// A new state needs its name in kStateNames, at the same place, and an entry in the lists where it
// is valid; the reader of report.json rejects others.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace profgauge::report {

/// The state of a limit, rule, change or run. Also the level of a limit or rule.
enum class State : std::uint8_t {
  kNone,  ///< Unknown: "".
  kPass,
  kFail,
  kNoVerdict,
  kNotJudged,
  kError,
  kWarn,
  kInfo,
  kLowConfidence,
  kMissing,
  kOpen,  ///< A change that stays undecided.
  kSkipped,
  kNotApplicable,
  kWaived,
  kBroken,
  kImproved,
  kInconclusive,
  kCaution,   ///< An optional limit that stays undecided.
  kGood,      ///< A rule whose measured number is within its limits.
  kNotFound,  ///< A rule that was evaluated and found nothing.
  kCovered,   ///< A passed rule beside a finding about the same fault.
  kAccepted,  ///< A missed limit on a change that a user accepts up to a bound.
};
inline constexpr std::array<std::string_view, 22> kStateNames = {
    "",         "pass",         "fail",           "no_verdict",     "not_judged",
    "error",    "warn",         "info",           "low_confidence", "missing",
    "open",     "skipped",      "not_applicable", "waived",         "broken",
    "improved", "inconclusive", "caution",        "good",           "not_found",
    "covered",  "accepted"};
constexpr std::string_view NameOf(State state) {
  return kStateNames[static_cast<std::size_t>(state)];
}
constexpr std::optional<State> FindState(std::string_view name) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames[i] == name) return static_cast<State>(i);
  }
  return std::nullopt;
}
/// The state with a name from the gate or the rules. REQUIRES: it exists.
constexpr State StateOf(std::string_view name) {
  const std::optional<State> state = FindState(name);
  assert(state);
  return state.value_or(State::kNone);
}

// The valid states of each kind.
inline constexpr std::array kLevels = {State::kError, State::kWarn, State::kInfo};
inline constexpr std::array kRunStates = {State::kPass, State::kFail, State::kNoVerdict,
                                          State::kNotJudged};
inline constexpr std::array kLimitStates = {
    State::kPass,          State::kError,   State::kWarn,   State::kInfo,
    State::kLowConfidence, State::kMissing, State::kOpen,   State::kSkipped,
    State::kNotApplicable, State::kCaution, State::kWaived, State::kAccepted};
inline constexpr std::array kRuleStates = {State::kGood,   State::kNotFound,      State::kError,
                                           State::kWarn,   State::kInfo,          State::kWaived,
                                           State::kBroken, State::kNotApplicable, State::kCovered};
inline constexpr std::array kChangeStates = {
    State::kPass,    State::kFail,          State::kImproved, State::kInconclusive, State::kOpen,
    State::kMissing, State::kNotApplicable, State::kWaived,   State::kAccepted};

/// The better direction of a metric.
enum class Better : std::uint8_t { kNeutral, kHigher, kLower };
inline constexpr std::array<std::string_view, 3> kBetterNames = {"neutral", "higher", "lower"};
constexpr std::string_view NameOf(Better better) {
  return kBetterNames[static_cast<std::size_t>(better)];
}

/// The quantity in a table of paired work.
enum class Measure : std::uint8_t { kGpuTime, kHostTime };
inline constexpr std::array<std::string_view, 2> kMeasureNames = {"gpu_time", "host_time"};
constexpr std::string_view NameOf(Measure measure) {
  return kMeasureNames[static_cast<std::size_t>(measure)];
}

// Types of timeline tracks. The page's script distinguishes them by these names.

enum class TrackType : std::uint8_t {
  kStream,      ///< Work of a device.
  kThread,      ///< Operators and calls of a host thread.
  kPython,      ///< Python stack of a host thread.
  kOs,          ///< System calls of a host thread.
  kWaiting,     ///< Reasons why a host thread waits.
  kSample,      ///< Sampled call stacks of a host thread.
  kCore,        ///< Threads on a core of the host.
  kAnnotation,  ///< Ranges that annotate a stream.
  kLayer,       ///< Annotations that are regions of a device.
  kDetail,      ///< Shows the same work in more detail.
  kPath,        ///< The critical path.
};

constexpr std::string_view NameOf(TrackType type) {
  constexpr std::array<std::string_view, 11> kNames = {"stream",  "thread", "python", "os",
                                                       "waiting", "sample", "core",   "annotation",
                                                       "layer",   "detail", "path"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace profgauge::report
