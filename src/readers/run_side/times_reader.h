// Files of times as profiles without events: steps, benchmarks and load tests are judged as a run.
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

/// The reader of every form of times.yaml, of `profgauge.run` and of tables with a column. It says
/// kYes where a document has the keys of a form, and kMaybe of any other text: a log may begin
/// with the arguments of its program. Text without times gives the error of an unknown file.
/// Errors besides: those of ReadTimes(); "run/few-values", "run/too-large".
std::unique_ptr<Reader> MakeTimesReader();

/// Whether the beginning of a file shows that it holds times.
bool LooksLikeTimes(std::string_view head);

// Files that hold times and no profile: step times, benchmarks, load tests. The forms are rows of
// rules/knowledge/times.yaml; one interpreter reads them.

/// What a form gives.
enum class Gives : std::uint8_t {
  kSeries,  ///< Times by name.
  kValue,   ///< One time by name.
  kSteps,   ///< Times by the number of the step.
  kMeans,   ///< Of a log: each of the steps since the line before.
  kSingle,  ///< Of a log: each of one step.
  kLoad,    ///< Latencies and rates of a load test.
  kNone,    ///< Nothing that can be judged.
};

/// A row of times.yaml, where the fields are explained.
struct TimesForm {
  std::string_view id, title;
  Gives gives = Gives::kNone;
  std::string_view sign, step, keys, rows, at, name, unit, only, note;
  bool list = false;
};

/// All forms, in their order.
const std::vector<TimesForm>& TimesForms();

/// What a file holds. At least one of the first three is there.
struct TimesFile {
  std::optional<RunDocument> document;
  std::vector<NamedTimes> benchmarks;  ///< Two or more, or one of fewer values than a run needs.
  std::optional<LoadTest> load_test;
  std::string form;                ///< "hyperfine"
  std::vector<std::string> notes;  ///< Sentences for whoever reads the numbers.
};

/// More benchmarks than a person looks at are not judged.
inline constexpr std::size_t kMostBenchmarks = 4096;
/// Fewer values do not show a level.
inline constexpr std::size_t kLeastTimes = 5;

/// The document by the first form that fits; nothing where none does. Errors: kUsage
/// "usage/step-unit"; kInput "run/no-times", "run/few-values", "run/too-large".
std::optional<Result<TimesFile>> ReadTimesForm(const boost::json::value& value);

/// The form whose keys the beginning of a document has; null: none. It may be another one in the
/// end, since only the keys of the document itself are known for certain.
const TimesForm* FormOfHead(std::string_view head);
/// The form of a log whose words are in the text; null: none.
const TimesForm* FormOfLog(std::string_view text);

/// The value at a path of keys, "a.b"; null: none is there.
const boost::json::value* AtPath(const boost::json::value& value, std::string_view path);

/// The result of a load test. Errors: kInput "run/failed" where nothing was answered.
Result<TimesFile> ReadLoadTest(const boost::json::value& value, const TimesForm& form);

}  // namespace profgauge::readers
