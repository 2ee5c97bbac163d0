// Facts about a profile that rules may name besides metrics: how it was made, missing data, and
// words for its devices. Their names start with `profile.`, `model_config.` and `device.`.
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

/// Facts by name. A rule that needs an unknown fact (missing or without a value) does not apply.
using Facts = std::map<std::string, Value, std::less<>>;

/// The name in rules: "marker", "key_op", …, "whole_profile", "none".
std::string_view IterationsById(IterationsBy by);

/// Sets the facts `device.…`, the words for parts of these devices. Replaces existing ones.
void AddDeviceWords(Accelerator accelerator, Facts& facts);

/// Collects the facts of one run. Names, switches and versions are those of the first rank, because
/// ranks run one program. Counts are sums over all ranks; the time of garbage collection is the
/// largest of any rank. Without profiles, returns only facts of the analysis and device words.
/// Time: linear in names and host ranges of the profiles.
Facts CollectFacts(std::span<const Profile> ranks, const analysis::Analysis& analysis);

}  // namespace profgauge::rules
