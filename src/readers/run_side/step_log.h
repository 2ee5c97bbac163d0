// Times of iterations as tools log them: Megatron-LM's and NeMo's logs, TensorBoard's events, CSV
// and JSON lines with a column, vLLM's latencies, lists in the JSON of benchmarks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/run_side.h"
#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Larger logs are not read.
inline constexpr std::size_t kMostLogBytes = std::size_t{256} << 20;

/// The iteration times of one log, in order.
struct StepLog {
  RunDocument document;  ///< With the clock `reported`.
  std::string kind;      ///< "Megatron-LM log"
};

/// Reads a log in any of the known forms. Errors: kUsage "usage/step-unit", "usage/step-column";
/// kInput "run/no-times" with the known forms.
Result<StepLog> ReadStepLog(std::string_view text, const StepTimesInput& how);

}  // namespace profgauge::readers
