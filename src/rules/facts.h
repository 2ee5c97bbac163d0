// Facts about the recording that rules may name besides metrics: how it was made, what is missing
// from it. They are `profile.…` and `model_config.…` names of the expression language, for all
// rules alike.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "base/value.h"

namespace profgauge {

struct FactSpec {
  std::string_view name;  ///< "profile.data_loss"
  Unit unit = Unit::kText;
  std::string_view doc;
};
std::span<const FactSpec> FactCatalogue();

/// By name; a fact that the recording does not tell is missing or monostate.
using Facts = std::map<std::string, Value, std::less<>>;

/// The facts of one run.
Facts CollectFacts(std::span<const Profile> ranks, const Analysis& analysis);

}  // namespace profgauge
