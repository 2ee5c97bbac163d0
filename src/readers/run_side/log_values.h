// Shared by the readers of logs: values with their unit, and how they become a document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "readers/run_side/step_log.h"

namespace profgauge::readers {

/// One line of a log.
struct LoggedTime {
  std::int64_t step = -1;  ///< As logged; -1: not.
  double value = 0;        ///< In the log's unit.
};

/// How values are meant.
enum class Logged : std::uint8_t {
  kSingle,  ///< Each is one iteration, or a sample of them.
  kMean,    ///< Each is the mean of those since the line before.
};

/// Nanoseconds of "s", "ms", "us", "ns"; nothing of other texts.
std::optional<double> FactorOf(std::string_view unit);
/// The unit that a column's name has: "step_ms", "time (ms)", "timing in s".
std::optional<double> FactorOfName(std::string_view name);

/// The factor that the user gives, else that of the name. Errors: kUsage "usage/step-unit".
Result<double> ChooseFactor(const StepTimesInput& how, const std::string& name);

/// Whether a column or tag of that name holds times of iterations.
bool IsStepTimeName(std::string_view name);
/// Whether it holds the numbers of iterations.
bool IsStepNumberName(std::string_view name);
/// The one of `names` that the user gives, else the only one that is of step times. Errors: kUsage
/// "usage/step-column".
Result<std::string> ChooseName(const std::string& given, const std::vector<std::string>& names,
                               std::string_view option);

/// `factor`: nanoseconds of a value. Errors: kInput "run/no-times".
Result<StepLog> MakeStepLog(std::string kind, const std::vector<LoggedTime>& values, double factor,
                            Logged logged);
/// The error "run/no-times".
Error NoTimes(std::string message);

// Nothing where the text is of another kind.
std::optional<Result<StepLog>> ReadTextLog(std::string_view text);
std::optional<Result<StepLog>> ReadMetricLog(std::string_view text, const StepTimesInput& how);
std::optional<Result<StepLog>> ReadEventsFile(std::string_view bytes, const StepTimesInput& how);
std::optional<Result<StepLog>> ReadJsonLog(std::string_view text, const StepTimesInput& how);
std::optional<Result<StepLog>> ReadTableLog(std::string_view text, const StepTimesInput& how);

}  // namespace profgauge::readers
