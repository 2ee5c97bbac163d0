// Files of times as profiles without events: steps, benchmarks and load tests are judged as a run.
#pragma once

#include <memory>
#include <string_view>

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

}  // namespace profgauge::readers
