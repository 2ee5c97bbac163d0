// Assembles the report object from what the other layers found.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/verdict.h"
#include "report/report.h"

namespace profgauge::report {

struct BuildInput {
  std::string run_name;
  std::span<const Profile> ranks;
  const Analysis* analysis = nullptr;
  const Policy* policy = nullptr;    ///< nullptr: nothing was judged.
  const Verdict* verdict = nullptr;  ///< nullptr likewise.
  /// Options that change numbers, as ("warmup", "3"), for the provenance.
  std::vector<std::pair<std::string, std::string>> options;
};

Report BuildReport(const BuildInput& input);

}  // namespace profgauge::report
