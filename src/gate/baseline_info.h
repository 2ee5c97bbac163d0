// The baseline of a run, in words: which runs, which were skipped and why, and from where on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/select.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// Whether a run has the baseline that its policy or its user asked for.
enum class BaselineState : std::uint8_t {
  kNone,     ///< None was asked for.
  kUsed,     ///< As many runs as were wanted.
  kPartial,  ///< Fewer.
  kMissing,  ///< None, or fewer than the policy's `min_runs`.
};
std::string_view BaselineStateName(BaselineState state);  ///< "none", "used", "partial", "missing"

/// One run of the baseline, as reports name it.
struct BaselineRun {
  std::int64_t id = 0;  ///< In the history; 0: of a file.
  std::string commit, name;
};

/// The baseline of one comparison.
struct BaselineInfo {
  BaselineState state = BaselineState::kNone;
  std::string source;  ///< "history:main~5"; empty: files.
  std::int64_t wanted = 0;
  std::vector<BaselineRun> runs;  ///< Oldest first.
  std::vector<SkippedRun> skipped;
  std::optional<HistoryLevel> level, ended;
  std::string anchor;             ///< The origin of creep: "run 7"; empty: none.
  std::int64_t since_anchor = 0;  ///< Runs since then.
  std::string why_missing;        ///< "profgauge-history.db does not exist"
  bool warns = false;             ///< Its absence is counted as a warning.
};

/// The chosen runs of a history; `min_runs`: fewer are missing, unless they begin at a level.
BaselineInfo DescribeChoice(const HistoryChoice& choice, const HistoryReference& reference,
                            std::int64_t min_runs);

/// "runs 43, 47 (H100), run 45 (failed)"; empty of none.
std::string SkippedText(const std::vector<SkippedRun>& skipped);

/// One line: "baseline: 5 runs of main (41 … 52); skipped runs 43, 47 (H100)".
std::string BaselineLine(const BaselineInfo& info);

/// "baseline missing", "baseline partial (2 of 5)"; empty where all is there.
std::string BaselineMark(const BaselineInfo& info);

}  // namespace profgauge::gate
