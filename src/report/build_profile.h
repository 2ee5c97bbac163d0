// The part of the report about the measurement: run, devices, versions, environment.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/build_report.h"

namespace profgauge::report {

ProfileInfo BuildProfileInfo(const BuildInput& input);

/// The profile's facts, without those shown as a version or framework.
std::vector<std::pair<std::string, std::string>> BuildEnvironment(std::span<const Profile> ranks);

/// Hashes and options: everything that decides the numbers, and no paths of reports.
std::vector<std::pair<std::string, std::string>> BuildProvenance(const BuildInput& input);

}  // namespace profgauge::report
