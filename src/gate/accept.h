// An acceptance: an intended change of speed up to a bound, written in a line that reviewers see.
//
//     Profgauge-Accept: +9.4% wider model            each time and rate, up to +9.4 %
//     Profgauge-Accept: memory.peak_allocated +2% …  one metric
//     Profgauge-Accept: work: skips empty batches    the work of an iteration (gate/work.h)
//     Profgauge-Accept: policy: wider limit          a looser policy (rules/policy_diff.h)
//
// Every acceptance has a bound: without a number it is two limits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::gate {

struct MetricComparison;
struct PartsComparison;

inline constexpr std::string_view kAcceptWork = "work", kAcceptPolicy = "policy";

/// One line of --accept, or the value of one trailer.
struct AcceptanceLine {
  std::string what;             ///< "work", "policy" or a metric; empty: times and rates.
  std::optional<double> up_to;  ///< The bound, a share; absent: two limits.
  std::string reason;
};

/// All acceptances of one user.
struct Acceptance {
  std::vector<AcceptanceLine> lines;
  std::string owner;

  /// Returns the line about `what`, or for "" the line without a metric; nullptr if there is none.
  /// Of several, as of several commits, the one with the largest bound; a line without a bound
  /// counts as `assumed`.
  const AcceptanceLine* About(std::string_view what, double assumed = 0) const;
};

/// An accepted change, as every output shows it.
struct Accepted {
  std::string what;              ///< A metric, "work", "policy", or a kind of parts.
  std::optional<double> change;  ///< A share; absent if the accepted item has no number.
  std::optional<double> up_to;   ///< Its bound.
  bool is_assumed = false;       ///< The line has no number.
  std::string reason, owner;
  std::string until;  ///< The last day; empty: without end.
};

/// Parses the lines of `text`; empty lines are skipped. Errors (kUsage, "accept/…"): a line without
/// a reason, or with a number that is not an increase in percent.
Result<std::vector<AcceptanceLine>> ParseAcceptance(std::string_view text);

/// The effect of an acceptance on one missed limit.
struct AcceptanceAnswer {
  std::optional<Accepted> accepted;
  /// Why the change is not accepted: "accepted up to +10 %, measured +18.4 %: write
  /// `Profgauge-Accept: …`"; empty if no line is about this limit.
  std::string why_not;
};

/// Decides whether a certainly missed limit is accepted: the larger of shift and total may exceed
/// the bound by at most half of the limit (as logarithms). A line about the metric comes first.
AcceptanceAnswer AnswerOf(const Acceptance& acceptance, const MetricComparison& missed);
/// Decides whether slower parts of one kind are accepted, by their largest change.
AcceptanceAnswer AnswerOf(const Acceptance& acceptance, const PartsComparison& missed);

/// The change that is compared with a bound, as a share: the larger one of shift and total.
double LargestChange(const MetricComparison& metric);

/// The lines that would accept all failures: "`Profgauge-Accept: +9.4% REASON`". Each names its
/// metric but that of the time. Empty if nothing failed, or if no failure has a number.
std::string AcceptLine(std::span<const MetricComparison> metrics);

/// An accepted change as text: "accepted by anna up to +10 %: wider model".
std::string AcceptedText(const Accepted& accepted);

}  // namespace profgauge::gate
