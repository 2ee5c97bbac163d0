// Names that all outputs share: terms for devices, and names of iterations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "report/report.h"

namespace profgauge::report {

/// Smaller changes are noise in nearly all runs, and a share's difference of less than half a point
/// means nothing. `compare` lists larger ones, but does not warn.
inline constexpr double kLeastShownChange = 0.01, kLeastShownPoints = 0.005;

/// Ends the title of a time that is scaled to the samples of the baseline's iterations.
inline constexpr std::string_view kPerSample = ", scaled to the baseline's samples";

/// Prefix of the ids of remarks about slower parts that only warn; the key of their limit follows.
inline constexpr std::string_view kSlowerPart = "slower-part/";

/// Id of a remark about a total that is over its limit although the metric passes.
inline constexpr std::string_view kPassedTotal = "passed-total";

/// Ids of remarks about device time in no iteration: of the analysis (analysis/trust/coverage.cc),
/// and of a comparison, in which no limit compares it.
inline constexpr std::string_view kOutside = "outside", kPassedOutside = "passed-outside";

/// Prefix of a series of benchmark times; the series of a metric has its id instead.
inline constexpr std::string_view kBenchmarkSeries = "benchmark ";

// Texts with the terms for a report's devices: model/devices.h.

/// Returns `text` with each `{{ device.* }}` replaced by the term for these devices
/// (ProfileInfo::accelerator). Insert names from the profile only after this.
std::string TextFor(std::string_view accelerator, std::string_view text);
std::string TextFor(const ProfileInfo& profile, std::string_view text);

// The names of iterations.

/// Recorded names by position, "ProfilerStep#5 (0)", if they differ from the position.
using Labels = std::map<std::int64_t, std::string>;
Labels IterationLabels(const Report& report);

/// Returns the label of the iteration in a cell under this title. Empty if the cell is no
/// iteration, or if its name is its position. Points into `labels`.
std::string_view LabelOfCell(const Labels& labels, std::string_view title, const Value& cell);

}  // namespace profgauge::report
