// Makes the section about the measurement: run, devices, versions, environment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/compare.h"
#include "gate/history.h"
#include "model/devices.h"
#include "model/profile.h"
#include "report/build_report.h"
#include "report/report.h"
#include "report/runs.h"
#include "rules/evaluator.h"
#include "rules/plan.h"

namespace profgauge::report {

/// Returns the version in a fact of a profile, as people write it: 12040 of "cuda_driver_version"
/// is "12.4".
std::string DecodedVersion(std::string_view fact, const std::string& text);
ProfileInfo BuildProfileInfo(const BuildInput& input);

/// The profile's facts, without those shown as a version or framework.
std::vector<std::pair<std::string, std::string>> BuildEnvironment(std::span<const Profile> ranks);

/// Hashes and options, i.e. everything that decides the numbers; no paths of reports.
std::vector<std::pair<std::string, std::string>> BuildProvenance(const BuildInput& input);

}  // namespace profgauge::report
