// Builds the report object from the results of other layers.
//
// It decides nothing: numbers, findings and verdicts come from lower layers and become texts and
// quantities. Renderers read only its result, never a profile.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/baseline_info.h"
#include "gate/compare.h"
#include "gate/verdict.h"
#include "report/report.h"

namespace profgauge::report {

struct BuildInput {
  std::string run_name;  ///< Empty: the name of the first source, without folders and suffixes.
  std::span<const Profile> ranks;
  std::size_t runs = 1;  ///< Number of runs that are judged together; `ranks` are of one of them.
  const analysis::Analysis* analysis = nullptr;
  const rules::Policy* policy = nullptr;            ///< nullptr: nothing was judged.
  const gate::Verdict* verdict = nullptr;           ///< nullptr: nothing was judged.
  const gate::RunComparison* comparison = nullptr;  ///< nullptr: there is no baseline.
  const gate::BaselineInfo* baseline = nullptr;     ///< nullptr: no baseline was requested.
  /// The rules' findings. Only waived ones are counted here; the verdict has the other counts.
  std::vector<Finding> findings;
  std::optional<Plan> plan = std::nullopt;
  std::string rules_hash;  ///< Hash of the rule files, for the provenance; may be empty.
  /// Options that change numbers, as ("warmup", "3"), for the provenance.
  std::vector<std::pair<std::string, std::string>> options;
  /// The analysis' tables, which are moved into the report; nullptr: they are copied.
  std::vector<Table>* tables = nullptr;
};

/// Builds the report without its timeline (timeline.h). Tables, the largest part, are moved if
/// `input.tables` is set, else copied.
/// REQUIRES: input.ranks is not empty and input.analysis is set.
Report BuildReport(const BuildInput& input);

/// Makes a report that has only a comparison, of two runs with snapshots only. `verdict` has the
/// counts of the comparison. `policy`: name of the judging policy; may be empty.
Report BuildComparisonReport(const gate::RunComparison& comparison, const gate::Verdict& verdict,
                             const std::string& policy);

/// Returns the name of a run from a path, without folders, suffixes of trace files, time stamp and
/// worker: "run7" for "out/run7.worker0.1623143089861.pt.trace.json.gz".
std::string RunNameOf(std::string_view path);

/// A limit as text: "≥ 60 %", "≤ 15 %", "10 % to 60 %".
std::string LimitText(const Value& min, const Value& max, Unit unit);

/// Adapts the texts of limits, metrics, comparison, verdict and remarks to a report of times
/// without a profile: no iterations are "unrecorded" there, and inputs are no profiles.
void UseWordsOfTimes(Report& report);

}  // namespace profgauge::report
