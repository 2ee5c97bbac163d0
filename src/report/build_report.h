// Assembles the report object from the results of the other layers.
//
// It decides nothing: numbers, findings and verdicts are those of the layers below, put into words
// and quantities. Renderers see only its result, never a profile.
#pragma once

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
  const analysis::Analysis* analysis = nullptr;
  const rules::Policy* policy = nullptr;            ///< nullptr: nothing was judged.
  const gate::Verdict* verdict = nullptr;           ///< nullptr also.
  const gate::RunComparison* comparison = nullptr;  ///< nullptr: there is no baseline.
  const gate::BaselineInfo* baseline = nullptr;     ///< nullptr: no one asked for one.
  /// The rules' findings. Here only the waived ones are counted; the verdict counts the rest.
  std::vector<Finding> findings;
  std::optional<Plan> plan = std::nullopt;
  std::string rules_hash;  ///< Hash of the rule files, for the provenance; may be empty.
  /// Options that change numbers, as ("warmup", "3"), for the provenance.
  std::vector<std::pair<std::string, std::string>> options;
  /// The analysis' tables, to be moved into the report instead of copied; nullptr: copied.
  std::vector<Table>* tables = nullptr;
};

/// The whole report except its timeline (timeline.h). Tables are moved where `input.tables` is set,
/// else copied: they are most of a report.
/// REQUIRES: input.ranks is not empty and input.analysis is set.
Report BuildReport(const BuildInput& input);

/// A report that holds nothing but a comparison, for two runs of which only snapshots are known.
/// `verdict` has the comparison's counts; `policy` is the name of the judging policy, may be empty.
Report BuildComparisonReport(const gate::RunComparison& comparison, const gate::Verdict& verdict,
                             const std::string& policy);

/// "run7" for "out/run7.worker0.1623143089861.pt.trace.json.gz": without folders, the suffixes of
/// trace files, the time stamp and the worker that profilers add.
std::string RunNameOf(std::string_view path);

/// A limit as shown: "≥ 60 %", "≤ 15 %", "10 % to 60 %".
std::string LimitText(const Value& min, const Value& max, Unit unit);

// The words of a report of times. Nothing was recorded there, so that no iteration is "unrecorded",
// and what is compared is no profile.

/// Changes the texts of limits, metrics, comparison, verdict and remarks.
void UseWordsOfTimes(Report& report);

}  // namespace profgauge::report
