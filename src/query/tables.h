// The tables that queries read: those of the report, and single events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/table.h"
#include "base/value.h"
#include "query/relation.h"
#include "report/report.h"

namespace profgauge::query {

// The tables for the parts of a report that are no tables of the analysis, with their columns:
// metrics, limits, findings, and the schema itself.

/// A table that is not in the catalog of the analysis.
struct TableShape {
  std::string_view id, title, doc;
  Origin origin = Origin::kReport;
  std::span<const ColumnSpec> columns;
};
std::span<const TableShape> ReportShapes();

// Columns of the tables of single events.

std::span<const TableShape> EventShapes();

// The tables that a judged run fills: those of the analysis with all of their rows, and metrics,
// limits, findings, evidence, facts and the import log.

/// Facts of a run by their name in rules.
using FactValues = std::vector<std::pair<std::string, Value>>;

/// Adds the rows of a run; `run` is its name, empty if it is the only one. Parts keep the report.
void AddReport(const std::string& run, std::shared_ptr<const report::Report> report,
               const FactValues& facts, Dataset& data);

// The tables of single events: one row each, read directly from the profile.

/// Ids of events: those of the rank at position p of the run start at p times this number. For up
/// to 100 000 ranks they are below 2^53, so that JSON readers keep them exact.
inline constexpr std::int64_t kIdsOfRank = std::int64_t{1} << 36;

/// Adds the rows of the event tables in `wanted`. `ranks` are those of a run from `position` on;
/// their profiles must outlive the rows. Cheap: cells are read when a statement uses them.
void AddEvents(const std::string& run,
               std::shared_ptr<const std::vector<analysis::iterations::RankContext>> ranks,
               std::size_t position, const Places& wanted, Dataset& data);

}  // namespace profgauge::query
