// Reads files of times (steps, benchmarks, load tests) as profiles without events.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run_side.h"
#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Source::format of such profiles.
inline constexpr std::string_view kTimesFormat = "times";

/// Makes the reader of every form of times.yaml, of `profgauge.run` and of tables with a column.
/// Sniff() returns kYes if a document has the keys of a form, and kMaybe for any other text,
/// because a log may begin with its program's arguments. A text without times gives the error of an
/// unknown file. Other errors: those of ReadTimes(); "run/few-values", "run/too-large".
std::unique_ptr<Reader> MakeTimesReader();

/// True if the beginning of a file shows that it has times.
bool LooksLikeTimes(std::string_view head);

// Files that have times but no profile: step times, benchmarks, load tests. The forms are rows of
// rules/knowledge/times.yaml, which one interpreter reads.

/// The kind of data that a form has.
enum class Gives : std::uint8_t {
  kSeries,  ///< Times by name.
  kValue,   ///< One time by name.
  kSteps,   ///< Times by the number of the step.
  kMeans,   ///< A log; each value is the mean of the steps since the previous line.
  kSingle,  ///< A log; each value is of one step.
  kLoad,    ///< Latencies and rates of a load test.
  kNone,    ///< No data that can be judged.
};

/// A row of times.yaml, which explains the fields.
struct TimesForm {
  std::string_view id, title;
  Gives gives = Gives::kNone;
  std::string_view sign{}, step{}, keys{}, rows{}, at{}, name{}, unit{}, only{}, note{};
  bool list = false;
};

/// All forms, in their order.
const std::vector<TimesForm>& TimesForms();

/// The contents of a file. At least one of the first three is set.
struct TimesFile {
  std::optional<RunDocument> document;
  std::vector<NamedTimes> benchmarks;  ///< Several, or one with fewer values than a run needs.
  std::optional<LoadTest> load_test;
  std::string form;                ///< "hyperfine"
  std::vector<std::string> notes;  ///< Sentences for the reader of the numbers.
};

/// The limit of benchmarks, because no person would read more.
inline constexpr std::size_t kMostBenchmarks = 4096;
/// The least number of values that can show a level.
inline constexpr std::size_t kLeastTimes = 5;

/// Reads the document by the first form that matches; nullopt if none does. Errors: kUsage
/// "usage/step-unit"; kInput "run/no-times", "run/few-values", "run/too-large".
std::optional<Result<TimesFile>> ReadTimesForm(const boost::json::value& value);

/// The form whose keys are in the beginning of a document; nullptr if there is none. The whole
/// document may have another form, whose keys come later.
const TimesForm* FormOfHead(std::string_view head);
/// The form of a log, by the words in its text; nullptr if there is none.
const TimesForm* FormOfLog(std::string_view text);

/// The value at a path of keys, "a.b"; nullptr if there is none.
const boost::json::value* AtPath(const boost::json::value& value, std::string_view path);

/// Reads the result of a load test. Errors: kInput "run/failed" if no request was answered.
Result<TimesFile> ReadLoadTest(const boost::json::value& value, const TimesForm& form);

}  // namespace profgauge::readers
