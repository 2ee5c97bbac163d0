// Acceptance: an intended change of speed, up to a bound, by a line that reviewers see.
//
//     Profgauge-Accept: +9.4% wider model            every limit of the baseline, up to +9.4 %
//     Profgauge-Accept: memory.peak_allocated +2% …  one of them
//     Profgauge-Accept: work: skips empty batches    the work of an iteration (gate/work.h)
//     Profgauge-Accept: policy: wider limit          a looser policy (rules/policy_diff.h)
//
// Nothing is accepted without end: without a number the bound is two limits.
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
  std::string what;             ///< "work", "policy", a metric; empty: each limit of the baseline.
  std::optional<double> up_to;  ///< A share; absent: two limits.
  std::string reason;
};

/// All that one user accepts.
struct Acceptance {
  std::vector<AcceptanceLine> lines;
  std::string owner;

  /// The line about `what`, "work" or "policy"; nullptr: there is none.
  const AcceptanceLine* About(std::string_view what) const;
};

/// Something that was accepted, for every output.
struct Accepted {
  std::string what;              ///< A metric, "work", "policy", or a kind of parts.
  std::optional<double> change;  ///< A share; absent: of no number.
  std::optional<double> up_to;   ///< Its bound.
  bool is_assumed = false;       ///< The line has no number.
  std::string reason, owner;
  std::string until;  ///< The last day; empty: without end.
};

/// The lines of `text`; empty ones are left out. Errors (kUsage, "accept/…"): a line without a
/// reason, or with a number that is no increase in per cent.
Result<std::vector<AcceptanceLine>> ParseAcceptance(std::string_view text);

/// The answer of an acceptance to one missed limit.
struct AcceptanceAnswer {
  std::optional<Accepted> accepted;
  /// "accepted up to +10 %, measured +18.4 %: write `Profgauge-Accept: …`"; empty: no line is about
  /// it.
  std::string why_not;
};

/// Whether a limit that is missed for certain is accepted: shift and total are at most the bound
/// and half of the limit more, as logarithms. Of several lines that of the metric counts.
AcceptanceAnswer AnswerOf(const Acceptance& acceptance, const MetricComparison& missed);
/// The same of parts of one kind.
AcceptanceAnswer AnswerOf(const Acceptance& acceptance, const PartsComparison& missed);

/// The change that bounds are held against, a share: the larger of shift and total.
double LargestChange(const MetricComparison& metric);

/// "`Profgauge-Accept: +9.4% REASON`", which would accept all that failed; empty where nothing did,
/// or no number tells by how much.
std::string AcceptLine(std::span<const MetricComparison> metrics);

/// "accepted by anna up to +10 %: wider model"
std::string AcceptedText(const Accepted& accepted);

}  // namespace profgauge::gate
