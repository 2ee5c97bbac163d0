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

namespace profgauge {

struct FactSpec {
  std::string_view name;  ///< "profile.data_loss"
  Unit unit = Unit::kText;
  std::string_view doc;
};
std::span<const FactSpec> FactCatalogue();

/// By name; a fact that not recorded is missing or monostate.
using Facts = std::map<std::string, Value, std::less<>>;

/// As rules name it: "marker", "key_op", …, "whole_profile", "none".
std::string_view IterationsById(IterationsBy by);

/// The names of the parts of these devices, as facts `device.…`.
void AddDeviceWords(Accelerator accelerator, Facts& facts);

/// The facts of one run.
Facts CollectFacts(std::span<const Profile> ranks, const Analysis& analysis);

}  // namespace profgauge
