// Reads times of iterations as tools log them: Megatron-LM's and NeMo's logs, TensorBoard's events,
// CSV and JSON lines with a column, vLLM's latencies, lists in the JSON of benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run_side.h"
#include "profgauge/error.h"
#include "readers/reader.h"
#include "readers/run_side/times_reader.h"

namespace profgauge::readers {

/// The size limit of logs.
inline constexpr std::size_t kMostLogBytes = std::size_t{256} << 20;

/// The iteration times of one log, in order.
struct StepLog {
  RunDocument document;  ///< With the clock `reported`.
  std::string kind;      ///< "Megatron-LM log"
};

/// The size limit of JSON documents.
inline constexpr std::size_t kMostJsonBytes = std::size_t{128} << 20;

/// Reads a file in any known form. Tries the forms in a fixed order, the most certain first:
/// `profgauge.run`, event files, JSON, logs by their words, MLflow's metrics, tables. Errors:
/// kUsage "usage/step-unit", "usage/step-column"; kInput "run/no-times" with the known forms, and
/// those of ReadRunDocument() for an unusable `profgauge.run`.
Result<TimesFile> ReadTimes(std::string_view text, const StepTimesInput& how);

// Declarations shared by the readers of logs: values with their unit, and their conversion.

/// One time in a log.
struct LoggedTime {
  std::int64_t step = -1;  ///< As logged; -1: not logged.
  double value = 0;        ///< In the log's unit.
};

/// The meaning of logged values.
///
///   logged     10: 2.0   20: 2.2   30: 2.1      seconds
///   kSingle    iterations 10, 20 and 30
///   kMean      iterations 11 to 20 take 22 s, 21 to 30 take 21 s; the first line is not used, as
///              the number of its iterations is unknown
enum class Logged : std::uint8_t {
  kSingle,  ///< A value is of one iteration, or of a sample of iterations.
  kMean,    ///< A value is the mean over the iterations since the previous line.
};

/// The number of nanoseconds in "s", "ms", "us", "ns"; nullopt for other texts.
std::optional<double> FactorOf(std::string_view unit);
/// The nanoseconds per unit, by the unit in a column's name: "step_ms", "time (ms)", "timing in s".
std::optional<double> FactorOfName(std::string_view name);

/// Splits "FILE", "FILE:COLUMN", "FILE:COLUMN:UNIT" or "FILE::UNIT". FILE is the longest start that
/// is a file, so its name may have colons; if there is none, the text before the first colon.
StepTimesInput ParseStepTimes(std::string_view text);

/// The factor of the user's unit, else that of the name. Errors: kUsage "usage/step-unit".
Result<double> ChooseFactor(const StepTimesInput& how, const std::string& name);

/// True if a column or tag of that name has times of iterations.
bool IsStepTimeName(std::string_view name);
/// True if a column of that name has numbers of iterations.
bool IsStepNumberName(std::string_view name);
/// The name that the user chose, else the only one in `names` that is a name of step times. Errors:
/// kUsage "usage/step-column".
Result<std::string> ChooseName(const std::string& given, const std::vector<std::string>& names);

/// Makes a document from logged values; `factor` is the nanoseconds per unit. Lines that are
/// written twice are dropped and counted. Iterations that a restart runs again count like others.
/// Errors: kInput "run/no-times".
Result<StepLog> MakeStepLog(std::string kind, const std::vector<LoggedTime>& values, double factor,
                            Logged logged);
/// Adds the number of rows without a time to `log`.
Result<StepLog> WithSkipped(std::int64_t rows, Result<StepLog> log);
/// Makes the error "run/no-times".
Error NoTimes(std::string message);

/// Makes the contents of a file that has only this log.
Result<TimesFile> AsTimes(Result<StepLog> log);
/// True if values only grow, like a running total. Step times also fall.
bool IsRunningTotal(const std::vector<LoggedTime>& values);
/// Makes the error "usage/step-column" for a column that is a running total.
Error RunningTotal(const std::string& column);

// Readers of one kind of log each. A reader returns nullopt if the text is of another kind.
std::optional<Result<StepLog>> ReadTextLog(std::string_view text);
std::optional<Result<StepLog>> ReadMetricLog(std::string_view text, const StepTimesInput& how);
std::optional<Result<StepLog>> ReadEventsFile(std::string_view bytes, const StepTimesInput& how);
std::optional<Result<TimesFile>> ReadJsonTimes(std::string_view text, const StepTimesInput& how);
std::optional<Result<StepLog>> ReadTableLog(std::string_view text, const StepTimesInput& how);

}  // namespace profgauge::readers
