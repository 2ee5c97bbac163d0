// Evaluates one rule on one run: groups of rows, results, savings, texts, order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/eval.h"
#include "expr/message.h"
#include "knowledge/quantity.h"
#include "rules/bindings.h"
#include "rules/compile.h"
#include "rules/evaluator.h"

namespace profgauge::rules {

/// Runs a rule. Returns at least one finding; with `report: each`, one per fired or waived group.
std::vector<Finding> RunRule(const CompiledRule& rule, RunData& run, const RuleRunOptions& options);

// The groups of a rule's rows.

struct RowGroup {
  std::string key;    ///< "rank=3", "rank=1,gpu=0", "name=aten::mm"; empty without group_by.
  std::string label;  ///< "rank 3", "rank 1, GPU 0", "aten::mm"; empty without group_by.
  std::vector<expr::RowId> rows;
};

// The results of a rule by group, and the findings made from them: order, summaries, gain and
// evidence.

/// The result of one group before texts are made. If no limit is exceeded, the status is kGood;
/// kNotFound without limits or for a 0; kNotApplicable if a needed number is absent. `surely` is
/// absent if the number, or its uncertain part, may be within all limits.
struct Judged {
  const RowGroup* group = nullptr;
  FindingStatus status = FindingStatus::kNotFound;
  FindingStatus unwaived = FindingStatus::kNotFound;  ///< Its status without its waiver.
  expr::Outcome metric, gain;
  std::optional<double> most_gain;  ///< Upper bound in ns, from the cost of the rows; see MostGain.
  std::optional<RuleLimit> limit;
  std::optional<Level> surely;  ///< The level that is certain despite uncertainty of the number.
  std::string unsure_because;   ///< The false `sure_when` of the rule; else empty.
  std::string unknown_limit;    ///< Why a more severe limit could not be evaluated; else empty.
  bool low_confidence = false;
  bool is_small = false;  ///< Its gain is too small for more than information.
  std::string reason, missing_field;
  bool is_left_out = false;       ///< Its `when` is false.
  bool is_other_profile = false;  ///< The false `when` is about the profile (IsOtherProfile()).
  const Waiver* waiver = nullptr;
  std::vector<TraceValue> trace;
};

/// Sorts fired groups before waived, passed and not applicable ones. Within these, the more severe
/// first: by the metric or, without one, by the number of rows. Equal groups keep their order.
void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged);

/// The entry for a group in a finding's `groups`, without gain and texts.
GroupResult SummaryOf(const CompiledRule& rule, Judged judged);

/// A gain in ns and as a share of the iteration; the share is 0 if unknown.
struct CappedGain {
  double gain = 0, share = 0;
};
/// Limits a saving to 0 or more, to the cost of its rows (`most`) and to an iteration. `iteration`
/// is the metric of the mean iteration time; nullptr or absent if unknown.
CappedGain CapGain(double gain, std::optional<double> most, const analysis::Metric* iteration);

/// The limit of a finding's rows whose index is kept. Pages use the indices for links.
inline constexpr std::size_t kMostRowNumbers = 10'000;

/// Adds the rows that the rule shows: at most `most` or, if that is 0, the rule's own limit.
void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out);

// The trace of a rule for `rules explain`: the value of every name and of every step.

/// An outcome as text: "31.4 %", or "absent: …".
std::string ShownOutcome(const expr::Outcome& outcome, const expr::Type& type,
                         const expr::Display& display);

/// Which names a rule uses directly, i.e. outside of aggregates.
enum class Named : std::uint8_t {
  kOfRun,    ///< Metrics, facts, common values of GPUs: one value for all groups.
  kOfGroup,  ///< Columns of the group's rank, GPU or key.
};

/// Appends each name of kind `which` in the rule's expressions once, in order of appearance,
/// without parameters. REQUIRES: `data` is bound; for kOfGroup, to a group.
void AddNames(const CompiledRule& rule, const expr::Data& data, Named which,
              std::vector<TraceValue>& trace);

// The order of findings: causes with their symptoms, by savings.

/// The category of rules about the profile itself. Their findings come first, because others depend
/// on the profile.
inline constexpr std::string_view kAboutRecording = "recording";

}  // namespace profgauge::rules
