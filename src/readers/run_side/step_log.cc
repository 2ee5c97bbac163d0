#include "readers/run_side/step_log.h"

#include <utility>

#include "readers/run_side/log_values.h"

namespace profgauge::readers {

Result<StepLog> ReadStepLog(std::string_view text, const StepTimesInput& how) {
  if (auto log = ReadEventsFile(text, how)) return *std::move(log);
  if (auto log = ReadJsonLog(text, how)) return *std::move(log);
  if (auto log = ReadTextLog(text)) return *std::move(log);
  if (auto log = ReadMetricLog(text, how)) return *std::move(log);
  if (auto log = ReadTableLog(text, how)) return *std::move(log);
  return Fail(NoTimes("the file holds no times of iterations that are known"));
}

}  // namespace profgauge::readers
