// Facts about the profile that rules may name besides metrics: how it was made, its missing data,
// and the names of the parts of its devices. They are `profile.…`, `model_config.…` and
// `device.…` names of the expression language, for all rules alike.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "base/value.h"
#include "model/devices.h"

namespace profgauge::rules {

struct FactSpec {
  std::string_view name;  ///< "profile.data_loss"
  Unit unit = Unit::kText;
  std::string_view doc;
};
std::span<const FactSpec> FactCatalogue();

/// By name. A fact that is not recorded is missing or has no value: rules that need it do not
/// apply.
using Facts = std::map<std::string, Value, std::less<>>;

/// As rules name it: "marker", "key_op", …, "whole_profile", "none".
std::string_view IterationsById(IterationsBy by);

/// The names of the parts of these devices, as facts `device.…`; they replace those that are there.
void AddDeviceWords(Accelerator accelerator, Facts& facts);

/// The facts of one run. Names, switches and versions are the first rank's: ranks run one program.
/// Counts are of all ranks, the time of garbage collection of the rank with most. Without profiles
/// only facts of the analysis and words for devices. Time: linear in names and host ranges of the
/// profiles.
Facts CollectFacts(std::span<const Profile> ranks, const analysis::Analysis& analysis);

}  // namespace profgauge::rules
