// The tables of single events: one row each, read from the profile in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "query/relation.h"

namespace profgauge::query {

/// Ids of events: those of the rank at position p of the run begin with p times this. 100 000 ranks
/// stay below 2^53, so that readers of JSON keep them.
inline constexpr std::int64_t kIdsOfRank = std::int64_t{1} << 36;

/// Adds the rows of the event tables among `wanted`. `ranks` are those of a run from `position` on,
/// and their profiles must outlive the rows.
void AddEvents(const std::string& run, std::shared_ptr<const std::vector<RankContext>> ranks,
               std::size_t position, const Places& wanted, Dataset& data);

}  // namespace profgauge::query
