// Where CI systems show alerts: paths as the repository knows them, and the line of the policy that
// set the limit or the level.
#pragma once

#include <string>

#include "cli/options.h"
#include "render/ci/ci.h"
#include "rules/policy.h"

namespace profgauge::cli {

/// Places for alerts of a run. A built-in policy's alert is in no file of the repository: it
/// is shown at the policy that extends it, else at the profile.
render::AlertPlaces PlacesOf(const Options& options, const Policy& policy);
/// For a report without its policy at hand: all at the policy that it names, else at itself.
render::AlertPlaces PlacesOf(const Options& options, const std::string& policy,
                             const std::string& otherwise);

/// For an error: its file, else the given policy, else the profile.
render::AlertPlace PlaceOf(const Options& options, const Where& where);

}  // namespace profgauge::cli
