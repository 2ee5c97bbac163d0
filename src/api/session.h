// The steps from a command line or an embedder's call to a report, shared by both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "profgauge/profgauge.h"
#include "report/report.h"
#include "rules/policy.h"

namespace profgauge {

struct Recording::Data {
  std::vector<std::string> paths;
  std::vector<Profile> ranks;
};

struct Judgement::Data {
  Analysis analysis;
  Verdict verdict;
  report::Report report;
};

/// What the caller chose, over what the policy says.
Selection SelectionOf(const Policy& policy, const EvaluateOptions& options);

/// What changes numbers, of the caller's choices and of what the policy adds to the recording, for
/// the report's provenance: ("warmup", "3"), ("devices", "chips.yaml").
std::vector<std::pair<std::string, std::string>> ProvenanceOptions(const EvaluateOptions& options,
                                                                   const Policy& policy);

/// The import counters of all ranks together.
ImportLog MergedLog(const std::vector<Profile>& ranks);

/// A name for the run where its first file's is not it: the folder's for a folder or for several
/// files of one, "stdin"; else empty, and the report takes the name of the file.
std::string RunName(const std::vector<std::string>& paths);

}  // namespace profgauge
