// Aggregates over the rows of a group. Internal to evaluation.
#pragma once

#include <cstdint>
#include <span>

#include "expr/cell.h"

namespace profgauge::expr {

/// The aggregate call `id` over `rows`. Adds rows that were left out for an absent value to
/// `skipped`.
Cell Aggregate(const Program& program, const Data& data, NodeId id, std::span<const RowId> rows,
               std::uint64_t& skipped);

}  // namespace profgauge::expr
