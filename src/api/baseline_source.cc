#include "api/baseline_source.h"

#include <utility>

namespace profgauge {

Result<ChosenBaseline> BaselineSource::For(std::span<const Snapshot> candidates) const {
  ChosenBaseline chosen;
  if (choose) {
    PROFGAUGE_TRY(chosen, choose(candidates));
  } else if (!runs.empty()) {
    chosen.info.state = BaselineState::kUsed;
  }
  for (const Snapshot& run : runs) chosen.info.runs.push_back({0, "", run.name});
  chosen.runs.insert(chosen.runs.begin(), runs.begin(), runs.end());
  if (!chosen.runs.empty() && chosen.info.state == BaselineState::kMissing) {
    chosen.info.state = BaselineState::kPartial;
  }
  return chosen;
}

Error MissingBaseline(const BaselineInfo& info) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = "baseline/missing";
  error.message = info.source + ": " + info.why_missing;
  error.notes = {
      "help: `profgauge history list` shows the runs; `baseline: {missing: warn}` in the policy "
      "judges without one"};
  return error;
}

}  // namespace profgauge
