// The part of the report that says what was measured: run, devices, versions, environment.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/build_report.h"

namespace profgauge::report {

ProfileInfo BuildProfileInfo(const BuildInput& input);

/// What the profile says of itself, less what is shown as a version or framework.
std::vector<std::pair<std::string, std::string>> BuildEnvironment(std::span<const Profile> ranks);

/// Hashes and options: what decides the numbers, and nothing about where reports are written.
std::vector<std::pair<std::string, std::string>> BuildProvenance(const BuildInput& input);

}  // namespace profgauge::report
