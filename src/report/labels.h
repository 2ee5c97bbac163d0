// Names that every output of a report shares: of its devices' parts, and of iterations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "report/report.h"

namespace profgauge::report {

/// Before the name of a benchmark where others have the id of a metric.
inline constexpr std::string_view kBenchmarkSeries = "benchmark ";

// Texts of ours in the words of a report's devices: model/devices.h.

/// `text` with each `{{ device.* }}` as these devices are called (ProfileInfo::accelerator). Names
/// of the profile are to join it after this.
std::string TextFor(std::string_view accelerator, std::string_view text);
std::string TextFor(const ProfileInfo& profile, std::string_view text);

// The names of iterations.

/// "ProfilerStep#5 (0)" by position, of those whose recorded name is not their position.
using Labels = std::map<std::int64_t, std::string>;
Labels IterationLabels(const Report& report);

/// The one that a cell under this title names; empty if it names no iteration, or one
/// whose name is its position. Points into `labels`.
std::string_view LabelOfCell(const Labels& labels, std::string_view title, const Value& cell);

}  // namespace profgauge::report
