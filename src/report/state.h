// States of limits, rules, changes and runs: values inside, the words of report.json at its
// edge.
//
// A new state needs its name in kStateNames, at the same place, and a row in the lists of those
// that may have it: the reader of report.json refuses others.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace profgauge::report {

/// State of a limit, a rule, a change or a run; also its severity if it is missed or fires: its
/// level.
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
  kGood,      ///< A rule whose number was measured and keeps its limits.
  kNotFound,  ///< A rule that looked and found nothing.
  kCovered,   ///< A rule that passed beside a finding about the same.
  kAccepted,  ///< A limit on a change, missed, which somebody accepts up to a bound.
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
/// The state of a name that the gate or the rules give. REQUIRES: there is one.
constexpr State StateOf(std::string_view name) {
  const std::optional<State> state = FindState(name);
  assert(state);
  return state.value_or(State::kNone);
}

// Which of them each may be.
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

/// Which direction of a metric is better.
enum class Better : std::uint8_t { kNeutral, kHigher, kLower };
inline constexpr std::array<std::string_view, 3> kBetterNames = {"neutral", "higher", "lower"};
constexpr std::string_view NameOf(Better better) {
  return kBetterNames[static_cast<std::size_t>(better)];
}

/// Quantity of a table of work in both runs.
enum class Measure : std::uint8_t { kGpuTime, kHostTime };
inline constexpr std::array<std::string_view, 2> kMeasureNames = {"gpu_time", "host_time"};
constexpr std::string_view NameOf(Measure measure) {
  return kMeasureNames[static_cast<std::size_t>(measure)];
}

// Types of timeline tracks. The page's script distinguishes them by these words.

enum class TrackType : std::uint8_t {
  kStream,      ///< Work of a device.
  kThread,      ///< Operators and calls of a host thread.
  kPython,      ///< Its Python stack.
  kOs,          ///< Its system calls.
  kWaiting,     ///< The reasons of its waiting.
  kSample,      ///< Its call stack at single moments.
  kCore,        ///< The threads on a core of the host.
  kAnnotation,  ///< Ranges that annotate a stream.
  kLayer,       ///< Annotations that are a device's regions.
  kDetail,      ///< Shows work again, more finely.
  kPath,        ///< The critical path.
};

constexpr std::string_view NameOf(TrackType type) {
  constexpr std::array<std::string_view, 11> kNames = {"stream",  "thread", "python", "os",
                                                       "waiting", "sample", "core",   "annotation",
                                                       "layer",   "detail", "path"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace profgauge::report
